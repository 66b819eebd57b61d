"""The window of a game as numbers: the columns of tables, and what each of them stands for.

A column is a binary feature of windows: a window has the columns of the cells that it shows, and of its view.
Column o*N + k stands for integer k at `config.offsets[o]`. The columns after these stand for views: the
edge, together with the cells that the sender sees. What columns are about is a *variable*: variable o is the
integer at offset o, and variable O, the last one, is the view. Speaking and reading are look-ups and sums of
such tables.

In shapes, N is the number of integers, O of offsets (4r on one axis), W of cells of a window, V of views, and
B of windows or columns.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray, Mask, mask_columns, window_around
from spatial_game.game.windows import offset_numbers, window_tables
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys

ABSENT = -1
"""In place of a cell, or of an integer, at an offset outside the window."""
NO_EDGE = "middle"
"""What files have in place of the name of an edge if the target is near no end."""
MOST_VIEWS = 1 << 14
"""The most views that tell which cells are seen."""
MOST_PAIRS = 1 << 24
"""The most entries of a table of windows' cells by offsets."""


@dataclass(frozen=True, eq=False)
class Views:
    """The views of a game, by the number of their edge, then by the cells that are seen.

    A view is just an edge where the sender sees every cell, and where there would be more than `MOST_VIEWS`.
    """

    edge: Numbers  # (V,), by its number, or `no_edge`
    offsets: Numbers  # (V, n), the offsets that are seen; of all cells, if just an edge
    shown: Mask  # (V, O), whether an offset is one of them
    share: FloatArray  # (V,), how often the game draws each view


