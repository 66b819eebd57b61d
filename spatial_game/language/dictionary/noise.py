"""Misspellings: messages as rare as noise makes them, around a frequent one.

Noise in the channel puts any other symbol in the place of the right one, each with the same small
probability, the *rate*. So it sends a message with d wrong symbols in rate**d of the episodes of the message
that was meant, and reaches all messages around a frequent one alike. What is sent far more often than that is
a word itself, however rare. A misspelling only seems to have a meaning, that of the message that it differs
from, so it is left out when the dictionary is built.

    spelling   candidates are the messages that are much rarer than one near them (_Channel.rare)
               repeat: estimate the rate from the candidates; those that are sent more often than this rate
               explains are words (_Channel.words), until all candidates may be noise
               noise also made words of other words: estimate in how many episodes
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import comb, pdtrc

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows

TIMES = 10
"""With one wrong symbol, a message is rarer than what was meant by this factor; with two, by its square. With
a smaller factor, rare words are taken for noise: `slotwise` (see `known`) does not come back."""
MOST_ERRORS = 3
"""Wrong symbols in one message. With two, some known languages with noise have misspellings as entries."""
TOO_OFTEN = 1e-3
"""With less probability than this, noise would make any of the rare messages so frequent: it is a word. Where
noise alone explains too little of a symbol in a slot, this holds for each message by itself."""
UNKNOWN = 0.1
"""Where the rate of noise is not known, this part of the misspellings stands for words made of others."""


@dataclass(frozen=True)
class Spelling:
    """What noise in the channel explains of the messages."""

    wrong: Mask
    """(M,), which of the messages are misspellings."""
    moved: float
    """The share of all episodes in which noise made one word of another: what is said there is not so. It
    is estimated by the rate of noise or, where that is not known, by the number of misspellings."""


def spelling(messages: IntArray, n: FloatArray, vocab_size: int) -> Spelling:
    """Return what noise explains of distinct messages (M, T) with n (M,) episodes."""
    channel = _Channel(messages, n, vocab_size)
    wrong = channel.rare
    while True:
        rate = channel.rate(wrong)
        words, rate_is_known = channel.words(wrong, rate)
        if not words.any():
            break
        wrong = wrong & ~words
    moved = UNKNOWN * n[wrong].sum()
    if rate_is_known:
        around_words = _around(messages, np.where(wrong, 0, n), 1)[0]
        moved = rate * np.sum(around_words, where=~wrong)
    return Spelling(wrong, float(moved / max(n.sum(), 1)))


@dataclass(frozen=True, eq=False)
class _Channel:
    """Distinct messages with their episodes, and what noise of a rate would make of them."""

    messages: IntArray  # (M, T)
    n: FloatArray  # (M,)
    vocab_size: int

    @property
    def length(self) -> int:
        """T."""
        return int(self.messages.shape[1])

    @cached_property
    def most_errors(self) -> int:
        """The most wrong symbols in one message."""
        return min(MOST_ERRORS, self.length)

    @cached_property
    def around(self) -> FloatArray:
        """(errors, M), the episodes of the messages that differ from each one in 1, 2, ... symbols."""
        return _around(self.messages, self.n, self.most_errors)

    @cached_property
    def rare(self) -> Mask:
        """(M,), whether a message near each one is so much more frequent that noise may have made it."""
        rare = np.zeros(len(self.n), dtype=bool)
        for errors in range(1, self.most_errors + 1):
            for group in _alike_but_for(self.messages, errors):
                most = np.zeros(int(group.max(initial=-1)) + 1)
                np.maximum.at(most, group, self.n)
                rare |= most[group] >= TIMES**errors * self.n
        return rare

    def rate(self, wrong: Mask) -> float:
        """Return the rate of noise by the episodes of these misspellings.

        Each word has T * (V - 1) messages around it. Those that are no words count, also where nobody sent
        them.
        """
        near_words = self.n.sum() * self.length * (self.vocab_size - 1) - self.around[0, ~wrong].sum()
        return float(self.n[wrong].sum() / max(near_words, 1.0))

    def words(self, wrong: Mask, rate: float) -> tuple[Mask, bool]:
        """Return which of the misspellings (M,) noise would not send so often, and whether the rate is known.

        The rate is not known where noise explains too little of the misspellings with some symbol: then some
        of them are words, but which ones is not known.
        """
        rates: FloatArray = rate ** np.arange(1, self.most_errors + 1, dtype=np.float64)
        by_noise = rates @ self.around
        chance = pdtrc(self.n - 1, by_noise)  # that noise sends it n times or more
        together = self._with_too_frequent_symbols(wrong, rates, by_noise)
        least = np.where(together, TOO_OFTEN, TOO_OFTEN / max(self.rare.sum(), 1))
        return wrong & (chance < least), not np.any(wrong & together)

    def _with_too_frequent_symbols(self, wrong: Mask, rates: FloatArray, by_noise: FloatArray) -> Mask:
        """Return (M,), which messages have a symbol in a slot where noise would not put it so often.

        Words of which a slot means nothing are many and rare: noise would make any of them, but not all.
        """
        errors, others = np.arange(1, len(rates) + 1), self.vocab_size - 1.0
        # All messages with a symbol in a slot that noise makes of one with it there, and of one without.
        of_same = rates @ (comb(self.length - 1, errors) * others**errors)
        of_other = rates @ (comb(self.length - 1, errors - 1) * others ** (errors - 1))
        found = np.zeros(len(self.n), dtype=bool)
        for symbols in self.messages.T:
            sent, misspelt, words = (
                np.bincount(symbols, weights, self.vocab_size)
                for weights in (self.n, self.n * wrong, by_noise * ~wrong)
            )
            expected = np.maximum(of_same * sent + of_other * (self.n.sum() - sent) - words, 0.0)
            too_often = pdtrc(misspelt - 1, expected) < TOO_OFTEN / (self.length * self.vocab_size)
            found |= too_often[symbols]
        return found


def _around(messages: IntArray, n: FloatArray, most_errors: int) -> FloatArray:
    """Return (errors, M), the episodes n (M,) of the messages that differ from each in 1, 2, ... symbols."""
    length, around = messages.shape[1], [n]
    for errors in range(1, most_errors + 1):
        alike = np.sum([np.bincount(group, n)[group] for group in _alike_but_for(messages, errors)], axis=0)
        # A message with fewer errors is in as many of the groups as there are choices of the other slots.
        fewer = sum(math.comb(length - e, errors - e) * near for e, near in enumerate(around))
        around.append(np.maximum(alike - fewer, 0))
    return np.array(around[1:])


def _alike_but_for(messages: IntArray, errors: int) -> Iterator[Numbers]:
    """Yield (M,) for each choice of this many slots: messages that differ only there have equal numbers."""
    for slots in itertools.combinations(range(messages.shape[1]), errors):
        yield distinct_rows(np.ascontiguousarray(np.delete(messages, slots, axis=1)))[1]
