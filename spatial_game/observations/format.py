"""The base of the formats: the flat observations that each of them shows, and the masks of actions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from spatial_game.checks import require_bool, require_whole
from spatial_game.config import GameConfig
from spatial_game.game import rules
from spatial_game.game.checking import bounds_of
from spatial_game.game.episodes import bytes_of_episode
from spatial_game.game.rules import RECEIVER, SENDER, Action, actions_of
from spatial_game.memory import require_memory

Space = spaces.Space[Any]
MaskArray = npt.NDArray[np.int8]
Masks = MaskArray | tuple[MaskArray, ...]
Actions = dict[str, Action]


class ObservationFormat:
    """One way to show the flat observations of the game: their spaces, and each observation."""

    suits_one_role: ClassVar[bool] = True
    """Whether an environment of one role may have it."""

    def __init__(
        self,
        config: GameConfig,
        *,
        symbol_per_turn: bool = False,
        mask_in_observation: bool = False,
        num_games: int | None = None,
    ) -> None:
        """`mask_in_observation`: observations have the mask, too. `num_games`: number of games in a batch;
        masks then have one row per game. Raises `TypeError` for a choice that is neither True nor False."""
        require_bool("symbol_per_turn", symbol_per_turn)
        require_bool("mask_in_observation", mask_in_observation)
        self.config, self._num_games, self._masked = config, num_games, mask_in_observation
        self.fields = {
            SENDER: _boxes(config, rules.sender_fields(config, symbol_per_turn=symbol_per_turn)),
            RECEIVER: _boxes(config, rules.receiver_fields(config)),
        }
        """The int64 space of each field of an agent's observation, by agent."""
        self.flat = {agent: _joined(boxes.values()) for agent, boxes in self.fields.items()}
        """The space of each agent's flat observations, float32."""
        self.state_space = _joined(self.flat.values())
        """The space of what both agents see in flat form, the sender first."""
        self.actions = self._actions(actions_of(config, symbol_per_turn=symbol_per_turn))
        self.action_spaces: dict[str, Space] = {agent: each.space for agent, each in self.actions.items()}
        self.observation_spaces = self._spaces()
        if mask_in_observation:
            for agent, space in self.observation_spaces.items():
                mask = _mask_space(self.actions[agent])
                self.observation_spaces[agent] = spaces.Dict({"observation": space, "action_mask": mask})

    # What a format decides

    def _spaces(self) -> dict[str, Space]:
        """Return each agent's observation space, without a mask; also keep here what `observation` needs."""
        raise NotImplementedError

    def _actions(self, actions: Actions) -> Actions:
        """Return what each agent does on its turn in this format."""
        return actions

    def observation(self, agent: str, flat: rules.Float32Array) -> Any:
        """Return the agent's flat observations (..., n) in this format, without a mask."""
        raise NotImplementedError

    # What all formats share

    def observe(self, agent: str, flat: rules.Float32Array, in_turn: Any) -> Any:
        """Return the agent's flat observations (..., n) in this format, with its mask if it was made so.

        `in_turn` says whether it is the agent's turn: a boolean, or an array (B,) of them.
        """
        observation = self.observation(agent, flat)
        if not self._masked:
            return observation
        return {"observation": observation, "action_mask": self.new_masks(agent, in_turn)}

    @cached_property
    def masks(self) -> dict[str, tuple[Any, Any]]:
        """For each agent, the masks when it is not its turn and when it is; read-only, to be shared."""
        return {
            agent: (_mask(action, 1, self._num_games), _mask(action, action.bound, self._num_games))
            for agent, action in self.actions.items()
        }

    def new_masks(self, agent: str, in_turn: Any) -> Masks:
        """Return new masks of an agent; `in_turn` as in `observe`."""
        off, on = self.masks[agent]
        in_turn = np.asarray(in_turn)
        every, some = in_turn.all(), in_turn.any()
        same: Masks = on if every else off
        if every or not some:  # if all games are in step, copies take a fraction of the time
            return tuple(slot.copy() for slot in same) if isinstance(same, tuple) else same.copy()
        rows = in_turn[:, None]
        if isinstance(off, tuple):
            return tuple(np.where(rows, *slot) for slot in zip(on, off, strict=True))
        return np.asarray(np.where(rows, on, off))

    @property
    def bytes_of_game(self) -> int:
        """About the memory of a game: its generator, what is drawn ahead, observations and masks."""
        numbers = sum(int(spaces.utils.flatdim(space)) for space in self.observation_spaces.values())
        flags = sum(sum(action.sizes) for action in self.actions.values())
        return 2000 + 10 * bytes_of_episode(self.config) + 8 * numbers + 5 * flags


def require_num_envs(num_envs: Any, format: ObservationFormat) -> int:
    """Return the number of games to play at once. Raises `UserError` for more than fit into memory."""
    whole = require_whole("num_envs", num_envs, 1)
    require_memory("num_envs", whole, whole * format.bytes_of_game, "play fewer games at once")
    return whole


def short(space: Space) -> str:
    """Return a name of the space without the bounds of each number, for messages."""
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{name}: {short(part)}' for name, part in space.items())})"
    return f"Box{space.shape}" if isinstance(space, spaces.Box) else str(space)


def _boxes(config: GameConfig, names: Iterable[str]) -> dict[str, spaces.Box]:
    """Return the space of each of these fields in one game; int64."""
    bounds = {name: bounds_of(config)[name] for name in names}
    return {
        # Symbols that are not sent yet can be seen in a message.
        name: spaces.Box(rules.UNSENT if name == "message" else low, bound - 1, shape, np.int64)
        for name, (shape, low, bound) in bounds.items()
    }


def _joined(boxes: Iterable[spaces.Box]) -> spaces.Box:
    """Return the space of flat observations, float32, that show these boxes one after another."""
    parts = list(boxes)
    low, high = (np.concatenate([getattr(box, end) for box in parts]) for end in ("low", "high"))
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def _mask(action: Action, allowed: int, num_games: int | None) -> Masks:
    """Return the mask that allows the first actions, `allowed` of them in each part of an action."""
    shape = () if num_games is None else (num_games, 1)
    masks = tuple(np.tile(np.arange(size) < allowed, shape).astype(np.int8) for size in action.sizes)
    for mask in masks:
        mask.setflags(write=False)
    return masks if action.shape else masks[0]


def _mask_space(action: Action) -> Space:
    masks = [spaces.Box(0, 1, (size,), np.int8) for size in action.sizes]
    return spaces.Tuple(masks) if action.shape else masks[0]
