"""Misspellings: messages as rare as noise makes them, around a frequent one.

Noise in the channel puts any other symbol in the place of the right one, so that it reaches all messages
around a frequent one alike. What is sent far more often than that is a word of its own, however rare. A
misspelling only seems to have a meaning, that of the message that it differs from, so it is left out when the
dictionary is built.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import pdtrc

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows

TIMES = 10
"""With one wrong symbol, a message is so many times rarer than what was meant; with two, the square of it."""
MOST_ERRORS = 3
"""Wrong symbols in one message."""
TOO_OFTEN = 1e-3
"""With less probability than this, noise would make any of the rare messages so frequent: it is a word."""


def misspelled(messages: IntArray, n: FloatArray, vocab_size: int) -> Mask:
    """Return (M,), which of the distinct messages (M, T) with n (M,) episodes are misspellings."""
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
    return _as_rare_as_noise(rare, n, np.array(around[1:]), length * (vocab_size - 1))


def _as_rare_as_noise(rare: Mask, n: FloatArray, around: FloatArray, num_near: int) -> Mask:
    """Return which of the rare messages may be noise.

    `around` (errors, M): the episodes of the messages that differ in one symbol, in two...; `num_near`
    messages differ in one.
    """
    wrong, each = rare, TOO_OFTEN / max(rare.sum(), 1)
    powers = np.arange(1, len(around) + 1)
    while wrong.any():
        # The rate of one wrong symbol, over all messages that are no words, also those that nobody sent.
        rate = n[wrong].sum() / max(n.sum() * num_near - around[0, ~wrong].sum(), 1.0)
        often = wrong & (pdtrc(n - 1, rate**powers @ around) < each)  # that noise makes n or more
        if not often.any():
            break
        wrong = wrong & ~often
    return wrong


def _alike_but_for(messages: IntArray, slots: Sequence[int]) -> Numbers:
    """Return (M,), a number for each message; equal for those that differ in these slots alone."""
    return distinct_rows(np.ascontiguousarray(np.delete(messages, slots, axis=1)))[1]


def _most(group: Numbers, n: FloatArray) -> FloatArray:
    most = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(most, group, n)
    return most[group]
