"""How symbols and messages relate: synonyms, homonyms, symbols in two slots, a slot that names the offset."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import divergence
from spatial_game.language.dictionary.readings import Reading
from spatial_game.language.dictionary.thresholds import FEWEST_READ, LEAST_BITS
from spatial_game.language.entropy import plug_in_entropy, plug_in_information

LEAST_SHARE, LEAST_EPISODES = 0.002, 20
"""A symbol that is sent less often, in a share or a number of episodes, is neither shown nor compared."""
SHUFFLES = 500
FEWEST_SHARED = 5
"""With fewer symbols that stand in two slots, nobody can say whether they mean the same in both."""
LEAST_ALIKE = 0.1
"""A smaller correlation is not said to be a meaning in part, though many symbols make it significant."""
SEVERAL_OFFSETS = 1.0
"""Bits: messages speak of several offsets if the one of which they speak most has at least this entropy."""
NAMES_OFFSET = 0.8
"""A slot names the offset if its symbol tells this share of that entropy."""


def often_sent(episodes: npt.NDArray[Any]) -> Mask:
    """Return which symbols of a slot are sent often enough to be shown, by their episodes (S,)."""
    return np.asarray(episodes >= max(LEAST_EPISODES, LEAST_SHARE * episodes.sum()))


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


def slot_of_offset(dictionary: Dictionary) -> tuple[int, float] | None:
    """Return the slot that names the offset of which a message speaks most, and the share of it that is told.

    None if messages speak of the same offset mostly, or if no slot names it.
    """
    tables, none = dictionary.tables(dictionary.messages), len(dictionary.config.offsets)
    bits = np.zeros((none, len(dictionary.messages)))
    for offset in tables.keys() & range(none):
        bits[offset] = divergence(tables[offset], dictionary.variables[offset].prior)
    most = np.where(bits.max(axis=0) >= LEAST_BITS, bits.argmax(axis=0), none)
    entropy = plug_in_entropy(np.bincount(most, dictionary.episodes))
    if entropy < SEVERAL_OFFSETS:
        return None
    size = dictionary.config.vocab_size, none + 1
    shares = []
    for symbol in dictionary.messages.T.astype(np.int64):
        table = np.bincount(np.ravel_multi_index((symbol, most), size), dictionary.episodes, math.prod(size))
        shares.append(plug_in_information(table.reshape(size)) / entropy)
    best = int(np.argmax(shares))
    return (best, float(shares[best])) if shares[best] >= NAMES_OFFSET else None


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
    slots = [_said_in(slot, dictionary) for slot in range(dictionary.config.message_length)]
    total, number = np.zeros(SHUFFLES + 1), 0
    for (one, in_one), (other, in_other) in itertools.combinations(slots, 2):
        shared = np.flatnonzero(in_one & in_other)
        if len(shared) < 2:
            continue
        alike = one[shared] @ other[shared].T
        number += len(shared)
        orders = [np.arange(len(shared)), *(rng.permutation(len(shared)) for _ in range(SHUFFLES))]
        total += [alike[np.arange(len(shared)), order].sum() for order in orders]
    if number < FEWEST_SHARED:
        return None
    same, *shuffled = total / number
    low, high = np.quantile(shuffled, (0.025, 0.975))
    return Agreement(float(same), float(low), float(high), number)


def _said_in(slot: int, dictionary: Dictionary) -> tuple[FloatArray, Mask]:
    """Return what each symbol of a slot says that others do not (S, columns), and which are compared (S,).

    Rows have the length 1, so that their products are correlations.
    """
    used = often_sent(
        np.bincount(dictionary.messages[:, slot], dictionary.episodes, dictionary.config.vocab_size)
    )
    ratios = [variable.symbol_ratios[slot] for variable in dictionary.informative.values()]
    said = np.concatenate([np.zeros((len(used), 1)), *ratios], axis=1)
    said -= said[used].sum(axis=0) / max(np.count_nonzero(used), 1)
    said -= said.mean(axis=1, keepdims=True)
    length = np.linalg.norm(said, axis=1, keepdims=True)
    return said / np.maximum(length, 1e-12), used & (length[:, 0] > 1e-9)
