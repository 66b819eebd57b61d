"""The pictures of a language as figures of Matplotlib, for papers and notebooks.

They are as wide as a page of two columns (7 inches), or as one column where that is enough, at most 9 inches
high, and have letters of 5.5 points at least.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.ndimage import distance_transform_edt

from spatial_game.checks import require
from spatial_game.files import replacing
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.pictures.chain import Chain
from spatial_game.language.pictures.colours import BAR, DARK, GREY, LIKELIER, NEVER, RARER, USUAL, rgb, shaded
from spatial_game.language.pictures.heat import HeatMap
from spatial_game.language.pictures.maps import IMPOSSIBLE, LanguageMap, Maps, told_offsets
from spatial_game.language.wording import variable_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
DOTS = 300
"""The dots an inch of a PNG."""
PAGE, COLUMN = 7.0, 3.5
"""Inches: the widths of a page and of one of its two columns."""
HIGH = 9.0
"""Inches: the height of a page."""
MOST_LIFT = 3
"""The lift, in bits, that has the strongest colour: 8 times."""
PALE = 0.35
"""How much of its colour a guess keeps. A line crosses it, too: a pale colour alone looks like a shade."""
_TITLE, _TEXT, _SMALL = 8, 7, 5.5  # points
_ROW = 0.1  # inches: a row of a heat map
_AROUND = 0.7  # inches: its title, the names of its columns and the title of their axis
_ABOVE = 0.35  # inches: the title of boards, and the name of the first one
_KEY = 0.3  # inches: what colours mean
_LEAST_NAME = 6.0  # points
_FEWEST_LABELS = 12
_LABELS = 12  # that fit into an inch
_STAGGERED = 2  # lines of names that do not fit into one
_MARGIN = 0.5  # inches, beside a picture: the names of its rows
_CHARACTER = 0.055  # inches, the width of one
_ACROSS = 60  # cells of boards side by side


def map_figure(maps: Maps, number: int = 0, width: float | None = None) -> Figure:
    """Return the figure of one of the maps, coloured by first symbols and shaded by second ones.

    Raises `ValueError` if there is no such map, as of a language that says nothing of its offsets.
    """
    require(0 <= number < len(maps.maps), f"number must be that of one of {len(maps.maps)} maps", number)
    shown = maps.maps[number]
    in_order = _by_size(shown.columns) and shown.of_pair
    width = width or (COLUMN if in_order else PAGE)
    firsts = shown.symbols(maps.messages, 0)
    used = [symbol for symbol in maps.colours if (firsts == symbol).any()]
    grey = [symbol for symbol in used if maps.colours[symbol] == GREY]
    row = max(0.25, _CHARACTER * (1 + max((len(maps.names[symbol]) for symbol in grey), default=0)))
    figure = _empty(width, width + 0.35 if shown.of_pair else min(1.4 + row * len(shown.rows), HIGH))
    axis = figure.subplots()
    origin: Literal["lower", "upper"] = "lower" if shown.of_pair else "upper"
    axis.imshow(map_colours(maps, shown), aspect="auto", interpolation="nearest", origin=origin)
    colour = maps.colours[used[0]] if used else GREY
    shades = [shaded(colour, place) for place in (0, 0.25, 0.5, 0.75, 1)]
    key: list[tuple[Sequence[Any], str]]
    if shown.of_pair:
        _borders(axis, firsts)
        for symbol in used:
            _name(axis, firsts == symbol, maps.names[symbol], width)
        key = [(shades, "first symbol: colour and name; second symbol: shade")]
        key += [(["white"], "white: never, the same integer twice")]
    else:
        of_own = [symbol for symbol in used if symbol not in grey]
        key = [([shaded(maps.colours[symbol], 0.3)], maps.names[symbol]) for symbol in of_own]
        if grey:
            _name_cells(axis, np.where(np.isin(firsts, grey), firsts, IMPOSSIBLE), maps.names)
            key += [([GREY], "others, with their names")]
        key += [(shades, "second symbol: shade"), (["white"], "white: nothing says this")]
    if shown.guessed.any():
        _cross(axis, shown.guessed)
        key += [((), "crossed: a guess")]
    inside = width - (_MARGIN if shown.of_pair else 2 * _MARGIN)
    _ticks(axis, shown.columns, shown.rows, inside, inside if shown.of_pair else HIGH)
    axis.set_xlabel(shown.axes[1], fontsize=_TITLE)
    axis.set_ylabel(shown.axes[0] if shown.of_pair else "", fontsize=_TITLE)
    _legend(figure, key, 1 if width < PAGE else 3 if shown.of_pair else 7)
    return figure


def map_colours(maps: Maps, shown: LanguageMap) -> FloatArray:
    """Return the colours (R, C, 3) of a map, white where both integers are the same."""
    found = np.ones((*shown.best.shape, 3))
    for row, column in np.argwhere(shown.best != IMPOSSIBLE).tolist():
        message = maps.messages[shown.best[row, column]].tolist()
        seconds = maps.seconds.get(message[0], [])
        place = seconds.index(message[1]) / (len(seconds) - 1) if len(seconds) > 1 else 0.3
        colour = shaded(maps.colours.get(message[0], GREY), place)
        found[row, column] = 1 - (1 - colour) * (PALE if shown.guessed[row, column] else 1)
    return found


def heat_figures(heat_maps: Sequence[HeatMap], dictionary: Dictionary, slot: int) -> list[Figure]:
    """Return the figures of the heat maps of a slot, counted from 0: one, or as many as pages are needed.

    Places of a grid stand on boards. Raises `ValueError` for a slot without heat maps, as of a language whose
    symbols say nothing there.
    """
    panels = [each for each in heat_maps if each.slot == slot]
    slots = sorted({each.slot for each in heat_maps})
    require(bool(panels), f"slot must be one that has heat maps, of {slots}", slot)
    pages: list[list[list[HeatMap]]] = []
    room = 0.0
    for row in _in_rows(panels):
        height = _height(row)
        if height > room:
            pages.append([])
            room = HIGH - _KEY
        pages[-1].append(row)
        room -= height
    return [_heat_page(rows, dictionary) for rows in pages]


def _heat_page(rows: Sequence[Sequence[HeatMap]], dictionary: Dictionary) -> Figure:
    """Return the figure of rows of heat maps."""
    [[first, *others], *more] = rows
    few = first.places is None and (_by_size(first.values) or len(first.values) <= _FEWEST_LABELS)
    narrow = few and not others and not more
    width, heights = COLUMN if narrow else PAGE, [_height(row) for row in rows]
    figure = _empty(width, sum(heights) + _KEY)
    grid = figure.add_gridspec(len(rows), 2, height_ratios=heights)
    for number, row in enumerate(rows):
        for column, each in enumerate(row):
            place = grid[number, column] if len(row) > 1 else grid[number, :]
            _panel(figure.add_subplot(place), each, dictionary, width / len(row))
    shades = lift_colours(np.array([-MOST_LIFT, -MOST_LIFT / 2, 0, MOST_LIFT / 2, MOST_LIFT]))
    times = 2**MOST_LIFT
    key = [(tuple(shades), f"{times} times rarer, as usual, {times} times likelier"), ((NEVER,), "never")]
    _legend(figure, key, 1 if width < PAGE else 2)
    return figure


def _panel(axis: Axes, shown: HeatMap, dictionary: Dictionary, width: float) -> None:
    """Draw one heat map."""
    name = variable_texts(dictionary.config)[shown.variable]
    symbols = [dictionary.symbol_names[symbol] for symbol in shown.symbols.tolist()]
    axis.set_title(f"{name}: {shown.bits:.1f} bits", fontsize=_TITLE, loc="left")
    if shown.places is None:
        axis.imshow(lift_colours(shown.lift), aspect="auto", interpolation="nearest")
        axis.set_ylabel(f"symbol in slot {shown.slot + 1}", fontsize=_TEXT)
        if shown.variable < len(dictionary.config.offsets):
            axis.set_xlabel(f"the integer {name}", fontsize=_TEXT)
        _ticks(axis, shown.values, symbols, width - _MARGIN, _height([shown]) - _AROUND)
    else:
        table, starts = _boards(shown, shown.places)
        axis.imshow(table, aspect="equal", interpolation="nearest")
        axis.set_axis_off()
        for symbol, (row, column) in zip(symbols, starts, strict=True):
            axis.text(column - 0.5, row - 1, symbol, fontsize=_TEXT, va="center")


def lift_colours(lift: FloatArray) -> FloatArray:
    """Return the colours (..., 3) of how much likelier something is, in bits (...)."""
    share = np.minimum(np.abs(np.nan_to_num(lift)) / MOST_LIFT, 1)[..., None]
    end = np.where(lift[..., None] < 0, rgb(RARER), rgb(LIKELIER))
    return np.where(np.isnan(lift)[..., None], rgb(NEVER), rgb(USUAL) + share * (end - rgb(USUAL)))


def chain_figure(chain: Chain, dictionary: Dictionary) -> Figure:
    """Return the figure of the chain of symbols and of the bits by offset, as bars on one scale."""
    bits, view = dictionary.bits, len(dictionary.config.offsets)
    variables = [*told_offsets(dictionary), *([view] if view in dictionary.informative else [])]
    names = ["symbols, in turn", *(variable_texts(dictionary.config)[each] for each in variables)]
    figure = _empty(COLUMN, 0.9 + 0.2 * len(names))
    axis = figure.subplots()
    most = [bits.entropy, *(bits.possible_by_variable[each] for each in variables)]
    axis.barh(names, most, color="none", edgecolor="0.4", linewidth=0.6)
    ends = np.minimum([0.0, *chain.bits], bits.entropy)
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        axis.barh(names[0], end - start, left=start, color=DARK[number % len(DARK)])
    told = [
        min(max(bits.messages_by_variable[each], 0.0), bits.possible_by_variable[each]) for each in variables
    ]
    axis.barh(names[1:], told, color=BAR)
    axis.invert_yaxis()
    axis.tick_params(labelsize=_TEXT)
    axis.set_xlabel("bits an episode (outline: the most possible)", fontsize=_TEXT)
    key = [((DARK[number % len(DARK)],), f"symbol {number + 1}") for number in range(len(ends) - 1)]
    _legend(figure, key, 4)
    return figure


def write_figures(folder: Path, figures: Mapping[str, Figure], signature: str, command: str) -> list[Path]:
    """Write figures by their names as SVG and PNG, and return the files.

    Their metadata have the signature and the command. Text in an SVG is text.
    """
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    description = " | ".join(filter(None, (signature, command)))
    programs: dict[str, dict[str, Any]] = {
        "svg": {"Creator": "spatial-game", "Date": None},
        "png": {"Software": "spatial-game"},
    }
    files = []
    for name, figure in figures.items():
        for form in FORMATS:
            metadata = {"Title": name, "Description": description, **programs[form]}
            files.append(folder / f"{name}.{form}")
            with (
                replacing(files[-1]) as temporary,
                rc_context({"svg.hashsalt": "spatial-game", "svg.fonttype": "none"}),
            ):
                figure.savefig(temporary, format=form, dpi=DOTS, metadata=metadata)
    return files


def _empty(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure  # here, as it loads slowly

    return Figure(figsize=(width, height), layout="constrained")


def _in_rows(panels: Sequence[HeatMap]) -> list[list[HeatMap]]:
    """Return panels in rows: two side by side, but boards and many integers in a row of their own."""
    rows: list[list[HeatMap]] = []
    for each in panels:
        if rows and len(rows[-1]) == 1 and all(map(_is_half, (each, *rows[-1]))):
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def _is_half(shown: HeatMap) -> bool:
    """Whether half the width of a page is enough for a heat map."""
    fits = _by_size(shown.values) or len(shown.values) <= _STAGGERED * _LABELS * (PAGE / 2 - _MARGIN)
    return shown.places is None and fits


def _height(row: Sequence[HeatMap]) -> float:
    """Return how high a row of heat maps is, in inches."""
    heights = (
        _ROW * len(each.symbols) + _AROUND
        if each.places is None
        else _ROW * float(np.add(*_board_starts(each, each.places))[-1, 0]) + _ABOVE
        for each in row
    )
    return min(max(heights), HIGH - _KEY)


def _legend(figure: Figure, key: Sequence[tuple[Sequence[Any], str]], columns: int) -> None:
    """Say below a figure what its colours mean: each text has one colour, several shades, or a line."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    patches: list[Any] = [
        tuple(Patch(facecolor=one, edgecolor="0.6", linewidth=0.3) for one in colours)
        or Line2D([], [], color="black", linewidth=0.5)
        for colours, _ in key
    ]
    shades: dict[Any, Any] = {tuple: HandlerTuple(ndivide=None, pad=0)}
    figure.legend(handles=patches, labels=[text for _, text in key], handler_map=shades, ncols=columns,
                  loc="outside lower left", frameon=False, fontsize=_TEXT, handlelength=2.5)  # fmt: skip


