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
from spatial_game.reproduction.groups import Group, trainings
from spatial_game.reproduction.inference import interval_of_mean
from spatial_game.reproduction.results import PAPERS, PairResult, Results
from spatial_game.reproduction.table_2 import TABLE_2, Phrases
from spatial_game.text import counted

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
        "Phrases of table 2 at the paper's cell, by its estimator: a circle for each pair, and a bar for the "
        "mean, with its 95% interval; n pairs have such phrases (those of one population count as one)"
    )
    lengths = "Sequences with fewer integers, the first ones: each pair, with mean and range of the family"
    training = "Accuracy on the full game during training: each pair, with mean and range of the family"
    of_paper, trained = results.families(paper.LENGTH), Families()
    for family, pairs in results.families().items():
        if known := [pair for pair in pairs if len(pair.training) > 1]:
            trained[family] = known
    shortened = {family: pairs for family, pairs in of_paper.items() if len(pairs[0].lengths["first"]) > 1}
    told = of_paper if any(_have(of_paper, each.kind) for each in _ROWS.values()) else Families()
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
    names = _names(families)
    for family, pairs in families.items():
        colour = colours[family]
        curves = [np.transpose(pair.training) for pair in pairs]
        shown = np.linspace(max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves), _POINTS)
        for episodes, accuracy in curves:
            axis.plot(episodes / 1e6, accuracy, color=colour, linewidth=0.4, alpha=0.5)
        of_pairs = [np.interp(shown, *curve) for curve in curves]
        _band(axis, shown / 1e6, pairs, of_pairs, colour, names[family])
    _chance(axis.axhline, families)
    axis.set(xlabel="training episodes (millions)", ylabel="validation accuracy", ylim=(0, 1.02))


def _lengths(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw accuracy against the number of integers that are left out."""
    theirs, names = dict[int, float](), _names(families)
    for family, pairs in families.items():
        colour, less = colours[family], [*pairs[0].lengths["first"]]
        of_pairs = [[part.accuracy for part in pair.lengths["first"].values()] for pair in pairs]
        for accuracy in of_pairs:
            axis.plot(less, accuracy, color=colour, linewidth=0.4, marker=".", markersize=2, alpha=0.5)
        _band(axis, np.array(less), pairs, of_pairs, colour, names[family])
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


def _have(families: Families, kind: str) -> bool:
    """Return whether any pair has phrases of a kind, at the paper's cell, by its estimator."""
    return any(pair.phrases("code", PAPERS, kind) for pairs in families.values() for pair in pairs)


def _phrases(axis: Axes, families: Families, colours: Colours) -> None:
    """Draw the accuracy of each type of phrases in the paper's table 2 as a row."""
    apart, names = 0.7 / len(families), _names(families)
    comparable = all(paper.comparable(pairs[0].config) for pairs in families.values())
    for row, phrases in enumerate(_ROWS.values()):
        if comparable:
            _of_paper(axis, phrases, row)
        for number, (family, pairs) in enumerate(families.items()):
            place, colour = row - 0.35 + apart * (number + 0.5), colours[family]
            label = "" if row else names[family]
            axis.scatter([], [], s=8, facecolor="none", edgecolor=colour, linewidth=0.6, label=label)
            group = Group(family, pairs, "code", PAPERS)
            means = group.accuracies(phrases.kind, phrases.control)
            axis.text(1.04, place, f"n = {len(means)}", color=colour, fontsize=6, va="center")
            if means:
                _understood(axis, group, phrases, place, 0.7 * apart, colour)
                _mean(axis, means, place, 0.4 * apart, colour)
    _chance(axis.axvline, families)
    axis.set_yticks(range(len(_ROWS)), [_in_two_lines(name) for name in _ROWS])
    axis.tick_params(axis="y", length=0)
    axis.set(xlabel="accuracy", xlim=(0, 1.02), ylim=(len(_ROWS) - 0.5, -0.5))


def _of_paper(axis: Axes, phrases: Phrases, row: int) -> None:
    """Draw the paper's mean and deviation as a box."""
    mean, deviation, _ = phrases.printed or (0.0, 0.0, 0.0)
    box = [mean - deviation, mean + deviation], row - 0.42, row + 0.42
    label = None if row else f"the paper, {paper.LENGTH} integers:\nmean ± deviation"
    axis.fill_between(*box, color="0.88", label=label)
    axis.vlines(mean, *box[1:], color="0.5", linewidth=0.8)


def _understood(axis: Axes, group: Group, phrases: Phrases, place: float, height: float, colour: str) -> None:
    """Draw a circle for each pair, one below the other, so that equal pairs do not hide each other."""
    shares = [each.understood(phrases.control).accuracy for each in group.phrases(phrases.kind)]
    places = place + height * ((np.arange(len(shares)) + 0.5) / len(shares) - 0.5)
    axis.scatter(shares, places, s=8, facecolor="none", edgecolor=colour, linewidth=0.6)


def _mean(axis: Axes, means: Sequence[float], place: float, half: float, colour: str) -> None:
    """Draw the mean over independent trainings as a bar, with its interval."""
    axis.vlines(fmean(means), place - half, place + half, color=colour)
    if interval := interval_of_mean(means):
        axis.plot(interval, [place] * 2, color=colour)


def _in_two_lines(name: str) -> str:
    first, _, second = name.partition(" ")
    return f"{first}\n{second}"


def _names(families: Families) -> dict[str, str]:
    """Return the text of each family in the key, with its integers where these differ, and its pairs."""
    lengths = {pairs[0].config.sequence_length for pairs in families.values()}
    names = {}
    for family, pairs in families.items():
        game = f", {pairs[0].config.sequence_length} integers" if len(lengths) > 1 else ""
        number = trainings(pairs)
        of = "" if number == len(pairs) else f" of {counted(number, 'training')}"
        names[family] = f"{family}{game} ({counted(len(pairs), 'pair')}{of})"
    return names


def _chance(line: Callable[..., object], families: Families) -> None:
    """Draw the accuracy of a random choice, of each number of candidates."""
    for chance in sorted({pairs[0].chance for pairs in families.values()}):
        line(chance, color="black", linewidth=0.6, linestyle=":", label=f"chance ({chance:.0%})")


def _band(
    axis: Axes,
    x: np.ndarray,
    pairs: Sequence[PairResult],
    of_pairs: Sequence[Sequence[float]],
    colour: str,
    label: str,
) -> None:
    """Draw the mean over independent trainings, and a band from the lowest pair to the highest."""
    values, origins = np.array(of_pairs), [pair.population or pair.name for pair in pairs]
    weights = [1 / origins.count(origin) for origin in origins]  # the pairs of a population count as one
    axis.fill_between(x, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    axis.plot(x, np.average(values, axis=0, weights=weights), color=colour, label=label)
