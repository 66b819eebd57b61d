"""The columns of tables of windows and messages.

Each cell of a window is one column: integer k at `config.offsets[o]` is column o*N + k, and a mask in window
column j is column O*N + j. (N: number of integers; O: number of offsets, 4r on one axis.) A cell that the
sender does not see has no column. Counts, statistical models and the phrases of a lexicon are tables with
these columns, so that speaking and reading are look-ups and sums.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset
from spatial_game.game.episodes import HIDDEN, MASK, IntArray, mask_columns, window_around
from spatial_game.game.windows import offset_numbers, window_tables

Columns = npt.NDArray[np.int64]

ABSENT = -1
"""The value at an offset outside the window."""
_BLOCK = 1 << 15


def num_integer_columns(config: GameConfig) -> int:
    """Return the number of columns for integers at offsets, O*N; the mask columns follow them."""
    return len(config.offsets) * len(config.integers)


def num_columns(config: GameConfig) -> int:
    """Return the number of columns: O*N for integers at offsets, then W for the mask."""
    return num_integer_columns(config) + config.window_size


def integer_column(config: GameConfig, value: int, offset: Offset) -> int:
    """Return the column of an integer at an offset."""
    return config.offsets.index(offset) * len(config.integers) + value


def edge_column(config: GameConfig, name: str) -> int:
    """Return the column of an edge, or of "middle"."""
    return num_integer_columns(config) + config.edges.index(name)


def column_meaning(config: GameConfig, column: int) -> tuple[str | None, int | None, Offset | None]:
    """Return the meaning of a column: (edge, None, None), or (None, integer, offset)."""
    place, value = divmod(column, len(config.integers))
    if place < len(config.offsets):
        return None, value, config.offsets[place]
    return config.edges[column - num_integer_columns(config)], None, None


def middle_column(config: GameConfig) -> int:
    """Return the mask column of a target away from the borders."""
    return config.window_size // 2


def num_shown(config: GameConfig) -> int:
    """Return the number of integers that the sender sees: 2r in a whole window on one axis."""
    return config.window_size - 1 - config.num_hidden


def places_at_offsets(config: GameConfig) -> Columns:
    """Return (W, O), the place in the window of each offset for each mask column; -1 for none."""
    numbers = offset_numbers(config)
    places = np.full((config.window_size, len(config.offsets)), -1)
    mask, place = np.nonzero(numbers >= 0)
    places[mask, numbers[mask, place]] = place
    return places


def integers_at_offsets(config: GameConfig, window: IntArray) -> Columns:
    """Return the integers (B, O) of windows (B, W) at each of `config.offsets`, ABSENT or HIDDEN."""
    return integers_at(places_at_offsets(config), window)


def integers_at(places: Columns, window: IntArray) -> Columns:
    """Return the values (B, n) at the places (W, n) of each mask column."""
    place = places[mask_columns(window)]
    cells = np.take_along_axis(window, np.maximum(place, 0), axis=1)
    return np.asarray(np.where(place >= 0, cells, ABSENT), dtype=np.int64)


def near_offsets(config: GameConfig) -> list[int]:
    """Return the numbers of the offsets in the window of a target away from the borders."""
    return [number for number in offset_numbers(config)[middle_column(config)].tolist() if number >= 0]


def edge_prior(config: GameConfig) -> npt.NDArray[np.float64]:
    """Return (W,), the share of the targets for each mask column."""
    number = np.bincount(window_tables(config).mask_column, minlength=config.window_size)
    return np.asarray(number / config.sequence_length)


def cell_columns(
    config: GameConfig, window: IntArray
) -> Iterator[tuple[slice | npt.NDArray[np.intp], Columns]]:
    """Yield, for each place of windows (B, W), the rows with an integer or mask there, and their columns.

    The integers must be those of the config.
    """
    cells = np.ascontiguousarray(window.T)
    mask = mask_columns(cells.T)
    for starts, cell in zip(_starts(config), cells, strict=True):
        rows = np.flatnonzero(cell != HIDDEN) if config.num_hidden else slice(None)
        yield rows, starts[mask[rows]] + cell[rows]


def window_columns(config: GameConfig, window: IntArray) -> Columns:
    """Return the columns (B, W) of the cells of windows (B, W).

    An integer that the config does not have, and a hidden cell, get the column after the last, `num_columns`.
    """
    columns = np.full(window.shape, num_columns(config))
    for cell, (rows, column) in enumerate(cell_columns(config, window)):
        columns[rows, cell] = column
    if window.size and window.max() >= len(config.integers):
        columns[window >= len(config.integers)] = num_columns(config)
    return columns


def candidate_columns(config: GameConfig, sequence: IntArray, candidates: IntArray) -> Columns:
    """Return the columns (B, C, W) of the windows around candidates (B, C) of sequences (B, L).

    Sequences of one axis may have any length that holds a window.
    """
    length, played = sequence.shape[1], config
    if len(config.shape) == 1 and length != config.sequence_length:
        played = GameConfig(length, window_radius=config.window_radius, num_distractors=1)
    episodes, width = candidates.shape
    largest = int(max(sequence.max(initial=0), candidates.max(initial=0)))
    place = np.zeros((episodes, largest + 1), dtype=np.int16)
    rows = np.arange(episodes)[:, None]
    place[rows, sequence] = np.arange(length, dtype=np.int16)
    position = place[rows, candidates]
    # One candidate at a time, so that `sequence` needs no copy for each.
    windows = [window_around(played, sequence, position[:, i])[0] for i in range(width)]
    return np.stack([window_columns(config, window) for window in windows], axis=1)


def blocks(size: int, block: int = _BLOCK) -> Iterator[slice]:
    """Yield slices of `block` rows, which keep intermediate arrays in a processor's cache."""
    for start in range(0, size, block):
        yield slice(start, start + block)


def _starts(config: GameConfig) -> Columns:
    """Return (W, W): for each cell and mask column, the column of value 0 in that cell."""
    number = offset_numbers(config).T
    at_mask = num_integer_columns(config) + np.arange(config.window_size) - MASK
    return np.where(number < 0, at_mask, number * len(config.integers)).astype(np.int64)
