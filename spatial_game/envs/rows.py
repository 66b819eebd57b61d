"""A game as a row of integers: the parts of its episode, and what each agent sees of them.

    window | message | sequence | candidates | target_position | mask_column | target_index | choice
             \\___ what the receiver sees ___/

The sender sees the window, and the message, too, if it sends one symbol in each turn. A symbol is -1 until it
is sent, and the choice until it is made. The rows of B games are an array (B, width) of int16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.checking import bounds_of
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.rules import RECEIVER, SENDER

Games = IntArray | slice
"""Some of many games, as an index into their rows: their numbers in ascending order, or `ALL`."""
ALL = slice(None)

_SEEN = ("window", "message", "sequence", "candidates")
_UNSEEN = ("target_position", "mask_column", "target_index", "choice")
_NOT_YET = -1  # in the message and the choice


def games_in(mask: Mask) -> Games:
    """Return the games in a mask (B,)."""
    return ALL if mask.all() else np.flatnonzero(mask)


class RowLayout:
    """Where everything stands in the row of a game."""

    def __init__(self, config: GameConfig, *, symbol_per_turn: bool) -> None:
        self.columns: dict[str, Any] = {}
        """Of each part of an episode, by its name in a recording: a slice, or the number of one column."""
        end = 0
        for name in (*_SEEN, *_UNSEEN):
            shape = bounds_of(config)[name].shape
            self.columns[name] = slice(end, end + shape[0]) if shape else end
            end += shape[0] if shape else 1
        self.turns, self.width = end, end + 1
        message, candidates = self.columns["message"], self.columns["candidates"]
        self.seen = {
            SENDER: slice(0, message.stop if symbol_per_turn else message.start),
            RECEIVER: slice(message.start, candidates.stop),
        }
        """The columns that each agent sees."""

    def rows(self, episodes: Episodes) -> IntArray:
        """Return the rows of episodes in which nothing has happened yet."""
        rows = np.full((len(episodes), self.width), _NOT_YET, dtype=np.int16)
        for name, column in vars(episodes).items():
            rows[:, self.columns[name]] = column
        rows[:, self.turns] = 0
        return rows

    def parts(self, rows: IntArray) -> dict[str, IntArray]:
        """Return each part of the episodes by its name, as a view."""
        return {name: rows[:, columns] for name, columns in self.columns.items()}

    def episodes(self, rows: IntArray) -> Episodes:
        """Return the episodes of the rows, as views."""
        return Episodes(*(rows[:, self.columns[name]] for name in Episodes.__annotations__))
