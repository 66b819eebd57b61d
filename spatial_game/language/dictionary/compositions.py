"""Messages of two parts: a word for an integer, and beside it a word for the offset at which it stands.

Such parts are found by NPMI, in the two steps of the paper (`analysis`), and kept if the description gets
shorter: 60 words and 4 offsets are written faster than 240 whole messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, Form, apart
from spatial_game.language.counting.places import Places, places_of
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows, join
from spatial_game.language.dictionary.belief import prior_at
from spatial_game.language.dictionary.code import LEVEL_BITS, factors, form_bits, saving, set_bits
from spatial_game.language.dictionary.rules import Rule
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.best_referents import NO_INTEGER, BestReferents
from spatial_game.language.npmi.npmi import integer_word_ceiling
from spatial_game.language.npmi.settings import NpmiSettings

TOPS = (1, 2, 3, 5)
"""How many integers a word may stand for."""
_OF_CEILING = 0.75  # the least NPMI of a word, as a share of what a perfect one reaches in the game
_OF_SEVERAL = 0.5  # the same of a word for several integers


@dataclass(frozen=True)
class Composition:
    """Words and offsets, and what they make of M messages."""

    integers: BestReferents
    offsets: BestReferents
    word: Numbers  # (K,), for each composed message its word, a row of `integers`
    place: Numbers  # (K,), and its offset, by number
    offset: Numbers  # (K,), a row of `offsets`
    message: Numbers  # (K,), row of the messages
    inside: Mask  # (K, C), the integers of the word
    cost: float
    """Bits to write words and offsets."""
    order: tuple[int, ...]
    """The slots in the order in which the parts were looked for: none stands around another."""

    @property
    def used(self) -> tuple[Numbers, Numbers]:
        """The words and the offsets that messages use, as rows of `integers` and `offsets`."""
        return np.unique(self.word), np.unique(self.offset)

    def form(self, part: Form) -> Form:
        """Return a part as it stands in messages: a word around an offset leaves its slot open."""
        if part.slot is None:
            return part
        symbols = {self.order[part.slot + i]: symbol for i, symbol in enumerate(part.symbols)}
        first, last = min(symbols), max(symbols)
        return Form(tuple(symbols.get(slot) for slot in range(first, last + 1)), first)

    @property
    def at_slots(self) -> bool:
        """Whether each part has a slot of its own."""
        return all((table.forms.slot != ANY).all() for table in (self.integers, self.offsets))

    def weights(self, observed: Sequence[FloatArray], places: Places) -> list[FloatArray | None]:
        """Return what the parts make of the belief at each place, (M, C), None where they say nothing."""
        levels, weights = self.levels(observed, places), list[FloatArray | None](None for _ in observed)
        for place in np.unique(self.place).tolist():
            rows, prior = np.flatnonzero(self.place == place), prior_at(places, place)
            share = self.inside[rows] @ prior
            by_pair = factors(self.inside[rows], levels[self.word[rows]], share, 1 - share)
            table = np.ones(observed[place].shape)
            table[self.message[rows]] = by_pair
            weights[place] = table
        return weights

    def levels(self, observed: Sequence[FloatArray], places: Places) -> FloatArray:
        """Return (words,), the probability that one of a word's integers stands where its offset says."""
        inside, n, expected = np.zeros((3, len(self.integers)))
        for place in np.unique(self.place).tolist():
            rows, prior = np.flatnonzero(self.place == place), prior_at(places, place)
            seen, named = observed[place][self.message[rows]], self.inside[rows]
            np.add.at(inside, self.word[rows], (seen * named).sum(axis=1))
            np.add.at(n, self.word[rows], seen.sum(axis=1))
            np.add.at(expected, self.word[rows], seen.sum(axis=1) * (named @ prior))
        return saving(inside, n, expected)[1]

    def rules(self, observed: Sequence[FloatArray], config: GameConfig) -> Iterator[Rule]:
        """Yield the words and the offsets that messages use, as rules."""
        words, offsets = self.used
        levels, cost = self.levels(observed, places_of(config)), self.cost / (len(words) + len(offsets))
        for row in words.tolist():
            form, values = self.integers.forms.form(row), self.integers.values[row]
            named = tuple(sorted(int(value) for value in values if value != NO_INTEGER))
            strength = float(self.integers.npmi[row])
            word = Meaning(None, named)
            yield Rule(self.form(form), word, float(levels[row]), 0.0, cost=cost, strength=strength)
        for row in offsets.tolist():
            form, place = self.offsets.forms.form(row), Meaning.of(config, int(self.offsets.place[row]), ())
            strength = float(self.offsets.npmi[row])
            yield Rule(self.form(form), place, 1.0, 0.0, cost=cost, strength=strength)


