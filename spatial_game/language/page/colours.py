"""Colours of a map: neighbours with different messages get different colours where that is possible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from spatial_game.language.counting.rows import Numbers
from spatial_game.language.page.map import NONE

PALETTE = (
    *("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee"),
    *("#aa3377", "#bbbbbb", "#997700", "#44aa99", "#cc99bb"),
)
"""Colours that stay tellable apart on light and on dark paper, and for most colour-blind people (P. Tol)."""


def colours(message: Numbers, axes: Sequence[int]) -> Numbers:
    """Return the number of a colour in `PALETTE` for each cell of a map of any shape; NONE without a message.

    Cells are neighbours if they are next to each other on one of the axes. A message has one colour. The
    messages of most cells choose first: the colour that fewest of their neighbours have, and of
    several, the one that is used least (greedy colouring of a graph).
    """
    beside = _neighbours(message, axes)
    names, number = np.unique(message[message != NONE], return_counts=True)
    chosen: dict[int, int] = {}
    used = [0] * len(PALETTE)
    order = np.argsort(-number, kind="stable")
    for name, cells in zip(names[order].tolist(), number[order].tolist(), strict=True):
        clashes = [0] * len(PALETTE)
        for other, times in beside[name].items():
            if other in chosen:
                clashes[chosen[other]] += times
        best = min(range(len(PALETTE)), key=lambda colour: (clashes[colour], used[colour]))
        chosen[name] = best
        used[best] += cells
    colour_of = np.array([*(chosen.get(name, NONE) for name in range(message.max(initial=0) + 1)), NONE])
    return np.asarray(colour_of[message])  # NONE is the last one


def _neighbours(message: Numbers, axes: Sequence[int]) -> dict[int, Counter[int]]:
    """Return how often each two messages are neighbours."""
    beside: dict[int, Counter[int]] = defaultdict(Counter)
    for axis in axes:
        along = np.moveaxis(message, axis, 0)
        ones, others = along[:-1].ravel(), along[1:].ravel()
        differ = (ones != others) & (ones != NONE) & (others != NONE)
        pairs, times = np.unique(np.stack([ones[differ], others[differ]]), axis=1, return_counts=True)
        for one, other, number in zip(*pairs.tolist(), times.tolist(), strict=True):
            beside[one][other] += number
            beside[other][one] += number
    return beside
