"""The share of windows without repetition: a correction, since the integers of a window are all different.

A dictionary multiplies what it says of each cell, as if cells could show the same integer. Both its
probabilities and the game's are of windows with distinct values, so both are divided by the share of such
windows.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from spatial_game.language.counting.rows import FloatArray

MOST_EXACT = 4
"""Cells of which the share is exact: a sum over the 15 partitions of four. Beyond, it is by pairs."""
_LEAST_PAIR, _LEAST = 1e-3, 1e-9


def log2_distinct(tables: Sequence[FloatArray]) -> FloatArray:
    """Return log2 of the share of distinct values by tables (M, K) of cells, over that of even shares; (M,).

    The share is a sum over the partitions of the cells, in which the cells of a block have the same value
    (Möbius inversion): (-1)^(b-1) (b-1)! for each block of b cells.
    """
    if len(tables) > MOST_EXACT:
        k = tables[0].shape[1]
        same = [np.einsum("mk,mk->m", one, other) for one, other in itertools.combinations(tables, 2)]
        pairs = np.sum(np.log2(np.maximum(1 - np.array(same), _LEAST_PAIR)), axis=0)
        return np.asarray(pairs - len(same) * math.log2(1 - 1 / k))

    @functools.cache
    def same_value(block: tuple[int, ...]) -> FloatArray:
        return np.asarray(functools.reduce(np.multiply, (tables[i] for i in block)).sum(axis=1))

    share, even = np.zeros(len(tables[0])), 0.0
    for partition in _partitions(tuple(range(len(tables)))):
        sign = math.prod((-1) ** (len(block) - 1) * math.factorial(len(block) - 1) for block in partition)
        share += sign * np.prod([same_value(block) for block in partition], axis=0)
        even += sign * math.prod(tables[0].shape[1] ** (1 - len(block)) for block in partition)
    return np.log2(np.maximum(share, _LEAST)) - math.log2(even)


def _partitions(cells: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the ways to divide cells into blocks."""
    if not cells:
        yield []
        return
    for blocks in _partitions(cells[1:]):
        yield [cells[:1], *blocks]
        for i, block in enumerate(blocks):
            yield [*blocks[:i], (cells[0], *block), *blocks[i + 1 :]]