def compositions(counts: Counts, messages: IntArray) -> list[Composition]:
    """Return the ways to read messages (M, T) as integer and offset, for words of 1, 2, ... integers.

    Words are looked for beside offsets, and where messages without a slot name integers, around it.
    """
    length = counts.config.message_length
    readings = _in_order(counts, messages, tuple(range(length))) if length > 1 else []
    for slot in range(1, length - 1):
        if _names_integers(counts, slot):
            order = (*(s for s in range(length) if s != slot), slot)
            readings += [c for c in _in_order(counts, messages, order) if c.at_slots]
    return readings


def _in_order(counts: Counts, messages: IntArray, order: tuple[int, ...]) -> list[Composition]:
    config = counts.config
    ceiling = integer_word_ceiling(config)
    analysis = Analysis(counts.with_slots(order), NpmiSettings(), tops=TOPS)
    distinct: dict[Any, Composition] = {}
    for top_n in TOPS:
        least = (_OF_CEILING if top_n == 1 else _OF_SEVERAL) * ceiling
        integers, offsets = analysis.parts(least, top_n).listed
        made = _composition(config, messages, integers, offsets, order)
        if len(made.message):
            key = (made.message.tobytes(), made.inside.tobytes(), made.place.tobytes(), made.cost)
            distinct.setdefault(key, made)
    return list(distinct.values())


def _names_integers(counts: Counts, slot: int) -> bool:
    """Return whether messages without this slot are few, and name integers in a fifth of the episodes."""
    words, row = distinct_rows(np.ascontiguousarray(np.delete(counts.messages, slot, axis=1)))
    gather = sp.csr_array((np.ones(len(row)), (row, np.arange(len(row)))))
    total = gather @ counts.message_totals
    most = (gather @ counts.integers_visible).max(axis=1).toarray().reshape(-1)
    return 2 * len(words) <= len(row) and total[most >= 0.8 * total].sum() >= 0.2 * total.sum()


def _composition(
    config: GameConfig,
    messages: IntArray,
    integers: BestReferents,
    offsets: BestReferents,
    slots: tuple[int, ...],
) -> Composition:
    messages = np.ascontiguousarray(messages[:, slots])
    words, places = integers.occurrences(messages), offsets.occurrences(messages)
    one, other = join(words.message, places.message)
    fits = apart(words.slot[one], words.length[one], places.slot[other], places.length[other])
    one, other = one[fits], other[fits]
    strength = np.minimum(integers.npmi[words.form[one]], offsets.npmi[places.form[other]])
    order = np.lexsort((-strength, words.message[one]))
    first = np.diff(words.message[one][order], prepend=-1) != 0
    one, other = one[order][first], other[order][first]
    word, offset = words.form[one], places.form[other]
    inside = np.zeros((len(integers), places_of(config).categories(0)), dtype=bool)
    row, column = np.nonzero(integers.values != NO_INTEGER)
    inside[row, integers.values[row, column]] = True
    used, named = np.unique(word), np.unique(offset)
    return Composition(
        integers,
        offsets,
        word,
        offsets.place[offset],
        offset,
        words.message[one],
        inside[word],
        _bits(config, integers, offsets, inside[used], len(named)),
        slots,
    )


def _bits(
    config: GameConfig, integers: BestReferents, offsets: BestReferents, words: Mask, num_offsets: int
) -> float:
    """Return the bits to write words and offsets: their forms, what they name, and their shares."""
    number = len(config.integers)
    of_set = set_bits(np.full((1, number), 1 / number), number)[0]
    sizes = words.sum(axis=1)
    forms = len(words) * form_bits(len(integers.table), len(words))
    forms += num_offsets * form_bits(len(offsets.table), num_offsets)
    meanings = float(of_set[np.maximum(sizes - 1, 0)].sum()) + num_offsets * np.log2(len(config.offsets))
    return float(forms + meanings + LEVEL_BITS * (len(words) + num_offsets))
