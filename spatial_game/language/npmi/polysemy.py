"""Counts of forms that stand for any of several integers: an episode counts once, however many it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import Numbers

ByTop = dict[int, Numbers]
Bits = npt.NDArray[np.uint64]

# Episodes by value, of which sets are made.
_CELLS = 1 << 24
# Words of 64 episodes in an intermediate array, so that it stays in a processor's cache.
_WORDS = 1 << 16


def count_unions(
    counts: Counts, having: sp.csr_array[Any], values: Numbers, tops: Sequence[int]
) -> tuple[ByTop, ByTop]:
    """Count the episodes with any of the first n integers of a form visible, for each n of `tops`.

    `having` (E, M): which messages have a form; `values` (E, n): its integers, padded with -1. Returns (E,)
    the joint counts with the form, and the counts over all episodes. Reads the episodes again, and raises
    `ValueError` if the counts do not know them.
    """
    number, num_integers = len(values), len(counts.config.integers)
    joint, seen = ({n: np.zeros(number, dtype=np.int64) for n in tops} for _ in range(2))
    said = having.astype(bool)
    for ids, window in counts.episodes("top_n above 1 needs") if number else ():
        for rows in blocks(len(ids), max(_CELLS // num_integers, 64)):
            shown = _shown(window[rows], num_integers)
            for part in blocks(number, max(_WORDS // max(shown.shape[1], 1), 1)):
                spoken = _as_bits(said[part][:, ids[rows]].toarray())
                union = np.zeros_like(spoken)
                for n, column in enumerate(values[part].T, 1):
                    union |= shown[column]
                    if n in joint:
                        joint[n][part] += _number(union & spoken)
                        seen[n][part] += _number(union)
    return joint, seen


def _number(episodes: Bits) -> Numbers:
    """Return how many episodes are in each set."""
    return np.asarray(np.bitwise_count(episodes).sum(axis=1, dtype=np.int64))


def _shown(window: IntArray, num_integers: int) -> Bits:
    """Return, for each integer, the episodes that show it in their windows (B, W).

    The last two rows are empty: -1 and -2 (the mask, padding, a hidden cell) are no integers.
    """
    found = np.zeros((num_integers + 2, len(window)), dtype=bool)
    episode = np.arange(len(window))
    for cell in window.T:
        found.reshape(-1)[cell.astype(np.int64) * len(window) + episode] = True  # faster than two indices
    found[num_integers:] = False
    return _as_bits(found)


def _as_bits(episodes: Mask) -> Bits:
    """Return episodes (R, B) as sets of bits, so that a union costs one `or` for 64 episodes."""
    missing = -episodes.shape[1] % 64
    return np.packbits(np.pad(episodes, ((0, 0), (0, missing))), axis=1).view(np.uint64)
