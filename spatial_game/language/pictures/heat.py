"""Heat maps: how much likelier each integer is with a symbol, for one slot and one variable.

Rows are the symbols of the slot, columns the values of the variable. The lift of a symbol and a value is log2
of how much likelier the value is with the symbol than it is otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import rel_entr

from spatial_game.config import GameConfig
from spatial_game.game.cells import rows_and_columns
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, Numbers, sum_rows
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.texts import edges_text
from spatial_game.language.entropy import plug_in_information
from spatial_game.language.pictures.grid import offset_coordinates
from spatial_game.language.pictures.order import Order
from spatial_game.language.relations import often_sent
from spatial_game.language.wording import listed, offset_text

LEAST_SLOT_BITS = 0.2
"""A heat map is shown if its slot tells at least this number of bits about its variable by itself, ..."""
LEAST_PART = 1 / 3
"""... and at least this part of what it tells about any other one."""
LEAST_OWN_BITS = 1.0
"""That of the view is also shown if a symbol tells at least this number of bits about it, and less about each
variable that is shown: its row would be empty in all heat maps."""
LEAST_VIEW_BITS = 0.05
"""The slot must also tell this number of bits about the view: less is 0.0 bits in the title."""
FIRST_FROM = 0.8
"""Variables of which at least this part of the most is told come first, in the order of offsets: of several
slots that tell about as much of each, the heat maps can be compared."""
MOST_VALUES = 40
"""The most columns that name the cells that are seen; if there are more, columns name the edge."""
_PSEUDO_EPISODES = 10  # of each symbol, with values as often as usual: few episodes make no strong colour


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
    coordinates: Numbers | None = None
    """(C, 2), the row and the column in a grid of each value, if values are cells of a grid."""


@dataclass(frozen=True, eq=False)
class _Slot:
    """What is known of the S symbols of a slot."""

    number: int
    episodes: npt.NDArray[Any]  # (S,), of each symbol
    tables: Mapping[int, npt.NDArray[Any]]  # (S, K) by variable, the episodes of each symbol and value
    bits: Mapping[int, float]  # what the slot tells about each variable


def heat_maps(dictionary: Dictionary, orders: Mapping[int, Order]) -> list[HeatMap]:
    """Return the heat maps of a language that tell something: by slot, what is told most of first."""
    found = []
    for number, bits in enumerate(dictionary.bits.slots_by_variable):
        often = np.bincount(dictionary.messages[:, number], dictionary.episodes, dictionary.config.vocab_size)
        tables = {index: each.symbol_counts[number] for index, each in dictionary.informative.items()}
        slot = _Slot(number, often, tables, {index: bits[index] for index in tables})
        found += _heat_maps_of(slot, dictionary.config, orders)
    return found


def heat_maps_within(
    counts: Counts, dictionary: Dictionary, first: int, orders: Mapping[int, Order]
) -> list[HeatMap]:
    """Return what the second symbols of messages say after this first symbol.

    A value is compared with how likely it is with the first symbol alone.
    """
    rows, columns = np.flatnonzero(counts.messages[:, 0] == first), dictionary.columns
    second = counts.messages[rows, 1]
    by_second = sp.csc_array(sum_rows(counts.table[rows], second, dictionary.config.vocab_size))
    often = np.asarray(by_second[:, columns.of_views].sum(axis=1))
    tables = {index: by_second[:, columns.about(index)].toarray() for index in dictionary.informative}
    bits = {index: _information(table) for index, table in tables.items()}
    return _heat_maps_of(_Slot(1, often, tables, bits), dictionary.config, orders)


def _heat_maps_of(slot: _Slot, config: GameConfig, orders: Mapping[int, Order]) -> list[HeatMap]:
    """Return the heat maps of a slot. Its symbols stand in one order, that of what they say most about."""
    if not often_sent(slot.episodes).any():
        return []
    values = {variable: values_of(config, variable, orders) for variable in _shown(slot, len(config.offsets))}
    tables = {variable: each.in_columns(slot.tables[variable]) for variable, each in values.items()}
    if not tables:
        return []
    share = tables[max(tables, key=lambda variable: slot.bits[variable])]
    column = share @ np.arange(share.shape[1]) / np.maximum(share.sum(axis=1), 1)  # the mean of each symbol
    in_order = np.argsort(column, kind="stable")
    found = []
    for variable, table in tables.items():
        shown = often_sent(slot.episodes) & often_sent(table.sum(axis=1))
        if shown.any():
            rows, columns = in_order[shown[in_order]], values[variable]
            found.append(
                HeatMap(
                    slot.number,
                    variable,
                    symbols=rows,
                    episodes=slot.episodes[rows].astype(np.int64),
                    values=columns.names,
                    lift=_lift(table)[rows],
                    bits=slot.bits[variable],
                    coordinates=columns.coordinates,
                )
            )
    return found


def _shown(slot: _Slot, view: int) -> list[int]:
    """Return the variables of which a slot has a heat map, in their order; `view` is that of the view."""
    bits = slot.bits
    most = max(bits.values(), default=0.0)
    found = [variable for variable in bits if bits[variable] >= max(LEAST_SLOT_BITS, LEAST_PART * most)]
    if found and view in bits and view not in found and bits[view] >= LEAST_VIEW_BITS:
        own = {variable: _own_bits(slot.tables[variable]) for variable in (view, *found)}
        others = np.max([own[variable] for variable in found], axis=0)
        speaks_of_view = (own[view] >= LEAST_OWN_BITS) & (own[view] > others) & often_sent(slot.episodes)
        found += [view] * bool(speaks_of_view.any())
    return sorted(found, key=lambda variable: bits[variable] < FIRST_FROM * most)


# --- The values of a variable -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a variable as they are drawn, in columns."""

    names: tuple[str, ...]  # (C,)
    column: Numbers  # (K,), the column of each value
    coordinates: Numbers | None = None  # (C, 2), in a grid

    def in_columns(self, table: npt.NDArray[Any]) -> FloatArray:
        """Return (S, C), a table (S, K) of values by their columns."""
        return np.asarray(table @ np.eye(len(self.names))[self.column])


