"""What all figures share: sizes of pages and letters, names of rows and columns, and a key to colours."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from spatial_game.language.counting.rows import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Key: TypeAlias = list[tuple[Sequence[FloatArray], str]]
"""What colours (3,) mean: each text has one colour, several shades, or, without any, a line."""

PAGE, COLUMN = 7.0, 3.5
"""Inches: the widths of a page and of one of its two columns."""
HIGH = 9.0
"""Inches: the height of a page."""
TITLE, TEXT, SMALL = 8.0, 7.0, 5.5
"""Points: the sizes of letters."""
MARGIN = 0.5
"""Inches beside a picture, for the names of its rows."""
CHARACTER = 0.055
"""Inches: the width of a letter of `TEXT`."""
LABELS = 12
"""Names of rows, or upright ones of columns, that fit into an inch."""
LINES = 2
"""Lines of names that do not fit into one."""
FEW = 12
"""Names up to this number stand on an axis as they are; of integers by size, about this number are named."""
_PATCH = 0.55  # inches: a colour of a key, and the spaces around it
_LINE = 9  # letters in a line of a name of one of few columns


def empty_figure(width: float, height: float) -> Figure:
    """Return a figure of this size in inches."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    return Figure(figsize=(width, height), layout="constrained")


def in_order_of_size(names: Sequence[str]) -> bool:
    """Return whether names are integers by size, of which some are enough on an axis."""
    return len(names) > FEW and list(names) == [str(i) for i in range(len(names))]


def name_cells(axes: Axes, columns: Sequence[str], rows: Sequence[str], width: float, height: float) -> None:
    """Name columns and rows: every fifth integer or so if they stand by size, otherwise all of them.

    Names that do not fit into one line stand in two, in turn. `width` and `height` are inches.
    """
    few = len(columns) <= FEW
    _set_names(axes.xaxis, [textwrap.fill(name, _LINE) for name in columns] if few else columns, width)
    _set_names(axes.yaxis, rows, height)
    if not few and not in_order_of_size(columns):
        axes.xaxis.set_tick_params(which="both", rotation=90)


def _set_names(axis: Axis, names: Sequence[str], inches: float) -> None:
    """Name the cells along an axis of this length."""
    if in_order_of_size(names):
        lines, step = 1, math.ceil(len(names) / FEW / 5) * 5
    else:
        lines = min(math.ceil(len(names) / (LABELS * inches)), LINES)
        step = math.ceil(len(names) / (lines * LABELS * inches))
    named = range(0, len(names), step)
    longest = max(map(len, names))
    for line in range(lines):
        kind: Literal["major", "minor"] = "minor" if line else "major"
        ticks = named[line::lines]
        size = SMALL if len(names) > 2 * FEW else TEXT
        axis.set_ticks(ticks, [names[i] for i in ticks], minor=line > 0, fontsize=size)
        axis.set_tick_params(which=kind, length=2 + line * (longest + 1) * CHARACTER * 72, pad=1.5, width=0.4)


def add_key(figure: Figure, key: Key) -> None:
    """Write a key below a figure, in as many columns as fit."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    patches = [
        tuple(Patch(facecolor=tuple(one.tolist()), edgecolor="0.6", linewidth=0.3) for one in colours)
        or Line2D([], [], color="black", linewidth=0.5)
        for colours, _ in key
    ]
    shades: dict[Any, Any] = {tuple: HandlerTuple(ndivide=None, pad=0)}
    texts = [text for _, text in key]
    columns = _columns(texts, figure.get_figwidth())
    figure.legend(handles=patches, labels=texts, handler_map=shades, ncols=columns, loc="outside lower left",
                  frameon=False, fontsize=TEXT, handlelength=2.5)  # fmt: skip


def _columns(texts: Sequence[str], width: float) -> int:
    """Return in how many columns the texts of a key fit a figure of this width in inches."""
    columns = len(texts)
    while columns > 1:
        longest = [max(map(len, column)) for column in np.array_split(texts, columns)]
        if columns * _PATCH + CHARACTER * sum(longest) <= width:
            break
        columns -= 1
    return columns
