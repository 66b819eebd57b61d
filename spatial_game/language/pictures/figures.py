"""The pictures of a language as figures of Matplotlib, for papers and notebooks.

They are as wide as a page of two columns (7 inches), or as one column where that is enough, and have letters
of 5.5 points at least.
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
MOST_LIFT = 3
"""The lift, in bits, that has the strongest colour: 8 times."""
PALE = 0.35
"""How much of its colour a guess keeps."""
_TITLE, _TEXT, _SMALL = 8, 7, 5.5  # points
_ROW = 0.115  # inches: a row of a heat map
_LEAST_NAME = 6.0  # points
_FEWEST_LABELS = 12
_LABELS = 12  # that fit into an inch
_ACROSS = 60  # cells of boards side by side


def map_figure(maps: Maps, number: int = 0, width: float | None = None) -> Figure:
    """Return the figure of one of the maps, coloured by first symbols and shaded by second ones.

    Raises `ValueError` if there is no such map, as of a language that says nothing of its offsets.
    """
    require(0 <= number < len(maps.maps), f"number must be that of one of {len(maps.maps)} maps", number)
    shown = maps.maps[number]
    in_order = _by_size(shown.columns) and shown.of_pair
    width = width or (COLUMN if in_order else PAGE)
    figure = _empty(width, width + 0.35 if shown.of_pair else 1.3 + 0.25 * len(shown.rows))
    axis = figure.subplots()
    origin: Literal["lower", "upper"] = "lower" if shown.of_pair else "upper"
    axis.imshow(map_colours(maps, shown), aspect="auto", interpolation="nearest", origin=origin)
    firsts = shown.symbols(maps.messages, 0)
    used = [symbol for symbol in maps.colours if (firsts == symbol).any()]
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
        of_own = [symbol for symbol in used if maps.colours[symbol] != GREY]
        key = [([shaded(maps.colours[symbol], 0.3)], maps.names[symbol]) for symbol in of_own]
        key += [([GREY], "others")] if len(of_own) < len(used) else []
        key += [(shades, "second symbol: shade"), (["white"], "white: nothing says this")]
    if shown.guessed.any():
        key += [([1 - PALE * (1 - shades[1])], "pale: a guess")]
    _ticks(axis, shown.columns, shown.rows, width)
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


def heat_figure(heat_maps: Sequence[HeatMap], dictionary: Dictionary, slot: int) -> Figure:
    """Return the figure of the heat maps of a slot, counted from 0. Places of a grid stand on boards.

    Raises `ValueError` for a slot without heat maps, as of a language whose symbols say nothing there.
    """
    panels = [each for each in heat_maps if each.slot == slot]
    slots = sorted({each.slot for each in heat_maps})
    require(bool(panels), f"slot must be one that has heat maps, of {slots}", slot)
    boards = [None if each.places is None else _boards(each, each.places) for each in panels]
    tables = [
        lift_colours(each.lift) if of_each is None else of_each[0]
        for each, of_each in zip(panels, boards, strict=True)
    ]
    rows = _in_rows(panels)
    heights = [_ROW * max(len(tables[number]) for number in row) + 0.5 for row in rows]
    narrow = len(panels) == 1 and (_by_size(panels[0].values) or len(panels[0].values) <= _FEWEST_LABELS)
    width = COLUMN if narrow else PAGE
    figure = _empty(width, sum(heights) + 0.3)
    axes = figure.subplot_mosaic([[row[0], row[-1]] for row in rows], height_ratios=heights)
    names, symbol_text = variable_texts(dictionary.config), dictionary.symbol_names
    for number, (each, table, of_each) in enumerate(zip(panels, tables, boards, strict=True)):
        axis = axes[number]
        axis.imshow(table, aspect="equal" if of_each else "auto", interpolation="nearest")
        axis.set_title(f"{names[each.variable]}: {each.bits:.1f} bits", fontsize=_TITLE, loc="left")
        symbols = [symbol_text[symbol] for symbol in each.symbols.tolist()]
        if of_each is None:
            axis.set_ylabel(f"symbol in slot {slot + 1}", fontsize=_TEXT)
            _ticks(axis, each.values, symbols, width / (1 if [number] in rows else 2))
        else:
            axis.set_axis_off()
            for symbol, (row, column) in zip(symbols, of_each[1], strict=True):
                axis.text(column - 0.5, row - 1, symbol, fontsize=_TEXT, va="center")
    shades = lift_colours(np.array([-MOST_LIFT, -MOST_LIFT / 2, 0, MOST_LIFT / 2, MOST_LIFT]))
    times = 2**MOST_LIFT
    key = [(tuple(shades), f"{times} times rarer, as usual, {times} times likelier"), ((NEVER,), "never")]
    _legend(figure, key, 1 if width < PAGE else 2)
    return figure


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

    Their metadata have the signature and the command.
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
            with replacing(files[-1]) as temporary, rc_context({"svg.hashsalt": "spatial-game"}):
                figure.savefig(temporary, format=form, dpi=DOTS, metadata=metadata)
    return files


def _empty(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure  # here, as it loads slowly

    return Figure(figsize=(width, height), layout="constrained")


def _in_rows(panels: Sequence[HeatMap]) -> list[list[int]]:
    """Return the numbers of panels in rows: two side by side, but boards in a row of their own."""
    rows: list[list[int]] = []
    for number, each in enumerate(panels):
        joins = rows and len(rows[-1]) == 1 and each.places is None and panels[rows[-1][0]].places is None
        if joins:
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def _legend(figure: Figure, key: Sequence[tuple[Sequence[Any], str]], columns: int) -> None:
    """Say below a figure what its colours mean: each text has one colour, or several shades."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.patches import Patch

    patches: list[Any] = [
        tuple(Patch(facecolor=one, edgecolor="0.6", linewidth=0.3) for one in colours) for colours, _ in key
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


def _boards(heat_map: HeatMap, places: Numbers) -> tuple[FloatArray, list[list[int]]]:
    """Return the colours of boards, one for each symbol of a heat map, and where they begin."""
    size = places.max(axis=0) + 3
    across = max(1, _ACROSS // int(size[1]))
    starts = np.stack(np.divmod(np.arange(len(heat_map.symbols)), across), axis=1) * size + 1
    found = np.ones((*(starts.max(axis=0) + size), 3))
    row, column = (starts[:, None] + places).transpose(2, 0, 1)
    found[row, column] = lift_colours(heat_map.lift)
    return found, starts.tolist()


def _by_size(names: Sequence[str]) -> bool:
    """Whether names are integers by size, of which some are enough on an axis."""
    return len(names) > _FEWEST_LABELS and list(names) == [str(i) for i in range(len(names))]


def _ticks(axis: Axes, columns: Sequence[str], rows: Sequence[str], width: float) -> None:
    """Name columns and rows: every fifth integer or so if they stand by size, otherwise all that fit."""
    for number, names in enumerate((columns, rows)):
        by_size = _by_size(names)
        step = (
            math.ceil(len(names) / _FEWEST_LABELS / 5) * 5
            if by_size
            else math.ceil(len(names) / (_LABELS * 0.8 * width))
        )
        shown = range(0, len(names), step)
        few = len(names) <= _FEWEST_LABELS
        labels = [textwrap.fill(names[i], 9) if few and not number else names[i] for i in shown]
        small = _SMALL if len(names) > 2 * _FEWEST_LABELS else _TEXT
        if number:
            axis.set_yticks(shown, labels, fontsize=small)
        else:
            axis.set_xticks(shown, labels, fontsize=small, rotation=0 if by_size or few else 90)
    axis.tick_params(length=2, pad=1.5, width=0.4)
