"""The likeliest message for integers at one or two offsets, symbol by symbol, by a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.memory import chunks

MOST_SCORES = 1 << 24
"""The most messages times cells of a map: the rarest messages of a large language are left out."""


def likeliest_messages(dictionary: Dictionary, offsets: Sequence[int]) -> Numbers:
    """Return (N,) * len(offsets), the row of the likeliest message for integers at one or two offsets."""
    columns, size = dictionary.columns, dictionary.config.num_integers ** len(offsets)
    rows = np.sort(np.argsort(-dictionary.episodes, kind="stable")[: max(1, MOST_SCORES // size)])
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
