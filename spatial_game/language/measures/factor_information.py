"""What messages tell about the sender's factors: information and disentanglement (Chaabouni et al. 2020)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.measures.corpus import PAD
from spatial_game.language.measures.factors import Factor
from spatial_game.language.measures.information import NO_MESSAGES, SHANNON
from spatial_game.language.measures.measure import Kind, Measure
from spatial_game.language.measures.resampling import (
    Groups,
    entropies,
    entropy_of_sums,
    ratio,
    replicates,
    without_rounding,
    xlog2x,
)
from spatial_game.language.measures.spoken import SpokenMessages

CHAABOUNI = "Chaabouni et al. 2020"

INFORMATION = Kind("bits", SHANNON, NO_MESSAGES)
POSITIONAL = Kind("share", CHAABOUNI, "no slot varies", high=1.0)
BAG = Kind("share", CHAABOUNI, "no symbol's count varies", high=1.0)

Order = npt.NDArray[np.integer[Any]] | None
"""(B,), the window for each message; None if each has its own."""


def factor_measures(
    by_factor: Sequence[FactorInformation], shuffled: Sequence[Sequence[FactorInformation]]
) -> list[Measure]:
    """Return the mutual information of messages with each factor, and their disentanglement.

    Shuffled: the windows are permuted among the messages. The shuffled information is the bias of the
    estimate, which is large for many messages; only the difference is information.
    """
    found = [
        INFORMATION.report(
            f"information on the {one.factor}",
            one.information,
            [copy[i].information for copy in shuffled],
            float(np.nan_to_num(one.factor_entropy[0])),
        )
        for i, one in enumerate(by_factor)
    ]
    return [
        *found,
        POSITIONAL.report(
            "positional disentanglement", positional(by_factor), [positional(c) for c in shuffled]
        ),
        BAG.report(
            "bag-of-symbols disentanglement", bag_of_symbols(by_factor), [bag_of_symbols(c) for c in shuffled]
        ),
    ]


def positional(by_factor: Sequence[FactorInformation]) -> FloatArray:
    """Return positional disentanglement (posdis), (G+1,).

    For each slot: how much more its symbol tells about one factor than about the next best, as a share of its
    entropy; then the mean over the slots that vary. It is 1 if each slot tells one factor completely.
    """
    return _mean_gap([one.slots for one in by_factor], by_factor[0].entropies[: by_factor[0].num_slots])


def bag_of_symbols(by_factor: Sequence[FactorInformation]) -> FloatArray:
    """Return bag-of-symbols disentanglement (bosdis), (G+1,).

    It is like `positional`, with the number of times that a symbol occurs instead of the symbol in a slot.
    """
    return _mean_gap([one.symbols for one in by_factor], by_factor[0].entropies[by_factor[0].num_slots :])


def _mean_gap(information: Sequence[FloatArray], entropy: FloatArray) -> FloatArray:
    """Return the mean (G+1,) over n variables of the gaps of the two best of F factors (F, n, G+1)."""
    best = np.sort(np.array(information), axis=0)[::-1]
    gaps = ratio(best[0] - best[1], entropy)
    defined = ~np.isnan(gaps)
    return ratio(np.where(defined, gaps, 0.0).sum(axis=0), defined.sum(axis=0))


@dataclass(frozen=True)
class FactorInformation:
    """What messages tell about one factor, in bits: as a whole, in each slot, and by each symbol's count."""

    factor: str  # its name
    information: FloatArray  # (G+1,)
    slots: FloatArray  # (T, G+1)
    symbols: FloatArray  # (S, G+1)
    entropies: FloatArray  # (T+S, G+1), of slots and of symbols' counts
    factor_entropy: FloatArray  # (G+1,)

    @property
    def num_slots(self) -> int:
        """The number of slots (T)."""
        return len(self.slots)


