"""The pictures of a language as figures of Matplotlib, for papers and notebooks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import distance_transform_edt

from spatial_game.files import replacing
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.pictures.chain import Chain
from spatial_game.language.pictures.heat import HeatMap
from spatial_game.language.pictures.maps import GREY, IMPOSSIBLE, LanguageMap, Maps, told_offsets
from spatial_game.language.wording import variable_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
MOST_LIFT = 3
"""The lift, in bits, that has the strongest colour: 8 times."""
PALE = 0.35
"""How much of its colour a guess keeps."""
_FEWEST_LABELS = 12


def map_figure(maps: Maps, number: int = 0, size: float = 6.0) -> Figure:
    """Return the figure of one of the maps, coloured by first symbols and shaded by second ones."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    shown = maps.maps[number]
    tall = size if shown.of_pair else 0.6 + 0.45 * len(shown.rows)
    figure = Figure(figsize=(size, tall), layout="constrained")
    axis = figure.add_subplot()
    axis.imshow(
        map_colours(maps, shown),
        aspect="auto",
        interpolation="nearest",
        origin="lower" if shown.of_pair else "upper",
    )
    firsts = shown.symbols(maps.messages, 0)
    if shown.of_pair:
        _borders(axis, firsts)
        for symbol in maps.colours:
            _name(axis, firsts == symbol, str(symbol), size)
    else:
        used = [symbol for symbol in maps.colours if (firsts == symbol).any()]
        handles = [_patch(maps.colours[symbol], str(symbol)) for symbol in used]
        figure.legend(
            handles=handles, loc="outside right upper", title="first symbol", frameon=False, fontsize=7
        )
    _ticks(axis, shown.columns, shown.rows)
    axis.set(xlabel=shown.axes[1], ylabel=shown.axes[0] if shown.of_pair else "")
    return figure


def map_colours(maps: Maps, shown: LanguageMap) -> FloatArray:
    """Return the colours (R, C, 3) of a map, white where both integers are the same."""
    found = np.ones((*shown.best.shape, 3))
    for row, column in np.argwhere(shown.best != IMPOSSIBLE).tolist():
        message = maps.messages[shown.best[row, column]].tolist()
        seconds = maps.seconds.get(message[0], [])
        place = seconds.index(message[1]) / (len(seconds) - 1) if len(seconds) > 1 else 0.3
        colour = _shaded(maps.colours.get(message[0], GREY), 0.62 * place - 0.12)
        found[row, column] = 1 - (1 - colour) * (PALE if shown.guessed[row, column] else 1)
    return found


def heat_figure(heat_maps: Sequence[HeatMap], dictionary: Dictionary) -> Figure:
    """Return the figure of heat maps: slots downwards, offsets and the view to the right."""
    from matplotlib.figure import Figure

    slots = sorted({each.slot for each in heat_maps})
    variables = sorted({each.variable for each in heat_maps})
    figure = Figure(figsize=(3.2 * max(len(variables), 1), 2.6 * max(len(slots), 1)), layout="constrained")
    axes = figure.subplots(max(len(slots), 1), max(len(variables), 1), squeeze=False)
    names, image = variable_texts(dictionary.config), None
    for axis in axes.ravel():
        axis.set_axis_off()
    for each in heat_maps:
        axis = axes[slots.index(each.slot), variables.index(each.variable)]
        axis.set_axis_on()
        axis.set_facecolor("0.82")
        image = axis.imshow(
            each.lift, aspect="auto", interpolation="nearest", cmap="RdBu_r", vmin=-MOST_LIFT, vmax=MOST_LIFT
        )
        _ticks(axis, each.values, tuple(map(str, each.symbols.tolist())))
        axis.set_title(f"slot {each.slot + 1}: {names[each.variable]} ({each.bits:.1f} bits)", fontsize=9)
    if image is not None:
        bar = figure.colorbar(image, ax=axes, shrink=0.5, ticks=[-MOST_LIFT, 0, MOST_LIFT])
        times = 2**MOST_LIFT
        bar.ax.set_yticklabels([f"{times} times rarer", "as usual", f"{times} times likelier"], fontsize=8)
    return figure


