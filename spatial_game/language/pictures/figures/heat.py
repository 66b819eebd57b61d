"""The figures of heat maps: a table, or, where columns are cells of a grid, a small grid for each symbol."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spatial_game.checks import require
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.pictures.colours import MOST_LIFT, NEVER, lift_colours, rgb
from spatial_game.language.pictures.figures import paper
from spatial_game.language.pictures.heat import HeatMap
from spatial_game.language.wording import listed, variable_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALIKE = 0.9
"""Heat maps whose colours have at least this correlation are drawn once."""
_ROW = 0.1  # inches: a row of a table, or of a small grid
_AROUND = 0.7  # inches: the title of a table, the names of its columns and the title of their axis
_ABOVE = 0.35  # inches: the title of small grids, and the name of the first one
_KEY = 0.3  # inches: what colours mean
_ACROSS = 60  # cells of small grids side by side
_LONGEST = 120  # letters of the names of symbols that share a small grid


def heat_figures(heat_maps: Sequence[HeatMap], dictionary: Dictionary, slot: int) -> list[Figure]:
    """Return the figures of the heat maps of a slot, counted from 0: one, or as many as pages are needed.

    Heat maps that are much the same are drawn once. Raises `ValueError` for a slot without heat maps, as of a
    language whose symbols say nothing there.
    """
    of_slot = [each for each in heat_maps if each.slot == slot]
    slots = sorted({each.slot for each in heat_maps})
    require(bool(of_slot), f"slot must be one that has heat maps, of {slots}", slot)
    pages: list[list[list[_Panel]]] = []
    room = 0.0
    for row in _in_rows(_panels(of_slot)):
        height = max(_height(panel.heat_map) for panel in row)
        if height > room:
            pages.append([])
            room = paper.HIGH - _KEY
        pages[-1].append(row)
        room -= height
    return [_page(rows, dictionary) for rows in pages]


class _Panel(NamedTuple):
    """A heat map that is drawn, and others that are much the same."""

    heat_map: HeatMap
    alike: list[HeatMap]


def _panels(heat_maps: Sequence[HeatMap]) -> list[_Panel]:
    """Return the panels of the heat maps of a slot."""
    panels: list[_Panel] = []
    for each in heat_maps:
        for panel in panels:
            if _are_alike(panel.heat_map, each):
                panel.alike.append(each)
                break
        else:
            panels.append(_Panel(each, []))
    return panels


def _are_alike(one: HeatMap, other: HeatMap) -> bool:
    """Whether two heat maps have the same symbols and values, and much the same colours."""
    if one.values != other.values or one.symbols.tolist() != other.symbols.tolist():
        return False
    lifts = [np.nan_to_num(each.lift, nan=-MOST_LIFT).clip(-MOST_LIFT, MOST_LIFT) for each in (one, other)]
    return bool(np.corrcoef(lifts[0].ravel(), lifts[1].ravel())[0, 1] >= ALIKE)


def _in_rows(panels: Sequence[_Panel]) -> list[list[_Panel]]:
    """Return panels in rows: two side by side, but wide ones in a row of their own."""
    rows: list[list[_Panel]] = []
    for panel in panels:
        if rows and len(rows[-1]) == 1 and all(_is_half(each.heat_map) for each in (panel, *rows[-1])):
            rows[-1].append(panel)
        else:
            rows.append([panel])
    return rows


def _is_half(heat_map: HeatMap) -> bool:
    """Whether half the width of a page is enough for a heat map."""
    fits = len(heat_map.values) <= paper.LINES * paper.LABELS * (paper.PAGE / 2 - paper.MARGIN)
    return heat_map.coordinates is None and (fits or paper.in_order_of_size(heat_map.values))


def _height(heat_map: HeatMap) -> float:
    """Return how high a heat map is, in inches."""
    if heat_map.coordinates is None:
        height = _ROW * len(heat_map.symbols) + _AROUND
    else:
        last = _small_grids(heat_map, heat_map.coordinates)[-1]
        height = _ROW * float(last.end[0]) + _ABOVE
    return min(height, paper.HIGH - _KEY)


# --- Drawing ------------------------------------------------------------------------------------------------


def _page(rows: Sequence[Sequence[_Panel]], dictionary: Dictionary) -> Figure:
    """Return the figure of rows of panels."""
    heights = [max(_height(panel.heat_map) for panel in row) for row in rows]
    panels = [panel for row in rows for panel in row]
    alone = len(panels) == 1 and _is_half(panels[0].heat_map)
    figure = paper.empty_figure(paper.COLUMN if alone else paper.PAGE, sum(heights) + _KEY)
    grid = figure.add_gridspec(len(rows), 1 if alone else 2, height_ratios=heights)
    for number, row in enumerate(rows):
        for column, panel in enumerate(row):
            half = _is_half(panel.heat_map)
            _draw(figure.add_subplot(grid[number, column if half else slice(None)]), panel, dictionary)
    shades = lift_colours(np.array([-MOST_LIFT, -MOST_LIFT / 2, 0, MOST_LIFT / 2, MOST_LIFT]))
    times = round(2**MOST_LIFT)
    lifts = [*shades], f"{times} times rarer, as usual, {times} times likelier"
    paper.add_key(figure, [lifts, ([rgb(NEVER)], "never")])
    return figure


def _draw(axes: Axes, panel: _Panel, dictionary: Dictionary) -> None:
    """Draw a panel with its title."""
    heat_map, texts = panel.heat_map, variable_texts(dictionary.config)
    alike = listed([texts[each.variable] for each in panel.alike], " and ")
    name = texts[heat_map.variable]
    title = f"{name}: {heat_map.bits:.1f} bits{f' (much the same: {alike})' * bool(alike)}"
    axes.set_title(textwrap.fill(title, 52), fontsize=paper.TITLE, loc="left")
    symbols = [dictionary.symbol_names[symbol] for symbol in heat_map.symbols.tolist()]
    if heat_map.coordinates is not None:
        _draw_small_grids(axes, heat_map, heat_map.coordinates, symbols)
        return
    axes.imshow(lift_colours(heat_map.lift), aspect="auto", interpolation="nearest")
    axes.set_ylabel(f"symbol in slot {heat_map.slot + 1}", fontsize=paper.TEXT)
    if heat_map.variable < len(dictionary.config.offsets):
        axes.set_xlabel(f"the integer {name}", fontsize=paper.TEXT)
    width = paper.PAGE / 2 if _is_half(heat_map) else paper.PAGE
    paper.name_cells(axes, heat_map.values, symbols, width - paper.MARGIN, _height(heat_map) - _AROUND)


class _SmallGrid(NamedTuple):
    """Where a small grid stands, and what it shows."""

    start: Numbers  # (2,), its first row and column
    end: Numbers  # (2,), its last ones, with a margin
    rows: list[int]
    """Those of the heat map: one symbol, or all for which it would look the same."""


def _small_grids(heat_map: HeatMap, coordinates: Numbers) -> list[_SmallGrid]:
    """Return the small grids of a heat map: first those of one symbol, then those of several, one a line."""
    rows_of: dict[bytes, list[int]] = {}
    for row, lift in enumerate(np.nan_to_num(heat_map.lift, nan=-np.inf)):
        rows_of.setdefault(np.round(lift, 1).tobytes(), []).append(row)
    size = coordinates.max(axis=0) + 3
    across = max(1, _ACROSS // int(size[1]))
    found, number = [], 0
    for rows in sorted(rows_of.values(), key=lambda rows: len(rows) > 1):
        if len(rows) > 1:
            number += -number % across
        start = np.array(divmod(number, across)) * size + 1
        found.append(_SmallGrid(start, start + size, rows))
        number += across if len(rows) > 1 else 1
    return found


def _draw_small_grids(axes: Axes, heat_map: HeatMap, coordinates: Numbers, symbols: Sequence[str]) -> None:
    """Draw small grids with the names of their symbols above them."""
    grids = _small_grids(heat_map, coordinates)
    table = np.ones((*np.max([grid.end for grid in grids], axis=0), 3))
    for grid in grids:
        rows, columns = (grid.start + coordinates).T
        table[rows, columns] = lift_colours(heat_map.lift[grid.rows[0]])
        names = textwrap.shorten(", ".join(symbols[row] for row in grid.rows), _LONGEST, placeholder=" ...")
        axes.text(grid.start[1] - 0.5, grid.start[0] - 1, names, fontsize=paper.TEXT, va="center")
    axes.imshow(table, aspect="equal", interpolation="nearest")
    axes.set_axis_off()
