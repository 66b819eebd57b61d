"""Maps of a language: the likeliest message for integers at two offsets, or at one at a time.

By the dictionary, each message has a probability if these integers are seen and the target is near no end.
The map has the likeliest first symbol, the likeliest second symbol after it, and so on: where many messages
say much the same, the likeliest one of all would be a matter of chance. A map also has how many episodes have
these integers, and in how many of them this first symbol, or this message, was sent. Where this first symbol
never was, the map is a guess. A map of single offsets is empty where the message does not say this.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import divergence
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.pictures.colours import first_colours
from spatial_game.language.pictures.likeliest import likeliest_messages
from spatial_game.language.pictures.order import Order, integer_orders
from spatial_game.language.wording import offset_text

LEAST_TOLD = 0.1
"""Messages tell of an offset if they tell at least this number of bits about it, an episode."""
MOST_MAPPED = 100
"""The most integers of a map of two offsets."""
MOST_MAPS = 6
"""The most maps of two offsets: those of which most is told."""
LEAST_BOTH = 0.5
"""Messages speak of two offsets if this share of what they tell about one is in messages that tell as much of
the other. In 40,000 episodes of each bundled pair, it is 0.3 to 0.7 on grids, and over 0.75 in sequences."""
IMPOSSIBLE = -1
"""In place of a message where both integers are the same, or where the likeliest one does not say this."""


@dataclass(eq=False)
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
    cells: Mapping[tuple[int, ...], Numbers]
    """By offsets, the numbers of the cells, row by row, by the integer at each of them: (N,), or (N, N)."""

    def __post_init__(self) -> None:
        self.counted = np.zeros((3, self.best.size), dtype=np.int64)
        """The episodes of each cell, those with its first symbol, and those with its message."""
        self.episodes, self.begun, self.sent = self.counted.reshape(3, *self.best.shape)
        """The same (R, C), as views."""

    @property
    def guessed(self) -> Mask:
        """(R, C), where no message with this first symbol was ever sent."""
        return np.asarray((self.best != IMPOSSIBLE) & (self.begun == 0))

    def symbols(self, messages: IntArray, slot: int) -> Numbers:
        """Return (R, C), the symbols of the likeliest messages in a slot, of these messages (M, T)."""
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


def offsets_by_bits(dictionary: Dictionary) -> list[int]:
    """Return the numbers of the offsets of which messages tell, that of which they tell most first."""
    bits = dictionary.bits.messages_by_variable
    of_integers = [each for each in dictionary.informative if each < len(dictionary.config.offsets)]
    told = [offset for offset in of_integers if bits[offset] >= LEAST_TOLD]
    return sorted(told or of_integers, key=lambda offset: -bits[offset])


def maps_of(counts: Counts, dictionary: Dictionary, orders: Mapping[int, Order] | None = None) -> Maps:
    """Return the maps of a language: of pairs of the offsets of which messages tell, and of single ones.

    That of single offsets is the first one if messages do not speak of two offsets at once. `orders`: those
    of another language, to compare maps; by default, its own.
    """
    offsets, bits = offsets_by_bits(dictionary), dictionary.bits.messages_by_variable
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
    both = bool(pairs) and speak_of_both(dictionary, pairs[0])
    of_pairs = [_of_pair(dictionary, pair, orders) for pair in pairs]
    single = _of_single(dictionary, sorted(offsets), orders[offsets[0]])
    of_single = [single] if len(single.best) else []
    maps = (*of_pairs, *of_single) if both else (*of_single, *of_pairs)
    _count(maps, counts, dictionary)
    return Maps(maps, orders, dictionary.messages, names)


def speak_of_both(dictionary: Dictionary, pair: tuple[int, int]) -> bool:
    """Return whether messages speak of both offsets at once, or of one of them at a time."""
    messages, variables = dictionary.messages, [dictionary.variables[offset] for offset in pair]
    tables = [variable.by_messages(messages, np.arange(len(messages))) for variable in variables]
    bits = np.stack([divergence(p, each.prior) for p, each in zip(tables, variables, strict=True)])
    together, each = bits.min(axis=0) @ dictionary.episodes, bits @ dictionary.episodes
    return bool(together >= LEAST_BOTH * each.min())


# --- Two kinds of maps --------------------------------------------------------------------------------------


def _of_pair(dictionary: Dictionary, pair: tuple[int, int], orders: Mapping[int, Order]) -> LanguageMap:
    """Return the map of a pair of offsets, with a row for each integer at the first one."""
    best = likeliest_messages(dictionary, pair)
    np.fill_diagonal(best, IMPOSSIBLE)
    rows, columns = (orders[offset].integers for offset in pair)
    one, other = (offset_text(dictionary.config.offsets[offset]) for offset in pair)
    return LanguageMap(
        of_pair=True,
        title=f"{one}, by {other}",
        axes=(f"the integer {one}", f"the integer {other}"),
        cell=f"{{row}} {one} and {{column}} {other}",
        rows=tuple(map(str, rows.tolist())),
        columns=tuple(map(str, columns.tolist())),
        best=best[np.ix_(rows, columns)],
        cells={pair: np.argsort(rows)[:, None] * len(columns) + np.argsort(columns)},
    )


def _of_single(dictionary: Dictionary, offsets: Sequence[int], order: Order) -> LanguageMap:
    """Return the map of single offsets, with a row for each one of which a message says an integer."""
    best = np.stack([likeliest_messages(dictionary, [offset])[order.integers] for offset in offsets])
    drawn, number = np.unique(best, return_inverse=True)
    said = [
        {(each.index, i) for sense in reading.senses for each in sense.statements for i in each.values}
        for reading in interpreter(dictionary).read(dictionary.messages[drawn])
    ]
    integers, number = order.integers.tolist(), number.reshape(best.shape)
    for row, column in np.ndindex(best.shape):
        if (offsets[row], integers[column]) not in said[number[row, column]]:
            best[row, column] = IMPOSSIBLE
    is_said = (best != IMPOSSIBLE).any(axis=1)
    rows, column = np.array(offsets)[is_said].tolist(), np.argsort(order.integers)
    return LanguageMap(
        of_pair=False,
        title="one integer at a time",
        axes=("offset", "the integer there"),
        cell="{column} {row}",
        rows=tuple(offset_text(dictionary.config.offsets[offset]) for offset in rows),
        columns=tuple(map(str, integers)),
        best=best[is_said],
        cells={(offset,): row * len(integers) + column for row, offset in enumerate(rows)},
    )


def _count(maps: Sequence[LanguageMap], counts: Counts, dictionary: Dictionary) -> None:
    """Count the episodes of the cells of maps, all of them in one pass."""
    in_counts = np.append(message_ids(counts, dictionary.messages), IMPOSSIBLE)
    firsts = np.append(dictionary.messages[:, 0], IMPOSSIBLE)
    for block in counts.episodes("a map needs"):
        for language_map in maps:
            for offsets, cells in language_map.cells.items():
                integers = dictionary.columns.at_offsets(block.window, offsets)
                shown = np.flatnonzero((integers >= 0).all(axis=1))
                cell, sent = cells[tuple(integers[shown].T)], block.message[shown]
                best = language_map.best.ravel()[cell]
                begun = counts.messages[sent, 0] == firsts[best]
                of_episodes = cell, cell[begun], cell[sent == in_counts[best]]
                size = language_map.best.size
                language_map.counted += [np.bincount(of_each, minlength=size) for of_each in of_episodes]
