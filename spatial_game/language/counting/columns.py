"""What can be said of a place in a sequence: its view, as columns of one table.

A view is a window with the mask at the place. Each of its cells is a column: integer k at `config.offsets[o]`
is column o*N + k, and the mask column j is column 4r*N + j. Dictionaries and counts of messages are tables
with these columns, so composing, decoding and the statistical models are look-ups and sums.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray, window_around

Columns = npt.NDArray[np.int64]

_BLOCK = 1 << 15


def num_columns(config: GameConfig) -> int:
    """Columns of a table of views: 4r*N integers at offsets, then W mask columns."""
    return len(config.offsets) * len(config.integers) + config.window_size


def integer_column(config: GameConfig, value: int, offset: int) -> int:
    """The column of an integer at an offset."""
    return config.offsets.index(offset) * len(config.integers) + value


def edge_column(config: GameConfig, name: str) -> int:
    """The column of an edge, or of "middle"."""
    return len(config.offsets) * len(config.integers) + config.edges.index(name)


def column_meaning(config: GameConfig, column: int) -> tuple[str | None, int | None, int | None]:
    """What a column stands for: (edge, None, None), or (None, integer, offset)."""
    place, value = divmod(column, len(config.integers))
    if place < len(config.offsets):
        return None, value, config.offsets[place]
    return config.edges[column - len(config.offsets) * len(config.integers)], None, None


def window_columns(config: GameConfig, window: IntArray) -> Columns:
    """The columns (B, W) of the cells of windows (B, W).

    An integer that the config does not have gets the column after the last, `num_columns`.
    """
    width, num_integers = config.window_size, len(config.integers)
    mask_column = np.zeros(len(window), dtype=np.intp)
    for column in range(1, width):
        mask_column += column * (window[:, column] == MASK)
    starts = _starts(config)
    columns = np.empty((len(window), width), dtype=np.int64)
    for cell in range(width):
        columns[:, cell] = starts[cell, mask_column]
        columns[:, cell] += window[:, cell]
    if window.size and window.max() >= num_integers:
        columns[window >= num_integers] = num_columns(config)
    return columns


def candidate_columns(config: GameConfig, sequence: IntArray, candidates: IntArray) -> Columns:
    """The columns (B, C, W) of the views of candidates (B, C) in sequences (B, L) that hold them."""
    episodes, width = candidates.shape
    largest = int(max(sequence.max(initial=0), candidates.max(initial=0)))
    place = np.zeros((episodes, largest + 1), dtype=np.int16)
    rows = np.arange(episodes)[:, None]
    place[rows, sequence] = np.arange(sequence.shape[1], dtype=np.int16)
    position = place[rows, candidates]
    # The windows of one candidate at a time: `sequence` needs no copy for each.
    views = [window_around(config, sequence, position[:, i])[0] for i in range(width)]
    return np.stack([window_columns(config, view) for view in views], axis=1)


def blocks(size: int, block: int = _BLOCK) -> Iterator[slice]:
    """Slices of some rows at a time, so that what is made of them stays in a processor's cache."""
    for start in range(0, size, block):
        yield slice(start, start + block)


def _starts(config: GameConfig) -> Columns:
    """(W, W), for each cell and mask column the column of value 0 in that cell; of MASK at the mask."""
    cell, mask = np.indices((config.window_size, config.window_size))
    offset = cell - mask
    place = offset + 2 * config.window_radius - (offset > 0)
    last = len(config.offsets) * len(config.integers) + mask - MASK
    return np.where(offset == 0, last, place * len(config.integers)).astype(np.int64)
