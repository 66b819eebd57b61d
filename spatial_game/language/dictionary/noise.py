"""Misspellings: messages as rare as noise makes them, around a frequent one.

Noise in the channel puts any other symbol in the place of the right one, so that it reaches all messages
around a frequent one alike. What is sent far more often than that is a word itself, however rare. A
misspelling only seems to have a meaning, that of the message that it differs from, so it is left out when the
dictionary is built.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import comb, pdtrc

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows

TIMES = 10
"""With one wrong symbol, a message is rarer than what was meant by this factor; with two, by its square."""
MOST_ERRORS = 3
"""Wrong symbols in one message."""
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
    rare, around, length = np.zeros(len(n), dtype=bool), [n], messages.shape[1]
    for errors in range(1, min(MOST_ERRORS, length) + 1):
        slots = itertools.combinations(range(length), errors)
        groups = [_alike_but_for(messages, chosen) for chosen in slots]
        most = np.max([_most(group, n) for group in groups], axis=0)
        rare |= most >= TIMES**errors * n
        # A message with fewer errors is in as many of the groups as there are choices of the other slots.
        alike = np.sum([np.bincount(group, n)[group] for group in groups], axis=0)
        fewer = sum(math.comb(length - e, errors - e) * near for e, near in enumerate(around))
        around.append(np.maximum(alike - fewer, 0))
    wrong, rate = _as_rare_as_noise(rare, messages, n, np.array(around[1:]), vocab_size)
    if rate == 0:
        return Spelling(wrong, float(UNKNOWN * n[wrong].sum() / max(n.sum(), 1)))
    words = np.where(wrong, 0, n)
    near = sum(np.bincount(group, words)[group] - words for group in _but_for_one(messages))
    return Spelling(wrong, float(rate * np.sum(near, where=~wrong) / max(n.sum(), 1)))


def _as_rare_as_noise(
    rare: Mask, messages: IntArray, n: FloatArray, around: FloatArray, vocab_size: int
) -> tuple[Mask, float]:
    """Return which of the rare messages may be noise, and the rate of one symbol in the place of another.

    The rate is 0 where noise explains too little of the rare messages with some symbol.
    `around` (errors, M): the episodes of the messages that differ in one symbol, in two...
    """
    wrong, too_seldom, num_near = rare, TOO_OFTEN / max(rare.sum(), 1), messages.shape[1] * (vocab_size - 1)
    while True:
        # Over all messages that are no words, also those that nobody sent.
        rate = float(n[wrong].sum() / max(n.sum() * num_near - around[0, ~wrong].sum(), 1.0))
        rates: FloatArray = rate ** np.arange(1, len(around) + 1, dtype=np.float64)
        chance = pdtrc(n - 1, rates @ around)  # that noise makes n or more
        together = _often_together(wrong, messages, n, rates, rates @ around, vocab_size)
        often = wrong & (chance < np.where(together, TOO_OFTEN, too_seldom))
        if not often.any():
            # Where some of the rare messages are words, which ones is not known, and the rate is not, either.
            return wrong, 0.0 if np.any(wrong & together) else rate
        wrong = wrong & ~often


def _often_together(
    wrong: Mask, messages: IntArray, n: FloatArray, rates: FloatArray, expected: FloatArray, vocab_size: int
) -> Mask:
    """Return (M,), which messages have a symbol in a slot where noise would not put it so often.

    Words of which a slot means nothing are many and rare: noise would make any of them, but not all of them.
    """
    length, total = messages.shape[1], n.sum()
    errors, often = np.arange(1, len(rates) + 1), np.zeros(len(n), dtype=bool)
    # What noise makes of a message, with the symbol that it has in a slot, and with any one that it has not.
    same = rates @ (comb(length - 1, errors) * (vocab_size - 1.0) ** errors)
    other = rates @ (comb(length - 1, errors - 1) * (vocab_size - 1.0) ** (errors - 1))
    for symbols in messages.T:
        sent, rare, words = (
            np.bincount(symbols, weight, vocab_size) for weight in (n, n * wrong, expected * ~wrong)
        )
        by_noise = np.maximum(same * sent + other * (total - sent) - words, 0.0)
        often |= (pdtrc(rare - 1, by_noise) < TOO_OFTEN / (length * vocab_size))[symbols]
    return often


def _but_for_one(messages: IntArray) -> list[Numbers]:
    """Return for each slot (M,), a number for each message; equal if they differ in this slot alone."""
    return [_alike_but_for(messages, [slot]) for slot in range(messages.shape[1])]


def _alike_but_for(messages: IntArray, slots: Sequence[int]) -> Numbers:
    """Return (M,), a number for each message; equal for those that differ in these slots alone."""
    return distinct_rows(np.ascontiguousarray(np.delete(messages, slots, axis=1)))[1]


def _most(group: Numbers, n: FloatArray) -> FloatArray:
    most = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(most, group, n)
    return most[group]
