"""Misspellings: rare messages that say what frequent messages say, from which one symbol sets them apart.

Noise in the channel makes them. They are told from words of their own by description length: what the
frequent messages say saves more bits on the episodes of the rare one than the best statements of its own save
net. Misspellings are left out when the dictionary is built.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.lexicon.description.belief import FloatArray
from spatial_game.language.lexicon.description.fitting import Mask

TIMES = 10
"""With one wrong symbol, a message is so many times rarer than what was meant; with two, the square of it."""


def misspelled(messages: IntArray, observed: Sequence[FloatArray], own: FloatArray) -> Mask:
    """Return (M,), which of the distinct messages (M, T) are misspellings.

    `observed[place]` (M, C) are their episodes; `own` (M,) the bits that statements of its own save net.
    """
    n = observed[-1].sum(axis=1)
    wrong = np.zeros(len(n), dtype=bool)
    for errors in range(1, min(2, messages.shape[1] - 1) + 1):
        slots = itertools.combinations(range(messages.shape[1]), errors)
        groups = [_alike_but_for(messages, chosen) for chosen in slots]
        most = np.max([_most(group, n) for group in groups], axis=0)
        rare = np.flatnonzero(most >= TIMES**errors * n)
        wrong[rare[_by_others(observed, groups, rare) >= own[rare]]] = True
    return wrong


def _alike_but_for(messages: IntArray, slots: Sequence[int]) -> Numbers:
    """Return (M,), a number for each message; equal for those that differ in these slots alone."""
    return distinct_rows(np.ascontiguousarray(np.delete(messages, slots, axis=1)))[1]


def _most(group: Numbers, n: FloatArray) -> FloatArray:
    most = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(most, group, n)
    return most[group]


def _by_others(observed: Sequence[FloatArray], groups: Sequence[Numbers], rare: Numbers) -> FloatArray:
    """Return the bits that what was seen with all their neighbours saves on the episodes of rare messages."""
    gain = np.zeros(len(rare))
    for table in observed:
        others = -len(groups) * table[rare]
        for group in groups:
            gather = sp.csr_array((np.ones(len(group)), (group, np.arange(len(group)))))
            others += np.asarray(gather @ table)[group[rare]]
        chance = (table.sum(axis=0) + 0.5) / (table.sum() + 0.5 * table.shape[1])
        share = (others + chance) / (others.sum(axis=1, keepdims=True) + 1)
        gain += (table[rare] * np.log2(share / chance)).sum(axis=1)
    return gain
