"""What messages tell of the sender's factors: information, and disentanglement (Chaabouni et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import blocks
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

# Episodes whose messages are counted together, unless one message has more.
_EPISODES = 1 << 20

Order = npt.NDArray[np.integer[Any]] | None
"""(B,), the window that goes with each message; None for its own."""


def told_of_factors(
    told: Sequence[ToldOfFactor], shuffled: Sequence[Sequence[ToldOfFactor]]
) -> list[Measure]:
    """Return the mutual information of messages with each factor, and their disentanglement.

    Shuffled: the windows are permuted among the messages. The shuffled information is the bias of the
    estimate, which for many messages is large; what exceeds it is information.
    """
    found = [
        INFORMATION.report(
            f"information on the {one.factor}",
            one.information,
            [copy[i].information for copy in shuffled],
            float(np.nan_to_num(one.factor_entropy[0])),
        )
        for i, one in enumerate(told)
    ]
    return [
        *found,
        POSITIONAL.report("positional disentanglement", positional(told), [positional(c) for c in shuffled]),
        BAG.report(
            "bag-of-symbols disentanglement", bag_of_symbols(told), [bag_of_symbols(c) for c in shuffled]
        ),
    ]


def positional(told: Sequence[ToldOfFactor]) -> FloatArray:
    """Return positional disentanglement (posdis), (G+1,).

    For each slot: how much more its symbol tells of one factor than of the next best, in shares of its
    entropy; then the mean over the slots that vary. 1 if each slot tells all of a factor of its own.
    """
    return _mean_gap([one.slots for one in told], told[0].entropies[: told[0].num_slots])


def bag_of_symbols(told: Sequence[ToldOfFactor]) -> FloatArray:
    """Return bag-of-symbols disentanglement (bosdis), (G+1,).

    As `positional`, with how often a symbol occurs in the message in place of the symbol in a slot.
    """
    return _mean_gap([one.symbols for one in told], told[0].entropies[told[0].num_slots :])


def _mean_gap(information: Sequence[FloatArray], entropy: FloatArray) -> FloatArray:
    """Return the mean (G+1,) over n variables of the gaps of the two best of F factors (F, n, G+1)."""
    best = np.sort(np.array(information), axis=0)[::-1]
    gaps = ratio(best[0] - best[1], entropy)
    defined = ~np.isnan(gaps)
    return ratio(np.where(defined, gaps, 0.0).sum(axis=0), defined.sum(axis=0))


@dataclass(frozen=True)
class ToldOfFactor:
    """What messages tell of one factor, in bits: as a whole, in each slot, and by each symbol's count."""

    factor: str  # its name
    information: FloatArray  # (G+1,)
    slots: FloatArray  # (T, G+1)
    symbols: FloatArray  # (S, G+1)
    entropies: FloatArray  # (T+S, G+1), of slots and of symbols' counts
    factor_entropy: FloatArray  # (G+1,)

    @property
    def num_slots(self) -> int:
        """T."""
        return len(self.slots)


@dataclass(frozen=True)
class Teller:
    """Counts what messages tell, in memory that does not grow with the number of episodes."""

    spoken: SpokenMessages
    groups: Groups

    @cached_property
    def counts(self) -> Numbers:
        """(M, max(G, 1)), how often each distinct message occurs in each group."""
        number, count = self.spoken.number, max(self.groups.count, 1)
        table = np.zeros(len(self.spoken.types) * count, dtype=np.int64)
        for rows in blocks(len(number)):
            np.add.at(table, number[rows].astype(np.int64) * count + self.groups.group[rows], np.int64(1))
        return table.reshape(-1, count)

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

    def told(self, factor: Factor, order: Order = None) -> ToldOfFactor:
        """Return what messages tell of a factor, of windows in this order."""
        parts, starts = self.parts
        groups = self.counts.shape[1]
        width = factor.size * groups
        tables = np.zeros((parts.shape[0], width), dtype=np.int64)
        margin = np.zeros(width, dtype=np.int64)
        sums: FloatArray = np.zeros(self.groups.count + 1)
        for messages, cells, counts in self._joint(factor, order):
            where = np.divmod(cells, width)
            joint = sp.csr_array((counts, where), shape=(messages.stop - messages.start, width))
            tables += (parts[:, messages] @ joint).toarray()
            margin += np.bincount(where[1], weights=counts, minlength=width).astype(np.int64)
            sums += self._sums(cells, counts)
        values = replicates(margin.reshape(factor.size, groups), self.groups.count)
        of_messages = entropies(replicates(self.counts, self.groups.count).T)
        of_factor = entropies(values.T)
        whole = without_rounding(of_messages + of_factor - entropy_of_sums(sums, values.sum(axis=0)))
        entropy, information = self._variables(
            tables.reshape(len(tables), factor.size, groups), starts, values
        )
        slots = self.spoken.types.shape[1]
        return ToldOfFactor(factor.name, whole, information[:slots], information[slots:], entropy, of_factor)

    def _joint(self, factor: Factor, order: Order) -> Iterator[tuple[slice, Numbers, Numbers]]:
        """Yield cells of the table (m, V, max(G, 1)) of some messages, and the counts there, m at a time."""
        last = np.cumsum(self.spoken.totals)
        start = 0
        while start < len(last):
            begin = int(last[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(last, begin + _EPISODES, side="right")))
            episodes = self.spoken.in_order[begin : int(last[stop - 1])]
            bound = (stop - start) * factor.size * self.counts.shape[1]
            keys = (self._keys(factor, order, start, episodes[rows]) for rows in blocks(len(episodes)))
            yield slice(start, stop), *_distinct(keys, bound, len(episodes))
            start = stop

    def _keys(self, factor: Factor, order: Order, first: int, episodes: IntArray) -> Numbers:
        """Return the cells of episodes, in the table whose first message is `first`."""
        keys = self.spoken.number[episodes].astype(np.int64) - first
        keys *= factor.size
        keys += factor.codes[episodes if order is None else order[episodes]]
        keys *= self.counts.shape[1]
        keys += self.groups.group[episodes]
        return keys

    def _sums(self, cells: Numbers, counts: Numbers) -> FloatArray:
        """Return the sum of x * log2(x) over messages and values, in each replicate (G+1,).

        Only what a group changes is computed again.
        """
        code, group = np.divmod(cells, self.counts.shape[1])
        starts = np.flatnonzero(np.diff(code, prepend=-1))
        totals = np.add.reduceat(counts, starts)
        total = np.repeat(totals, np.diff(np.append(starts, len(code))))
        change = xlog2x(total - counts) - xlog2x(total)
        by_group = np.bincount(group, weights=change, minlength=self.counts.shape[1])
        return np.asarray(np.append(0.0, by_group[: self.groups.count]) + xlog2x(totals).sum())

    def _variables(
        self, tables: Numbers, starts: list[int], margin: Numbers
    ) -> tuple[FloatArray, FloatArray]:
        """Return the entropy, and the information on the factor, of each variable, (n, G+1) each."""
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


def _distinct(keys: Iterable[Numbers], bound: int, size: int) -> tuple[Numbers, Numbers]:
    """Return the distinct ones of so many keys (in 0..bound-1) in order, and how often each occurs."""
    if bound > max(4 * size, 1 << 16):
        found, counts = np.unique(np.concatenate([*keys]), return_counts=True)
        return found, counts
    table = np.zeros(bound, dtype=np.int64)
    for block in keys:
        table += np.bincount(block, minlength=bound)
    cells = np.flatnonzero(table)
    return cells, table[cells]