@dataclass(frozen=True)
class FactorCounts:
    """Counts what messages tell."""

    spoken: SpokenMessages
    groups: Groups

    @cached_property
    def counts(self) -> Numbers:
        """(M, max(G, 1)), how often each distinct message occurs in each group."""
        shape = (len(self.spoken.types), max(self.groups.count, 1))
        keys = self.spoken.number * shape[1] + self.groups.group
        return np.bincount(keys, minlength=math.prod(shape)).reshape(shape)

    @cached_property
    def parts(self) -> tuple[sp.csc_array[Any], list[int]]:
        """(P, M), 1 where a message has a value of a variable, and the first row of each variable.

        The variables are the symbol of each slot, then how often each symbol occurs (without "never").
        """
        types = self.spoken.types
        count, slots = types.shape
        size = int(types.max(initial=PAD)) + 1
        row = [types + 1 + np.arange(slots) * (size + 1)]
        column = [np.broadcast_to(np.arange(count)[:, None], types.shape)]
        inside, slot = np.nonzero(types != PAD)
        pair, often = np.unique(types[inside, slot] * count + inside, return_counts=True)
        row.append(slots * (size + 1) + pair // max(count, 1) * slots + often - 1)
        column.append(pair % max(count, 1))
        rows, columns = (np.concatenate([part.reshape(-1) for part in parts]) for parts in (row, column))
        starts = [*range(0, slots * (size + 1), size + 1)]
        starts += [slots * (size + 1) + symbol * slots for symbol in range(size + 1)]
        shape = (starts[-1], count)
        return sp.csc_array((np.ones(len(rows), np.int64), (rows, columns)), shape=shape), starts

    def information_on(self, factor: Factor, order: Order = None) -> FactorInformation:
        """Return what messages tell about a factor, with windows in this order."""
        parts, starts = self.parts
        groups = self.counts.shape[1]
        codes = factor.codes if order is None else factor.codes[order]
        cells = (self.spoken.number, codes.astype(np.int64) * groups + self.groups.group)
        shape = (len(self.spoken.types), factor.size * groups)
        joint = sp.csr_array((np.ones(len(codes), np.int64), cells), shape=shape)  # sums what is there twice
        tables, margin, sums = (parts @ joint).toarray(), joint.sum(axis=0), self._sums(joint)
        values = replicates(margin.reshape(factor.size, groups), self.groups.count)
        of_messages = entropies(replicates(self.counts, self.groups.count).T)
        of_factor = entropies(values.T)
        whole = without_rounding(of_messages + of_factor - entropy_of_sums(sums, values.sum(axis=0)))
        entropy, information = self._variables(
            tables.reshape(len(tables), factor.size, groups), starts, values
        )
        slots = self.spoken.types.shape[1]
        return FactorInformation(
            factor.name, whole, information[:slots], information[slots:], entropy, of_factor
        )

    def _sums(self, joint: sp.csr_array[Any]) -> FloatArray:
        """Return the sum of x * log2(x) over messages and values, in each replicate (G+1,).

        Only the entries that a group changes are computed again.
        """
        row = np.repeat(np.arange(joint.shape[0]), np.diff(joint.indptr))
        value, group = np.divmod(joint.indices, self.counts.shape[1])
        code = np.cumsum(np.diff(row * joint.shape[1] + value, prepend=0) > 0)  # the cells are in order
        totals = np.bincount(code, weights=joint.data)
        total = totals[code]
        change = xlog2x(total - joint.data) - xlog2x(total)
        by_group = np.bincount(group, weights=change, minlength=self.counts.shape[1])
        return np.asarray(np.append(0.0, by_group[: self.groups.count]) + xlog2x(totals).sum())

    def _variables(
        self, tables: Numbers, starts: list[int], margin: Numbers
    ) -> tuple[FloatArray, FloatArray]:
        """Return the entropy of each variable and its information about the factor, (n, G+1) each."""
        of_factor, sizes = entropies(margin.T), margin.sum(axis=0)
        entropy, information = [], []
        for start, end in pairwise(starts):
            values = replicates(tables[start:end], self.groups.count)
            values = np.concatenate([values, (margin - values.sum(axis=0))[None]])  # the value "never"
            alone = entropies(values.sum(axis=1).T)
            joint = entropy_of_sums(xlog2x(values).sum(axis=(0, 1)), sizes)
            entropy.append(alone)
            information.append(alone + of_factor - joint)
        shape = (len(starts) - 1, len(sizes))
        return np.array(entropy).reshape(shape), np.array(information).reshape(shape)
