"""The paper's figures beside ours: the first table of the report.

A figure of a table that the paper averages over its grid of thresholds is averaged over the same grid. One of
its table 2 stands at the paper's cell, at the best common cell of our pairs, and at the best one of each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.proportions import interval_of_difference
from spatial_game.reproduction import paper
from spatial_game.reproduction.grid import Grid
from spatial_game.reproduction.groups import Group, over_trainings, trainings
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    Interval,
    deviation,
    half_width,
    interval_of_differences,
    interval_of_mean,
    interval_of_share,
    mean,
)
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import CELLS, ESTIMATORS, PARTS, PairResult, Results
from spatial_game.reproduction.sections import Row, Section, of_mean

TABLE_1 = "mean of all"
"""In table 1 the paper averages over the cells of its grid."""
COMMON = "common"
"""The cell in which our pairs together are understood best: see `Grid.best`."""


class PaperFigure(NamedTuple):
    """A figure of the paper, or one beside it, measured on the pairs of a family."""

    claim: str
    name: str
    paper: float | None
    """What the paper reports, as a share or a difference of shares."""
    values: Sequence[float]
    """The same here, of each pair that has it."""
    without: float = 0.0
    """What it would be without the claimed effect, such as chance."""
    most: float | None = None
    """The most that it can be, where that is a bound of the effect."""
    deviation: float | None = None
    """The standard deviation that the paper prints."""
    interval: Callable[[Sequence[float]], Interval | None] = interval_of_mean
    estimator: str = ""
    """The one that it is measured by; empty if it needs none."""
    cell: str = ""
    """The cell of the grid of thresholds; empty if it needs none."""

    def row(self, family: str, num_pairs: int) -> Row:
        """Return the row of a family with this number of pairs."""
        row: Row = {"Claim": self.claim, "Figure": self.name, "Family": family}
        row |= {"Estimator": self.estimator, "Cell": self.cell}
        row |= {"Paper": self.paper, "Paper: deviation": self.deviation}
        row |= {"Pairs with it": len(self.values), "Pairs": num_pairs}
        if not self.values:
            return row
        ours = fmean(self.values)
        row |= of_mean("Ours", self.values, self.interval)
        row |= {"Deviation": deviation(self.values), "Effect": ours - self.without}
        row["Ceiling"] = None if self.most is None else self.most - self.without
        return row | self._difference(ours)

    def _difference(self, ours: float) -> Row:
        """Return ours minus the paper's, whose mean is taken to be that of all its pairs."""
        if self.paper is None:
            return {}
        row: Row = {"Difference": ours - self.paper}
        if interval := self.interval(self.values):
            half = half_width(self.deviation or 0.0, paper.PAIRS)
            theirs = self.paper - half, self.paper + half
            low, high = interval_of_difference(ours, interval, self.paper, theirs)
            row |= {"Difference: low": low, "Difference: high": high}
        return row


def figures(family: str, pairs: Sequence[PairResult]) -> Iterator[PaperFigure]:
    """Yield the paper's figures, as measured on the pairs of a family."""
    claim, chance = "Pairs learn to play", pairs[0].chance
    theirs = paper.accuracies_by_length(pairs[0].config)
    above = over_trainings(pairs, lambda pair: float(pair.play.accuracy > paper.ACCURACY))
    played = over_trainings(pairs, lambda pair: pair.play.accuracy)
    name = f"pairs above {paper.ACCURACY:.0%} (section 5)"
    yield PaperFigure(claim, name, 1.0, above, interval=interval_of_share)
    if theirs:
        yield PaperFigure(claim, "accuracy (table 7)", theirs[0], played, chance, 1.0)
    every = over_trainings(pairs, lambda pair: float(pair.edges == pair.config.window_size - 1))
    claim = "Messages for edges (section 5.1)"
    name = "pairs with messages of their own for each edge"
    yield PaperFigure(claim, name, paper.EVERY_EDGE, every, interval=interval_of_share)
    for estimator in ESTIMATORS:
        in_cells = [Group(family, pairs, estimator, cell) for cell in CELLS]
        yield from _table_1(pairs, estimator)
        yield from _table_2(in_cells)
        yield from _minimal_pairs(in_cells)
    for less, change in theirs.items():
        changes = over_trainings(pairs, partial(PairResult.change, integers="first", less=less))
        if less and changes:
            name, interval = f"change with {less} fewer", interval_of_differences
            yield PaperFigure("Shorter sequences (table 7)", name, change, changes, interval=interval)


def _table_1(pairs: Sequence[PairResult], estimator: str) -> Iterator[PaperFigure]:
    """Yield in how many pairs each type of message emerges, and how much of their messages it is."""
    figure = partial(PaperFigure, "Types of messages (table 1)", estimator=estimator, cell=TABLE_1)
    for kind, name in MESSAGE_TYPES.items():
        emerged = over_trainings(pairs, partial(_emerged, kind=kind, estimator=estimator))
        shares = over_trainings(pairs, partial(_share, kind=kind, estimator=estimator))
        (theirs, *_), (their_share, *_) = paper.EMERGENCE[kind]
        yield figure(f"{name}: pairs", theirs / 100, emerged)
        yield figure(f"{name}: of their messages", their_share / 100, shares)


