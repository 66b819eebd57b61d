"""Maps of a language: the likeliest message for integers at two offsets, or at one at a time.

By the dictionary, each message has a probability if these integers are seen and the target is near no end.
The map has the likeliest first symbol, the likeliest second symbol after it, and so on: where many messages
say much the same, the likeliest one of all would be a matter of chance. A map also has how many episodes have
these integers, and in how many of them this first symbol, or this message, was sent. Where this first symbol
never was, the map is a guess. A cell of single offsets is empty if its message does not say this.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import divergence
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.pictures.colours import first_colours
from spatial_game.language.pictures.order import Order, integer_orders
from spatial_game.language.wording import offset_text
from spatial_game.memory import chunks

LEAST_TOLD = 0.1
"""Messages tell of an offset if they tell at least this number of bits about it, an episode."""
MOST_MAPPED = 100
"""The most integers of a map of two offsets."""
MOST_MAPS = 6
"""The most maps of two offsets: those of which most is told."""
LEAST_BOTH = 0.5
"""Messages speak of two offsets if this share of what they tell about one is in messages that tell as much of
the other."""
IMPOSSIBLE = -1
"""In place of a message where both integers are the same, or where the likeliest one does not say this."""
_NOT_COUNTED = (np.zeros((0, 0), dtype=np.int64),) * 3
_MOST_SCORES = 1 << 24  # that are computed for a map, so the rarest messages of a large language are left out


@dataclass(frozen=True, eq=False)
class LanguageMap:
    """The likeliest message for each row and column.

    A map of a pair has a row for each integer at the first offset, and a column for each at the second. That
    of single offsets has a row for each offset, and a column for each integer.
    """

    of_pair: bool
    """Whether rows are integers, too."""
    title: str
    axes: tuple[str, str]
    """What rows and columns are."""
    cell: str
    """What a cell is about, such as "{row} one left and {column} one right"."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Their names."""
    best: Numbers  # (R, C), rows of the dictionary's messages, or `IMPOSSIBLE`
    episodes: Numbers  # (R, C), with what the row and the column say
    begun: Numbers  # (R, C), those of them whose message has the same first symbol
    sent: Numbers  # (R, C), those of them with this message

    @property
    def guessed(self) -> Mask:
        """(R, C), where no message with this first symbol was ever sent."""
        return np.asarray((self.best != IMPOSSIBLE) & (self.begun == 0))

    def symbols(self, messages: IntArray, slot: int) -> Numbers:
        """Return (R, C), the symbol in a slot of the likeliest messages, of these messages (M, T)."""
        return np.where(self.best == IMPOSSIBLE, IMPOSSIBLE, messages[self.best, slot])


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps of a language, the one to begin with first, and how they are drawn."""

    maps: tuple[LanguageMap, ...]
    orders: Mapping[int, Order]
    messages: IntArray  # (M, T), of the dictionary
    names: Sequence[str]
    """The names of symbols."""

    @cached_property
    def colours(self) -> dict[int, str]:
        """The colours of first symbols, in the order of how much of the first map they have."""
        return first_colours(self.maps[0].symbols(self.messages, 0), IMPOSSIBLE) if self.maps else {}

    @cached_property
    def seconds(self) -> dict[int, list[int]]:
        """By first symbol: the second symbols of all maps, in the order of their shades."""
        found = dict[int, list[int]]()
        if not self.maps or self.messages.shape[1] < 2:
            return found
        firsts, seconds = (self.maps[0].symbols(self.messages, slot) for slot in (0, 1))
        column = np.tile(np.arange(firsts.shape[1]), (len(firsts), 1))
        used = np.unique(np.concatenate([each.best[each.best >= 0] for each in self.maps]))
        for first, second in np.unique(self.messages[used, :2], axis=0).tolist():
            found.setdefault(first, []).append(second)
        for first, of_first in found.items():
            where = {each: column[(firsts == first) & (seconds == each)] for each in of_first}
            of_first.sort(key=lambda each: (where[each].mean() if len(where[each]) else math.inf, each))
        return found


def told_offsets(dictionary: Dictionary) -> list[int]:
    """Return the numbers of the offsets of which messages tell, that of which they tell most first."""
    bits = dictionary.bits.messages_by_variable
    of_integers = [each for each in dictionary.informative if each < len(dictionary.config.offsets)]
    told = [offset for offset in of_integers if bits[offset] >= LEAST_TOLD]
    return sorted(told or of_integers, key=lambda offset: -bits[offset])


def maps_of(counts: Counts, dictionary: Dictionary, orders: Mapping[int, Order] | None = None) -> Maps:
    """Return the maps of a language: of pairs of told offsets, and of single ones.

    That of single offsets is the first one if messages do not speak of two offsets at once. `orders`: those
    of another language, to compare maps; by default, its own.
    """
    offsets, bits = told_offsets(dictionary), dictionary.bits.messages_by_variable
    orders = {**integer_orders(dictionary, offsets), **(orders or {})}
    names = dictionary.symbol_names
    if not offsets:
        return Maps((), orders, dictionary.messages, names)
    shown = dictionary.columns.views.shown
    pairs = [
        (min(pair), max(pair))
        for pair in itertools.combinations(offsets, 2)
        if dictionary.config.num_integers <= MOST_MAPPED and shown[:, pair].all(axis=1).any()
    ]
    pairs = sorted(pairs, key=lambda pair: -sum(bits[offset] for offset in pair))[:MOST_MAPS]
    tables = [_of_pair(dictionary, pair, orders) for pair in pairs]
    single = _of_single(dictionary, sorted(offsets), orders[offsets[0]])
    both = bool(pairs) and speak_of_both(dictionary, pairs[0])
    of_single = [single] if single[0].rows else []
    found = [*tables, *of_single] if both else [*of_single, *tables]
    return Maps(_counted(counts, dictionary, found), orders, dictionary.messages, names)


def speak_of_both(dictionary: Dictionary, pair: tuple[int, int]) -> bool:
    """Return whether messages speak of both offsets at once, or of one of them at a time."""
    tables = dictionary.tables(dictionary.messages)
    bits = np.stack([divergence(tables[offset], dictionary.variables[offset].prior) for offset in pair])
    together, each = bits.min(axis=0) @ dictionary.episodes, bits @ dictionary.episodes
    return bool(together >= LEAST_BOTH * each.min())


def _likeliest(dictionary: Dictionary, offsets: Sequence[int]) -> Numbers:
    """Return (N,) * len(offsets), the row of the likeliest message for integers at one or two offsets."""
    columns, size = dictionary.columns, dictionary.config.num_integers ** len(offsets)
    rows = np.sort(np.argsort(-dictionary.episodes, kind="stable")[: max(1, _MOST_SCORES // size)])
    evidence = dictionary.of_messages[rows]
    seen = columns.views.shown[:, list(offsets)].all(axis=1)
    inside = seen & (columns.views.edge == columns.no_edge)
    fitting = np.flatnonzero(inside if inside.any() else seen)
    by_view = np.exp2(evidence[:, columns.of_views.start + fitting]) @ columns.views.share[fitting]
    likely = (by_view * dictionary.episodes[rows])[:, None]
    *first, last = (np.exp2(evidence[:, columns.about(offset)]) for offset in offsets)
    if not first:
        return rows[_greedy(dictionary.messages[rows], likely * last)]
    return rows[_greedy_of_pairs(dictionary.messages[rows], likely * first[0], last)]


def _greedy_of_pairs(messages: IntArray, one: FloatArray, other: FloatArray) -> Numbers:
    """Return what `_greedy` does for all pairs of columns (R, C) of `one` (M, R) and `other` (M, C).

    A message is as probable as their product. The sums over first symbols are products of matrices. All other
    work is on the messages of the first symbol that a pair has.
    """
    starts = np.flatnonzero(messages[1:, 0] != messages[:-1, 0]) + 1
    of_firsts = np.split(np.arange(len(messages)), starts)
    first = np.stack([one[each].T @ other[each] for each in of_firsts]).argmax(axis=0)
    found = np.empty_like(first)
    for number, each in enumerate(of_firsts):
        row, column = np.nonzero(first == number)
        for cells in chunks(len(row), one.itemsize * len(each)):
            likely = one[np.ix_(each, row[cells])] * other[np.ix_(each, column[cells])]
            found[row[cells], column[cells]] = each[_greedy(messages[each, 1:], likely)]
    return np.asarray(found, dtype=np.int64)


def _greedy(messages: IntArray, likely: FloatArray) -> Numbers:
    """Return the rows (C,) of messages (M, T), in order, that are the likeliest symbol by symbol.

    `likely` (M, C) is how probable each message is, by column.
    """
    new, parent = np.zeros(len(messages), dtype=bool), np.zeros(likely.shape[1], dtype=np.int64)
    new[0] = True
    for slot in messages.T:
        before = np.cumsum(new) - 1  # the group of each message, by the symbols before
        new[1:] |= slot[1:] != slot[:-1]
        starts = np.flatnonzero(new)
        together = np.add.reduceat(likely, starts, axis=0)
        parent = np.where(before[starts, None] == parent, together, -1).argmax(axis=0)
    return parent


class _Strip(NamedTuple):
    """Which cell of a map an episode has: the integers at two offsets tell its row and its column."""

    row_of: Numbers  # (N,), by the integer at the first offset
    row_offset: int
    column_of: Numbers  # (N,)
    column_offset: int


def _of_pair(
    dictionary: Dictionary, pair: tuple[int, int], orders: Mapping[int, Order]
) -> tuple[LanguageMap, list[_Strip]]:
    best = _likeliest(dictionary, pair)
    np.fill_diagonal(best, IMPOSSIBLE)
    rows, columns = (orders[offset].integers for offset in pair)
    one, other = (offset_text(dictionary.config.offsets[offset]) for offset in pair)
    axes, cell = (f"the integer {one}", f"the integer {other}"), f"{{row}} {one} and {{column}} {other}"
    shown = LanguageMap(True, f"{one}, by {other}", axes, cell, _names(rows), _names(columns),
                        best[np.ix_(rows, columns)], *_NOT_COUNTED)  # fmt: skip
    return shown, [_Strip(np.argsort(rows), pair[0], np.argsort(columns), pair[1])]


def _of_single(
    dictionary: Dictionary, offsets: Sequence[int], order: Order
) -> tuple[LanguageMap, list[_Strip]]:
    best = np.stack([_likeliest(dictionary, [offset])[order.integers] for offset in offsets])
    rows, number = np.unique(best, return_inverse=True)
    said = [
        {(s.index, value) for sense in reading.senses for s in sense.statements for value in s.values}
        for reading in interpreter(dictionary).read(dictionary.messages[rows])
    ]
    integers = order.integers.tolist()
    for row, column in np.ndindex(best.shape):
        if (offsets[row], integers[column]) not in said[number.reshape(best.shape)[row, column]]:
            best[row, column] = IMPOSSIBLE
    best = best[told := (best != IMPOSSIBLE).any(axis=1)]
    kept = [offset for offset, is_told in zip(offsets, told, strict=True) if is_told]
    names = tuple(offset_text(dictionary.config.offsets[offset]) for offset in kept)
    shown = LanguageMap(False, "one integer at a time", ("offset", "the integer there"), "{column} {row}",
                        names, _names(order.integers), best, *_NOT_COUNTED)  # fmt: skip
    place = np.argsort(order.integers)
    return shown, [_Strip(np.full(len(place), row), each, place, each) for row, each in enumerate(kept)]


def _names(integers: Numbers) -> tuple[str, ...]:
    return tuple(map(str, integers.tolist()))


def _counted(
    counts: Counts, dictionary: Dictionary, maps: Sequence[tuple[LanguageMap, Sequence[_Strip]]]
) -> tuple[LanguageMap, ...]:
    """Return maps with the episodes of each cell, of its first symbol, and of its message."""
    in_counts = np.append(message_ids(counts, dictionary.messages), IMPOSSIBLE)
    firsts = np.append(dictionary.messages[:, 0], IMPOSSIBLE)
    found = [np.zeros((3, each.best.size), dtype=np.int64) for each, _ in maps]
    strips = [strip for _, of_map in maps for strip in of_map]
    offsets = sorted({each for strip in strips for each in (strip.row_offset, strip.column_offset)})
    for ids, window, *_ in counts.episodes("a map needs"):
        integer = dict(zip(offsets, dictionary.columns.at_offsets(window, offsets).T, strict=True))
        for (each, of_map), total in zip(maps, found, strict=True):
            for strip in of_map:
                row, column = integer[strip.row_offset], integer[strip.column_offset]
                seen = np.flatnonzero((row >= 0) & (column >= 0))
                cell = strip.row_of[row[seen]] * len(each.columns) + strip.column_of[column[seen]]
                best, sent = each.best.ravel()[cell], ids[seen]
                of_cells = cell, cell[counts.messages[sent, 0] == firsts[best]], cell[sent == in_counts[best]]
                total += [np.bincount(some, minlength=each.best.size) for some in of_cells]
    return tuple(
        replace(each, episodes=episodes, begun=begun, sent=sent)
        for (each, _), total in zip(maps, found, strict=True)
        for episodes, begun, sent in [total.reshape(3, *each.best.shape)]
    )
