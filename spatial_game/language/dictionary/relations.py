"""Relations: what messages tell of two cells together, beyond what they tell of each.

The rules of a dictionary are about single cells. A message that means "the left integer is smaller than the
right one" tells little of each and much of both. To see this, the values of both cells among a message's
episodes are put into groups of equal size, by rank. The message relates the cells if its held-out episodes
show which groups go together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import integers_at_offsets, near_offsets
from spatial_game.language.counting.counts import HELD_OUT, Counts
from spatial_game.language.counting.forms import carriers
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.referents import IntegerAt, parts_of
from spatial_game.language.dictionary.words import place_in_words

LEAST_RELATED = 0.1
"""Two cells are related if messages tell at least this number of bits an episode of them together."""
BROAD, GAPS = 1 / 3, 0.2
"""A band of at least this share of the integers, with at most this share of gaps, may be a shadow."""
OFTEN = 0.05
"""Shadows are looked for if such bands are said in at least this share of the episodes."""
_MOST_CELLS = 6
_MOST_EPISODES = 400_000
_LEAST_EPISODES, _MOST_GROUPS = 100, 8
_EPISODES_A_CELL = 10
"""Episodes for each pair of groups, on average."""


@dataclass(frozen=True)
class Relation:
    """What messages tell of two cells together."""

    offsets: tuple[int, int]
    """Numbers of two of `config.offsets`."""
    bits: float
    """Held-out bits an episode beyond what is told of each cell, above chance."""
    by_message: FloatArray
    """(M,), the same for an episode with each message of the counts; 0 for rare ones."""


def relation_in_words(relation: Relation, config: GameConfig) -> str:
    """Return a relation as a sentence."""
    one, two = (place_in_words(config.offsets[cell]) for cell in relation.offsets)
    return (
        f"More is told of the integers {one} and {two} together than this dictionary can say: at least "
        f"{relation.bits:.2f} bits."
    )


def relations(counts: Counts, told: FloatArray | None = None) -> list[Relation]:
    """Return what messages tell of each two cells of a window in the middle together, the most first.

    `told`: bits about each of `config.offsets`, (O,); of a window with more than six cells, the six with most
    bits are compared. Empty if the counts have no episodes to read again.
    """
    cells = near_offsets(counts.config)
    if told is not None and len(cells) > _MOST_CELLS:
        cells = sorted(sorted(cells, key=lambda cell: -told[cell])[:_MOST_CELLS])
    if not counts.sources or len(cells) < 2 or len(cells) > _MOST_CELLS:
        return []
    ids, values = _read(counts, cells)
    rng = np.random.default_rng(0)
    found = []
    for one, two in combinations(range(len(cells)), 2):
        by_message, n = _related(ids, values[:, one], values[:, two], len(counts.messages), rng)
        bits = float(by_message @ n / max(len(ids), 1))
        found.append(Relation((cells[one], cells[two]), bits, by_message))
    return sorted(found, key=lambda each: -each.bits)


def without_shadows(entries: Sequence[Entry], counts: Counts) -> list[Entry]:
    """Return entries, of which those are unlisted that are the shadow of a relation.

    A message that means "the left integer is smaller than the right one" is often sent with small integers on
    the left and large ones on the right, which is not its meaning. An entry about a broad band is listed only
    if it tells more than the message tells of its cell and another one together.
    """
    broad = {i: cells for i, entry in enumerate(entries) if (cells := _broad_cells(entry, counts))}
    if not counts.sources or sum(entries[i].count for i in broad) < max(OFTEN * counts.total, 1):
        return [*entries]
    told = np.zeros(len(counts.config.offsets))
    for cells in broad.values():
        told[cells] += 1
    found = relations(counts, told)
    having = carriers([entries[i].form for i in broad], counts.messages)
    n = np.maximum(having @ counts.message_totals, 1)
    together = [having @ (each.by_message * counts.message_totals) / n for each in found]
    unlisted = set()
    for row, (i, cells) in enumerate(broad.items()):
        own = [bits[row] for each, bits in zip(found, together, strict=True) if {*cells} & {*each.offsets}]
        if max(own, default=0.0) > (entries[i].bits or 0.0):
            unlisted.add(i)
    return [replace(entry, listed=False) if i in unlisted else entry for i, entry in enumerate(entries)]


def _broad_cells(entry: Entry, counts: Counts) -> list[int]:
    """Return the offsets, by number, of which a listed entry says a broad band."""
    least = BROAD * len(counts.config.integers)
    return [
        counts.config.offsets.index(part.offset)
        for part in (parts_of(entry.referent) if entry.listed else ())
        if isinstance(part, IntegerAt) and len(part.values) >= max(least, (1 - GAPS) * _span(part.values))
    ]


def _span(values: Sequence[int]) -> int:
    return max(values) - min(values) + 1


def _read(counts: Counts, cells: Sequence[int]) -> tuple[Numbers, IntArray]:
    """Return the messages (B,) and the values (B, cells) of the first episodes."""
    ids, values, read = [], [], 0
    for number, window in counts.episodes("relations need"):
        ids.append(np.asarray(number))
        values.append(integers_at_offsets(counts.config, window)[:, cells])
        read += len(number)
        if read >= _MOST_EPISODES:
            break
    return np.concatenate(ids), np.concatenate(values)


def _related(
    ids: Numbers, one: IntArray, two: IntArray, num_messages: int, rng: np.random.Generator
) -> tuple[FloatArray, Numbers]:
    """Return the bits (M,) of two cells together for each message, above chance, and its episodes (M,)."""
    both = (one >= 0) & (two >= 0) & (ids >= 0)
    ids, one, two = ids[both], one[both], two[both]
    n = np.bincount(ids, minlength=num_messages)
    often = n[ids] >= _LEAST_EPISODES
    ids, one, two = ids[often], one[often], two[often]
    # By chance: the second values in another order. Integers of one window do not repeat.
    order = rng.permutation(len(ids))
    order = order[np.argsort(ids[order], kind="stable")]
    mixed = np.empty_like(two)
    mixed[np.argsort(ids, kind="stable")] = two[order]
    possible = mixed != one
    by_chance = _bits(ids[possible], one[possible], mixed[possible], num_messages)
    bits = _bits(ids, one, two, num_messages) - by_chance
    return np.where(n >= _LEAST_EPISODES, bits, 0.0), n


def _bits(ids: Numbers, one: IntArray, two: IntArray, num_messages: int) -> FloatArray:
    """Return the bits (M,) by which groups of values that go together shorten the held-out episodes.

    The shares of pairs of groups are Krichevsky-Trofimov estimates from the other episodes.
    """
    n = np.bincount(ids, minlength=num_messages)
    groups = np.clip(np.sqrt(n / _EPISODES_A_CELL).astype(np.int64), 2, _MOST_GROUPS)
    pair = _group(ids, one, n, groups) * groups[ids] + _group(ids, two, n, groups)
    first = np.concatenate([[0], np.cumsum(groups**2)])
    cell, held = first[ids] + pair, np.arange(len(ids)) % HELD_OUT == HELD_OUT - 1
    built = np.bincount(cell[~held], minlength=first[-1])
    total = np.bincount(ids[~held], minlength=num_messages)
    squared = groups[ids[held]] ** 2
    share = (built[cell[held]] + 0.5) / (total[ids[held]] + 0.5 * squared)
    saved = np.bincount(ids[held], np.log2(share * squared), num_messages)
    return np.asarray(saved / np.maximum(np.bincount(ids[held], minlength=num_messages), 1))


def _group(ids: Numbers, value: IntArray, n: Numbers, groups: Numbers) -> Numbers:
    """Return the group (B,) of each value among those of the same message, by rank."""
    order = np.lexsort([value, ids])
    rank = np.empty(len(ids), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(n)])
    rank[order] = np.arange(len(ids)) - starts[ids[order]]
    return np.asarray(rank * groups[ids] // np.maximum(n[ids], 1))
