"""What agents see: the forms of observations with their spaces, and the masks of actions.

`observations=` and `mask_in_observation=` of an environment choose the form:

| `observations` | Observation | Action |
|---|---|---|
| `"flat"` | one float32 array of exact integers: the agent's fields in a row | unchanged |
| `"dict"` | a Dict of int64 fields: `window`, `message`, `sequence`, `candidates` | unchanged |
| `"one_hot"` | a flat float32 Box of ones and zeros: a place for each value of each cell | unchanged |
| `"equal"` | flat, and padded with -1 to the longer of the two agents' | one Discrete for both |

`"equal"` needs both agents and Discrete actions (`referential_symbol_v0`). `mask_in_observation=True` makes
every observation a Dict of `observation` and `action_mask`, the mask in the infos.

A mask holds 1 for each action that an agent may take: every one on its turn, only action 0 at other times. It
has the shape with which `space.sample(mask)` works, in many games with an axis for the games in front: an
array (..., n) for `Discrete`, a tuple of them, one for each slot, for `MultiDiscrete`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from spatial_game.checks import require, require_bool, require_one_of, require_whole
from spatial_game.config import GameConfig
from spatial_game.envs.game import RECEIVER, SENDER, Action, actions_of
from spatial_game.game import rules
from spatial_game.game.checking import columns
from spatial_game.game.episodes import IntArray, bytes_of_episode
from spatial_game.memory import require_memory

Space = spaces.Space[Any]
MaskArray = npt.NDArray[np.int8]
Boxes = dict[str, spaces.Box]
Fields = dict[str, Boxes]
"""The space of each field of an agent's observation, by agent."""
Actions = dict[str, Action]
Masks = MaskArray | tuple[MaskArray, ...]


class ObservationForm:
    """Flat arrays of exact integers. The other forms show the same observations in another way."""

    def __init__(
        self,
        config: GameConfig,
        *,
        symbol_per_turn: bool = False,
        masked: bool = False,
        num_games: int | None = None,
    ) -> None:
        """`masked`: observations have the mask, too. `num_games`: number of games in a batch; masks then have
        one row per game. Raises `TypeError` for a choice that is neither True nor False."""
        require_bool("symbol_per_turn", symbol_per_turn)
        require_bool("mask_in_observation", masked)
        fields = {
            SENDER: _boxes(config, rules.sender_fields(config, symbol_per_turn=symbol_per_turn)),
            RECEIVER: _boxes(config, rules.receiver_fields(config)),
        }
        flat = {agent: _joined(boxes.values()) for agent, boxes in fields.items()}
        self.state_space = _joined(flat.values())
        """The space of what both agents see in flat form, the sender first."""
        actions = actions_of(config, symbol_per_turn=symbol_per_turn)
        self.observation_spaces, self.actions = self._made(fields, flat, actions)
        self.action_spaces: dict[str, Space] = {agent: each.space for agent, each in self.actions.items()}
        self.config, self._num_games, self._masked = config, num_games, masked
        if masked:
            for agent, seen in self.observation_spaces.items():
                mask = _mask_space(self.actions[agent])
                self.observation_spaces[agent] = spaces.Dict({"observation": seen, "action_mask": mask})

    @cached_property
    def masks(self) -> dict[str, tuple[Any, Any]]:
        """For each agent, the masks when it is not its turn and when it is; read-only, to be shared."""
        return {
            agent: (_mask(action, 1, self._num_games), _mask(action, action.bound, self._num_games))
            for agent, action in self.actions.items()
        }

    @property
    def bytes_of_game(self) -> int:
        """About the memory of a game: its generator, what is drawn ahead, observations and masks."""
        seen = sum(int(spaces.utils.flatdim(space)) for space in self.observation_spaces.values())
        flags = sum(sum(action.sizes) for action in self.actions.values())
        return 2000 + 10 * bytes_of_episode(self.config) + 8 * seen + 5 * flags

    def _made(self, fields: Fields, flat: Boxes, actions: Actions) -> tuple[dict[str, Space], Actions]:
        """Return this form's observation spaces and actions of each agent."""
        return {**flat}, actions

    def show(self, agent: str, views: rules.FloatArray, in_turn: Any) -> Any:
        """Return the agent's flat views (..., n) in this form, with its mask if the form was made so.

        `in_turn` says whether it is the agent's turn: a boolean, or an array (B,) of them.
        """
        seen = self.observation(agent, views)
        if not self._masked:
            return seen
        return {"observation": seen, "action_mask": self.new_masks(agent, in_turn)}

    def new_masks(self, agent: str, in_turn: Any) -> Masks:
        """Return new masks of an agent; `in_turn` as in `show`."""
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

    def observation(self, agent: str, views: rules.FloatArray) -> Any:
        """Return the agent's flat views (..., n) in this form, without a mask."""
        return views


