"""Whether messages have parts: disentanglement, context independence, topographic similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import require
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import ABSENT, columns_of
from spatial_game.language.counting.rows import Numbers, table_of_ones
from spatial_game.language.entropy import entropy
from spatial_game.language.measures.information import JointCounts
from spatial_game.language.measures.measure import Estimate, Estimates
from spatial_game.language.measures.sample import Sample
from spatial_game.memory import chunks

NEXT_COMPARED = 5
"""The number of following episodes with which topographic similarity compares each episode."""


def disentanglements(sample: Sample) -> Estimates:
    """Return how far each part of messages tells the integer at one offset alone, of targets near no end.

    Parts are the slots (positional), or how often each symbol occurs (bag of symbols).
    """
    central, few = sample.central, np.min_scalar_type(sample.config.message_length)
    symbols = np.unique(central.message)
    bags = [(central.message == symbol).sum(axis=1, dtype=few) for symbol in symbols]
    factors = _nearby(central)
    return {
        f"{name} disentanglement": Estimate(disentanglement(parts, factors), 1.0)
        for name, parts in {"positional": [*central.message.T], "bag-of-symbols": bags}.items()
    }


def _nearby(central: Sample) -> IntArray:
    """Return the integers (n, B) at the n offsets at which these windows have cells."""
    columns = columns_of(central.config)
    return np.asarray(central.integers.T[columns.cells[columns.middle] != ABSENT])


def disentanglement(parts: Sequence[IntArray], factors: Sequence[IntArray] | IntArray) -> float:
    """Return positional or bag-of-symbols disentanglement, from P parts (B,) and F factors (B,).

    For each part (a slot, or the number of times that a symbol occurs): how much more it tells about one
    factor than about the next best, as a share of its entropy; then the mean over the parts that vary. It is
    1 if each part tells one factor completely, and NaN if no part varies. Raises `ValueError` for fewer than
    two factors.
    """
    require(len(factors) > 1, "factors must be at least two", len(factors))
    gaps = []
    for part in parts:
        own = entropy(np.bincount(part))
        if own:
            *_, second, best = sorted(max(JointCounts.of(part, each).information, 0.0) for each in factors)
            gaps.append(min((best - second) / own, 1.0))
    return float(np.mean(gaps)) if gaps else math.nan


def context_independence(sample: Sample) -> Estimates:
    """Return how consistently an integer at an offset goes with one symbol, in any slot."""
    columns = columns_of(sample.config)
    cells = columns.integer_at(np.arange(sample.integers.shape[1]), sample.integers)
    symbol = _occurs(sample.message, sample.config.vocab_size)
    cell = _occurs(np.where(sample.integers >= 0, cells, -1), columns.of_integers.stop)
    value = consistency(symbol.T @ cell, symbol.sum(axis=0), cell.sum(axis=0))
    return {"context independence": Estimate(value, 1.0)}


def _occurs(codes: IntArray, size: int) -> sp.csr_array:
    """Return (B, size), 1 where a code of (B, n) occurs in the episode; codes below 0 do not count."""
    row, column = np.nonzero(codes >= 0)
    return table_of_ones(row, codes[row, column], (len(codes), size))


def consistency(together: sp.csr_array, of_symbol: Numbers, of_cell: Numbers) -> float:
    """Return context independence (Bogin, Geva and Berant 2018): the mean of p(s | c) p(c | s) over cells c.

    Each cell is given the symbol s for which p(c | s) is highest. The counts are episodes with a symbol and a
    cell (S, C), with a symbol (S,) and with a cell (C,). It is NaN without cells.
    """
    each = sp.coo_array(together)
    given_symbol = each.data / of_symbol[each.row]
    order = np.lexsort((given_symbol, each.col))
    best = order[np.diff(each.col[order], append=-1) != 0]
    product = given_symbol[best] * each.data[best] / of_cell[each.col[best]]
    return float(product.sum() / np.count_nonzero(of_cell)) if len(product) else math.nan


def topographic_similarity(sample: Sample) -> Estimates:
    """Return Spearman's correlation of the edit distances of messages with the differences of windows.

    Windows differ at the offsets that show different integers. Each episode is compared with the next five.
    """
    size = len(sample)
    one = np.repeat(np.arange(size), min(NEXT_COMPARED, size - 1))
    other = (one + np.tile(np.arange(1, min(NEXT_COMPARED, size - 1) + 1), size)) % size
    seen = np.count_nonzero(sample.integers[one] != sample.integers[other], axis=1)
    value = spearman(edit_distances(sample.message[one], sample.message[other]), seen)
    return {"topographic similarity": Estimate(value, 1.0)}


def edit_distances(one: IntArray, other: IntArray) -> Numbers:
    """Return the edit distances (P,) (Levenshtein 1966) of messages (P, T)."""
    parts = chunks(len(one), 64 * one.shape[1])
    distances = (_edit_distances(one[rows], other[rows]) for rows in parts)
    return np.concatenate([np.zeros(0, np.int64), *distances])


def _edit_distances(one: IntArray, other: IntArray) -> Numbers:
    rows, slots = one.shape
    above = np.broadcast_to(np.arange(slots + 1), (rows, slots + 1))
    for i in range(slots):
        here = np.full_like(above, i + 1)
        for j in range(slots):
            changed = above[:, j] + (one[:, i] != other[:, j])
            here[:, j + 1] = np.minimum(changed, np.minimum(above[:, j + 1], here[:, j]) + 1)
        above = here
    return np.asarray(above[:, -1], dtype=np.int64)


def spearman(one: IntArray, other: IntArray) -> float:
    """Return Spearman's rank correlation; NaN if all values of either are the same."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan
    from scipy.stats import spearmanr  # here, as it loads slowly

    return float(spearmanr(one, other).statistic)
