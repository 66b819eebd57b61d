"""The paper's figures beside ours: the first table of the report.

A figure of a table that the paper averages over its grid of thresholds is averaged over the same grid. One of
its table 2 stands at the paper's cell, at the best common cell of our pairs, and at the best one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.proportions import interval_of_difference
from spatial_game.reproduction import paper
from spatial_game.reproduction.families import Family, FamilyCell, families
from spatial_game.reproduction.inference import (
    Interval,
    deviation,
    half_width,
    interval_of_differences,
    interval_of_mean,
    interval_of_share,
    mean,
)
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, PARTS, REPORTED_CELLS, SYMBOL_0, Results
from spatial_game.reproduction.tables.grid import Grid
from spatial_game.reproduction.tables.report_table import ReportTable, Row, mean_cells

ALL_CELLS = "mean of all"
"""In table 1 the paper averages over the cells of its grid."""
COMMON_CELL = "common"
"""The cell in which our pairs together are understood best: see `Grid.best`."""


def claim_rows(results: Results) -> list[Row]:
    """Return the figures by family and estimator, for the pairs of the paper's game; for all if none are."""
    rows = [row for family in families(results, paper.LENGTH) for row in _of_family(family)]
    order = list(dict.fromkeys((row["Claim"], row["Figure"]) for row in rows))
    return sorted(rows, key=lambda row: order.index((row["Claim"], row["Figure"])))


def _of_family(family: Family) -> Iterator[Row]:
    """Yield the paper's figures beside those of a family."""
    yield from _play(family)
    for estimator in ESTIMATORS:
        yield from _types(family, estimator)
        yield from _understood(family, estimator)
        for cell in REPORTED_CELLS:
            yield from _parts(FamilyCell(family, estimator, cell))
    for less, change in paper.accuracies_by_length(family.config).items():
        if less and (changes := family.changes("first", less)):
            claim, figure = "Shorter sequences (table 7)", f"change with {less} fewer"
            yield _row(family, claim, figure, change, changes, interval=interval_of_differences)


def _play(family: Family) -> Iterator[Row]:
    """Yield how well the pairs play, and how many have messages for edges."""
    claim, figure = "Pairs learn to play", f"pairs above {paper.ACCURACY:.0%} (section 5)"
    above = family.by_training(float(pair.play.accuracy > paper.ACCURACY) for pair in family.pairs)
    yield _row(family, claim, figure, 1.0, above, interval=interval_of_share)
    if theirs := paper.accuracies_by_length(family.config):
        figure, without = "accuracy (table 7)", family.chance
        yield _row(family, claim, figure, theirs[0], family.plays, without=without, maximum=1.0)
    claim, figure = "Messages for edges (section 5.1)", "pairs with messages of their own for each edge"
    edges = family.config.window_size - 1
    every = family.by_training(float(pair.edges == edges) for pair in family.pairs)
    yield _row(family, claim, figure, paper.EVERY_EDGE, every, interval=interval_of_share)


def _types(family: Family, estimator: str) -> Iterator[Row]:
    """Yield in which share of the cells each type of message emerges, and how much of the messages it is."""
    row = partial(_row, family, "Types of messages (table 1)", estimator=estimator, cell=ALL_CELLS)
    for kind, name in MESSAGE_TYPES.items():
        theirs = paper.EMERGENCE[kind]
        of_pairs = [[cell.vocabulary for cell in pair.types(estimator, kind)] for pair in family.pairs]
        cells = family.by_training(fmean(share > 0 for share in shares) for shares in of_pairs)
        messages = family.by_training(mean([share for share in shares if share]) for shares in of_pairs)
        yield row(f"{name}: pairs", theirs["pairs"].mean / 100, cells)
        yield row(f"{name}: of their messages", theirs["messages"].mean / 100, messages)


def _understood(family: Family, estimator: str) -> Iterator[Row]:
    """Yield how well phrases are understood, in each of the three cells."""
    row = partial(_row, family, "H1: phrases are understood (table 2)", estimator=estimator, maximum=1.0)
    for kind, name in PHRASE_KINDS.items():
        cells = {cell: FamilyCell(family, estimator, cell).accuracies(kind) for cell in REPORTED_CELLS}
        grid = Grid(family, estimator, kind)
        cells[COMMON_CELL] = grid.accuracies(grid.best) if grid.best else []
        theirs, spread = None, None
        if paper.comparable(family.config):
            theirs, spread, _ = paper.TRANSLATION[kind]
        for cell, accuracies in cells.items():
            yield row(name, theirs, accuracies, spread=spread, without=family.chance, cell=cell)


def _parts(at: FamilyCell) -> Iterator[Row]:
    """Yield how much the parts of composed phrases do; the paper has no figure of minimal pairs."""
    row = partial(_row, at.family, estimator=at.estimator, cell=at.cell, interval=interval_of_differences)
    helped = paper.TRANSLATION[COMPOSITIONAL].mean - paper.CONTROL.mean
    yield row(
        "H2: the positional part of composed phrases helps (table 2)",
        "accuracy with it minus without",
        helped if paper.comparable(at.family.config) else None,
        at.gains(COMPOSITIONAL, SYMBOL_0),
        maximum=1 - (mean(at.accuracies(COMPOSITIONAL, SYMBOL_0)) or 0.0),
    )
    for part in PARTS:
        claim, figure = "Receivers compose (minimal pairs)", f"effect of an exchanged {part}"
        yield row(claim, figure, None, at.effects(part), maximum=mean(at.ceilings(part)))


def _row(
    family: Family,
    claim: str,
    figure: str,
    theirs: float | None,
    ours: Sequence[float],
    *,
    estimator: str = "",
    cell: str = "",
    interval: Callable[[Sequence[float]], Interval | None] = interval_of_mean,
    spread: float | None = None,
    without: float = 0.0,
    maximum: float | None = None,
) -> Row:
    """Return the row of a figure of the paper, a share or a difference of shares.

    `ours` has a value for each independent training that has the figure, and `interval` returns that of
    their mean. `spread`: the standard deviation that the paper prints. `without`: what the figure would be
    without the claimed effect, such as chance. `maximum`: the most that it can be, if that is a bound of the
    effect.
    """
    row: Row = {"Claim": claim, "Figure": figure, "Family": family.name, "Estimator": estimator, "Cell": cell}
    row |= {"Paper": theirs, "Paper: deviation": spread}
    row |= {"Pairs with it": len(ours), "Pairs": family.num_trainings}
    if not ours:
        return row
    row |= mean_cells("Ours", ours, interval) | {"Deviation": deviation(ours)}
    row |= {"Effect": fmean(ours) - without, "Ceiling": None if maximum is None else maximum - without}
    if theirs is None:
        return row
    row["Difference"] = fmean(ours) - theirs
    if ends := interval(ours):
        half = half_width(spread or 0.0, paper.PAIRS)  # their mean is taken to be that of all their pairs
        low, high = interval_of_difference(fmean(ours), ends, theirs, (theirs - half, theirs + half))
        row |= {"Difference: low": low, "Difference: high": high}
    return row


CLAIMS = ReportTable(
    "Claim | Figure | Family | Estimator | Cell | Paper :.1% | Paper: deviation :.1% | "
    "Ours :.1% | Low :.1% | High :.1% | Deviation :.1% | Pairs with it :d | Pairs :d | Difference :+.1pp | "
    "Difference: low :+.1pp | Difference: high :+.1pp | Effect :+.1pp | Ceiling :+.1pp",
    claim_rows,
)
