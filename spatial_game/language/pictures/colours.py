"""The colours of pictures, on the page and on paper. Colour-blind people tell them apart."""

from __future__ import annotations

import numpy as np

from spatial_game.language.counting.rows import FloatArray, Numbers

PALETTE = (
    "#332288", "#88ccee", "#117733", "#ddcc77", "#cc6677",
    "#44aa99", "#882255", "#999933", "#aa4499", "#f0e442",
)  # fmt: skip
"""Ten colours (Paul Tol's muted scheme, and a yellow)."""
DARK = PALETTE[0], PALETTE[2], PALETTE[6], PALETTE[8]
"""Those on which white letters can be read: the parts of a bar."""
GREY = "#b8b8b8"
"""The colour of symbols beyond the tenth."""
RARER, USUAL, LIKELIER, NEVER = "#2166ac", "#ffffff", "#c2410c", "#cfcfcb"
"""The colours of heat maps, from 8 times rarer to 8 times likelier, and of what never stood together."""


def rgb(colour: str) -> FloatArray:
    """Return the three parts of a colour such as "#88ccee", from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def shaded(colour: str, place: float) -> FloatArray:
    """Return a shade of a colour, from dark (place 0) to light (1)."""
    share = 0.62 * place - 0.12
    return np.asarray(rgb(colour) * (1 - abs(share)) + max(share, 0.0))


def first_colours(symbols: Numbers, nothing: int) -> dict[int, str]:
    """Return colours for the symbols of a map (R, C), so that neighbours differ; those that are most often
    come first, and those beyond the tenth are grey. `nothing` is no symbol."""
    used, index = np.unique(symbols, return_inverse=True)
    index = index.reshape(symbols.shape)
    borders = np.zeros((len(used), len(used)))
    for one, other in ((index[:, :-1], index[:, 1:]), (index[:-1], index[1:])):
        np.add.at(borders, (one.ravel(), other.ravel()), 1)
    borders += borders.T
    parts = np.array([*map(rgb, PALETTE)])
    differ = np.sqrt(((parts[:, None] - parts) ** 2).sum(axis=2))
    found: dict[int, int] = {}
    order = [i for i in np.argsort(-np.bincount(index.ravel()), kind="stable").tolist() if used[i] != nothing]
    for number in order[: len(PALETTE)]:
        free = [each for each in range(len(PALETTE)) if each not in found.values()]
        near = {each: borders[number, other] for other, each in found.items()}
        found[number] = max(free, key=lambda each: sum(near[n] * differ[each, n] for n in near))
    coloured = {int(used[number]): PALETTE[each] for number, each in found.items()}
    return coloured | {int(used[number]): GREY for number in sorted(order[len(PALETTE) :])}
