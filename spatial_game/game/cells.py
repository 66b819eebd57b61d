"""Cells in rows and columns: a sequence as several rows, and a grid as slices side by side."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray

GAP = -1
"""What a table of cells has between two slices of a grid, and after the end of a sequence."""


def cell_table(shape: tuple[int, ...], across: int) -> IntArray:
    """Return the numbers of cells in rows and columns, with `GAP` where there is none.

    A sequence has rows of at most `across` cells. A grid has rows and columns along its last two axes;
    slices along the other axes stand side by side, at most `across` of them.
    """
    if len(shape) == 1:
        across = min(across, shape[0])
        return np.pad(np.arange(shape[0]), (0, -shape[0] % across), constant_values=GAP).reshape(-1, across)
    depth, slices, rows, columns = (1,) * (4 - len(shape)) + shape
    across = min(across, slices)
    cells = np.arange(math.prod(shape)).reshape(depth, slices, rows, columns)
    cells = np.pad(cells, ((0, 0), (0, -slices % across), (0, 1), (0, 1)), constant_values=GAP)
    lines = cells.reshape(-1, across, rows + 1, columns + 1).swapaxes(1, 2)
    return lines.reshape(-1, across * (columns + 1))[:-1, :-1]


def rows_and_columns(shape: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return (cells, 2), the row and the column of each cell in the `cell_table` with all slices of an axis
    side by side."""
    table = cell_table(shape, max(shape))
    numbers, coordinates = table[table != GAP], np.argwhere(table != GAP)
    return coordinates[np.argsort(numbers)]
