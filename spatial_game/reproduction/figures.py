"""Figures of a reproduction, as wide as a column: all pairs of each family, and the paper's figures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from spatial_game.extras import needs
from spatial_game.files import replacing
from spatial_game.reproduction import paper
from spatial_game.reproduction.groups import Group
from spatial_game.reproduction.inference import interval_of_mean
from spatial_game.reproduction.results import PAPERS, PairResult, Results
from spatial_game.reproduction.table_2 import TABLE_2, Phrases

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Families: TypeAlias = dict[str, list[PairResult]]
Colours: TypeAlias = dict[str, str]  # of each family, the same in all figures

WIDTH = 3.3
"""Inches: a column of a page of two."""
STYLE: dict[Any, Any] = {
    "font.size": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "pdf.fonttype": 42,  # letters stay letters
}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_HALF = 24  # characters of a label that fit into half a column
_POINTS = 200  # of a mean curve
_ROWS = {each.name: each for each in TABLE_2 if each.printed}  # types with a figure of the paper


class Drawing(NamedTuple):
    """A figure with one axis, and the families that it shows."""

    name: str
    caption: str
    height: float  # inches
    draw: Callable[[Axes, Families, Colours], None]
    families: Families
    colours: Colours

    def write(self, folder: Path, *suffixes: str) -> list[Path]:
        """Write the figure in these formats, such as pdf; return the paths."""
        with needs("analysis"):
            from matplotlib import rc_context
            from matplotlib.figure import Figure

        paths = [folder / f"{self.name}.{suffix}" for suffix in suffixes]
        with rc_context(STYLE):
            figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
            axis = figure.add_subplot()
            self.draw(axis, self.families, self.colours)
            handles, labels = axis.get_legend_handles_labels()
            columns = 1 if any(len(line) > _HALF for label in labels for line in label.split("\n")) else 2
            figure.legend(handles, labels, loc="outside lower center", ncols=columns)
            for path in paths:
                with replacing(path) as temporary:
                    figure.savefig(temporary, format=path.suffix[1:], dpi=300)
        return paths


def drawings(results: Results) -> list[Drawing]:
    """Return the figures that the results allow."""
    phrases = (
        "Phrases of table 2 at the paper's cell, by its estimator: each pair, and mean with 95% interval"
    )
    lengths = "Sequences with fewer integers, the first ones: each pair, with mean and range of the family"
    training = "Accuracy on the full game during training: each pair, with mean and range of the family"
    of_paper, trained = results.families(paper.LENGTH), Families()
    for family, pairs in results.families().items():
        if known := [pair for pair in pairs if len(pair.training) > 1]:
            trained[family] = known
    shortened = {family: pairs for family, pairs in of_paper.items() if len(pairs[0].lengths["first"]) > 1}
    told = of_paper if any(_groups(of_paper, kind) for _, kind, *_ in _ROWS.values()) else Families()
    of_rows = 0.9 + 0.14 * len(of_paper) + len(_ROWS) * max(0.4, 0.13 * len(of_paper))  # with the legend
    colours = dict(zip(results.families(), itertools.cycle(COLOURS)))
    drawn = [
        Drawing("training", training, 2.2, _training, trained, colours),
        Drawing("phrases", phrases, of_rows, _phrases, told, colours),
        Drawing("lengths", lengths, 2.2, _lengths, shortened, colours),
    ]
    return [each for each in drawn if each.families]


def _training(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw accuracy against episodes."""
    for family, pairs in families.items():
        colour = colours[family]
        curves = [np.transpose(pair.training) for pair in pairs]
        shown = np.linspace(max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves), _POINTS)
        for episodes, accuracy in curves:
            axis.plot(episodes / 1e6, accuracy, color=colour, linewidth=0.4, alpha=0.5)
        of_pairs = [np.interp(shown, *curve) for curve in curves]
        _band(axis, shown / 1e6, of_pairs, colour, _named(family, pairs))
    _chance(axis.axhline, families)
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))


