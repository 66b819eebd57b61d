"""The paper's figures beside ours: the first table of the report.

A figure of a table that the paper averages over its grid of thresholds is averaged over the same grid. One of
its table 2 stands at the paper's cell, the same for all pairs, and at the best cell of each pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.reproduction import paper
from spatial_game.reproduction.inference import gains, interval_of_mean, mean, training_of
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import CELLS, ESTIMATORS, PairResult, Results, Section
from spatial_game.tables import Value

TABLE_1 = "mean of all"
"""In table 1 the paper averages over the cells of its grid."""


class Figure(NamedTuple):
    """A figure that the paper reports, measured on the pairs of a family."""

    claim: str
    name: str
    paper: float
    """What the paper reports, as a share or a difference of shares."""
    values: Sequence[float]
    """The same here, of each pair that has it."""
    without: float = 0.0
    """What it would be without the claimed effect, such as chance."""
    estimator: str = ""
    """The one that it is measured by; empty if it needs none."""
    cell: str = ""
    """The cell of the grid of thresholds; empty if it needs none."""

    def cells(self, pairs: int) -> tuple[Value, ...]:
        """Return the cells of a row, among this number of pairs, from the paper's figure on."""
        ours, interval = mean(self.values), interval_of_mean(self.values) or (None, None)
        difference = None if ours is None else ours - self.paper
        effect = (None if value is None else value - self.without for value in (ours, *interval))
        return (self.paper, ours, *interval, len(self.values), pairs, difference, *effect)


def figures(pairs: Sequence[PairResult]) -> Iterator[Figure]:
    """Yield the paper's figures, as measured on the pairs of a family."""
    claim, chance = "Pairs learn to play", fmean(pair.chance for pair in pairs)
    theirs = paper.LENGTHS.get(pairs[0].config.sequence_length, {})
    above = [float(pair.play.accuracy > paper.ACCURACY) for pair in pairs]
    played = [pair.play.accuracy for pair in pairs]
    yield Figure(claim, f"pairs above {paper.ACCURACY:.0%} (section 5)", 1.0, above)
    if theirs:
        yield Figure(claim, "accuracy (table 7)", theirs[0], played, chance)
    every = [float(pair.edges == pair.config.window_size - 1) for pair in pairs]
    claim = "Messages for edges (section 5.1)"
    yield Figure(claim, "pairs with messages of their own for each edge", paper.EVERY_EDGE, every)
    for estimator in ESTIMATORS:
        yield from _table_1(pairs, estimator)
        yield from _table_2(pairs, estimator, chance)
    for less, change in theirs.items():
        changes = [found for pair in pairs if (found := pair.change("first", less)) is not None]
        if less and changes:
            yield Figure("Shorter sequences (table 7)", f"change with {less} fewer", change, changes)


def _table_1(pairs: Sequence[PairResult], estimator: str) -> Iterator[Figure]:
    """Yield in how many pairs each type of message emerges, and how much of their messages it is."""
    for kind, name in MESSAGE_TYPES.items():
        grids = [
            [cell.types[kind].vocabulary for cell in pair.by_estimator[estimator].cells] for pair in pairs
        ]
        emerged = [fmean(share > 0 for share in grid) for grid in grids]
        shares = [fmean(found) for grid in grids if (found := [share for share in grid if share])]
        (theirs, *_), (their_share, *_) = paper.EMERGENCE[kind]
        figure = partial(Figure, "Types of messages (table 1)", estimator=estimator, cell=TABLE_1)
        yield figure(f"{name}: pairs", theirs / 100, emerged)
        yield figure(f"{name}: of their messages", their_share / 100, shares)


def _table_2(pairs: Sequence[PairResult], estimator: str, chance: float) -> Iterator[Figure]:
    """Yield how well phrases are understood, and how much better with their positional part."""
    for cell in CELLS:
        figure = partial(Figure, estimator=estimator, cell=cell)
        for kind, name in PHRASE_KINDS.items():
            found = [
                each.accuracy.accuracy for pair in pairs if (each := pair.phrases(estimator, cell, kind))
            ]
            claim, theirs = "H1: phrases are understood (table 2)", paper.TRANSLATION[kind][0]
            yield figure(claim, name, theirs, found, chance)
        helps = gains(pairs, estimator, cell, "compositional", "zero")
        claim = "H2: the positional part of composed phrases helps (table 2)"
        theirs = paper.TRANSLATION["compositional"][0] - paper.CONTROL[0]
        yield figure(claim, "accuracy with it minus without", theirs, helps)


def comparison_rows(results: Results) -> list[tuple[Value, ...]]:
    """Return the figures by family and estimator, for the pairs of the paper's game; for all if none are."""
    rows: list[tuple[Value, ...]] = []
    for family, pairs in results.families(paper.LENGTH).items():
        for figure in figures(pairs):
            who = (family, *training_of(pairs), figure.estimator, figure.cell)
            rows.append((figure.claim, figure.name, *who, *figure.cells(len(pairs))))
    order = list(dict.fromkeys(row[:2] for row in rows))
    return sorted(rows, key=lambda row: order.index(row[:2]))


COMPARISON = Section(
    "The paper's figures beside ours",
    """\
A row for each figure of the paper, each family of pairs and, where the figure needs one, each estimator:
*text* (the equations that the paper prints), *code* (what its published program computes) and *exact* (shares
of the counted episodes). The paper's figures are by its program. Its networks get each integer as a raw
number, and are trained by the recipe `paper`: a family with other inputs or another recipe differs in these,
too. Cell: table 1 is a mean over all cells of the grid, as in the paper (54). In table 2, *paper's* is
the cell that it prints, for all pairs; *best* is chosen for each pair on the receiver that is then scored,
with other episodes. Ours: the mean over the pairs that have the figure (Pairs with it), with its 95% interval
(Student's t, which may go beyond 0 and 100%). Difference: ours minus the paper's. Effect: ours minus what the
figure would be without the claimed effect (chance for accuracies of phrases and of play, otherwise zero),
with its interval. All are shares, or differences of shares. The paper's 100% of Compositional Integer applies
no threshold; ours does. The paper's figures are of 60 integers (in its table 7, of
each length). Pairs of other lengths stand here only if no pair has 60.""",
    "Claim | Figure | Family | Inputs | Recipe | Estimator | Cell | Paper :.1% | Ours :.1% | Low :.1% | "
    "High :.1% | Pairs with it :d | Pairs :d | Difference :+.1% | Effect :+.1% | Effect: low :+.1% | "
    "Effect: high :+.1%",
    comparison_rows,
)
