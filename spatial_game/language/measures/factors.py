"""What the sender knows, as factors: each a column of values that a message may tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.language.measures.resampling import blocks

ABSENT = -1
"""The value of an offset at which the window shows nothing."""


@dataclass(frozen=True)
class Factor:
    """One thing that the sender knows of each episode."""

    name: str
    codes: IntArray  # (B,), in 0..size-1; unsigned, in few bytes
    size: int


def factors(config: GameConfig, window: IntArray) -> Iterator[Factor]:
    """Yield the factors of windows (B, W): the edge (mask column), and the integer or none at each offset."""
    codes = np.empty(len(window), dtype=np.min_scalar_type(config.window_size))
    for rows in blocks(len(window)):
        codes[rows] = mask_columns(window[rows])
    yield Factor("edge", codes, config.window_size)
    for offset in config.offsets:
        size = len(config.integers) + 1
        codes = np.empty(len(window), dtype=np.min_scalar_type(size))
        for rows in blocks(len(window)):
            codes[rows] = integers_at(window[rows], (offset,))[:, 0] - ABSENT
        yield Factor(f"integer at {offset:+d}", codes, size)


def integers_at_offsets(config: GameConfig, window: IntArray) -> npt.NDArray[np.int64]:
    """Return the integers (B, 4r) of windows (B, W) at each of `config.offsets` from the mask, or ABSENT."""
    return integers_at(window, config.offsets)


def integers_at(window: IntArray, offsets: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return the integers (B, n) of windows (B, W) at these offsets from the mask, or ABSENT."""
    place = mask_columns(window)[:, None] + np.array(offsets, dtype=np.int64)
    inside = (place >= 0) & (place < window.shape[1])
    cells = np.take_along_axis(window, np.where(inside, place, 0), axis=1)
    return np.asarray(np.where(inside, cells, ABSENT), dtype=np.int64)
