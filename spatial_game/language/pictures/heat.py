"""Heat maps: how much likelier each integer is with a symbol, for one slot and one variable.

Rows are the symbols of the slot, columns the values of the variable. A cell is log2 of how much likelier the
value is with the symbol than it is otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.cells import cell_places
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers, sum_rows
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.readings import edges_text
from spatial_game.language.entropy import plug_in_information
from spatial_game.language.pictures.board import board_of_offsets
from spatial_game.language.pictures.order import Order
from spatial_game.language.wording import listed, offset_text

LEAST_SLOT_BITS = 0.2
"""A heat map is shown if its slot tells at least this number of bits about its variable by itself, ..."""
LEAST_PART = 1 / 3
"""... and at least this part of what it tells about any other one."""
LEAST_OWN_BITS, LEAST_VIEW_BITS = 1.0, 0.05
"""That of the view is also shown if a symbol tells at least the first number of bits about it, and less about
each variable that is shown: its row would be empty in all heat maps. The slot must tell the second number."""
FIRST_FROM = 0.8
"""Variables of which at least this part of the most is told come first."""
LEAST_SHARE, LEAST_EPISODES = 0.002, 20
"""Symbols that are sent less often, or less often where the variable is seen, have no row."""
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
    places: Numbers | None = None
    """(C, 2), the row and the column of each value on a board, of values that are places of a grid."""


def heat_maps(dictionary: Dictionary, orders: Mapping[int, Order]) -> list[HeatMap]:
    """Return the heat maps of a language that tell something: by slot, what is told most of first."""
    found = []
    for slot, bits in enumerate(dictionary.bits.slots_by_variable):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes, dictionary.config.vocab_size)
        tables = {index: each.symbol_counts[slot] for index, each in dictionary.informative.items()}
        found += _panels(dictionary.config, slot, often, tables, bits, orders)
    return found


def heat_maps_within(
    counts: Counts, dictionary: Dictionary, first: int, orders: Mapping[int, Order]
) -> list[HeatMap]:
    """Return what the second symbols of messages say after this first symbol.

    A value is compared with how likely it is with the first symbol alone.
    """
    rows = np.flatnonzero(counts.messages[:, 0] == first)
    second = counts.messages[rows, 1]
    by_second = sp.csc_array(sum_rows(counts.table[rows], second, dictionary.config.vocab_size))
    often = np.asarray(by_second[:, dictionary.columns.of_views].sum(axis=1))
    tables = {
        index: by_second[:, dictionary.columns.about(index)].toarray() for index in dictionary.informative
    }
    bits = {index: _information(table) for index, table in tables.items()}
    return _panels(dictionary.config, 1, often, tables, bits, orders)


def _panels(
    config: GameConfig,
    slot: int,
    often: FloatArray | Numbers,
    tables: Mapping[int, FloatArray | Numbers],
    bits: Mapping[int, float] | Sequence[float],
    orders: Mapping[int, Order],
) -> list[HeatMap]:
    """Return the heat maps of a slot, by tables (S, K) of its symbols and the values of variables.

    Its symbols stand in one order, that of what they say most about.
    """
    symbols = _frequent(often)
    most = max((bits[variable] for variable in tables), default=0.0)
    told = [variable for variable in tables if bits[variable] >= max(LEAST_SLOT_BITS, LEAST_PART * most)]
    view = len(config.offsets)
    if told and view in tables and view not in told and bits[view] >= LEAST_VIEW_BITS:
        own = {variable: _own_bits(tables[variable])[symbols] for variable in (view, *told)}
        others = np.max([own[variable] for variable in told], axis=0)
        told += [view] * bool(((own[view] >= LEAST_OWN_BITS) & (own[view] > others)).any())
    told.sort(key=lambda variable: bits[variable] < FIRST_FROM * most)
    if not told or not len(symbols):
        return []
    values = {variable: values_of(config, variable, orders) for variable in told}
    drawn = {
        variable: np.asarray(tables[variable] @ np.eye(len(values[variable].names))[values[variable].column])
        for variable in told
    }
    share = drawn[max(told, key=lambda variable: bits[variable])][symbols]
    mean = share @ np.arange(share.shape[1]) / np.maximum(share.sum(axis=1), 1)
    order = symbols[np.argsort(mean, kind="stable")]
    found = []
    for variable, table in drawn.items():
        rows = order[np.isin(order, _frequent(table.sum(axis=1)))]
        if not len(rows):
            continue
        episodes, shown = often[rows].astype(np.int64), values[variable]
        found.append(HeatMap(slot, variable, rows, episodes, shown.names, _lift(table)[rows],
                             float(bits[variable]), shown.places))  # fmt: skip
    return found


def _frequent(episodes: FloatArray | Numbers) -> Numbers:
    """Return the symbols that are sent often enough for a row, by their episodes (S,)."""
    return np.flatnonzero(episodes >= max(LEAST_EPISODES, LEAST_SHARE * episodes.sum()))


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a variable as they are drawn."""

    names: tuple[str, ...]  # (C,)
    column: Numbers  # (K,), the column of each value
    places: Numbers | None = None  # (C, 2), on a board


