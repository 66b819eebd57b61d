"""Counts of forms that stand for any of several integers: an episode counts once, however many it shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, Forms
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import Numbers

ByTop = dict[int, Numbers]
Bits = npt.NDArray[np.uint64]

# Episodes by value, of which sets are made.
_CELLS = 1 << 24
# Words of 64 episodes in an intermediate array, so that it stays in a processor's cache.
_WORDS = 1 << 16


def count_unions(counts: Counts, forms: Forms, values: Numbers, tops: Sequence[int]) -> tuple[ByTop, ByTop]:
    """Count the episodes with any of the first n integers of a form visible, for each n of `tops`.

    `values` (E, n) are the integers of the E n-grams, padded with -1. Returns (E,) the joint counts with the
    form, and the counts over all episodes. Reads the episodes again, and raises `ValueError` if the counts do
    not know them.
    """
    joint, seen = ({n: np.zeros(len(forms), dtype=np.int64) for n in tops} for _ in range(2))
    num_integers, num_symbols = len(counts.config.integers), counts.config.vocab_size
    size = max(_CELLS // max(num_integers, num_symbols), 64)
    for ids, window in counts.episodes("top_n above 1 needs") if len(forms) else ():
        for rows in blocks(len(ids), size):
            shown = _bits(window[rows].T, num_integers)
            said = [_bits(slot[None], num_symbols) for slot in counts.messages[ids[rows]].T]
            _add(joint, seen, forms, values, shown, said)
    return joint, seen


def _add(joint: ByTop, seen: ByTop, forms: Forms, values: Numbers, shown: Bits, said: Sequence[Bits]) -> None:
    """Add what some episodes count, some forms at a time."""
    for part in blocks(len(forms), max(_WORDS // max(shown.shape[1], 1), 1)):
        having = _having(forms.take(part), said)
        union = np.zeros_like(having)
        for n, column in enumerate(values[part].T, 1):
            union |= shown[column]
            if n in joint:
                joint[n][part] += _number(union & having)
                seen[n][part] += _number(union)


def _number(episodes: Bits) -> Numbers:
    """Return how many episodes are in each set."""
    return np.asarray(np.bitwise_count(episodes).sum(axis=1, dtype=np.int64))


def _bits(cells: IntArray, number: int) -> Bits:
    """Return, for each value, the episodes that have it in any of their cells (K, B).

    The episodes are a set of bits, so that a union costs one `or` for 64 episodes. The last two rows are
    empty: -1 and -2 (the mask, padding, a hidden cell) are no values.
    """
    found = np.zeros((number + 2, -(-cells.shape[1] // 64) * 64), dtype=bool)
    episode = np.arange(cells.shape[1])
    for cell in cells:
        found.reshape(-1)[cell.astype(np.int64) * found.shape[1] + episode] = True  # faster than two indices
    found[number:] = False
    return np.packbits(found, axis=1).view(np.uint64)


def _having(forms: Forms, said: Sequence[Bits]) -> Bits:
    """Return the episodes that have each n-gram, from the episodes of each symbol at each slot."""
    having = np.zeros((len(forms), said[0].shape[1]), dtype=np.uint64)
    for slot in range(len(said)):
        at = ((forms.slot == slot) | (forms.slot == ANY)) & (slot + forms.length <= len(said))
        for length in np.unique(forms.length[at]):
            rows = np.flatnonzero(at & (forms.length == length))
            each = said[slot][forms.symbols[rows, 0]]
            for i in range(1, length):
                each &= said[slot + i][forms.symbols[rows, i]]
            having[rows] |= each
    return having