def values_of(config: GameConfig, variable: int, orders: Mapping[int, Order]) -> Values:
    """Return how a variable is drawn: integers in their order, and views by the cells that are seen, where
    these vary, or by the edge."""
    if variable < len(config.offsets):
        order = orders[variable].integers if variable in orders else np.arange(config.num_integers)
        return Values(tuple(map(str, order.tolist())), np.argsort(order))
    views = columns_of(config).views
    shown, number = np.unique(views.shown, axis=0, return_inverse=True)
    if columns_of(config).views_of_edge > 1 and len(shown) <= MOST_VALUES:
        return _cells_seen(config, shown[::-1], len(shown) - 1 - number.reshape(-1))  # from left to right
    edges = (edges_text(config, [edge]) for edge in range(config.window_size))
    names = tuple(edge.removeprefix("the target is ") for edge in edges)
    coordinates = rows_and_columns(config.window_shape)[np.argsort(columns_of(config).edge_of_mask)]
    return Values(names, views.edge, coordinates if len(config.shape) > 1 else None)


def _cells_seen(config: GameConfig, shown: Mask, column: Numbers) -> Values:
    """Return the values of views of which each column shows other offsets (C, O)."""
    cells = [np.flatnonzero(each).tolist() for each in shown]
    names = (listed([offset_text(config.offsets[cell]) for cell in each], " and ") for each in cells)
    one_each = len(config.shape) > 1 and config.num_shown == 1
    coordinates = offset_coordinates(config)[[cell for cell, *_ in cells]] if one_each else None
    return Values(tuple(f"{name} is seen" for name in names), column, coordinates)


# --- Figures ------------------------------------------------------------------------------------------------


def _lift(table: FloatArray) -> FloatArray:
    """Return the lifts (S, C) of episodes (S, C) of each symbol and value; NaN for never."""
    total = table.sum(axis=0)
    usual = np.maximum(total, 0.5) / np.maximum(total.sum(), 1)
    episodes = table.sum(axis=1, keepdims=True)
    share = (table + _PSEUDO_EPISODES * usual) / (episodes + _PSEUDO_EPISODES)
    return np.where(table > 0, np.log2(share / usual), np.nan)


def _own_bits(table: npt.NDArray[Any]) -> FloatArray:
    """Return the bits (S,) that each row of a table (S, K) tells about its columns, less chance."""
    episodes = np.maximum(table.sum(axis=1), 1)
    share, usual = table / episodes[:, None], table.sum(axis=0) / max(table.sum(), 1)
    bits = rel_entr(share, usual).sum(axis=1) / math.log(2)
    return np.asarray(bits - (np.count_nonzero(table, axis=1) - 1) / (2 * math.log(2) * episodes))


def _information(table: FloatArray) -> float:
    """Return the bits that rows of a table (S, K) tell about its columns, less what chance tells of them."""
    rows, columns = (np.count_nonzero(table.any(axis=axis)) for axis in (1, 0))
    chance = (rows - 1) * (columns - 1) / (2 * math.log(2) * max(float(table.sum()), 1.0))
    return float(plug_in_information(table) - chance)
