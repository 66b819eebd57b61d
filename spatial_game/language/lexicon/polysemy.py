"""Forms that stand for any of several integers: how often one of them is there, counted once an episode."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.counting.forms import FormTable
from spatial_game.recording import ANALYSED

Numbers = npt.NDArray[np.int64]
ByTop = dict[int, Numbers]

_BLOCK = 1 << 16


def count_unions(
    counts: Counts, forms: FormTable, form: Numbers, values: Numbers, tops: Sequence[int]
) -> tuple[ByTop, ByTop]:
    """Episodes with any of the first n integers of a row visible, for each n of `tops`.

    `form` (E,) rows of `forms`; `values` (E, n) their integers, padded with -1. Returns the joint counts
    with the form and the counts over all episodes, (E,) each. Reads the episodes again.
    """
    if not counts.sources and len(form):
        raise ValueError("top_n above 1 needs the episodes; got counts without sources")
    rows, width = values.shape
    num_integers = len(counts.config.integers)
    rank = np.full((rows, num_integers + 1), width, dtype=np.int16)  # the last column is the mask's
    present = values >= 0
    rank[np.nonzero(present)[0], values[present]] = np.nonzero(present)[1]
    by_message = forms.incidence[form].T.tocsr()
    first = np.zeros((rows, width + 1), dtype=np.int64)
    seen = {n: np.zeros(rows, dtype=np.int64) for n in tops}
    for source in counts.sources:
        for block in source.blocks(columns=ANALYSED):
            for start in range(0, len(block), _BLOCK):
                window = np.where(block.window == MASK, num_integers, block.window)[start : start + _BLOCK]
                ids = message_ids(counts, block.message[start : start + _BLOCK])
                episode, entry = _expand(by_message.indptr, by_message.indices, ids)
                best = rank[entry[:, None], window[episode]].min(axis=1)
                np.add.at(first, (entry, best), 1)
                _add_seen(seen, values, window, num_integers)
    joint = first[:, :width].cumsum(axis=1)
    return {n: joint[:, n - 1] for n in tops}, seen


def _expand(starts: IntArray, items: IntArray, ids: IntArray) -> tuple[IntArray, IntArray]:
    """For each id in turn all its items: (number of the id, item), flat."""
    lengths = starts[ids + 1] - starts[ids]
    owner = np.repeat(np.arange(len(ids)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return owner, items[np.repeat(starts[ids], lengths) + within]


def _add_seen(seen: ByTop, values: Numbers, window: IntArray, num_integers: int) -> None:
    """Add the episodes of these windows that show any of the first n integers of each row.

    The episodes that show an integer are a set of bits, so that a union costs an `or` for 64 episodes.
    """
    shown = np.zeros((num_integers + 1, -(-len(window) // 64) * 64), dtype=bool)
    for cell in window.T:
        shown[cell, np.arange(len(window))] = True
    shown[num_integers] = False  # the mask, and what `values` is padded with
    bits = np.packbits(shown, axis=1).view(np.uint64)
    step = max(1, (1 << 22) // max(bits.shape[1], 1))
    for start in range(0, len(values), step):
        part = values[start : start + step]
        union = np.zeros((len(part), bits.shape[1]), dtype=np.uint64)
        for n in range(1, values.shape[1] + 1):
            union |= bits[part[:, n - 1]]
            if n in seen:
                seen[n][start : start + step] += np.bitwise_count(union).sum(axis=1, dtype=np.int64)
