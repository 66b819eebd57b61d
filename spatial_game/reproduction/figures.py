"""Figures of a reproduction, as wide as a column: all pairs of each family, and the paper's figures."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spatial_game.extras import needs
from spatial_game.files import replacing
from spatial_game.reproduction import paper
from spatial_game.reproduction.families import Family, FamilyCell, families
from spatial_game.reproduction.inference import interval_of_mean
from spatial_game.reproduction.results import PAPERS_CELL, Results
from spatial_game.reproduction.tables.table_2 import TABLE_2, Table2Row
from spatial_game.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
_ROWS = [row for row in TABLE_2 if row.printed]


class Shown(NamedTuple):
    """A family in a figure."""

    family: Family
    colour: str  # the same in all figures
    label: str  # in the key


class Drawing(NamedTuple):
    """A figure with one axis, and the families that it shows."""

    name: str
    height: float  # inches
    draw: Callable[[Axes, Sequence[Shown]], None]
    shown: Sequence[Shown]

    def write(self, folder: Path, *suffixes: str) -> list[Path]:
        """Write the figure in these formats, such as pdf; return the paths."""
        with needs("analysis"):
            from matplotlib import rc_context
            from matplotlib.figure import Figure

        paths = [folder / f"{self.name}.{suffix}" for suffix in suffixes]
        with rc_context(STYLE):
            figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
            axis = figure.add_subplot()
            self.draw(axis, self.shown)
            handles, labels = axis.get_legend_handles_labels()
            columns = 1 if any(len(line) > _HALF for label in labels for line in label.split("\n")) else 2
            figure.legend(handles, labels, loc="outside lower center", ncols=columns)
            for path in paths:
                with replacing(path) as temporary:
                    figure.savefig(temporary, format=path.suffix[1:], dpi=300)
        return paths


def drawings(results: Results) -> list[Drawing]:
    """Return the figures that the results allow."""
    every, of_paper = families(results), families(results, paper.LENGTH)
    colours = dict(zip((family.name for family in every), itertools.cycle(COLOURS)))
    with_training = (
        Family(family.name, [pair for pair in family.pairs if len(pair.training) > 1]) for family in every
    )
    with_phrases = any(_at(family).phrases(row.kind) for family in of_paper for row in _ROWS)
    height = 0.9 + 0.14 * len(of_paper) + len(_ROWS) * max(0.4, 0.13 * len(of_paper))  # with the legend
    figures = (
        ("training", 2.2, _training, [family for family in with_training if family.pairs]),
        ("phrases", height, _phrases, of_paper if with_phrases else []),
        ("lengths", 2.2, _lengths, [f for f in of_paper if len(f.pairs[0].lengths["first"]) > 1]),
    )
    return [
        Drawing(name, inches, draw, [Shown(f, colours[f.name], _label(f, drawn)) for f in drawn])
        for name, inches, draw, drawn in figures
        if drawn
    ]


def _label(family: Family, drawn: Sequence[Family]) -> str:
    """Return the text of a family in the key: its integers, if families differ in them, and its pairs."""
    lengths = {each.config.sequence_length for each in drawn}
    game = f", {family.config.sequence_length} integers" if len(lengths) > 1 else ""
    trainings, pairs = family.num_trainings, len(family.pairs)
    of = "" if trainings == pairs else f" of {counted(trainings, 'training')}"
    return f"{family.name}{game} ({counted(pairs, 'pair')}{of})"


def _at(family: Family) -> FamilyCell:
    """Return a family at the paper's cell, by the estimator of the paper's program."""
    return FamilyCell(family, "code", PAPERS_CELL)


def _training(axis: Axes, shown: Sequence[Shown]) -> None:
    """Draw accuracy against episodes."""
    for family, colour, label in shown:
        curves = [np.transpose(pair.training) for pair in family.pairs]
        common = np.linspace(max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves), _POINTS)
        for episodes, accuracy in curves:
            axis.plot(episodes / 1e6, accuracy, color=colour, linewidth=0.4, alpha=0.5)
        interpolated = [np.interp(common, *curve) for curve in curves]
        _mean_and_range(axis, common / 1e6, family, interpolated, colour, label)
    _chance(axis.axhline, shown)
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))


def _lengths(axis: Axes, shown: Sequence[Shown]) -> None:
    """Draw accuracy against the number of integers that are left out."""
    for family, colour, label in shown:
        less = [*family.pairs[0].lengths["first"]]
        accuracies = [[part.accuracy for part in pair.lengths["first"].values()] for pair in family.pairs]
        for accuracy in accuracies:
            axis.plot(less, accuracy, color=colour, linewidth=0.4, marker=".", markersize=2, alpha=0.5)
        _mean_and_range(axis, np.array(less), family, accuracies, colour, label)
    rows = (paper.accuracies_by_length(family.config) for family, *_ in shown)
    theirs = next(filter(None, rows), {})
    if theirs:
        accuracy = [theirs[0] + (change if less else 0.0) for less, change in theirs.items()]
        axis.plot(
            [*theirs], accuracy, color="black", linestyle="--", marker="o", markersize=2.5, label="the paper"
        )
    _chance(axis.axhline, shown)
    ours = {less for family, *_ in shown for less in family.pairs[0].lengths["first"]}
    axis.set_xticks(sorted(ours | theirs.keys()))
    axis.set(xlabel="integers fewer", ylabel="accuracy", ylim=(0, 1.02))


def _phrases(axis: Axes, shown: Sequence[Shown]) -> None:
    """Draw the accuracy of each type of phrases in the paper's table 2 as a row."""
    apart = 0.7 / len(shown)
    comparable = all(paper.comparable(family.config) for family, *_ in shown)
    for y, row in enumerate(_ROWS):
        if comparable:
            _of_paper(axis, row, y)
        for number, (family, colour, label) in enumerate(shown):
            middle = y - 0.35 + apart * (number + 0.5)
            if y == 0:
                axis.scatter([], [], s=8, facecolor="none", edgecolor=colour, linewidth=0.6, label=label)
            means = _at(family).accuracies(row.kind, row.control)
            axis.text(1.04, middle, f"n = {len(means)}", color=colour, fontsize=6, va="center")
            if means:
                _circles(axis, _at(family), row, middle, 0.7 * apart, colour)
                _mean(axis, means, middle, 0.4 * apart, colour)
    _chance(axis.axvline, shown)
    axis.set_yticks(range(len(_ROWS)), [row.name.replace(" ", "\n", 1) for row in _ROWS])
    axis.tick_params(axis="y", length=0)
    axis.set(xlabel="accuracy", xlim=(0, 1.02), ylim=(len(_ROWS) - 0.5, -0.5))