def _lengths(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw accuracy against the number of integers that are left out."""
    theirs = dict[int, float]()
    for family, pairs in families.items():
        colour, less = colours[family], [*pairs[0].lengths["first"]]
        of_pairs = [[part.accuracy for part in pair.lengths["first"].values()] for pair in pairs]
        for accuracy in of_pairs:
            axis.plot(less, accuracy, color=colour, linewidth=0.4, marker=".", markersize=2, alpha=0.5)
        _band(axis, np.array(less), of_pairs, colour, _named(family, pairs))
        theirs = theirs or paper.accuracies_by_length(pairs[0].config)
    if theirs:
        accuracy = [theirs[0] + (change if less else 0.0) for less, change in theirs.items()]
        axis.plot(
            [*theirs], accuracy, color="black", linestyle="--", marker="o", markersize=2.5, label="the paper"
        )
    _chance(axis.axhline, families)
    ours = {less for pairs in families.values() for less in pairs[0].lengths["first"]}
    axis.set_xticks(sorted(ours | theirs.keys()))
    axis.set(xlabel="integers fewer", ylabel="accuracy", ylim=(0, 1.02))


def _groups(families: Families, kind: str) -> list[Group]:
    """Return the families that have phrases of a kind, at the paper's cell, by its estimator."""
    groups = [Group(family, pairs, "code", PAPERS) for family, pairs in families.items()]
    return [group for group in groups if group.phrases(kind)]


def _phrases(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw the accuracy of each type of phrases in the paper's table 2 as a row."""
    apart = 0.7 / len(families)
    comparable = all(paper.comparable(pairs[0].config) for pairs in families.values())
    for row, phrases in enumerate(_ROWS.values()):
        free = _of_paper(axis, phrases, row) if comparable else 1.0
        with_phrases = {group.family: group for group in _groups(families, phrases.kind)}
        for number, (family, pairs) in enumerate(families.items()):
            place, colour = row - 0.35 + apart * (number + 0.5), colours[family]
            label = "" if row else _named(family, pairs)
            axis.scatter([], [], s=8, color=colour, linewidth=0, label=label)
            if group := with_phrases.get(family):
                _understood(axis, group, phrases, place, colour)
            else:
                axis.text(free, place, "no pair", color=colour, fontsize=6, va="center", ha="right")
    _chance(axis.axvline, families)
    axis.set_yticks(range(len(_ROWS)), [_in_two_lines(name) for name in _ROWS])
    axis.tick_params(axis="y", length=0)
    axis.set(xlabel="accuracy", xlim=(0, 1.02), ylim=(len(_ROWS) - 0.5, -0.5))


def _of_paper(axis: Axes, phrases: Phrases, row: int) -> float:
    """Draw the paper's mean and deviation as a box, and return where the free space at the right ends."""
    mean, deviation, _ = phrases.printed or (0.0, 0.0, 0.0)
    box = [mean - deviation, mean + deviation], row - 0.42, row + 0.42
    label = None if row else f"the paper, {paper.LENGTH} integers:\nmean ± deviation"
    axis.fill_between(*box, color="0.88", label=label)
    axis.vlines(mean, *box[1:], color="0.5", linewidth=0.8)
    return 1.0 if mean + deviation < 0.8 else mean - deviation - 0.02


def _understood(axis: Axes, group: Group, phrases: Phrases, place: float, colour: str) -> None:
    """Draw a dot for each pair, and the mean over independent trainings with its interval."""
    dots = [each.understood(phrases.control).accuracy for each in group.phrases(phrases.kind)]
    axis.scatter(dots, [place] * len(dots), s=8, color=colour, alpha=0.6, linewidth=0)
    means = group.accuracies(phrases.kind, phrases.control)
    if interval := interval_of_mean(means):
        axis.plot(interval, [place] * 2, color=colour)
        axis.plot(fmean(means), place, "|", color=colour, markersize=6)


def _in_two_lines(name: str) -> str:
    first, _, second = name.partition(" ")
    return f"{first}\n{second}"


def _named(family: str, pairs: Sequence[PairResult]) -> str:
    return f"{family} ({len(pairs)} pairs)" if len(pairs) > 1 else family


def _chance(line: Callable[..., object], families: Families) -> None:
    """Draw the accuracy of a random choice, of each number of candidates."""
    for chance in sorted({pairs[0].chance for pairs in families.values()}):
        line(chance, color="black", linewidth=0.6, linestyle=":", label=f"chance ({chance:.0%})")


def _band(axis: Axes, x: np.ndarray, of_pairs: Sequence[Sequence[float]], colour: str, label: str) -> None:
    """Draw the mean over pairs, and a band from the lowest pair to the highest."""
    values = np.array(of_pairs)
    axis.fill_between(x, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    axis.plot(x, values.mean(axis=0), color=colour, label=label)
