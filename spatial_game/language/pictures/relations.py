"""Synonyms, homonyms, whether a symbol means the same in another slot, and which slot names the place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import LEAST_BITS, divergence
from spatial_game.language.dictionary.readings import FEWEST_READ, Reading
from spatial_game.language.entropy import plug_in_entropy, plug_in_information
from spatial_game.language.pictures.heat import LEAST_EPISODES, LEAST_SHARE

SHUFFLES = 500
FEWEST_SHARED = 5
"""With fewer symbols that stand in two slots, nobody can say whether they mean the same in both."""
LEAST_ALIKE = 0.1
"""A smaller correlation is not said to be a meaning in part, though many symbols make it significant."""
SEVERAL_PLACES = 1.0
"""Bits: the least entropy of the places that messages speak of most."""
NAMES_PLACE = 0.8
"""A slot names the place if its symbol tells this share of that entropy."""


def synonyms(readings: Sequence[Reading]) -> list[list[int]]:
    """Return the numbers of messages that have the same reading, by group; the largest groups come first.

    Messages that say nothing, are unsure, or have few episodes, have no synonyms.
    """
    groups: dict[frozenset[object], list[int]] = {}
    for number, reading in enumerate(readings):
        if is_compared(reading):
            key = frozenset((sense.edges, sense.of_cells) for sense in reading.senses)
            groups.setdefault(key, []).append(number)
    return sorted((group for group in groups.values() if len(group) > 1), key=len, reverse=True)


def homonyms(readings: Sequence[Reading]) -> list[int]:
    """Return the numbers of messages that say one of several things.

    Senses that say the same of integers are one thing: what is sent only near an end may say it at each of
    several edges.
    """
    return [
        number
        for number, reading in enumerate(readings)
        if len({sense.of_cells for sense in reading.senses}) > 1 and is_compared(reading)
    ]


def is_compared(reading: Reading) -> bool:
    """Whether a message may be a synonym or a homonym: it has a reading that is sure, of enough episodes."""
    return bool(reading.senses) and reading.is_sure and reading.episodes >= FEWEST_READ


def slot_of_place(dictionary: Dictionary) -> tuple[int, float] | None:
    """Return the slot that names the offset of which a message speaks most, and the share of it that is told.

    None if messages speak of the same offset mostly, or if no slot names it.
    """
    tables, offsets = dictionary.tables(dictionary.messages), range(len(dictionary.config.offsets))
    bits = [
        divergence(tables[each], dictionary.variables[each].prior)
        if each in tables
        else np.zeros(len(dictionary.messages))
        for each in offsets
    ]
    place = np.where(np.max(bits, axis=0) >= LEAST_BITS, np.argmax(bits, axis=0), len(bits))
    entropy = plug_in_entropy(np.bincount(place, dictionary.episodes))
    if entropy < SEVERAL_PLACES:
        return None
    shares = []
    for symbol in dictionary.messages.T.astype(np.int64):
        size = dictionary.config.vocab_size, len(bits) + 1
        table = np.bincount(np.ravel_multi_index((symbol, place), size), dictionary.episodes, math.prod(size))
        shares.append(plug_in_information(table.reshape(size)) / entropy)
    best = int(np.argmax(shares))
    return (best, float(shares[best])) if shares[best] >= NAMES_PLACE else None


@dataclass(frozen=True)
class Agreement:
    """How alike symbols are in two slots: the mean correlation of what they say there."""

    same: float
    """Of a symbol with itself in the other slot."""
    low: float
    high: float
    """Of symbols with others: 95% of what one finds if the symbols of one slot are shuffled."""
    symbols: int
    """Pairs of slots and symbols that were compared."""

    @property
    def text(self) -> str:
        """The result as a sentence."""
        found = "mean" if self.same > 1 / 2 else "mean in part"
        if self.same <= max(self.high, LEAST_ALIKE):
            found = "do not mean"
        return (
            f"In another slot, symbols {found} the same: what a symbol says in two slots has a correlation "
            f"of {self.same:.2f} ({self.symbols} comparisons). Two symbols at random have {self.low:.2f} to "
            f"{self.high:.2f}."
        )


def agreement_of_slots(dictionary: Dictionary, rng: np.random.Generator) -> Agreement | None:
    """Return whether symbols mean the same in another slot; None if too few stand in two slots."""
    tables = [_of_slot(dictionary, slot) for slot in range(dictionary.config.message_length)]
    found = np.zeros(SHUFFLES + 1)
    number = 0
    for (one, used), (other, also) in itertools.combinations(tables, 2):
        shared = np.flatnonzero(used & also)
        if len(shared) < 2:
            continue
        alike = one[shared] @ other[shared].T
        number += len(shared)
        orders = [np.arange(len(shared)), *(rng.permutation(len(shared)) for _ in range(SHUFFLES))]
        found += [alike[np.arange(len(shared)), order].sum() for order in orders]
    if number < FEWEST_SHARED:
        return None
    low, high = np.quantile(found[1:] / number, (0.025, 0.975))
    return Agreement(float(found[0] / number), float(low), float(high), number)


def _of_slot(dictionary: Dictionary, slot: int) -> tuple[FloatArray, Mask]:
    """Return what each symbol of a slot says that others do not (S, columns), and which are used (S,).

    Rows have the length 1, so that their products are correlations.
    """
    often = np.bincount(dictionary.messages[:, slot], dictionary.episodes, dictionary.config.vocab_size)
    used = often >= max(LEAST_EPISODES, LEAST_SHARE * often.sum())
    ratios = [variable.symbol_ratios[slot] for variable in dictionary.informative.values()]
    said = np.concatenate([np.zeros((len(used), 1)), *ratios], axis=1)
    said -= said[used].sum(axis=0) / max(np.count_nonzero(used), 1)
    said -= said.mean(axis=1, keepdims=True)
    length = np.linalg.norm(said, axis=1, keepdims=True)
    return said / np.maximum(length, 1e-12), used & (length[:, 0] > 1e-9)
