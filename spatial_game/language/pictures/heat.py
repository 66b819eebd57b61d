"""Heat maps: how much likelier each integer is with a symbol, for one slot and one variable.

Rows are the symbols of the slot, columns the values of the variable. A cell is log2 of how much likelier the
value is with the symbol than it is otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.readings import edges_text
from spatial_game.language.pictures.order import Order
from spatial_game.language.wording import listed, offset_text

LEAST_BITS = 0.2
"""A heat map is shown if its slot tells at least this number of bits about its variable by itself."""
LEAST_SHARE, LEAST_EPISODES = 0.002, 20
"""Symbols that are sent less often have no row."""
MOST_VALUES = 40
"""The most columns of a heat map of views."""
_PSEUDO_EPISODES = 10  # of a second symbol, as the first one alone would have them


@dataclass(frozen=True, eq=False)
class HeatMap:
    """What the symbols of a slot say of one variable."""

    slot: int
    variable: int
    """The number of an offset, or of the view."""
    symbols: Numbers  # (R,), from top to bottom
    episodes: Numbers  # (R,), of each symbol
    values: tuple[str, ...]
    """(C,), the names of the columns."""
    lift: FloatArray  # (R, C), log2; NaN where the symbol and the value never stood together
    bits: float
    """What the slot tells about the variable, an episode."""


def heat_maps(dictionary: Dictionary, orders: Mapping[int, Order]) -> list[HeatMap]:
    """Return the heat maps of a language that tell something: by slot, then by variable."""
    found = []
    for slot, bits in enumerate(dictionary.bits.slots_by_variable):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes, dictionary.config.vocab_size)
        symbols = np.flatnonzero(often >= max(LEAST_EPISODES, LEAST_SHARE * often.sum()))
        tables = {
            variable: _columns(
                dictionary, variable, orders, dictionary.variables[variable].symbol_counts[slot]
            )
            for variable in dictionary.informative
            if bits[variable] >= LEAST_BITS
        }
        found += _panels(dictionary, slot, symbols, often, tables, bits)
    return found


def within(counts: Counts, dictionary: Dictionary, first: int, orders: Mapping[int, Order]) -> list[HeatMap]:
    """Return what the second symbols of messages say after this first symbol.

    A value is compared with how likely it is with the first symbol alone.
    """
    rows = np.flatnonzero(counts.messages[:, 0] == first)
    shape = dictionary.config.vocab_size, len(rows)
    second = sp.csr_array((np.ones(len(rows)), (counts.messages[rows, 1], np.arange(len(rows)))), shape=shape)
    by_second = sp.csc_array(second @ counts.table[rows])
    often = np.asarray(by_second[:, dictionary.columns.of_views].sum(axis=1))
    symbols = np.flatnonzero(often >= max(LEAST_EPISODES, LEAST_SHARE * often.sum()))
    tables, bits = {}, {}
    for variable in dictionary.informative:
        table = by_second[:, dictionary.columns.about(variable)].toarray()
        tables[variable] = _columns(dictionary, variable, orders, table)
        bits[variable] = _information(table) if len(symbols) > 1 else 0.0
    shown = {variable: table for variable, table in tables.items() if bits[variable] >= LEAST_BITS}
    return _panels(dictionary, 1, symbols, often, shown, bits)


def _columns(
    dictionary: Dictionary, variable: int, orders: Mapping[int, Order], table: FloatArray | Numbers
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return a table (S, K) of symbols by values with its columns as they are drawn, and their names."""
    if variable < len(dictionary.config.offsets):
        order = orders[variable].integers if variable in orders else np.arange(table.shape[1])
        return np.asarray(table[:, order], dtype=np.float64), tuple(map(str, order.tolist()))
    names, group = view_groups(dictionary.config)
    gather = np.zeros((table.shape[1], len(names)))
    gather[np.arange(len(group)), group] = 1
    return np.asarray(table @ gather), names


def view_groups(config: GameConfig) -> tuple[tuple[str, ...], Numbers]:
    """Return what is drawn of views, in words, and which of these each view (V,) is.

    This is the edge, or the cells that are seen where these vary.
    """
    views = columns_of(config).views
    if columns_of(config).views_of_edge > 1:
        shown, group = np.unique(views.shown, axis=0, return_inverse=True)
        cells = (np.flatnonzero(each).tolist() for each in shown)
        names = [listed([offset_text(config.offsets[cell]) for cell in each], " and ") for each in cells]
        if len(names) <= MOST_VALUES:  # from left to right
            return tuple(f"{name} is seen" for name in names[::-1]), len(names) - 1 - group.reshape(-1)
    edges = range(config.window_size)
    return tuple(edges_text(config, [edge]).removeprefix("the target is ") for edge in edges), views.edge


def _panels(
    dictionary: Dictionary,
    slot: int,
    symbols: Numbers,
    often: FloatArray | Numbers,
    tables: Mapping[int, tuple[FloatArray, tuple[str, ...]]],
    bits: Mapping[int, float] | Sequence[float],
) -> list[HeatMap]:
    """Return the heat maps of a slot. Its symbols stand in one order, that of what they say most about."""
    if not tables or not len(symbols):
        return []
    lifts = {variable: _lift(table) for variable, (table, _) in tables.items()}
    lead = max(tables, key=lambda variable: bits[variable])
    share = tables[lead][0][symbols]
    mean = share @ np.arange(share.shape[1]) / np.maximum(share.sum(axis=1), 1)
    rows = symbols[np.argsort(mean, kind="stable")]
    return [
        HeatMap(
            slot,
            variable,
            rows,
            often[rows].astype(np.int64),
            tables[variable][1],
            lift[rows],
            float(bits[variable]),
        )
        for variable, lift in lifts.items()
    ]


def _lift(table: FloatArray) -> FloatArray:
    """Return log2 of how much likelier each value of a table (S, K) is with each symbol; NaN for never."""
    total = table.sum(axis=0)
    usual = np.maximum(total, 0.5) / np.maximum(total.sum(), 1)
    episodes = table.sum(axis=1, keepdims=True)
    share = (table + _PSEUDO_EPISODES * usual) / (episodes + _PSEUDO_EPISODES)
    return np.where(table > 0, np.log2(share / usual), np.nan)


def _information(table: FloatArray) -> float:
    """Return the bits that rows of a table (S, K) tell about its columns, less what chance tells of them."""
    total = table.sum()
    if not total:
        return 0.0
    together = table / total
    expected = together.sum(axis=1, keepdims=True) * together.sum(axis=0)
    cells = together > 0
    bits = float((together[cells] * np.log2(together[cells] / expected[cells])).sum())
    used = [np.count_nonzero(table.sum(axis=axis)) for axis in (0, 1)]
    return bits - float((used[0] - 1) * (used[1] - 1) / (2 * np.log(2) * total))
