"""What stands in a window: *places* and their *values*, numbered once for the whole analyser.

A place is one of `config.offsets` (a cell of the window), by its number o, or the view, the last place. The
value of a cell is its integer k. The value of the view is the number of one of `views_of`: the edge (the mask
column, renumbered so that the middle, which is no edge, comes last) together with the cells that the sender
sees. `values_at_places`, and statements in words, have the edge in the place of the view.

A table of counts has a column for each place and value: place * N + value. (N: number of integers; O: number
of offsets, 4r on one axis.) Speaking and reading are look-ups and sums of such tables.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import HIDDEN, MASK, IntArray, Mask, mask_columns, window_around
from spatial_game.game.windows import offset_numbers, window_tables
from spatial_game.language.counting.rows import FloatArray, row_keys

Columns = npt.NDArray[np.int64]

ABSENT = -1
"""The cell of the window, and the value, at an offset outside the window."""
VIEW = "view"
"""The name of the view among places."""
MOST_VIEWS = 1 << 14
"""The most views that tell which cells are seen."""
MOST_PAIRS = 1 << 24
"""The most entries of a table of cells by offsets."""
_BLOCK = 1 << 15


# --- The numbers of places and values -----------------------------------------------------------------------


def num_integer_columns(config: GameConfig) -> int:
    """Return the number of columns for integers at offsets, O*N; those of the view follow them."""
    return len(config.offsets) * config.num_integers


def num_columns(config: GameConfig) -> int:
    """Return the number of columns: O*N for integers at offsets, then V for the view."""
    return num_integer_columns(config) + config.window_size * views_of_edge(config)


def column_of(config: GameConfig, place: int, value: int) -> int:
    """Return the column of a value at a place."""
    return place * config.num_integers + value


def columns_of(config: GameConfig, place: int) -> slice:
    """Return the columns of all values at a place."""
    if place == len(config.offsets):
        return view_columns(config)
    return slice(column_of(config, place, 0), column_of(config, place + 1, 0))


def view_columns(config: GameConfig) -> slice:
    """Return the columns of the view."""
    return slice(num_integer_columns(config), num_columns(config))


@functools.cache
def edge_values(config: GameConfig) -> Columns:
    """Return (W,), the value of the edge for each mask column: in their order, and the middle last."""
    middle = middle_column(config)
    values = np.arange(config.window_size)
    values[middle + 1 :] -= 1
    values[middle] = config.window_size - 1
    return values


@functools.cache
def edge_names(config: GameConfig) -> tuple[str, ...]:
    """Return the names of the values of the edge, W; the last is the middle."""
    return tuple(config.edges[column] for column in np.argsort(edge_values(config)))


def middle_column(config: GameConfig) -> int:
    """Return the mask column of a target away from the borders."""
    return config.window_size // 2


# --- Views: the edge, and which cells are seen --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Views:
    """The V views of a game: the edge, and which of the window's other cells the sender sees.

    Views of the same edge follow each other. A view is just an edge where the sender sees every cell, and
    where there would be more than `MOST_VIEWS`.
    """

    edge: Columns  # (V,), the value of the edge; `edge_names` names it
    shown: Mask  # (V, O), the offsets at which the sender sees a cell; all that it may see, if just an edge
    share: FloatArray  # (V,), how often the game draws each view


@functools.cache
def views_of(config: GameConfig) -> Views:
    """Return the views of a game, by the number of their edge, then by their cells."""
    edges, number = edges_of(config), views_of_edge(config)
    if number == 1:
        return Views(np.arange(config.window_size), edges.shown, edges.share)
    edge = np.repeat(np.arange(config.window_size), number)
    shown = np.zeros((len(edge), len(config.offsets)), dtype=bool)
    of_edges = (itertools.combinations(np.flatnonzero(cells), config.num_shown) for cells in edges.shown)
    for view, seen in enumerate(itertools.chain.from_iterable(of_edges)):
        shown[view, list(seen)] = True
    return Views(edge, shown, edges.share[edge] / number)


def views_of_edge(config: GameConfig) -> int:
    """Return the number of views of each edge: the sets of cells that the sender may see."""
    number = math.comb(config.window_size - 1, config.num_shown)
    return number if number * config.window_size <= MOST_VIEWS else 1


def _ranks(config: GameConfig, window: IntArray) -> Columns:
    """Return (B,), the number of the view among those of its edge, for windows (B, W) seen in part."""
    beside = window[window != MASK].reshape(len(window), config.window_size - 1)
    cells = np.nonzero(beside != HIDDEN)[1]
    if len(cells) != len(window) * config.num_shown:
        raise UserError(f"windows must show {config.num_shown} integers each; some show another number")
    if views_of_edge(config) == 1:
        return np.zeros(len(window), dtype=np.int64)
    every = np.array(list(itertools.combinations(range(config.window_size - 1), config.num_shown)))
    seen = cells.reshape(len(window), config.num_shown)
    known, asked = (row_keys(rows, config.window_size) for rows in (every, seen))
    return np.asarray(np.searchsorted(known, asked), dtype=np.int64)


def share_showing(config: GameConfig, number: int) -> float:
    """Return the share of the windows that show one of `number` integers (appendix D, equation 1)."""
    integers, shown = config.num_integers, config.num_shown
    return 1 - math.comb(max(integers - number, 0), shown) / math.comb(integers, shown)


# --- Windows as values and as columns -----------------------------------------------------------------------


@functools.cache
def window_cells(config: GameConfig) -> Columns:
    """Return (W, O), the cell of the window at each offset for each mask column; ABSENT for none."""
    numbers = offset_numbers(config)
    cells = np.full((config.window_size, len(config.offsets)), ABSENT)
    mask, cell = np.nonzero(numbers >= 0)
    cells[mask, numbers[mask, cell]] = cell
    return cells


def values_at_places(config: GameConfig, window: IntArray) -> Columns:
    """Return what stands at the offsets and on which edge, (B, O + 1), in windows (B, W).

    The value of the edge comes last. An empty cell is ABSENT or HIDDEN.
    """
    mask = mask_columns(window)
    cell = window_cells(config)[mask]
    integers = np.take_along_axis(window, np.maximum(cell, 0), axis=1)
    return np.column_stack([np.where(cell != ABSENT, integers, ABSENT), edge_values(config)[mask]])


def cell_columns(
    config: GameConfig, window: IntArray
) -> Iterator[tuple[slice | npt.NDArray[np.intp], Columns]]:
    """Yield, for each cell of windows (B, W), the rows with an integer or mask there, and their columns.

    The integers must be those of the config.
    """
    cells = np.ascontiguousarray(window.T)
    mask = mask_columns(cells.T)
    rank = _ranks(config, window) if config.num_hidden else None
    for starts, cell in zip(_starts(config), cells, strict=True):
        if rank is None:
            yield slice(None), starts[mask] + cell
        else:
            rows = np.flatnonzero(cell != HIDDEN)
            yield rows, starts[mask[rows]] + cell[rows] + np.where(cell[rows] == MASK, rank[rows], 0)


def window_columns(config: GameConfig, window: IntArray) -> Columns:
    """Return the columns (B, W) of the cells of windows (B, W).

    An integer that the config does not have, and a hidden cell, get the column after the last, `num_columns`.
    """
    columns = np.full(window.shape, num_columns(config))
    for cell, (rows, column) in enumerate(cell_columns(config, window)):
        columns[rows, cell] = column
    if window.size and window.max() >= config.num_integers:
        columns[window >= config.num_integers] = num_columns(config)
    return columns


def candidate_windows(config: GameConfig, sequence: IntArray, candidate: IntArray) -> IntArray:
    """Return the windows (B, W) around one candidate (B,) of each of the sequences (B, L).

    Sequences of one axis may have any length that holds a window.
    """
    length, played = sequence.shape[1], config
    if len(config.shape) == 1 and length != config.sequence_length:
        played = GameConfig(length, window_radius=config.window_radius, num_distractors=1)
    position = (sequence == candidate[:, None]).argmax(axis=1)
    return window_around(played, sequence, position)[0]


def blocks(size: int, block: int = _BLOCK) -> Iterator[slice]:
    """Yield slices of `block` rows, which keep intermediate arrays in a processor's cache."""
    for start in range(0, size, block):
        yield slice(start, start + block)


def _starts(config: GameConfig) -> Columns:
    """Return (W, W): for each cell and mask column, the column of value 0 in that cell."""
    number = offset_numbers(config).T
    at_mask = num_integer_columns(config) + edge_values(config) * views_of_edge(config) - MASK
    return np.where(number < 0, at_mask, number * config.num_integers).astype(np.int64)


# --- The edges of a game ------------------------------------------------------------------------------------


class Edges(NamedTuple):
    """How often each edge occurs, and which cells a window has there."""

    share: FloatArray  # (W,), the last is the middle
    shown: Mask  # (W, O)


@functools.cache
def edges_of(config: GameConfig) -> Edges:
    """Return the edges of a game. Raises `ValueError` for a window of too many cells."""
    if config.window_size * len(config.offsets) > MOST_PAIRS:
        raise UserError(f"a window must have at most {MOST_PAIRS:,} pairs of cells; got {config.signature}")
    edge = edge_values(config)
    of_targets = np.bincount(edge[window_tables(config).mask_column], minlength=config.window_size)
    shown = window_cells(config)[np.argsort(edge)] != ABSENT
    return Edges(of_targets / config.sequence_length, shown)
