"""A language's own order of the integers, as a strip, and the weights of places, as a map of the window."""

from __future__ import annotations

import html

import numpy as np

from spatial_game.language.additive.model import AdditiveModel
from spatial_game.language.additive.regions import order, weights_in_window
from spatial_game.language.players.adding import first_symbol_table

SHOWN = 2
"""The strongest scores, whose weights are drawn."""


def scale(model: AdditiveModel) -> str:
    """Return the integers by their value, the weights of the two strongest scores, and the first symbols."""
    ranked = order(model)
    values = model.values[0]
    largest = float(np.abs(values[ranked]).max()) or 1.0
    strip = "".join(_cell(str(k), values[k] / largest, f"value {values[k]:+.2f}") for k in ranked.tolist())
    weights = weights_in_window(model)
    maps = "".join(_weights(weights[..., score], score) for score in range(min(SHOWN, weights.shape[-1])))
    table = f'<div class="scroll">{first_symbol_table(model).to_html()}</div>'
    return (
        "<h3>The integers by this language's own scale, lowest first</h3>"
        f'<div class="strip">{strip}</div>'
        "<h3>What each place adds to the strongest scores, for an integer of value 1</h3>"
        f'<div class="told">{maps}</div>'
        f"<details><summary>First symbols, and what they say</summary>{table}</details>"
    )


def _weights(weights: np.ndarray, score: int) -> str:
    """Return the weights of one score in the shape of the window."""
    flat = weights.reshape(-1)
    middle, largest = len(flat) // 2, float(np.abs(np.delete(flat, len(flat) // 2)).max()) or 1.0
    cells = "".join(
        '<span class="shade target">?</span>'
        if place == middle
        else _cell(f"{weight:+.2f}", weight / largest, f"score {score + 1}")
        for place, weight in enumerate(flat.tolist())
    )
    columns = weights.shape[-1]
    return f'<div class="weights" style="grid-template-columns:repeat({columns},auto)">{cells}</div>'


def _cell(text: str, depth: float, title: str) -> str:
    """Return a cell whose colour shows a number from -1 (orange) to 1 (blue)."""
    colour = "var(--window-edge)" if depth > 0 else "var(--target-edge)"
    shade = f"background:color-mix(in srgb, {colour} {abs(depth) * 60:.0f}%, transparent)"
    return f'<span class="shade" style="{shade}" title="{html.escape(title)}">{text}</span>'
