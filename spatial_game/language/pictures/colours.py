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
"""Those on which white text can be read: the parts of a bar."""
GREY = "#b8b8b8"
"""The colour of symbols beyond the tenth."""
BAR = "#767670"
"""The colour of bars that are about no symbol: `--line` of the page."""
RARER, USUAL, LIKELIER, NEVER = "#67a9cf", "#ffffff", "#c2410c", "#cfcfcb"
"""The colours of heat maps, from 8 times rarer to 8 times likelier, and of what never stood together.

Likelier is the darkest, so that it also stands out in grey."""
MOST_LIFT = 3.0
"""The lift, in bits, that has the strongest colour: 8 times."""


def rgb(colour: str) -> FloatArray:
    """Return the three parts of a colour such as "#88ccee", from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def shaded(colour: str, lightness: float) -> FloatArray:
    """Return a shade of a colour, from dark (0) to light (1)."""
    white = 0.62 * lightness - 0.12  # a negative share is one of black
    return np.asarray(rgb(colour) * (1 - abs(white)) + max(white, 0.0))


def lift_colours(lift: FloatArray) -> FloatArray:
    """Return the colours (..., 3) of how much likelier something is, in bits (...)."""
    strength = np.minimum(np.abs(np.nan_to_num(lift)) / MOST_LIFT, 1)[..., None]
    end = np.where(lift[..., None] < 0, rgb(RARER), rgb(LIKELIER))
    return np.where(np.isnan(lift)[..., None], rgb(NEVER), rgb(USUAL) + strength * (end - rgb(USUAL)))


def first_colours(symbols: Numbers, nothing: int) -> dict[int, str]:
    """Return colours for the symbols of a map (R, C): those that are most often come first.

    Symbol 0 has the first colour, symbol 10 as well, so a symbol mostly keeps its colour in maps of other
    samples. If two of the ten most frequent symbols share a colour, the later one gets a free one. Those
    beyond the tenth are grey. `nothing` is no symbol.
    """
    used, often = np.unique(symbols[symbols != nothing], return_counts=True)
    order = used[np.argsort(-often, kind="stable")].tolist()
    coloured = sorted(order[: len(PALETTE)])
    own = {symbol % len(PALETTE): symbol for symbol in reversed(coloured)}
    others = [symbol for symbol in coloured if symbol not in own.values()]
    free = [number for number in range(len(PALETTE)) if number not in own]
    found = {symbol: number for number, symbol in own.items()} | dict(zip(others, free, strict=False))
    return {symbol: PALETTE[found[symbol]] if symbol in found else GREY for symbol in order}
