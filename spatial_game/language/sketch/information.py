"""What messages and their parts tell about each place of a window, in bits, by counts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.dictionary.places import counts_by_place, places_of

NAMED_BITS = 1.0
"""A message names a place if it tells at least this number of bits about it."""
_MOST_MESSAGES = 20_000


@dataclass(frozen=True)
class Information:
    """Bits about each of P places an episode; the places are those of `Places`, the edge last."""

    by_slot: FloatArray
    """(T, P), by the symbol of one slot alone."""
    by_prefix: FloatArray
    """(T, P), by the first symbols: row t-1 is about the first t, and the last row about whole messages."""
    unordered: FloatArray
    """(P,), by the symbols of a message without their order."""
    entropy: FloatArray
    """(P,), what there is to tell about a place."""
    named: Mapping[tuple[int, ...], float]
    """The sets of places that messages name, with their shares of the episodes, the largest first."""

    @property
    def whole(self) -> FloatArray:
        """(P,), by whole messages."""
        return np.asarray(self.by_prefix[-1])

    @property
    def together(self) -> FloatArray:
        """(P,), what no slot tells alone: the bits of whole messages less those of all slots."""
        return np.asarray(np.maximum(self.whole - self.by_slot.sum(axis=0), 0))


def information(counts: Counts) -> Information:
    """Return what messages tell by counts: mutual information, corrected for its bias to first order.

    The correction is that of Miller (1955) for the entropies. Only the most frequent 20,000 messages count.
    """
    counts = counts.most_frequent(_MOST_MESSAGES)
    tables = _seen(counts)
    length = counts.config.message_length
    slots = [counts.messages[:, [slot]] for slot in range(length)]
    prefixes = [counts.messages[:, : slot + 1] for slot in range(length)]
    return Information(
        np.array([_bits(part, tables, counts) for part in slots]),
        np.array([_bits(part, tables, counts) for part in prefixes]),
        _bits(np.sort(counts.messages, axis=1), tables, counts),
        np.array([entropy(table.sum(axis=0)) * table.sum() for table in tables]) / max(counts.total, 1),
        _named(tables, counts),
    )


def entropy(counts: npt.NDArray[Any]) -> float:
    """Return the entropy of counts in bits, corrected for its bias to first order; 0 without counts."""
    seen = counts[counts > 0]
    total = seen.sum()
    if not total:
        return 0.0
    share = seen / total
    return float(-(share * np.log2(share)).sum() + (len(seen) - 1) / (2 * np.log(2) * total))


def _seen(counts: Counts) -> list[FloatArray]:
    """Return (M, values) for each place: the episodes in which the sender sees each value there."""
    places = places_of(counts.config)
    tables = counts_by_place(counts.config, counts.table)
    return [table[:, : places.num_values] for table in tables[:-1]] + [tables[-1]]


def _bits(part: npt.NDArray[Any], tables: Sequence[FloatArray], counts: Counts) -> FloatArray:
    """Return the bits (P,) that a part (M, n) of the messages tells about each place, an episode."""
    distinct, number = distinct_rows(np.ascontiguousarray(part))
    ones = np.ones(len(number))
    gather = sp.csr_array((ones, (number, np.arange(len(number)))), shape=(len(distinct), len(number)))
    bits = []
    for table in tables:
        merged = np.asarray(gather @ table)
        told = entropy(merged.sum(axis=0)) + entropy(merged.sum(axis=1)) - entropy(merged.reshape(-1))
        bits.append(max(told, 0.0) * merged.sum() / max(counts.total, 1))
    return np.array(bits)


def _named(tables: Sequence[FloatArray], counts: Counts) -> Mapping[tuple[int, ...], float]:
    """Return the sets of places that messages name, with their shares of the episodes."""
    names = np.zeros((len(counts.messages), len(tables)), dtype=bool)
    for place, table in enumerate(tables):
        n, share = table.sum(axis=1), table.sum(axis=0) / max(table.sum(), 1)
        seen = table / np.maximum(n, 1)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = np.where(table > 0, seen * np.log2(seen / share), 0.0).sum(axis=1)
        spare = np.maximum((table > 0).sum(axis=1) - 1, 0) / (2 * np.log(2) * np.maximum(n, 1))
        names[:, place] = (bits - spare >= NAMED_BITS) & (2 * n >= counts.message_totals)
    # A message about an edge names, by the way, which cells there are; it does not name what stands in them.
    sets, number = distinct_rows(names.astype(np.int16))
    shares = np.bincount(number, weights=counts.message_totals, minlength=len(sets)) / max(counts.total, 1)
    order = np.argsort(-shares, kind="stable")
    return {tuple(np.flatnonzero(sets[i]).tolist()): float(shares[i]) for i in order.tolist()}
