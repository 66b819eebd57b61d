"""What messages and their parts tell about each place of a window, in bits, by counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.measures import entropies

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
    named: tuple[tuple[tuple[int, ...], float], ...]
    """The sets of cells that messages name, with their shares of the episodes, the largest first."""

    @property
    def whole(self) -> FloatArray:
        """(P,), by whole messages."""
        return np.asarray(self.by_prefix[-1])

    def named_share(self, place: int) -> float:
        """Return the share of the episodes whose message names a cell; 0 for the edge."""
        return sum(share for places, share in self.named if place in places)


def information(counts: Counts) -> Information:
    """Return what messages tell by counts: the mutual information of parts of messages and places.

    Many messages have few episodes, so that entropies are estimated as Chao and Shen (2003) do. Only the
    20,000 most frequent messages count.
    """
    counts = counts.most_frequent(_MOST_MESSAGES)
    tables = _seen(counts)
    length = counts.config.message_length
    slots = [counts.messages[:, [slot]] for slot in range(length)]
    prefixes = [counts.messages[:, : slot + 1] for slot in range(length)]
    total = max(counts.total, 1)
    return Information(
        np.array([_bits(part, tables, counts) for part in slots]),
        np.array([_bits(part, tables, counts) for part in prefixes]),
        _bits(np.sort(counts.messages, axis=1), tables, counts),
        np.array([entropies(table.sum(axis=0)[None])[0] * table.sum() / total for table in tables]),
        _named(counts),
    )


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
    return np.array([_beyond_chance(np.asarray(gather @ table)) for table in tables]) / max(counts.total, 1)


def _beyond_chance(table: FloatArray) -> float:
    """Return the bits that the rows of counts (R, K) tell of the columns, without what chance would show.

    Chance is what rows of the same sizes show if they are drawn from the shares of all rows. What is told
    leaves less room for chance, so that the rest of the bits counts for it.
    """
    n = table.sum(axis=0)
    most = float(entropies(n[None])[0] * n.sum())
    if not most:
        return 0.0
    bits = min(float(told(table).sum()), most)
    drawn = np.random.default_rng(0).multinomial(table.sum(axis=1).astype(np.int64), n / n.sum())
    return max(bits - float(told(drawn.astype(np.float64)).sum()) * (1 - bits / most), 0.0)


def told(table: FloatArray) -> FloatArray:
    """Return the bits (R,) that each row of counts (R, K) tells of the columns, times its counts.

    They are the divergence of the row's shares from those of all rows.
    """
    n = table.sum(axis=0)
    surprise = -np.log2(np.maximum(n, 1) / max(n.sum(), 1))
    return np.asarray(np.maximum(table @ surprise - entropies(table) * table.sum(axis=1), 0))


def cells_named(counts: Counts) -> Mask:
    """Return which cells each message names, (M, O): it tells of them, and they are often seen with it."""
    named = np.zeros((len(counts.messages), len(counts.config.offsets)), dtype=bool)
    for cell, table in enumerate(_seen(counts)[:-1]):
        n = table.sum(axis=1)
        named[:, cell] = (told(table) >= NAMED_BITS * n) & (2 * n >= counts.message_totals) & (n > 0)
    return named


def _named(counts: Counts) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return the sets of cells that messages name, with their shares of the episodes."""
    sets, number = distinct_rows(cells_named(counts).astype(np.int16))
    shares = np.bincount(number, weights=counts.message_totals, minlength=len(sets)) / max(counts.total, 1)
    order = np.argsort(-shares, kind="stable")
    return tuple((tuple(np.flatnonzero(sets[i]).tolist()), float(shares[i])) for i in order.tolist())