def chain_figure(chain: Chain, dictionary: Dictionary) -> Figure:
    """Return the figure of the chain of symbols and of the bits by offset, as bars on one scale."""
    from matplotlib.figure import Figure

    bits, view = dictionary.bits, len(dictionary.config.offsets)
    variables = [*told_offsets(dictionary), *([view] if view in dictionary.informative else [])]
    names = ["symbols, one after the other", *(variable_texts(dictionary.config)[each] for each in variables)]
    figure = Figure(figsize=(6.4, 0.8 + 0.35 * len(names)), layout="constrained")
    axis = figure.add_subplot()
    most = [bits.entropy, *(bits.possible_by_variable[each] for each in variables)]
    axis.barh(names, most, color="none", edgecolor="0.4")
    ends = np.minimum([0.0, *chain.bits], bits.entropy)
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        axis.barh(names[0], end - start, left=start, color=f"C{number}", label=f"symbol {number + 1}")
    told = [
        min(max(bits.messages_by_variable[each], 0.0), bits.possible_by_variable[each]) for each in variables
    ]
    axis.barh(names[1:], told, color="0.55")
    axis.invert_yaxis()
    axis.set_xlabel("bits an episode; the outline is the most that is possible")
    axis.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def write_figures(folder: Path, figures: Mapping[str, Figure], signature: str, command: str) -> list[Path]:
    """Write figures by their names as SVG and PNG, and return the files.

    Their metadata have the signature and the command.
    """
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    description = " | ".join(filter(None, (signature, command)))
    files = []
    for name, figure in figures.items():
        metadata = {"Title": name, "Description": description}
        for form in FORMATS:
            program = (
                {"Creator": "spatial-game", "Date": None} if form == "svg" else {"Software": "spatial-game"}
            )
            files.append(folder / f"{name}.{form}")
            with replacing(files[-1]) as temporary, rc_context({"svg.hashsalt": "spatial-game"}):
                figure.savefig(temporary, format=form, dpi=150, metadata=metadata | program)
    return files


def _shaded(colour: str, share: float) -> FloatArray:
    """Return a colour that is mixed with black (share below 0) or white."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(rgb * (1 - abs(share)) + max(share, 0.0))


def _patch(colour: str, name: str) -> object:
    from matplotlib.patches import Patch

    return Patch(color=colour, label=name)


def _borders(axis: Axes, firsts: Numbers) -> None:
    """Draw white lines between different first symbols."""
    from matplotlib.collections import LineCollection

    rows, columns = np.nonzero(firsts[:, 1:] != firsts[:, :-1])
    lines = [[(c + 0.5, r - 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    rows, columns = np.nonzero(firsts[1:] != firsts[:-1])
    lines += [[(c - 0.5, r + 0.5), (c + 0.5, r + 0.5)] for r, c in zip(rows, columns, strict=True)]
    axis.add_collection(LineCollection(lines, colors="white", linewidths=0.8))


def _name(axis: Axes, country: FloatArray, name: str, size: float) -> None:
    """Write a name where a country (R, C) has most room, if there is enough."""
    room = distance_transform_edt(np.pad(country, 1))[1:-1, 1:-1]
    row, column = map(int, np.unravel_index(room.argmax(), room.shape))
    points = min(1.2 * room.max() * 72 * size / len(country), 2.2 * size)
    if points >= 5:
        from matplotlib.patheffects import withStroke

        axis.text(column, row, name, ha="center", va="center", color="white", weight="bold", fontsize=points,
                  path_effects=[withStroke(linewidth=1.5, foreground="black")])  # fmt: skip


def _ticks(axis: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Name columns and rows: every fifth integer or so if they stand by size, otherwise all that fit."""
    for number, names in enumerate((columns, rows)):
        by_size = len(names) > _FEWEST_LABELS and list(names) == [str(i) for i in range(len(names))]
        step = math.ceil(len(names) / _FEWEST_LABELS / 5) * 5 if by_size else math.ceil(len(names) / 64)
        shown = range(0, len(names), step)
        labels, small = [names[i] for i in shown], 8 if by_size or len(names) <= _FEWEST_LABELS else 5
        if number:
            axis.set_yticks(shown, labels, fontsize=small)
        else:
            axis.set_xticks(shown, labels, fontsize=small, rotation=0 if by_size else 90)