def _of_paper(axis: Axes, row: Table2Row, y: int) -> None:
    """Draw the paper's mean and deviation as a box."""
    assert row.printed
    mean, deviation, _ = row.printed
    low, high = y - 0.42, y + 0.42
    label = None if y else f"the paper, {paper.LENGTH} integers:\nmean ± deviation"
    axis.fill_between([mean - deviation, mean + deviation], low, high, color="0.88", label=label)
    axis.vlines(mean, low, high, color="0.5", linewidth=0.8)


def _circles(axis: Axes, at: FamilyCell, row: Table2Row, middle: float, height: float, colour: str) -> None:
    """Draw a circle for each pair, one below the other, so that equal pairs do not hide each other."""
    accuracies = [phrases.understood(row.control).accuracy for phrases in at.phrases(row.kind)]
    y = middle + height * ((np.arange(len(accuracies)) + 0.5) / len(accuracies) - 0.5)
    axis.scatter(accuracies, y, s=8, facecolor="none", edgecolor=colour, linewidth=0.6)


def _mean(axis: Axes, means: Sequence[float], middle: float, half: float, colour: str) -> None:
    """Draw the mean over independent trainings as a bar, with its interval."""
    axis.vlines(fmean(means), middle - half, middle + half, color=colour)
    if interval := interval_of_mean(means):
        axis.plot(interval, [middle] * 2, color=colour)


def _chance(line: Callable[..., object], shown: Sequence[Shown]) -> None:
    """Draw the accuracy of a random choice, of each number of candidates."""
    for chance in sorted({family.chance for family, *_ in shown}):
        line(chance, color="black", linewidth=0.6, linestyle=":", label=f"chance ({chance:.0%})")


def _mean_and_range(
    axis: Axes,
    x: np.ndarray,
    family: Family,
    values: Sequence[Sequence[float]],  # of each pair, at each x
    colour: str,
    label: str,
) -> None:
    """Draw the mean over independent trainings, and a band from the lowest pair to the highest."""
    low, high = np.min(values, axis=0), np.max(values, axis=0)
    weights = [1 / family.trainings.count(training) for training in family.trainings]
    axis.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
    axis.plot(x, np.average(values, axis=0, weights=weights), color=colour, label=label)
