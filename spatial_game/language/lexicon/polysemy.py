"""Counts of forms that stand for any of several integers: an episode counts once, however many it shows."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import FormTable
from spatial_game.language.counting.rows import Numbers, expand

ByTop = dict[int, Numbers]


def count_unions(
    counts: Counts, forms: FormTable, form: Numbers, values: Numbers, tops: Sequence[int]
) -> tuple[ByTop, ByTop]:
    """Count the episodes with any of the first n integers of a row visible, for each n of `tops`.

    `form` (E,) are rows of `forms`, `values` (E, n) their integers, padded with -1. Returns (E,) the joint
    counts with the form, and the counts over all episodes. Reads the episodes again, and raises `ValueError`
    if the counts do not know them.
    """
    rows, width = values.shape
    num_integers = len(counts.config.integers)
    rank = np.full((rows, num_integers + 1), width, dtype=np.int16)  # the last column is no integer's
    row, place = np.nonzero(values >= 0)
    rank[row, values[row, place]] = place
    by_message = forms.incidence[form].T.tocsr()
    first = np.zeros((rows, width + 1), dtype=np.int64)
    seen = {n: np.zeros(rows, dtype=np.int64) for n in tops}
    for ids, cells in counts.episodes("top_n above 1 needs") if rows else ():
        window = np.where(cells < 0, num_integers, cells)
        episode, at = expand(by_message.indptr[ids], by_message.indptr[ids + 1])
        entry = by_message.indices[at]
        ranks = (rank.take(entry * (num_integers + 1) + cell[episode]) for cell in window.T)
        best = functools.reduce(np.minimum, ranks)
        first += np.bincount(entry * (width + 1) + best, minlength=first.size).reshape(first.shape)
        _add_seen(seen, values, window, num_integers)
    joint = first[:, :width].cumsum(axis=1)
    return {n: joint[:, n - 1] for n in tops}, seen


def _add_seen(seen: ByTop, values: Numbers, window: IntArray, num_integers: int) -> None:
    """Add the episodes of these windows that show any of the first n integers of each row.

    The episodes that show an integer are a set of bits, so that a union costs one `or` for 64 episodes.
    """
    shown = np.zeros((num_integers + 1, -(-len(window) // 64) * 64), dtype=bool)
    for cell in window.T:
        shown[cell, np.arange(len(window))] = True
    shown[num_integers] = False  # the mask, and the padding of `values`
    bits = np.packbits(shown, axis=1).view(np.uint64)
    step = max(1, (1 << 22) // max(bits.shape[1], 1))
    for start in range(0, len(values), step):
        part = values[start : start + step]
        union = np.zeros((len(part), bits.shape[1]), dtype=np.uint64)
        for n in range(1, values.shape[1] + 1):
            union |= bits[part[:, n - 1]]
            if n in seen:
                seen[n][start : start + step] += np.bitwise_count(union).sum(axis=1, dtype=np.int64)