def values_of(config: GameConfig, variable: int, orders: Mapping[int, Order]) -> Values:
    """Return how a variable is drawn: integers in their order, and views by the cells that are seen, where
    these vary, or by the edge."""
    if variable < len(config.offsets):
        order = orders[variable].integers if variable in orders else np.arange(config.num_integers)
        return Values(tuple(map(str, order.tolist())), np.argsort(order))
    columns, on_grid = columns_of(config), len(config.shape) > 1
    if columns.views_of_edge > 1:
        shown, column = np.unique(columns.views.shown, axis=0, return_inverse=True)
        if len(shown) <= MOST_VALUES:
            cells = [np.flatnonzero(each).tolist() for each in shown[::-1]]  # from left to right
            shows = [listed([offset_text(config.offsets[cell]) for cell in each], " and ") for each in cells]
            one_each = on_grid and config.num_shown == 1
            places = board_of_offsets(config)[[cell for cell, *_ in cells]] if one_each else None
            return Values(
                tuple(f"{each} is seen" for each in shows), len(shown) - 1 - column.reshape(-1), places
            )
    edges = (edges_text(config, [edge]) for edge in range(config.window_size))
    names = tuple(edge.removeprefix("the target is ") for edge in edges)
    places = cell_places(config.window_shape)[np.argsort(columns.edge_of_mask)] if on_grid else None
    return Values(names, columns.views.edge, places)


def _lift(table: FloatArray) -> FloatArray:
    """Return log2 of how much likelier each value of a table (S, K) is with each symbol; NaN for never."""
    total = table.sum(axis=0)
    usual = np.maximum(total, 0.5) / np.maximum(total.sum(), 1)
    episodes = table.sum(axis=1, keepdims=True)
    share = (table + _PSEUDO_EPISODES * usual) / (episodes + _PSEUDO_EPISODES)
    return np.where(table > 0, np.log2(share / usual), np.nan)


def _own_bits(table: FloatArray | Numbers) -> FloatArray:
    """Return the bits (S,) that each row of a table (S, K) tells about its columns, less chance."""
    episodes = np.maximum(table.sum(axis=1), 1)
    share, usual = table / episodes[:, None], table.sum(axis=0) / max(table.sum(), 1)
    bits = rel_entr(share, usual).sum(axis=1) / math.log(2)
    return np.asarray(bits - (np.count_nonzero(table, axis=1) - 1) / (2 * math.log(2) * episodes))


def _information(table: FloatArray) -> float:
    """Return the bits that rows of a table (S, K) tell about its columns, less what chance tells of them."""
    rows, columns = (np.count_nonzero(table.any(axis=axis)) for axis in (1, 0))
    chance = (rows - 1) * (columns - 1) / (2 * math.log(2) * max(float(table.sum()), 1.0))
    return plug_in_information(table) - chance
