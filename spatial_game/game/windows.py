"""Tables of where the window of each target lies in the grid.

Cells are numbered row by row: integer i of a sequence stands at `np.unravel_index(i, config.shape)` in the
grid. The cells of a window are numbered in the same way. A plain sequence is a grid of one axis.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.memory import require_memory

CellTable = npt.NDArray[np.intp]
Integers = npt.NDArray[np.integer[Any]]


class WindowTables(NamedTuple):
    """The window of each target: a box of the grid, given by its first cell."""

    first_cell: CellTable  # (L,), the first cell of the window around each cell
    steps: CellTable  # (W,), from the first cell of a window to each of its cells
    mask_column: CellTable  # (L,), the number of each cell in the window around it


@lru_cache(maxsize=64)
def window_tables(config: GameConfig) -> WindowTables:
    """Return where the windows of a game lie: centred on the target, and inward at the borders."""
    cells = np.indices(config.shape).reshape(len(config.shape), -1)
    last = np.subtract(config.shape, config.window_shape)[:, None]
    first = np.clip(cells - config.window_radius, 0, last)
    return WindowTables(
        first_cell=_frozen(np.ravel_multi_index(tuple(first), config.shape)),
        steps=_frozen(np.ravel_multi_index(tuple(cell_coordinates(config).T), config.shape)),
        mask_column=_frozen(np.ravel_multi_index(tuple(cells - first), config.window_shape)),
    )


def window_cells(config: GameConfig) -> CellTable:
    """Return the cells of the grid (L, W) in the window around each cell."""
    _require_room(config, 8 * config.sequence_length * config.window_size)
    tables = window_tables(config)
    return np.asarray(tables.first_cell[:, None] + tables.steps)


@lru_cache(maxsize=64)
def cell_coordinates(config: GameConfig) -> CellTable:
    """Return where each cell of a window is on each axis (W, axes), in 0..2r.

    For the mask's cell, this is the edge of the window on each axis: r in the middle, less near the beginning
    of the axis, more near its end. `config.edges` names the edges.
    """
    return _frozen(np.indices(config.window_shape).reshape(len(config.window_shape), -1).T)


def offset_numbers(config: GameConfig) -> CellTable:
    """Return the number of the offset, in `config.offsets`, from each mask's cell to each cell (W, W).

    It is -1 from a cell to itself.
    """
    _require_room(config, 24 * len(config.shape) * config.window_size**2)
    reach, coordinates = 2 * config.window_radius, cell_coordinates(config)
    box = (2 * reach + 1,) * len(config.shape)
    offsets = coordinates - coordinates[:, None]
    number = np.ravel_multi_index(tuple(np.moveaxis(offsets + reach, -1, 0)), box)
    target = np.prod(box) // 2
    return np.where(number == target, -1, number - (number > target))


class OffsetSteps(NamedTuple):
    """Where offsets lead from a cell, in a grid whose first axis may have any length: see `cells_around`."""

    steps: CellTable  # (offsets,)
    inside: npt.NDArray[np.bool_]  # (cells of all axes but the first, offsets)


def offset_steps(config: GameConfig) -> OffsetSteps:
    """Return where each of the game's offsets leads."""
    cells_of_later_axes = config.sequence_length // config.shape[0]
    _require_room(config, 10 * len(config.shape) * cells_of_later_axes * len(config.offsets))
    offsets = np.array(config.offsets).reshape(-1, len(config.shape))
    later_axes = np.array(config.shape[1:], dtype=np.intp)
    strides = [math.prod(config.shape[axis + 1 :]) for axis in range(len(config.shape))]
    cells = np.array(list(np.ndindex(*later_axes))).reshape(later_axes.prod(), 1, len(later_axes))
    neighbours = cells + offsets[:, 1:]
    inside = ((neighbours >= 0) & (neighbours < later_axes)).all(axis=2)
    return OffsetSteps(offsets @ np.array(strides), inside)


def cells_around(steps: Any, inside: Any, cells: Any, length: int) -> Any:
    """Return the cell (..., offsets) at each offset from cells (...), `length` beyond the border.

    Takes the parts of `OffsetSteps` and cells as arrays of NumPy, or all as tensors of torch. From cell c,
    offset k leads to cell c + steps[k]. This is in the grid if it is in 0..length-1 and
    inside[c % len(inside), k] holds; `inside` checks all axes except the first.
    """
    neighbours = cells[..., None] + steps
    there = inside[cells % len(inside)] & (neighbours >= 0) & (neighbours < length)
    return neighbours * there + length * ~there


def candidate_surroundings(config: GameConfig, sequence: Integers, candidates: Integers) -> Integers:
    """Return the integers (B, C, offsets) around candidates (B, C), which stand in sequences (B, L).

    They are those at the game's offsets (`config.offsets`), the only ones that a window can show. Beyond the
    border it is `config.num_integers`, the integer after the largest.
    """
    return integers_around(offset_steps(config), sequence, candidates, config.num_integers)


def integers_around(steps: OffsetSteps, sequence: Integers, candidates: Integers, blank: int) -> Integers:
    """Return the integers (B, C, offsets) around candidates, `blank` beyond the border."""
    padded = np.pad(sequence, ((0, 0), (0, 1)), constant_values=blank)
    return values_around(steps, sequence, candidates, padded)


def values_around(
    steps: OffsetSteps, sequence: Integers, candidates: Integers, values: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Return the values (B, C, offsets) of the cells around candidates.

    `values` (B, L + 1) are those of the cells of the sequences (B, L), and last that beyond the border.
    """
    positions = (candidates[:, :, None] == sequence[:, None]).argmax(axis=2)
    cells = cells_around(*steps, positions, sequence.shape[1])
    return np.asarray(values[np.arange(len(sequence))[:, None, None], cells])


def cells_at_offsets(config: GameConfig) -> CellTable:
    """Return the cell (L, offsets) at each of `config.offsets` from each cell; L beyond the border."""
    length = config.sequence_length
    _require_room(config, 24 * length * len(config.offsets))
    return np.asarray(cells_around(*offset_steps(config), np.arange(length), length))


def _require_room(config: GameConfig, num_bytes: int) -> None:
    """Raise `UserError` if a table for the windows of a game does not fit into memory."""
    require_memory("window_radius", config.window_radius, num_bytes, "use smaller windows, or a smaller grid")


def _frozen(table: CellTable) -> CellTable:
    """Return the table as a read-only array, because all callers share it."""
    table = np.ascontiguousarray(table, dtype=np.intp)
    table.flags.writeable = False
    return table
