"""What the sender knows, as factors: each a column of values that a message may tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, mask_columns

ABSENT = -1
"""The value of an offset at which the window shows nothing."""


@dataclass(frozen=True)
class Factor:
    """One thing that the sender knows of each episode."""

    name: str
    codes: IntArray  # (B,), in 0..size-1
    size: int

    def permuted(self, order: npt.NDArray[np.intp]) -> Factor:
        """The same values, of other episodes."""
        return Factor(self.name, self.codes[order], self.size)


def factors(config: GameConfig, window: IntArray) -> list[Factor]:
    """The factors of windows (B, W): the edge (mask column), and the integer, if any, at each offset."""
    column = mask_columns(window)
    aligned = integers_at_offsets(config, window)
    return [
        Factor("edge", column, config.window_size),
        *(
            Factor(f"integer at {offset:+d}", aligned[:, i] - ABSENT, len(config.integers) + 1)
            for i, offset in enumerate(config.offsets)
        ),
    ]


def integers_at_offsets(config: GameConfig, window: IntArray) -> npt.NDArray[np.int64]:
    """(B, 4r), the integer of windows (B, W) at each of `config.offsets` from the mask, or ABSENT."""
    column = mask_columns(window)
    place = column[:, None] + np.array(config.offsets, dtype=np.int64)
    inside = (place >= 0) & (place < config.window_size)
    cells = np.take_along_axis(window, np.where(inside, place, 0), axis=1)
    return np.asarray(np.where(inside, cells, ABSENT), dtype=np.int64)
