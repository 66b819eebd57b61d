"""Plots of a language: functions that draw on a matplotlib axis and return it.

    figure, axis = plt.subplots()
    figures.symbol_usage(axis, counts)

`to_svg` makes an inline SVG of a figure that takes the colour of text from the page around it, so it is
readable on light and on dark pages.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.words import place_in_words
from spatial_game.language.page import Sketch
from spatial_game.language.page.colours import PALETTE, colours
from spatial_game.language.page.map import NONE
from spatial_game.language.players.reading import UNREAD, read_in_words
from spatial_game.tables import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BLUE, ORANGE, GREY = "#4c82c3", "#d9822b", "#8a8a8a"
"""Readable on white and on black."""
SMALL = 9
"""The smallest text, in points."""
_INK = "#010203"  # stands for the page's own colour of text


def to_svg(draw: Callable[[Any], Any], size: tuple[float, float] = (4.6, 3.2), label: str = "") -> str:
    """Draw with `draw(axis)`, and return a figure of this size (in inches) as inline SVG.

    `label` describes it for people who cannot see it. The same drawing gives the same text.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    style: Any = {
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), _INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), _INK),
        **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
        "font.size": 10,
        "svg.fonttype": "none",
        "text.parse_math": False,  # names of the user's own
        "svg.hashsalt": "spatial-game",
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = "\n".join(map(printable, text.getvalue().split("\n")))
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', 'width="100%"', svg, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1)


def accuracy_bars(axis: Axes, bars: Mapping[str, Sequence[tuple[str, float | None]]], chance: float) -> Axes:
    """Draw groups of bars, `{"edge": [("random phrase", 0.83), ("sender", 0.96)], ...}`, and chance."""
    names = list(dict.fromkeys(name for group in bars.values() for name, _ in group))
    colours = [BLUE, ORANGE, GREY, "#5aa469", "#b65fa8"]
    width = 0.8 / max(len(names), 1)
    for i, name in enumerate(names):
        lengths = [dict(group).get(name) or 0.0 for group in bars.values()]
        places = np.arange(len(bars)) + (i - (len(names) - 1) / 2) * width
        axis.barh(places, lengths, width * 0.9, label=name, color=colours[i % len(colours)])
    axis.set_yticks(range(len(bars)), list(bars), fontsize=SMALL)
    axis.set(xlim=(0, 1.02), xlabel="accuracy")
    axis.invert_yaxis()
    _chance(axis.axvline, chance)
    _legend(axis, ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    return axis


def message_flow(axis: Axes, counts: Counts, lexicon: Lexicon, most: int = 12) -> Axes:
    """Draw bands from the most frequent messages (left) to their meanings (right); width shows the share."""
    rows = np.argsort(-counts.message_totals, kind="stable")[:most]
    says = read_in_words(lexicon, counts.messages[rows])
    names = [" ".join(map(str, message)) for message in counts.messages[rows].tolist()]
    flows = [*zip(names, says, counts.message_totals[rows].tolist(), strict=True)]
    gap = 0.02 * sum(width for *_, width in flows)
    right, top = {}, 0.0
    for meaning in dict.fromkeys(meaning for _, meaning, _ in flows):
        height = sum(width for _, said, width in flows if said == meaning)
        right[meaning] = top
        axis.text(1.02, top + height / 2, meaning, va="center", fontsize=SMALL)
        top += height + gap
    left = 0.0
    curve = np.linspace(0, 1, 30)
    smooth = curve**2 * (3 - 2 * curve)
    for message, meaning, width in flows:
        low = left + (right[meaning] - left) * smooth
        colour = GREY if meaning == UNREAD else BLUE
        axis.fill_between(curve, low, low + width, color=colour, alpha=0.6, linewidth=0)
        axis.text(-0.02, left + width / 2, message, ha="right", va="center", fontsize=SMALL)
        left, right[meaning] = left + width + gap, right[meaning] + width
    axis.set(xlim=(-0.35, 2.2))
    axis.invert_yaxis()
    axis.set_axis_off()
    return axis


def language_map(axis: Axes, sketch: Sketch) -> Axes:
    """Draw the map of a sketch: the usual message of each cell, in one of ten colours.

    Neighbours have different colours where that is possible; cells without a message stay empty.
    """
    from matplotlib.colors import ListedColormap

    shown = sketch.phrasebook.map
    numbers = colours(shown.message, shown.ordered)
    square = shown.kind == "square"
    drawn = np.ma.masked_equal(numbers if square else numbers.T, NONE)
    axis.imshow(drawn, cmap=ListedColormap(PALETTE), vmin=-0.5, vmax=len(PALETTE) - 0.5, aspect="auto")
    places = [place_in_words(offset) for offset in shown.offsets]
    if square:
        axis.set(xlabel=f"integer {places[1]}", ylabel=f"integer {places[0]}", aspect="equal")
    else:
        axis.set_yticks(range(len(places)), places, fontsize=SMALL)
        axis.set(xlabel="integer")
    axis.spines[["top", "right", "left", "bottom"]].set_visible(False)
    return axis


def training_curve(
    axis: Axes, episodes: npt.ArrayLike, accuracy: npt.ArrayLike, chance: float, label: str = ""
) -> Axes:
    """Draw the accuracy over the episodes of training."""
    axis.plot(np.asarray(episodes) / 1e6, accuracy, label=label or None)
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))
    if len(axis.lines) == 1:
        _chance(axis.axhline, chance)
    if label:
        _legend(axis)
    return axis


def lines(
    axis: Axes, series: Mapping[str, Mapping[Any, float]], xlabel: str, ylabel: str = "accuracy"
) -> Axes:
    """Draw a line with marks for each series, `{x: y}`."""
    for name, points in series.items():
        axis.plot(list(points), list(points.values()), marker="o", label=name)
    axis.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, 1.02))
    _legend(axis)
    return axis


def _chance(draw_line: Callable[..., Any], chance: float) -> None:
    """Draw the accuracy of a random choice."""
    draw_line(chance, color=_INK, linewidth=0.8, linestyle=":", label=f"chance {chance:.0%}")


def _legend(axis: Axes, **where: Any) -> None:
    """Draw the legend, chance last."""
    handles, labels = axis.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].startswith("chance "))
    ordered = [handles[i] for i in order], [labels[i] for i in order]
    axis.legend(*ordered, frameon=False, fontsize=SMALL, **where)
