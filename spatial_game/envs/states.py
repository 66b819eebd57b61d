"""The state of a game as integers in a row: its episode, what has happened in it, and what each agent sees.

    window | message | sequence | candidates | target_position | mask_column | target_index | choice | turns
             \\__ what the receiver sees __/

The sender sees the window, and the message, too, if it sends one symbol in each turn. A symbol is -1 until it
is sent, and the choice until it is made; `turns` are those taken. The states of B games are a structured
array (B,). Each part is a field of it, and so is what each agent sees: `states["message"]`,
`states["sender_0"]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.checking import bounds_of
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.rules import RECEIVER, SENDER, receiver_fields, sender_fields

States = npt.NDArray[np.void]
"""The states of games: a structured array (B,) of a `state_type`. Each field is an array (B, ...)."""

GameIndex = IntArray | slice
"""Some of many games, as an index into their states: their numbers in ascending order, or `ALL`."""
ALL = slice(None)

_PARTS = (
    "window",
    "message",
    "sequence",
    "candidates",
    "target_position",
    "mask_column",
    "target_index",
    "choice",
)
_NOT_YET = -1  # in the message and the choice


def games_in(mask: Mask) -> GameIndex:
    """Return the games in a mask (B,)."""
    return ALL if mask.all() else np.flatnonzero(mask)


def state_type(config: GameConfig, *, symbol_per_turn: bool) -> np.dtype[Any]:
    """Return the type of a game's state."""
    shapes = {name: bounds_of(config)[name].shape for name in _PARTS} | {"turns": ()}
    fields: dict[str, tuple[Any, int]] = {}  # the type of each, and the byte at which it starts
    end = 0
    for name, shape in shapes.items():
        fields[name] = np.dtype((np.int16, shape)), end
        end += fields[name][0].itemsize
    starts = {SENDER: 0, RECEIVER: fields["message"][1]}
    seen = {SENDER: sender_fields(config, symbol_per_turn=symbol_per_turn), RECEIVER: receiver_fields(config)}
    for agent, lengths in seen.items():
        fields[agent] = np.dtype((np.int16, (sum(lengths.values()),))), starts[agent]
    return np.dtype(fields)  # type: ignore[call-overload, no-any-return]


def new_states(kind: np.dtype[Any], episodes: Episodes) -> States:
    """Return states of this type for episodes in which nothing has happened yet."""
    states = np.zeros(len(episodes), kind)
    states["message"] = states["choice"] = _NOT_YET
    for name, column in vars(episodes).items():
        states[name] = column
    return states


def parts_of(states: States) -> dict[str, IntArray]:
    """Return copies of all parts but the turns, by the names of the columns of a recording."""
    kept = states.view(np.int16).copy().view(states.dtype)  # ten times as fast as to copy field by field
    return {name: kept[name] for name in _PARTS}


def episodes_of(states: States | dict[str, IntArray]) -> Episodes:
    """Return the episodes of states, or of the parts of states, as views."""
    return Episodes(*(states[name] for name in Episodes.__annotations__))
