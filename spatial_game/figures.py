"""Plots of a language: functions that draw on a matplotlib axis and return it.

    figure, axis = plt.subplots()
    figures.symbol_usage(axis, counts)

`to_svg` makes an inline SVG of a figure that takes the colour of text from the page around it, so it is
readable on light and on dark pages. Needs matplotlib: `pip install -e '.[figures]'`.
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
from spatial_game.language.dictionary.referents import Edge, IntegerAt, parts_of
from spatial_game.language.dictionary.words import set_in_short
from spatial_game.language.players.decode import Decoder
from spatial_game.tables import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spatial_game.studies import NoiseStudy

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


def symbol_usage(axis: Axes, counts: Counts) -> Axes:
    """Draw how often each symbol is sent in each slot, as shares of the episodes."""
    shares = np.stack(
        [
            np.bincount(slot, weights=counts.message_totals, minlength=counts.config.vocab_size)
            for slot in counts.messages.T
        ]
    ) / max(counts.total, 1)
    image = axis.imshow(shares, aspect="auto", cmap="viridis", vmin=0)
    axis.set(xlabel="symbol", ylabel="slot of the message", yticks=range(len(shares)))
    axis.figure.colorbar(image, ax=axis, label="share of episodes")
    return axis


def npmi_map(axis: Axes, lexicon: Lexicon, most: int = 24) -> Axes:
    """Draw the NPMI of listed whole messages with their meanings: edges, and integers at offsets.

    Each of the `most` used messages has a row, and each edge and offset a column; cells show the integer.
    """
    kinds = ("edge", "integer_at", "conjunction")
    entries = sorted((e for kind in kinds for e in lexicon.of_kind(kind)), key=lambda e: -e.count)
    messages = list(dict.fromkeys(entry.form.symbols for entry in entries))[:most]
    edges = [edge for edge in lexicon.config.edges if edge != "middle"]
    columns: list[str | int] = [*edges, *lexicon.config.offsets]
    values = np.full((max(len(messages), 1), len(columns)), np.nan)  # an empty row, if there is no message
    shown = [(e, part) for e in entries if e.form.symbols in messages for part in parts_of(e.referent)]
    for entry, part in shown:
        place = part.name if isinstance(part, Edge) else part.offset if isinstance(part, IntegerAt) else None
        if place in columns:
            cell = messages.index(entry.form.symbols), columns.index(place)
            values[cell] = entry.npmi
            if isinstance(part, IntegerAt):
                _write(axis, cell, set_in_short(part.values), "white" if entry.npmi > 0.6 else "black")
    image = axis.imshow(values, aspect="auto", cmap="YlGnBu", vmin=0, vmax=1)
    names = [" ".join("?" if symbol is None else str(symbol) for symbol in message) for message in messages]
    axis.set_yticks(range(len(messages)), names, fontsize=SMALL)
    axis.set_xticks(range(len(columns)), [f"{c:+d}" if isinstance(c, int) else c for c in columns])
    axis.tick_params(axis="x", rotation=60)
    axis.set(xlabel="edge, or offset of the integer from the target", ylabel="message")
    axis.figure.colorbar(image, ax=axis, label="NPMI", location="top")
    return axis


def grid_map(
    axis: Axes, values: npt.ArrayLike, thresholds: Sequence[float], tops: Sequence[int], label: str
) -> Axes:
    """Draw a share for each cell of the grid: rows `tops` (t_n), columns `thresholds` (t_c); NaN for none."""
    _shares(axis, values, [str(n) for n in tops], [f"{t:g}" for t in thresholds], label)
    axis.set(xlabel="NPMI threshold (t_c)", ylabel="integers of a form (t_n)")
    return axis


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


def cross_play(axis: Axes, accuracy: npt.ArrayLike, names: Sequence[str]) -> Axes:
    """Draw the accuracy of each sender (row) with each receiver (column).

    Long names would leave no room for the cells, so only their two ends are shown.
    """
    short = [name if len(name) <= 24 else f"{name[:11]}…{name[-12:]}" for name in names]
    _shares(axis, accuracy, short, short, "accuracy")
    axis.tick_params(axis="x", rotation=60)
    axis.set(xlabel="receiver", ylabel="sender")
    return axis


def message_flow(axis: Axes, counts: Counts, lexicon: Lexicon, most: int = 12) -> Axes:
    """Draw bands from the most frequent messages (left) to their meanings (right); width shows the share."""
    rows = np.argsort(-counts.message_totals, kind="stable")[:most]
    decoder, flows = Decoder(lexicon), []
    for row in rows.tolist():
        message = " ".join(map(str, counts.messages[row].tolist()))
        readings = decoder.read(counts.messages[row])
        says = readings[0].meaning if readings else _UNREAD
        flows.append((message, says, int(counts.message_totals[row])))
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
        colour = GREY if meaning == _UNREAD else BLUE
        axis.fill_between(curve, low, low + width, color=colour, alpha=0.6, linewidth=0)
        axis.text(-0.02, left + width / 2, message, ha="right", va="center", fontsize=SMALL)
        left, right[meaning] = left + width + gap, right[meaning] + width
    axis.set(xlim=(-0.35, 2.2))
    axis.invert_yaxis()
    axis.set_axis_off()
    return axis


_UNREAD = "not in the dictionary"


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


def noise_curve(axis: Axes, studies: Mapping[str, NoiseStudy], chance: float) -> Axes:
    """Draw each pair's accuracy, with 95% intervals, by the probability that a symbol is replaced."""
    for name, study in studies.items():
        rates = list(study.by_rate)
        values = [part.accuracy for part in study.by_rate.values()]
        low, high = zip(*(part.interval for part in study.by_rate.values()), strict=True)
        axis.plot(rates, values, marker="o", markersize=3, label=name)
        axis.fill_between(rates, low, high, alpha=0.25, linewidth=0)
    axis.set(xlabel="probability that a symbol is replaced", ylabel="accuracy", ylim=(0, 1.02))
    _chance(axis.axhline, chance)
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


def _shares(
    axis: Axes, values: npt.ArrayLike, rows: Sequence[str], columns: Sequence[str], label: str
) -> None:
    """Draw a matrix of shares, with the number in each cell."""
    table = np.asarray(values, dtype=np.float64)
    image = axis.imshow(table, aspect="auto", cmap="viridis", vmin=0, vmax=1)
    axis.set_xticks(range(len(columns)), list(columns))
    axis.set_yticks(range(len(rows)), list(rows))
    for cell, value in np.ndenumerate(table):
        if not np.isnan(value):
            _write(axis, cell, f"{100 * value:.0f}", "white" if value < 0.6 else "black")
    axis.figure.colorbar(image, ax=axis, label=f"{label} (in cells: %)", location="top")


def _write(axis: Axes, cell: tuple[int, ...], text: str, colour: str) -> None:
    """Write into a cell (row, column) of a drawn matrix."""
    axis.text(cell[1], cell[0], text, ha="center", va="center", fontsize=SMALL, color=colour)


def _chance(draw_line: Callable[..., Any], chance: float) -> None:
    """Draw the accuracy of a random choice."""
    draw_line(chance, color=_INK, linewidth=0.8, linestyle=":", label=f"chance {chance:.0%}")


def _legend(axis: Axes, **where: Any) -> None:
    """Draw the legend, chance last."""
    handles, labels = axis.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i].startswith("chance "))
    ordered = [handles[i] for i in order], [labels[i] for i in order]
    axis.legend(*ordered, frameon=False, fontsize=SMALL, **where)
