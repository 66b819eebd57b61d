"""The share of windows without repetition: a correction, since the integers of a window are all different.

A dictionary multiplies what it says of each cell, as if cells could show the same integer. Both its
probabilities and the game's are of windows with distinct values, so both are divided by the share of such
windows.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from spatial_game.language.counting.rows import FloatArray

MOST_EXACT = 4
"""Cells of which the share is exact: a sum over the 15 partitions of four. Beyond, it is by pairs."""
_LEAST_PAIR, _LEAST = 1e-3, 1e-9


def log2_distinct(tables: Mapping[int, FloatArray], sets: Iterable[Sequence[int]]) -> Iterator[FloatArray]:
    """Yield for each set of cells log2 of the share of distinct values, over that of even shares; (M,).

    `tables` (M, K) are those of the cells, by their numbers.

    The share is a sum over the partitions of the cells, in which the cells of a block have the same value
    (Möbius inversion): (-1)^(b-1) (b-1)! for each block of b cells.
    """

    @functools.cache
    def same_value(block: tuple[int, ...]) -> FloatArray:
        *others, last = (tables[cell] for cell in block)
        others_same = functools.reduce(np.multiply, others) if others else np.ones_like(last)
        return np.asarray(np.einsum("mk,mk->m", others_same, last))

    @functools.cache
    def distinct_pair(pair: tuple[int, int]) -> FloatArray:
        even = 1 - 1 / tables[pair[0]].shape[1]
        return np.asarray(np.log2(np.maximum(1 - same_value(pair), _LEAST_PAIR) / even))

    for cells in sets:
        num_messages, k = tables[cells[0]].shape
        if len(cells) > MOST_EXACT:
            yield np.asarray(sum(map(distinct_pair, itertools.combinations(cells, 2))))
            continue
        share, even = np.zeros(num_messages), 0.0
        for partition in _partitions(tuple(cells)):
            sign = math.prod((-1) ** (len(block) - 1) * math.factorial(len(block) - 1) for block in partition)
            share += sign * np.prod([same_value(block) for block in partition], axis=0)
            even += sign * math.prod(k ** (1 - len(block)) for block in partition)
        yield np.log2(np.maximum(share, _LEAST)) - math.log2(even)


def _partitions(cells: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the ways to divide cells into blocks."""
    if not cells:
        yield []
        return
    for blocks in _partitions(cells[1:]):
        yield [cells[:1], *blocks]
        for i, block in enumerate(blocks):
            yield [*blocks[:i], (cells[0], *block), *blocks[i + 1 :]]
