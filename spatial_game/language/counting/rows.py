"""Rows of tables of integers: sortable keys to find distinct rows and to join tables, and tables of ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import HIDDEN, MASK, IntArray

Numbers = npt.NDArray[np.int64]
Symbols = npt.NDArray[np.int16]
FloatArray = npt.NDArray[np.float64]

UNKNOWN = -1
"""The number of a row that is not among those that are known."""


def row_keys(rows: IntArray, base: int | None = None) -> npt.NDArray[Any]:
    """Return one key for each row (B, T) of non-negative integers; keys sort as the rows do.

    A key is an integer, or a byte string if 64 bits are too few. `base` must be greater than every value; the
    default comes from the rows. Only keys with the same base can be compared.
    """
    width = rows.shape[1]
    if base is None:
        base = int(rows.max(initial=0)) + 1
    if base**width < 2**62:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            keys *= base
            keys += column
        return keys
    size = 2 if base <= 1 << 16 else 4
    return np.ascontiguousarray(rows.astype(f">u{size}")).view(f"V{size * width}").reshape(-1)


def distinct_rows(rows: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """Return the distinct rows in lexicographic order, and the number of each row among them."""
    _, first, inverse = np.unique(row_keys(rows), return_index=True, return_inverse=True)
    return rows[first], inverse.reshape(-1)


def distinct_windows(window: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """Return the distinct ones of windows (B, W), and the number of each window among them."""
    lowest = min(MASK, HIDDEN)
    rows, number = distinct_rows(window - lowest)
    return rows + lowest, number


def find_rows(known: IntArray, rows: IntArray, base: int) -> npt.NDArray[np.intp]:
    """Return the number of each of the rows (B, T) among distinct ones in order (M, T), or `UNKNOWN`.

    The known rows have symbols below `base`. A row with other symbols is unknown: only its key may be known.
    """
    possible = ((rows >= 0) & (rows < base)).all(axis=1)
    keys, asked = row_keys(known, base), row_keys(rows, base)
    if not len(keys):
        return np.full(len(rows), UNKNOWN)
    number = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(possible & (keys[number] == asked), number, UNKNOWN)


def join(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Return all pairs (i, j) with one[i] == other[j], in the order of i."""
    order = np.argsort(other, kind="stable")
    first, end = (np.searchsorted(other[order], one, side) for side in ("left", "right"))
    equal = end - first  # to each of `one`
    i = np.repeat(np.arange(len(one)), equal)
    nth = np.arange(len(i)) - np.repeat(np.cumsum(equal) - equal, equal)
    return i, order[np.repeat(first, equal) + nth]


def sum_rows(table: Any, number: IntArray, size: int) -> Any:
    """Return (size, K), the rows of a table (M, K), sparse or not, added up by their new numbers (M,)."""
    ones = np.ones(len(number), dtype=np.int64)
    return sp.csr_array((ones, (number, np.arange(len(number)))), shape=(size, len(number))) @ table


def table_of_ones(row: IntArray, column: IntArray, shape: tuple[int, int]) -> sp.csr_array[Any]:
    """Return a table with 1 at each of these rows and columns, however often they are named."""
    table = sp.csr_array((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
    table.data[:] = 1
    return table
