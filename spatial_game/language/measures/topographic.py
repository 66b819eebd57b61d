"""Topographic similarity: whether messages that are alike are sent of windows that are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.measures.corpus import PAD, Corpus
from spatial_game.language.measures.factors import integers_at_offsets
from spatial_game.language.measures.measure import Measure, report
from spatial_game.language.measures.resampling import Floats, Groups, ratio

BRIGHTON = "Brighton & Kirby 2006"

# Observation distances are told apart up to so many levels.
_LEVELS = 1024

Distance = Callable[[IntArray, IntArray], npt.NDArray[np.int64]]
Pairs = tuple[IntArray, IntArray]


def topographic_similarity(
    corpus: Corpus,
    config: GameConfig,
    window: IntArray,
    orders: list[npt.NDArray[np.intp]],
    groups: Groups,
    pairs: Pairs,
) -> list[Measure]:
    """Spearman correlation of the distances of messages and of windows, over these pairs of episodes.

    Messages: Hamming or edit distance. Windows: at how many offsets they show different integers
    ("identity"), or the sum of their cells' differences ("magnitude": the sender of the paper reads integers
    as numbers). Shuffled: the messages are permuted among the windows (`orders`).
    """
    one, other = pairs
    aligned = integers_at_offsets(config, window)
    seen = {
        "identity": hamming(aligned[one], aligned[other]),
        "magnitude": _levels(manhattan(window[one], window[other])),
    }
    found = []
    for name, distance in MESSAGE_DISTANCES.items():
        said = distance(corpus.numbered[one], corpus.numbered[other])
        chance = [distance(corpus.numbered[order[one]], corpus.numbered[order[other]]) for order in orders]
        for kind, of_windows in seen.items():
            found.append(
                report(
                    f"topographic similarity ({name}, {kind})",
                    without_each_group(said, of_windows, pairs, groups),
                    [spearman(_table(copy, of_windows)[None]) for copy in chance],
                    unit="correlation",
                    source=BRIGHTON,
                    undefined="all messages, or all windows, are equally far apart",
                    bounds=(-1.0, 1.0),
                )
            )
    return found


def draw_pairs(groups: Groups, max_pairs: int, rng: np.random.Generator) -> Pairs:
    """Pairs of different episodes, (P,) and (P,): all of them if not too many, otherwise drawn at random.

    Drawn pairs are of episodes of the same group: what leaves out a group then leaves out its pairs and no
    part of others.
    """
    size = len(groups.group)
    if size * (size - 1) // 2 <= max_pairs or size < 2 * groups.count:
        one, other = np.triu_indices(size, 1)
        kept = rng.permutation(len(one))[:max_pairs]
        return one[kept], other[kept]
    order = np.argsort(groups.group, kind="stable")
    sizes = np.bincount(groups.group, minlength=max(groups.count, 1))
    starts = np.cumsum(sizes) - sizes
    group = rng.integers(0, len(sizes), max_pairs)
    group = np.where(sizes[group] > 1, group, np.argmax(sizes))
    first = rng.integers(0, sizes[group])
    step = rng.integers(1, sizes[group])
    second = (first + step) % sizes[group]
    return order[starts[group] + first], order[starts[group] + second]


def hamming(one: IntArray, other: IntArray) -> npt.NDArray[np.int64]:
    """(P,), in how many columns rows (P, n) differ."""
    return np.asarray((one != other).sum(axis=1), dtype=np.int64)


def manhattan(one: IntArray, other: IntArray) -> npt.NDArray[np.int64]:
    """(P,), the sum of the absolute differences of rows (P, n)."""
    return np.asarray(np.abs(one.astype(np.int64) - other).sum(axis=1), dtype=np.int64)


def edit(one: IntArray, other: IntArray) -> npt.NDArray[np.int64]:
    """(P,), the edit distance (Levenshtein 1966) of messages (P, T) that may end in PAD."""
    rows, slots = one.shape
    ends = [(message != PAD).sum(axis=1) for message in (one, other)]
    above = np.broadcast_to(np.arange(slots + 1), (rows, slots + 1)).copy()
    distance = np.where(ends[0] == 0, ends[1], 0)
    for i in range(slots):
        here = np.empty_like(above)
        here[:, 0] = i + 1
        for j in range(slots):
            changed = above[:, j] + (one[:, i] != other[:, j])
            here[:, j + 1] = np.minimum(changed, np.minimum(above[:, j + 1], here[:, j]) + 1)
        distance = np.where(ends[0] == i + 1, here[np.arange(rows), ends[1]], distance)
        above = here
    return np.asarray(distance, dtype=np.int64)


MESSAGE_DISTANCES: dict[str, Distance] = {"Hamming": hamming, "edit": edit}


def spearman(tables: npt.NDArray[np.int64]) -> Floats:
    """(R,), Spearman's rank correlation of tables of counts (R, A, B), whose rows and columns are in order.

    Ties share their mean rank. NaN where all rows, or all columns, are one.
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


def without_each_group(said: IntArray, seen: IntArray, pairs: Pairs, groups: Groups) -> Floats:
    """(G+1,), Spearman's correlation over all pairs, and over those without an episode of each group."""
    whole = _table(said, seen)
    touched = np.zeros((groups.count, *whole.shape), dtype=np.int64)
    one, other = (groups.group[episodes] for episodes in pairs)
    for group, rows in ((one, slice(None)), (other, one != other)):
        keys = (group[rows] * whole.shape[0] + said[rows]) * whole.shape[1] + seen[rows]
        if groups.count:
            touched += np.bincount(keys, minlength=touched.size).reshape(touched.shape)
    return spearman(np.concatenate([whole[None], whole - touched]))


def _table(said: IntArray, seen: IntArray) -> npt.NDArray[np.int64]:
    """How often each distance of messages goes with each distance of windows, in order of both."""
    rows, columns = (int(distance.max(initial=0)) + 1 for distance in (said, seen))
    return np.bincount(said * columns + seen, minlength=rows * columns).reshape(rows, columns)


def _levels(distance: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Distances in at most `_LEVELS` levels, in the same order."""
    return distance // (int(distance.max(initial=0)) // _LEVELS + 1)
