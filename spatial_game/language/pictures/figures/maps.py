"""The figure of a map, coloured by first symbols and shaded by second ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import distance_transform_edt

from spatial_game.checks import require
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.pictures.colours import GREY, rgb, shaded
from spatial_game.language.pictures.figures import paper
from spatial_game.language.pictures.maps import IMPOSSIBLE, LanguageMap, Maps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALE = 0.35
"""How much of its colour a guess keeps. A line crosses it, too: a pale colour alone looks like a shade."""
_LEAST_NAME = 6.0  # points; a region without room for this has no name
_MOST_LINE = 0.8  # points
_MOST_NAME = 2.2  # points for each inch of a figure


def map_figure(maps: Maps, number: int = 0, width: float | None = None) -> Figure:
    """Return the figure of one of the maps; `width` is in inches, by default a page or a column.

    Raises `ValueError` if there is no such map, as of a language that says nothing of its offsets.
    """
    require(0 <= number < len(maps.maps), f"number must be that of one of {len(maps.maps)} maps", number)
    language_map = maps.maps[number]
    return (_figure_of_pair if language_map.of_pair else _figure_of_single)(maps, language_map, width)


def _figure_of_pair(maps: Maps, language_map: LanguageMap, width: float | None) -> Figure:
    """Return the figure of a map of two offsets: regions of one first symbol, with its name."""
    width = width or (paper.COLUMN if paper.in_order_of_size(language_map.columns) else paper.PAGE)
    figure = paper.empty_figure(width, width + 0.35)
    axes = figure.subplots()
    axes.imshow(map_colours(maps, language_map), aspect="auto", interpolation="nearest", origin="lower")
    firsts, used = _first_symbols(maps, language_map)
    _separate(axes, firsts, width)
    for symbol in used:
        _write_name(axes, firsts == symbol, maps.names[symbol], width)
    key: paper.Key = [
        (_shades(maps, used), "first symbol: colour and name; second symbol: shade"),
        ([rgb("#ffffff")], "white: never, the same integer twice"),
    ]
    paper.name_cells(
        axes, language_map.columns, language_map.rows, width - paper.MARGIN, width - paper.MARGIN
    )
    axes.set_xlabel(language_map.axes[1], fontsize=paper.TITLE)
    axes.set_ylabel(language_map.axes[0], fontsize=paper.TITLE)
    paper.add_key(figure, [*key, *_cross_guesses(axes, language_map)])
    return figure


def _figure_of_single(maps: Maps, language_map: LanguageMap, width: float | None) -> Figure:
    """Return the figure of a map of single offsets: the key names colours, and grey cells have names."""
    width = width or paper.PAGE
    firsts, used = _first_symbols(maps, language_map)
    grey = [symbol for symbol in used if maps.colours[symbol] == GREY]
    row = max(0.25, paper.CHARACTER * (1 + max((len(maps.names[symbol]) for symbol in grey), default=0)))
    figure = paper.empty_figure(width, min(1.4 + row * len(language_map.rows), paper.HIGH))
    axes = figure.subplots()
    axes.imshow(map_colours(maps, language_map), aspect="auto", interpolation="nearest")
    coloured = [symbol for symbol in used if symbol not in grey]
    key: paper.Key = [([shaded(maps.colours[symbol], 0.3)], maps.names[symbol]) for symbol in coloured]
    if grey:
        _name_cells(axes, np.where(np.isin(firsts, grey), firsts, IMPOSSIBLE), maps.names)
        key.append(([rgb(GREY)], "others, with their names"))
    key += [(_shades(maps, used), "second symbol: shade"), ([rgb("#ffffff")], "white: nothing says this")]
    paper.name_cells(axes, language_map.columns, language_map.rows, width - 2 * paper.MARGIN, paper.HIGH)
    axes.set_xlabel(language_map.axes[1], fontsize=paper.TITLE)
    paper.add_key(figure, [*key, *_cross_guesses(axes, language_map)])
    return figure


def _first_symbols(maps: Maps, language_map: LanguageMap) -> tuple[Numbers, list[int]]:
    """Return the first symbols (R, C) of a map, and the different ones in the order of colours."""
    firsts = language_map.symbols(maps.messages, 0)
    return firsts, [symbol for symbol in maps.colours if (firsts == symbol).any()]


# --- Colours ------------------------------------------------------------------------------------------------


def map_colours(maps: Maps, language_map: LanguageMap) -> FloatArray:
    """Return the colours (R, C, 3) of a map, white where it has no message."""
    found = np.ones((*language_map.best.shape, 3))
    for row, column in np.argwhere(language_map.best != IMPOSSIBLE).tolist():
        message = maps.messages[language_map.best[row, column]].tolist()
        seconds = maps.seconds.get(message[0], [])
        lightness = seconds.index(message[1]) / (len(seconds) - 1) if len(seconds) > 1 else 0.3
        colour = shaded(maps.colours.get(message[0], GREY), lightness)
        found[row, column] = 1 - (1 - colour) * (PALE if language_map.guessed[row, column] else 1)
    return found


def _shades(maps: Maps, used: Sequence[int]) -> list[FloatArray]:
    """Return shades of the first colour that is used."""
    colour = maps.colours[used[0]] if used else GREY
    return [shaded(colour, lightness) for lightness in (0, 0.25, 0.5, 0.75, 1)]


# --- Lines and names on a map -------------------------------------------------------------------------------


def _separate(axes: Axes, firsts: Numbers, width: float) -> None:
    """Draw white lines between different first symbols, in a square map of this width in inches."""
    from matplotlib.collections import LineCollection

    rows, columns = np.nonzero(firsts[:, 1:] != firsts[:, :-1])
    lines = [[(c + 0.5, r - 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    rows, columns = np.nonzero(firsts[1:] != firsts[:-1])
    lines += [[(c - 0.5, r + 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    points = min(_MOST_LINE, 0.1 * 72 * width / len(firsts))
    axes.add_collection(LineCollection(lines, colors="white", linewidths=points))


def _write_name(axes: Axes, region: Mask, name: str, width: float) -> None:
    """Write a name where a region (R, C) of a square map has most room, if there is enough.

    A long name needs more room beside it than above it: distances along a row count less.
    """
    wide = max(1.0, len(name) / 2)
    room = distance_transform_edt(np.pad(region, 1), sampling=(1, 1 / wide))[1:-1, 1:-1]
    best = np.argwhere(room == room.max())
    row, column = best[len(best) // 2].tolist()
    rows = 2 * room.max() - 1  # of the region, as high as the name may be
    points = min(0.8 * rows * 72 * width / len(region), _MOST_NAME * width)
    if points >= _LEAST_NAME:
        from matplotlib.patheffects import withStroke

        axes.text(column, row, name, ha="center", va="center", color="white", weight="bold", fontsize=points,
                  path_effects=[withStroke(linewidth=1.5, foreground="black")])  # fmt: skip


def _name_cells(axes: Axes, symbols: Numbers, names: Sequence[str]) -> None:
    """Write upright names into cells (R, C), one for neighbours in a row that are the same."""
    for row, of_row in enumerate(symbols.tolist()):
        column = 0
        for symbol, group in itertools.groupby(of_row):
            size = len([*group])
            if symbol != IMPOSSIBLE:
                axes.text(column + size / 2 - 0.5, row, names[symbol], rotation=90, ha="center", va="center",
                          fontsize=paper.SMALL)  # fmt: skip
            column += size


def _cross_guesses(axes: Axes, language_map: LanguageMap) -> paper.Key:
    """Draw a diagonal line through the guesses of a map, and return what the key says of them."""
    from matplotlib.collections import LineCollection

    guesses = np.argwhere(language_map.guessed).tolist()
    lines = [[(column - 0.4, row - 0.4), (column + 0.4, row + 0.4)] for row, column in guesses]
    if lines:
        axes.add_collection(LineCollection(lines, colors="black", linewidths=0.5))
    return [([], "crossed: a guess")] if lines else []