class DictForm(ObservationForm):
    """A Dict of int64 fields.

    The sender's: `window` (W,) and, one symbol per turn, its own `message` (T,). The receiver's: `message`,
    `sequence` (L,) and `candidates` (C,).
    """

    def _made(self, fields: Fields, flat: Boxes, actions: Actions) -> tuple[dict[str, Space], Actions]:
        self._names = {agent: list(boxes) for agent, boxes in fields.items()}
        self._ends = {
            agent: np.cumsum([box.shape[0] for box in boxes.values()])[:-1] for agent, boxes in fields.items()
        }
        return {agent: spaces.Dict({**boxes}) for agent, boxes in fields.items()}, actions

    def observation(self, agent: str, views: rules.FloatArray) -> Any:
        """Return the fields of the agent's views."""
        parts = np.split(views.astype(np.int64), self._ends[agent], axis=-1)
        return dict(zip(self._names[agent], parts, strict=True))


class OneHotForm(ObservationForm):
    """A flat float32 Box of ones and zeros, with a place for each value of each cell.

    A cell of the window has num_integers + 1 places, the first for the mask (if cells can be hidden, one more
    before it). A slot of the message has vocab_size + 1, the first for a symbol that is not sent yet. A cell
    of the sequence or of the candidates has num_integers.
    """

    def _made(self, fields: Fields, flat: Boxes, actions: Actions) -> tuple[dict[str, Space], Actions]:
        self._widths: dict[str, int] = {}
        self._zeros: dict[str, IntArray] = {}  # of each agent, for each cell: the place of the value 0
        for agent, box in flat.items():
            low, sizes = box.low.astype(np.int64), (box.high - box.low + 1).astype(np.int64)
            self._zeros[agent] = np.cumsum(sizes) - sizes - low
            self._widths[agent] = int(sizes.sum())
        return {agent: spaces.Box(0, 1, (n,), np.float32) for agent, n in self._widths.items()}, actions

    def observation(self, agent: str, views: rules.FloatArray) -> Any:
        """Return the agent's views as ones and zeros."""
        shown = np.zeros((*views.shape[:-1], self._widths[agent]), dtype=np.float32)
        np.put_along_axis(shown, views.astype(np.int64) + self._zeros[agent], 1, axis=-1)
        return shown


class EqualForm(ObservationForm):
    """The same spaces for both agents, for libraries with one policy or one kind of agent.

    Observations are padded with -1 to the longer of the two. The action is a Discrete of the larger size;
    masks have this size, too, and an action beyond the agent's own actions starts again at 0. Raises
    `ValueError` unless both actions are Discrete.
    """

    def _made(self, fields: Fields, flat: Boxes, actions: Actions) -> tuple[dict[str, Space], Actions]:
        for action in actions.values():
            require(
                not action.shape,
                'observations="equal" needs Discrete actions (referential_symbol_v0)',
                action.space,
            )
        size = max(action.bound for action in actions.values())
        boxes = flat.values()
        low, high = min(float(box.low.min()) for box in boxes), max(float(box.high.max()) for box in boxes)
        self._width = max(box.shape[0] for box in boxes)
        seen = spaces.Box(min(low, -1.0), high, (self._width,), np.float32)
        return dict.fromkeys(flat, seen), {agent: each._replace(size=size) for agent, each in actions.items()}

    def observation(self, agent: str, views: rules.FloatArray) -> Any:
        """Return the agent's views, padded with -1."""
        shown = np.full((*views.shape[:-1], self._width), -1, dtype=np.float32)
        shown[..., : views.shape[-1]] = views
        return shown


FORMS: dict[str, type[ObservationForm]] = {
    "flat": ObservationForm,
    "dict": DictForm,
    "one_hot": OneHotForm,
    "equal": EqualForm,
}
"""The forms by name."""

ROLE_FORMS = ("flat", "dict", "one_hot")
"""The forms for an environment of one role."""


def make_form(
    observations: str, config: GameConfig, names: tuple[str, ...] = tuple(FORMS), **kind: Any
) -> ObservationForm:
    """Return the form of this name, which must be one of `names`; `kind` as for `ObservationForm`."""
    require_one_of("observations", observations, names)
    return FORMS[observations](config, **kind)


def require_num_envs(num_envs: Any, form: ObservationForm) -> int:
    """Return the number of games to play at once. Raises `UserError` for more than fit into memory."""
    whole = require_whole("num_envs", num_envs, 1)
    require_memory("num_envs", whole, whole * form.bytes_of_game, "play fewer games at once")
    return whole


def short(space: Space) -> str:
    """Return a name of the space without the bounds of each number, for messages."""
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{name}: {short(part)}' for name, part in space.items())})"
    return f"Box{space.shape}" if isinstance(space, spaces.Box) else str(space)


def _boxes(config: GameConfig, names: Iterable[str]) -> dict[str, spaces.Box]:
    """Return the space of each of these fields in one game; int64."""
    bounds = {name: columns(config)[name] for name in names}
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
