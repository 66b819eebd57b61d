"""Colours of a map: neighbours with different messages get different colours where that is possible."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.rows import Numbers
from spatial_game.language.sketch.usual import NONE, Map

PALETTE = (
    *("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee"),
    *("#aa3377", "#bbbbbb", "#997700", "#44aa99", "#cc99bb"),
)
"""Colours that stay tellable apart on light and on dark paper, and for most colour-blind people (P. Tol)."""


def colours(shown: Map) -> Numbers:
    """Return the number of a colour in `PALETTE` for each cell of a map (K, C); NONE where nothing was sent.

    A message has one colour. The messages of most cells choose first: the colour that fewest of their
    neighbours have, and of several, the one that is used least (greedy colouring of a graph).
    """
    message = shown.message
    beside = _neighbours(message, across=shown.kind == "square")
    names, number = np.unique(message[message != NONE], return_counts=True)
    chosen: dict[int, int] = {}
    used = [0] * len(PALETTE)
    for name in names[np.argsort(-number, kind="stable")].tolist():
        clashes = [0] * len(PALETTE)
        for other, times in beside[name].items():
            if other in chosen:
                clashes[chosen[other]] += times
        best = min(range(len(PALETTE)), key=lambda colour: (clashes[colour], used[colour]))
        chosen[name] = best
        used[best] += int(number[names == name][0])
    found: Numbers = np.array([[chosen.get(name, NONE) for name in row] for row in message.tolist()])
    return found


def _neighbours(message: npt.NDArray[np.int64], *, across: bool) -> dict[int, Counter[int]]:
    """Return how often each two messages stand beside each other, below each other and, if asked, across."""
    beside: dict[int, Counter[int]] = defaultdict(Counter)
    pairs = [(message[:-1], message[1:])]
    if across:
        pairs.append((message[:, :-1], message[:, 1:]))
    for ones, others in pairs:
        for one, other in zip(ones.ravel().tolist(), others.ravel().tolist(), strict=True):
            if one != other and NONE not in (one, other):
                beside[one][other] += 1
                beside[other][one] += 1
    return beside
