"""What a message can speak of: the places of a window, and how often each thing stands there.

A window has *places*: one for each offset (a cell), and one for the edge, which comes last. In a cell stands
one of K values (integers), or none, because the window has no such cell there (category K) or because the
sender does not see it (category K + 1). At the edge stands the number of an edge; the last one, "middle",
means none. The edge decides which cells a window has.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.game.windows import offset_numbers
from spatial_game.language.counting.columns import edge_prior, middle_column, num_integer_columns, num_shown
from spatial_game.language.counting.rows import FloatArray

MOST_CELLS = 1 << 24
"""The largest tables of a window's cells by its cells that are made."""


@dataclass(frozen=True, eq=False)
class Places:
    """The P cells and the edge of a window, and the distribution q0 of windows if no message is known."""

    cells: tuple[str, ...]
    """The names of the cells."""
    values: FloatArray
    """(P, K), how often each value stands in a cell that is seen."""
    edges: tuple[str, ...]
    """The names of the W edges; the last is the middle."""
    edge_share: FloatArray
    """(W,), how often each edge occurs."""
    shown: Mask
    """(W, P), which cells a window has."""
    num_seen: int
    """How many of its cells the sender sees, at random."""
    ordered: bool = True
    """Whether values have an order, so that a band of neighbours has a short code."""
    distinct: bool = True
    """Whether the values of a window do not repeat. They must then be equally frequent in all cells."""

    @property
    def edge(self) -> int:
        """The number of the place that is the edge."""
        return len(self.cells)

    @property
    def num_values(self) -> int:
        """K."""
        return int(self.values.shape[1])

    @cached_property
    def some_hidden(self) -> bool:
        """Whether a window has cells that the sender does not see."""
        return bool((self.shown.sum(axis=1) > self.num_seen).any())

    def __len__(self) -> int:
        return len(self.cells) + 1

    def categories(self, place: int) -> int:
        """Return how many different things can stand at a place, with what is absent or hidden."""
        return len(self.edges) if place == self.edge else self.num_values + 1 + self.some_hidden

    def nameable(self, place: int) -> int:
        """Return how many of the categories, the first ones, a rule can name."""
        return len(self.edges) - 1 if place == self.edge else self.num_values


def edge_columns(config: GameConfig) -> list[int]:
    """Return the mask columns in the order of the edges of `Places`: the middle, which is none, last."""
    middle = middle_column(config)
    return [column for column in range(config.window_size) if column != middle] + [middle]


@functools.cache
def names_of(config: GameConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the cells and of the edges of a game's windows, as `Places` has them."""
    return tuple(map(str, config.offsets)), tuple(config.edges[column] for column in edge_columns(config))


@functools.cache
def places_of(config: GameConfig) -> Places:
    """Return the places of a game's windows. Raises `ValueError` for a window of too many cells."""
    if config.window_size * len(config.offsets) > MOST_CELLS:
        raise ValueError(f"a window must have at most {MOST_CELLS:,} pairs of cells; got {config.signature}")
    columns, num_integers = edge_columns(config), len(config.integers)
    cells, edges = names_of(config)
    shown = np.zeros((config.window_size, len(config.offsets)), dtype=bool)
    mask, cell = np.nonzero(offset_numbers(config) >= 0)
    shown[mask, offset_numbers(config)[mask, cell]] = True
    return Places(
        cells=cells,
        values=np.broadcast_to(1 / num_integers, (len(cells), num_integers)),
        edges=edges,
        edge_share=edge_prior(config)[columns],
        shown=shown[columns],
        num_seen=num_shown(config),
    )


def counts_by_place(config: GameConfig, table: sp.csr_array) -> list[FloatArray]:
    """Return (M, categories) for each place: the episodes of each message by what stands there.

    `table` is that of `Counts`.
    """
    places, by_column = places_of(config), table.tocsc()
    edges = by_column[:, num_integer_columns(config) :].toarray().astype(np.float64)[:, edge_columns(config)]
    n, tables = edges.sum(axis=1), []
    for cell in range(places.edge):
        first = cell * places.num_values
        seen = by_column[:, first : first + places.num_values].toarray().astype(np.float64)
        absent = edges[:, ~places.shown[:, cell]].sum(axis=1)
        others = [absent, n - absent - seen.sum(axis=1)][: 1 + places.some_hidden]
        tables.append(np.column_stack([seen, *others]))
    return [*tables, np.ascontiguousarray(edges)]