class Columns:
    """The columns of a game. `columns_of` makes them once.

    An offset is one of `config.offsets`, by its number. An edge is one of `edges`, by its number. Where the
    target is near no end, the number of the edge is `no_edge`, W - 1.
    """

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self.middle = config.window_size // 2
        """The cell of the mask where the target is near no end."""
        self.edges = config.edges[: self.middle] + config.edges[self.middle + 1 :]
        """The names of the edges, W - 1."""
        self.no_edge = len(self.edges)
        self.edge_of_mask = np.insert(np.arange(self.no_edge), self.middle, self.no_edge)
        """(W,), the edge by the cell of the mask."""
        num_views = math.comb(config.window_size - 1, config.num_shown)
        self.views_of_edge = num_views if num_views * config.window_size <= MOST_VIEWS else 1
        """The number of views of each edge, and of no edge."""
        self.edge_of_view = np.repeat(np.arange(config.window_size), self.views_of_edge)
        """(V,), the edge of each view."""
        self.of_integers = slice(0, len(config.offsets) * config.num_integers)
        """The columns of integers at offsets."""
        self.size = self.of_integers.stop + config.window_size * self.views_of_edge
        """The number of columns."""
        self.of_views = slice(self.of_integers.stop, self.size)
        """The columns of views."""

    # --- Columns and what they stand for ---

    def about(self, variable: int) -> slice:
        """Return the columns of a variable: of all integers at an offset, or of all views."""
        if variable == len(self.config.offsets):
            return self.of_views
        return slice(variable * self.config.num_integers, (variable + 1) * self.config.num_integers)

    def integer_at(self, offset: int | IntArray, integer: int | IntArray) -> Numbers:
        """Return the columns of integers at offsets; arguments broadcast."""
        return np.asarray(offset * self.config.num_integers + integer, dtype=np.int64)

    def view(self, edge: int | IntArray, shown: Numbers | None = None) -> Numbers:
        """Return the columns (B,) of the views at edges (B,) that show the cells at some offsets.

        `shown` (B, num_shown) are these offsets, in order. It may be left out where a view is just an edge.
        """
        view = edge
        if shown is not None and self.views_of_edge > 1:
            pairs = (self.views.edge, self.views.offsets), (edge, shown)
            keys, asked = (row_keys(np.column_stack(pair), len(self.config.offsets)) for pair in pairs)
            view = np.searchsorted(keys, asked)
        return np.asarray(self.of_views.start + view, dtype=np.int64)

    def decode(self, column: IntArray) -> tuple[Numbers, Numbers]:
        """Return the variables (B,) and values (B,) of columns (B,).

        The value at an offset is the integer. The value of the view is its number.
        """
        variable, value = np.divmod(column, self.config.num_integers)
        view = column - self.of_views.start
        return np.where(view < 0, variable, len(self.config.offsets)), np.where(view < 0, value, view)

    # --- Windows ---

    def of(self, window: IntArray) -> Numbers:
        """Return the columns (B, W) of the cells of windows (B, W): of integers, and of the view at the mask.

        A hidden cell, and an integer that the config does not have, get `size`, the column after the last.
        """
        mask = mask_columns(window)
        columns = self.integer_at(self._offset_of_cell, 0).take(mask, axis=0) + window
        np.putmask(columns, (window < 0) | (window >= self.config.num_integers), self.size)
        shown = self._shown(window, mask) if self.config.num_hidden else None
        columns[np.arange(len(window)), mask] = self.view(self.edge_of_mask[mask], shown)
        return columns

    def _shown(self, window: IntArray, mask: Numbers) -> Numbers:
        """Return the offsets (B, num_shown) at which windows (B, W) show integers."""
        seen, number = window >= 0, self.config.num_shown
        if (seen @ np.ones(self.config.window_size, dtype=np.int32) != number).any():
            raise UserError(f"windows must show {number} integers each; some show another number")
        return self._offset_of_cell.take(mask, axis=0)[seen].reshape(-1, number)

    def at_offsets(self, window: IntArray, which: slice | Sequence[int] = slice(None)) -> Numbers:
        """Return the integers (B, O) at the offsets in windows (B, W); `ABSENT` or `HIDDEN` without one.

        `which`: only these of the offsets, by their indices.
        """
        cell = self.cells[:, which][mask_columns(window)]
        integers = np.take_along_axis(window, np.maximum(cell, 0), axis=1)
        return np.where(cell == ABSENT, ABSENT, integers.astype(np.int64))

    def edge_of(self, window: IntArray) -> Numbers:
        """Return the edges (B,) of windows (B, W)."""
        return np.asarray(self.edge_of_mask[mask_columns(window)])

    def around(self, sequence: IntArray, candidate: IntArray) -> IntArray:
        """Return the windows (B, W) around one candidate (B,) of each of the sequences (B, L).

        Sequences of one axis may have any length that holds a window. Raises `ValueError` for a candidate
        that is not in its sequence.
        """
        is_candidate = sequence == candidate[:, None]
        missing = candidate[~is_candidate.any(axis=1)]
        require(not len(missing), "candidates must be integers of the sequence", missing[:1].sum())
        length, played = sequence.shape[1], self.config
        if len(played.shape) == 1 and length != played.sequence_length:
            played = GameConfig(length, window_radius=played.window_radius, num_distractors=1)
        return window_around(played, sequence, is_candidate.argmax(axis=1))[0]

    # --- The cells and views of the game ---

    @cached_property
    def cells(self) -> Numbers:
        """(W, O), the cell of the window at each offset, by the cell of the mask; `ABSENT` for none."""
        offset = self._offset_of_cell
        cells = np.full((self.config.window_size, len(self.config.offsets)), ABSENT)
        mask, cell = np.nonzero(offset >= 0)
        cells[mask, offset[mask, cell]] = cell
        return cells

    @cached_property
    def _offset_of_cell(self) -> Numbers:
        """(W, W), the offset of each cell of the window, by the cell of the mask; negative at the mask."""
        return offset_numbers(self.config).astype(np.int64)

    @cached_property
    def has_cell(self) -> Mask:
        """(W, O), whether the window has a cell at each offset, for each edge, and last for no edge."""
        if self.config.window_size * len(self.config.offsets) > MOST_PAIRS:
            rule = f"a window must have at most {MOST_PAIRS:,} pairs of cells"
            raise UserError(f"{rule}; got {self.config.signature}")
        return np.asarray(self.cells[np.argsort(self.edge_of_mask)] != ABSENT)

    @cached_property
    def views(self) -> Views:
        """The views of the game. Raises `ValueError` for a window of too many cells."""
        size, number = self.config.window_size, self.views_of_edge
        num_shown = size - 1 if number == 1 else self.config.num_shown
        of_edges = (itertools.combinations(np.flatnonzero(cells), num_shown) for cells in self.has_cell)
        offsets = np.array([*itertools.chain.from_iterable(of_edges)])
        shown = np.zeros((len(offsets), len(self.config.offsets)), dtype=bool)
        np.put_along_axis(shown, offsets, True, axis=1)
        targets = np.bincount(self.edge_of_mask[window_tables(self.config).mask_column], minlength=size)
        share = targets[self.edge_of_view] / self.config.sequence_length / number
        return Views(self.edge_of_view, offsets, shown, share)


@functools.lru_cache(maxsize=64)
def columns_of(config: GameConfig) -> Columns:
    """Return the columns of a game, the same object each time."""
    return Columns(config)