def _emerged(pair: PairResult, kind: str, estimator: str) -> float:
    """Return in which share of the cells of the grid a pair has messages of a type."""
    return fmean(share.vocabulary > 0 for share in pair.types(estimator, kind))


def _share(pair: PairResult, kind: str, estimator: str) -> float | None:
    """Return the mean share of a type among a pair's messages, over the cells that have it; None without."""
    return mean([share.vocabulary for share in pair.types(estimator, kind) if share.vocabulary])


def _table_2(in_cells: Sequence[Group]) -> Iterator[PaperFigure]:
    """Yield how well phrases are understood, and how much better with their positional part."""
    pairs, estimator = in_cells[0].pairs, in_cells[0].estimator
    comparable = paper.comparable(pairs[0].config)
    for kind, name in PHRASE_KINDS.items():
        theirs, spread, _ = paper.TRANSLATION[kind]
        found = {group.cell: group.accuracies(kind) for group in in_cells}
        grid = Grid(kind, pairs, estimator)
        found[COMMON] = grid.accuracies(grid.best) if grid.best else []
        for cell, accuracies in found.items():
            yield PaperFigure(
                "H1: phrases are understood (table 2)",
                name,
                theirs if comparable else None,
                accuracies,
                without=pairs[0].chance,
                most=1.0,
                deviation=spread if comparable else None,
                estimator=estimator,
                cell=cell,
            )
    helped = paper.TRANSLATION[COMPOSITIONAL][0] - paper.CONTROL[0]
    for group in in_cells:
        without = group.accuracies(COMPOSITIONAL, "zero")
        yield PaperFigure(
            "H2: the positional part of composed phrases helps (table 2)",
            "accuracy with it minus without",
            helped if comparable else None,
            group.gains(COMPOSITIONAL, "zero"),
            most=1 - (mean(without) or 0.0),
            interval=interval_of_differences,
            estimator=estimator,
            cell=group.cell,
        )


def _minimal_pairs(in_cells: Sequence[Group]) -> Iterator[PaperFigure]:
    """Yield how much an exchanged part of a phrase moves the receiver; the paper has no such figure."""
    for group, part in itertools.product(in_cells, PARTS):
        yield PaperFigure(
            "Receivers compose (minimal pairs)",
            f"effect of an exchanged {part}",
            None,
            group.effects(part),
            most=mean(group.ceilings(part)),
            interval=interval_of_differences,
            estimator=group.estimator,
            cell=group.cell,
        )


def claim_rows(results: Results) -> list[Row]:
    """Return the figures by family and estimator, for the pairs of the paper's game; for all if none are."""
    families = results.families(paper.LENGTH).items()
    rows = [
        each.row(family, trainings(pairs)) for family, pairs in families for each in figures(family, pairs)
    ]
    order = list(dict.fromkeys((row["Claim"], row["Figure"]) for row in rows))
    return sorted(rows, key=lambda row: order.index((row["Claim"], row["Figure"])))


CLAIMS = Section(
    "The paper's figures beside ours",
    f"""\
A row for each figure of the paper, each family of pairs and, where the figure needs one, each estimator:
*text* (the equations that the paper prints), *code* (what its published program computes) and *exact* (shares
of the counted episodes). The paper's figures are by its program. Its networks get each integer as a raw
number, and are trained by the recipe `paper`: a family with other inputs or another recipe (see the next
table) differs in these, too. All figures are shares, or differences of shares. The paper's are of
{paper.LENGTH} integers (in table 7, of each length). Pairs of other lengths stand here only if no pair has
{paper.LENGTH}. Accuracies of phrases, and of table 7, stand beside the paper's only in games with as many
candidates as its own, {paper.NUM_CANDIDATES}. The pairs of one population, which share senders and receivers,
count as one pair with their mean: intervals and tests are over independent trainings.

- Cell: table 1 is a mean over all cells of the grid, as in the paper (54). In table 2, *paper's* is the cell
  that it prints, for all pairs; *common* is the best common cell of our pairs; *best* is chosen for each pair
  on the receiver that is then scored, with other episodes.
- Ours: the mean over the pairs that have the figure (Pairs with it), with its 95% interval and the standard
  deviation over pairs. The interval is exact (Clopper and Pearson) where each pair has the figure or not,
  otherwise Student's t over pairs, and none for fewer than {FEWEST_PAIRS} pairs, or if all are equal.
- Difference: ours minus the paper's, with its 95% interval. The paper's standard deviation, where it prints
  one, is taken to be over its {paper.PAIRS} pairs: it does not say how many have such phrases. Elsewhere its
  figure is taken as exact, so the interval is too short.
- Effect: ours minus what the figure would be without the claimed effect (chance for accuracies of phrases and
  of play, otherwise zero). Ceiling: the most that it can be, for an accuracy; for a part of a phrase, see
  *Do receivers compose?*.

The paper's 100% of Compositional Integer applies no threshold; ours does.""",
    "Claim | Figure | Family | Estimator | Cell | Paper :.1% | Paper: deviation :.1% | "
    "Ours :.1% | Low :.1% | High :.1% | Deviation :.1% | Pairs with it :d | Pairs :d | Difference :+.1% | "
    "Difference: low :+.1% | Difference: high :+.1% | Effect :+.1% | Ceiling :+.1%",
    claim_rows,
)
