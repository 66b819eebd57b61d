"""The columns of tables of windows and messages.

Each cell of a window is one column: integer k at `config.offsets[o]` is column o*N + k, and a mask in window
column j is column 4r*N + j. (N: number of integers; r: window radius.) Counts, statistical models and the
phrases of a lexicon are tables with these columns, so that speaking and reading are look-ups and sums.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray, mask_columns, window_around

Columns = npt.NDArray[np.int64]

_BLOCK = 1 << 15


def require_whole_sequences(config: GameConfig) -> None:
    """Raise `ValueError` for a grid, and for windows seen in part."""
    if len(config.shape) > 1 or config.num_hidden:
        raise ValueError(
            f"the analyser reads sequences whose windows are seen in full; got {config.signature}"
        )


def num_integer_columns(config: GameConfig) -> int:
    """Return the number of columns for integers at offsets, 4r*N; the mask columns follow them."""
    require_whole_sequences(config)
    return len(config.offsets) * len(config.integers)


def num_columns(config: GameConfig) -> int:
    """Return the number of columns: 4r*N for integers at offsets, then W for the mask."""
    return num_integer_columns(config) + config.window_size


def integer_column(config: GameConfig, value: int, offset: int) -> int:
    """Return the column of an integer at an offset."""
    return config.offsets.index(offset) * len(config.integers) + value


def edge_column(config: GameConfig, name: str) -> int:
    """Return the column of an edge, or of "middle"."""
    return num_integer_columns(config) + config.edges.index(name)


def column_meaning(config: GameConfig, column: int) -> tuple[str | None, int | None, int | None]:
    """Return what a column stands for: (edge, None, None), or (None, integer, offset)."""
    place, value = divmod(column, len(config.integers))
    if place < len(config.offsets):
        return None, value, config.offsets[place]
    return config.edges[column - num_integer_columns(config)], None, None


def cell_columns(config: GameConfig, window: IntArray) -> Iterator[Columns]:
    """Yield, for each cell of windows (B, W), its columns (B,). The integers must be those of the config."""
    cells = np.ascontiguousarray(window.T)
    mask = mask_columns(cells.T)
    for starts, cell in zip(_starts(config), cells, strict=True):
        yield starts[mask] + cell


def window_columns(config: GameConfig, window: IntArray) -> Columns:
    """Return the columns (B, W) of the cells of windows (B, W).

    An integer that the config does not have gets the column after the last, `num_columns`.
    """
    columns = np.empty(window.shape, dtype=np.int64)
    for cell, column in enumerate(cell_columns(config, window)):
        columns[:, cell] = column
    if window.size and window.max() >= len(config.integers):
        columns[window >= len(config.integers)] = num_columns(config)
    return columns


def candidate_columns(config: GameConfig, sequence: IntArray, candidates: IntArray) -> Columns:
    """Return the columns (B, C, W) of the windows around candidates (B, C) of sequences (B, L)."""
    episodes, width = candidates.shape
    largest = int(max(sequence.max(initial=0), candidates.max(initial=0)))
    place = np.zeros((episodes, largest + 1), dtype=np.int16)
    rows = np.arange(episodes)[:, None]
    place[rows, sequence] = np.arange(sequence.shape[1], dtype=np.int16)
    position = place[rows, candidates]
    # One candidate at a time, so that `sequence` needs no copy for each.
    windows = [window_around(config, sequence, position[:, i])[0] for i in range(width)]
    return np.stack([window_columns(config, window) for window in windows], axis=1)


def blocks(size: int, block: int = _BLOCK) -> Iterator[slice]:
    """Yield slices of `block` rows, so that intermediate arrays stay in a processor's cache."""
    for start in range(0, size, block):
        yield slice(start, start + block)


def _starts(config: GameConfig) -> Columns:
    """Return (W, W): for each cell and mask column, the column of value 0 in that cell."""
    cell, mask = np.indices((config.window_size, config.window_size))
    offset = cell - mask
    place = offset + 2 * config.window_radius - (offset > 0)
    at_mask = num_integer_columns(config) + mask - MASK
    return np.where(offset == 0, at_mask, place * len(config.integers)).astype(np.int64)
