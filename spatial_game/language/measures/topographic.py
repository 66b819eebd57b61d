"""Topographic similarity: whether similar windows have similar messages."""

from __future__ import annotations

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import integers_at_offsets
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.measures.measure import Kind
from spatial_game.language.measures.resampling import Groups, ratio
from spatial_game.language.measures.spoken import SpokenMessages

SIMILARITY = Kind(
    "correlation",
    "Brighton & Kirby 2006",
    "all messages, or all windows, are equally far apart",
    low=-1.0,
    high=1.0,
)

Pairs = tuple[IntArray, IntArray]


def topographic_similarity(spoken: SpokenMessages, seen: Numbers, groups: Groups, pairs: Pairs) -> FloatArray:
    """Return Spearman's correlation (G+1,) of the edit distances of messages with those of windows.

    `seen`: the `window_distances` of the pairs.
    """
    return without_each_group(message_distances(spoken, pairs), seen, pairs, groups)


def shuffled_similarity(spoken: SpokenMessages, seen: Numbers, order: IntArray, pairs: Pairs) -> FloatArray:
    """Return the same correlation with the messages permuted among the windows."""
    said = message_distances(spoken, (order[pairs[0]], order[pairs[1]]))
    return spearman(_table(said, seen)[None])


def message_distances(spoken: SpokenMessages, pairs: Pairs) -> Numbers:
    """Return the edit distances (P,) of pairs of messages of one length."""
    one, other = (spoken.types[spoken.number[episodes]] for episodes in pairs)
    return edit(one, other)


def window_distances(config: GameConfig, window: IntArray, pairs: Pairs) -> Numbers:
    """Return at how many offsets the windows of pairs show different integers, (P,)."""
    one, other = (integers_at_offsets(config, window[episodes]) for episodes in pairs)
    return hamming(one, other)


def draw_pairs(groups: Groups, max_pairs: int, rng: np.random.Generator) -> Pairs:
    """Return pairs of different episodes, (P,) and (P,): all of them, or some drawn at random.

    The two episodes of a drawn pair are in the same group, so leaving out a group does not affect other
    pairs.
    """
    size = len(groups.group)
    if size * (size - 1) // 2 <= max_pairs or size < 2 * groups.count:
        one, other = np.triu_indices(size, 1)
        kept = rng.permutation(len(one))[:max_pairs]
        return one[kept], other[kept]
    sizes = np.bincount(groups.group, minlength=max(groups.count, 1))
    group = rng.integers(0, len(sizes), max_pairs)
    group = np.where(sizes[group] > 1, group, np.argmax(sizes))
    first = rng.integers(0, sizes[group])
    step = rng.integers(1, sizes[group])
    second = (first + step) % sizes[group]
    one, other = np.empty_like(first), np.empty_like(second)
    for number in range(len(sizes)):
        members, rows = np.flatnonzero(groups.group == number), group == number
        one[rows], other[rows] = members[first[rows]], members[second[rows]]
    return one, other


def hamming(one: IntArray, other: IntArray) -> Numbers:
    """Return the number of columns (P,) in which rows (P, n) differ."""
    return np.asarray((one != other).sum(axis=1), dtype=np.int64)


def edit(one: IntArray, other: IntArray) -> Numbers:
    """Return the edit distances (P,) (Levenshtein 1966) of messages (P, T)."""
    rows, slots = one.shape
    above = np.broadcast_to(np.arange(slots + 1), (rows, slots + 1))
    for i in range(slots):
        here = np.full_like(above, i + 1)
        for j in range(slots):
            changed = above[:, j] + (one[:, i] != other[:, j])
            here[:, j + 1] = np.minimum(changed, np.minimum(above[:, j + 1], here[:, j]) + 1)
        above = here
    return np.asarray(above[:, -1], dtype=np.int64)


def spearman(tables: Numbers) -> FloatArray:
    """Return Spearman's rank correlations (R,) of tables of counts (R, A, B), rows and columns in order.

    Ties share their mean rank. NaN if all rows, or all columns, are the same.
    """
    total = tables.sum(axis=(1, 2))
    ranks = []
    for axis in (2, 1):
        margin = tables.sum(axis=axis)
        ranks.append(np.cumsum(margin, axis=1) - margin / 2 - total[:, None] / 2)  # the mean rank, centred
    covariance = np.einsum("ra,rab,rb->r", ranks[0], tables, ranks[1])
    variances = [
        np.einsum("ra,ra->r", rank**2, tables.sum(axis=axis))
        for rank, axis in zip(ranks, (2, 1), strict=True)
    ]
    return ratio(covariance, np.sqrt(variances[0] * variances[1]))


def without_each_group(said: IntArray, seen: IntArray, pairs: Pairs, groups: Groups) -> FloatArray:
    """Return Spearman's correlation over all pairs, and over the pairs without each group."""
    whole = _table(said, seen)
    touched = np.zeros((groups.count, *whole.shape), dtype=np.int64)
    one, other = (groups.group[episodes] for episodes in pairs)
    for group, rows in ((one, slice(None)), (other, one != other)):
        keys = (group[rows] * whole.shape[0] + said[rows]) * whole.shape[1] + seen[rows]
        if groups.count:
            touched += np.bincount(keys, minlength=touched.size).reshape(touched.shape)
    return spearman(np.concatenate([whole[None], whole - touched]))


def _table(said: IntArray, seen: IntArray) -> Numbers:
    """Return how often each distance of messages goes with each distance of windows."""
    rows, columns = (int(distance.max(initial=0)) + 1 for distance in (said, seen))
    return np.bincount(said * columns + seen, minlength=rows * columns).reshape(rows, columns)
