"""The bits of each place as bars, drawn in the shape of the window."""

from __future__ import annotations

import html
from itertools import product

from spatial_game.config import GameConfig
from spatial_game.language.dictionary.words import place_in_words
from spatial_game.language.page.sketch import Sketch


def bars(sketch: Sketch) -> str:
    """Return the window around the target, with what messages tell of each cell and of the edge."""
    config, radius = sketch.config, sketch.config.window_radius
    axes = len(config.shape)
    cells = list(product(range(-radius, radius + 1), repeat=axes))
    width = 2 * radius + 1
    drawn = [_cell(sketch, cell) for cell in cells]
    per_layer = width if axes == 1 else width**2
    layers = [drawn[start : start + per_layer] for start in range(0, len(drawn), per_layer)]
    style = f"grid-template-columns:repeat({width},minmax(0,1fr))"
    grids = "".join(f'<div class="window" style="{style}">{"".join(layer)}</div>' for layer in layers)
    edge = _bar("near an end", sketch.information.whole[-1], sketch.information.entropy[-1], "edge")
    return (
        f'<div class="told axes-{min(axes, 3)}">{grids}{edge}</div>'
        '<p class="quiet">Each bar is full if messages tell everything about its place. '
        "The figures are bits an episode: told, of what there is to tell.</p>"
    )


def _cell(sketch: Sketch, cell: tuple[int, ...]) -> str:
    if not any(cell):
        return '<div class="place target">?</div>'
    offset = cell[0] if len(cell) == 1 else cell
    place = sketch.config.offsets.index(offset)
    information = sketch.information
    return _bar(place_in_words(offset), information.whole[place], information.entropy[place])


def _bar(name: str, bits: float, there: float, kind: str = "") -> str:
    share = min(max(bits / there, 0.0), 1.0) if there > 0 else 0.0
    return (
        f'<div class="place {kind}"><span class="bar"><span style="height:{share:.0%}"></span></span>'
        f'<b>{max(min(bits, there), 0):.2f}</b><span class="quiet">of {there:.2f}</span>'
        f'<span class="quiet">{html.escape(name)}</span></div>'
    )


def clipped(config: GameConfig) -> str:
    """Return a picture of a window at an end of a sequence; "" for other games."""
    if len(config.shape) > 1 or config.num_hidden:
        return ""
    names = [place_in_words(step) if step else "the target" for step in range(-1, config.window_size - 1)]
    cells = "".join(
        f'<div class="place{"" if step else " target"}">{"" if step else "?"}'
        f'<span class="quiet">{html.escape(name)}</span></div>'
        for step, name in zip(range(-1, config.window_size - 1), names, strict=True)
    )
    style = f"grid-template-columns:repeat({config.window_size},minmax(0,1fr))"
    about = (
        "The window never leaves the sequence. If the target is the second, the window begins at the first "
        "integer, and shows more on the other side:"
    )
    return f'<p>{about}</p><div class="told"><div class="window" style="{style}">{cells}</div></div>'