def _borders(axis: Axes, firsts: Numbers) -> None:
    """Draw white lines between different first symbols."""
    from matplotlib.collections import LineCollection

    rows, columns = np.nonzero(firsts[:, 1:] != firsts[:, :-1])
    lines = [[(c + 0.5, r - 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    rows, columns = np.nonzero(firsts[1:] != firsts[:-1])
    lines += [[(c - 0.5, r + 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    axis.add_collection(LineCollection(lines, colors="white", linewidths=0.8))


def _name(axis: Axes, country: FloatArray, name: str, width: float) -> None:
    """Write a name where a country (R, C) has most room, if there is enough."""
    room = distance_transform_edt(np.pad(country, 1))[1:-1, 1:-1]
    row, column = map(int, np.unravel_index(room.argmax(), room.shape))
    points = min(1.2 * room.max() * 72 * width / len(country), 2.2 * width)
    if points >= _LEAST_NAME:
        from matplotlib.patheffects import withStroke

        axis.text(column, row, name, ha="center", va="center", color="white", weight="bold", fontsize=points,
                  path_effects=[withStroke(linewidth=1.5, foreground="black")])  # fmt: skip


def _name_cells(axis: Axes, symbols: Numbers, names: Sequence[str]) -> None:
    """Write upright names into cells (R, C), one for neighbours in a row that are the same."""
    for row, of_row in enumerate(symbols.tolist()):
        column = 0
        for symbol, group in itertools.groupby(of_row):
            size = len([*group])
            if symbol != IMPOSSIBLE:
                axis.text(column + size / 2 - 0.5, row, names[symbol], rotation=90, ha="center", va="center",
                          fontsize=_SMALL)  # fmt: skip
            column += size


def _cross(axis: Axes, cells: Mask) -> None:
    """Draw a diagonal line through cells (R, C)."""
    from matplotlib.collections import LineCollection

    lines = [[(c - 0.4, r - 0.4), (c + 0.4, r + 0.4)] for r, c in np.argwhere(cells).tolist()]
    axis.add_collection(LineCollection(lines, colors="black", linewidths=0.5))


def _board_starts(heat_map: HeatMap, places: Numbers) -> tuple[Numbers, Numbers]:
    """Return where the boards of symbols begin (R, 2), and how large a board is with its margins (2,)."""
    size = places.max(axis=0) + 3
    across = max(1, _ACROSS // int(size[1]))
    return np.stack(np.divmod(np.arange(len(heat_map.symbols)), across), axis=1) * size + 1, size


def _boards(heat_map: HeatMap, places: Numbers) -> tuple[FloatArray, list[list[int]]]:
    """Return the colours of boards, one for each symbol of a heat map, and where they begin."""
    starts, size = _board_starts(heat_map, places)
    found = np.ones((*(starts.max(axis=0) + size), 3))
    row, column = (starts[:, None] + places).transpose(2, 0, 1)
    found[row, column] = lift_colours(heat_map.lift)
    return found, starts.tolist()


def _by_size(names: Sequence[str]) -> bool:
    """Whether names are integers by size, of which some are enough on an axis."""
    return len(names) > _FEWEST_LABELS and list(names) == [str(i) for i in range(len(names))]


def _ticks(axis: Axes, columns: Sequence[str], rows: Sequence[str], width: float, height: float) -> None:
    """Name columns and rows: every fifth integer or so if they stand by size, otherwise all of them.

    Names that do not fit into one line stand in two, in turn. `width` and `height` are inches.
    """
    for names, side, inches in ((columns, axis.xaxis, width), (rows, axis.yaxis, height)):
        across, few = side is axis.xaxis, len(names) <= _FEWEST_LABELS
        by_size = _by_size(names)
        lines = 1 if by_size else min(math.ceil(len(names) / (_LABELS * inches)), _STAGGERED)
        step = (
            math.ceil(len(names) / _FEWEST_LABELS / 5) * 5
            if by_size
            else math.ceil(len(names) / (lines * _LABELS * inches))
        )
        shown = range(0, len(names), step)
        small = _SMALL if len(names) > 2 * _FEWEST_LABELS else _TEXT
        longest = max(map(len, names))
        for line in range(lines):
            which: Literal["major", "minor"] = "minor" if line else "major"
            labels = [textwrap.fill(names[i], 9) if few and across else names[i] for i in shown[line::lines]]
            side.set_ticks(shown[line::lines], labels, minor=line > 0, fontsize=small)
            length = 2 + line * (longest + 1) * _CHARACTER * 72
            side.set_tick_params(which=which, length=length, pad=1.5, width=0.4)
            if across and not by_size and not few:
                side.set_tick_params(which=which, rotation=90)
