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
from spatial_game.reproduction.table_2 import TABLE_2

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
_POINTS = 200  # of a mean curve


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
            figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=2)
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
    colours = dict(zip(results.families(), itertools.cycle(COLOURS)))
    drawn = [
        Drawing("training", training, 2.2, _training, trained, colours),
        Drawing("phrases", phrases, 2.6, _phrases, of_paper, colours),
        Drawing("lengths", lengths, 2.2, _lengths, of_paper, colours),
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
    _chance(axis.axhline, next(iter(families.values())))
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))


def _lengths(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw accuracy against the number of integers that are left out."""
    less = [*next(iter(families.values()))[0].lengths["first"]]
    for family, pairs in families.items():
        colour = colours[family]
        of_pairs = [[part.accuracy for part in pair.lengths["first"].values()] for pair in pairs]
        for accuracy in of_pairs:
            axis.plot(less, accuracy, color=colour, linewidth=0.4, alpha=0.5)
        _band(axis, np.array(less), of_pairs, colour, _named(family, pairs))
    theirs = paper.LENGTHS.get(next(iter(families.values()))[0].config.sequence_length)
    if theirs:
        accuracy = [theirs[0] + (change if less else 0.0) for less, change in theirs.items()]
        axis.plot(
            [*theirs], accuracy, color="black", linestyle="--", marker="o", markersize=2.5, label="the paper"
        )
    _chance(axis.axhline, next(iter(families.values())))
    axis.set_xticks(less)
    axis.set(xlabel="integers fewer", ylabel="accuracy", ylim=(0, 1.02))


def _phrases(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw the accuracy of each type of phrases in the paper's table 2 as a row."""
    printed = {(each.name, each.kind, each.control): each.printed for each in TABLE_2 if each.printed}
    apart = 0.7 / len(families)
    for row, ((_, kind, control), (mean, deviation, _)) in enumerate(printed.items()):
        box = [mean - deviation, mean + deviation], row - 0.42, row + 0.42
        label = None if row else f"the paper, {paper.LENGTH} integers:\nmean ± deviation"
        axis.fill_between(*box, color="0.88", label=label)
        axis.vlines(mean, *box[1:], color="0.5", linewidth=0.8)
        for number, (family, pairs) in enumerate(families.items()):
            found = Group(family, pairs, "code", PAPERS).phrases(kind)
            accuracies = [each.understood(control).accuracy for each in found]
            place, colour = row - 0.35 + apart * (number + 0.5), colours[family]
            dots = axis.scatter(accuracies, [place] * len(found), s=5, color=colour, alpha=0.5, linewidth=0)
            dots.set_label("" if row else _named(family, pairs))
            if interval := interval_of_mean(accuracies):
                axis.plot(interval, [place] * 2, color=colour)
                axis.plot(fmean(accuracies), place, "|", color=colour, markersize=6)
            if not found:
                axis.text(0.01, place, "no pair", color=colour, fontsize=5, va="center")
    _chance(axis.axvline, next(iter(families.values())))
    axis.set_yticks(range(len(printed)), [_in_two_lines(name) for name, *_ in printed])
    axis.tick_params(axis="y", length=0)
    axis.set(xlabel="accuracy", xlim=(0, 1.02), ylim=(len(printed) - 0.5, -0.5))


def _in_two_lines(name: str) -> str:
    first, _, second = name.partition(" ")
    return f"{first}\n{second}"


def _named(family: str, pairs: Sequence[PairResult]) -> str:
    return f"{family} ({len(pairs)} pairs)" if len(pairs) > 1 else family


def _chance(line: Callable[..., object], pairs: Sequence[PairResult]) -> None:
    line(
        pairs[0].chance, color="black", linewidth=0.6, linestyle=":", label=f"chance ({pairs[0].chance:.0%})"
    )


def _band(axis: Axes, x: np.ndarray, of_pairs: Sequence[Sequence[float]], colour: str, label: str) -> None:
    """Draw the mean over pairs, and a band from the lowest pair to the highest."""
    values = np.array(of_pairs)
    axis.fill_between(x, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    axis.plot(x, values.mean(axis=0), color=colour, label=label)
