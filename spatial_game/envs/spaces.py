"""The spaces of both agents and their masks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from spatial_game.config import GameConfig
from spatial_game.envs.turns import RECEIVER, SENDER
from spatial_game.game import rules
from spatial_game.game.columns import columns

Masks = npt.NDArray[np.int8]


def action_spaces(config: GameConfig, *, symbol_per_turn: bool) -> dict[str, spaces.Space[Any]]:
    """Return the action space of each agent in one game."""
    sender: spaces.Space[Any] = (
        spaces.Discrete(config.vocab_size)
        if symbol_per_turn
        else spaces.MultiDiscrete([config.vocab_size] * config.message_length)
    )
    return {SENDER: sender, RECEIVER: spaces.Discrete(config.num_candidates)}


def observed_fields(config: GameConfig, *, symbol_per_turn: bool) -> dict[str, dict[str, spaces.Box]]:
    """Return the space of each field that an agent observes in one game, in order; int64."""
    fields = {
        SENDER: rules.sender_fields(config, symbol_per_turn=symbol_per_turn),
        RECEIVER: rules.receiver_fields(config),
    }
    return {agent: {name: _box(config, name) for name in names} for agent, names in fields.items()}


def _box(config: GameConfig, name: str) -> spaces.Box:
    shape, low, bound = columns(config)[name]
    return spaces.Box(rules.UNSENT if name == "message" else low, bound - 1, shape, np.int64)


def joined(boxes: Iterable[spaces.Box]) -> spaces.Box:
    """Return the space of flat observations, float32, that show these boxes one after another."""
    parts = list(boxes)
    low, high = (np.concatenate([getattr(box, end) for box in parts]) for end in ("low", "high"))
    return spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)


def short(space: spaces.Space[Any]) -> str:
    """Return a name of the space without the bounds of each number, for messages."""
    if isinstance(space, spaces.Dict):
        return f"Dict({', '.join(f'{name}: {short(part)}' for name, part in space.items())})"
    return f"Box{space.shape}" if isinstance(space, spaces.Box) else str(space)


def action_sizes(space: spaces.Space[Any]) -> list[int]:
    """Return the number of values of each part of an action: one part for each slot, or a single part."""
    return space.nvec.tolist() if isinstance(space, spaces.MultiDiscrete) else [int(space.n)]  # type: ignore[attr-defined]


def action_masks(space: spaces.Space[Any]) -> tuple[Masks, Masks]:
    """Return the masks of an agent: when it is not its turn (only action 0), and when it is.

    They have shape (n,) for `Discrete`, and (T, V), a row for each slot, for `MultiDiscrete`.
    """
    sizes = action_sizes(space)
    on = np.ones((len(sizes), sizes[0]), dtype=np.int8)
    off = np.zeros_like(on)
    off[:, 0] = 1
    return (off, on) if isinstance(space, spaces.MultiDiscrete) else (off[0], on[0])


def own_mask(mask: Masks) -> Masks | tuple[Masks, ...]:
    """Return a copy of one of the `action_masks` for `space.sample`: a tuple of rows, if it has rows.

    It is a copy, so nobody can change later masks.
    """
    copy = mask.copy()
    return copy if copy.ndim == 1 else tuple(copy)


def freeze_masks(masks: Iterable[Masks | tuple[Masks, ...]]) -> None:
    """Make masks read-only, so they can be reused: copies would take a quarter of an episode's time."""
    for mask in masks:
        for rows in mask if isinstance(mask, tuple) else (mask,):
            rows.setflags(write=False)
