"""The paper's grid of thresholds: the accuracy of a family in each cell, and its best common cell.

A pair without phrases in a cell counts with chance there, so a cell in which a single pair has phrases is not
the best one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median
from typing import TypeAlias

from spatial_game.reproduction.inference import mean_with_interval
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, Cell, PairResult, PhraseSet, Results, Section
from spatial_game.reproduction.translation import TOPS
from spatial_game.tables import Value

Rows: TypeAlias = Iterator[tuple[Value, ...]]


def phrase_sets(pairs: Sequence[PairResult], estimator: str, cell: Cell, kind: str) -> list[PhraseSet]:
    """Return the phrases of a kind in a cell, of the pairs that have some."""
    cells = (pair.by_estimator[estimator].at(cell.threshold, cell.top_n) for pair in pairs)
    return [found.phrases[kind] for found in cells if kind in found.phrases]


def accuracy_in_cell(pairs: Sequence[PairResult], estimator: str, cell: Cell, kind: str) -> float | None:
    """Return the mean accuracy over all pairs, chance for those without phrases; None if no pair has any."""
    found = phrase_sets(pairs, estimator, cell, kind)
    chance = [pairs[0].chance] * (len(pairs) - len(found))  # a family plays one game
    return fmean([*(each.accuracy.accuracy for each in found), *chance]) if found else None


def common_cell(pairs: Sequence[PairResult], estimator: str, kind: str) -> Cell | None:
    """Return the first cell with the highest accuracy over all pairs; None if no pair has any phrases."""
    cells = pairs[0].by_estimator[estimator].cells
    accuracies = {
        index: found
        for index, cell in enumerate(cells)
        if (found := accuracy_in_cell(pairs, estimator, cell, kind)) is not None
    }
    return cells[max(accuracies, key=accuracies.__getitem__)] if accuracies else None


def _each(results: Results) -> Iterator[tuple[tuple[str, str, str, str], list[PairResult]]]:
    """Yield kind, its name, family and estimator, and the pairs of the family."""
    for kind, name in PHRASE_KINDS.items():
        for family, pairs in results.families().items():
            for estimator in ESTIMATORS:
                yield (kind, name, family, estimator), pairs


def common_rows(results: Results) -> Rows:
    """Yield the best common cell of each family, by kind of phrases and estimator."""
    for (kind, *who, estimator), pairs in _each(results):
        cell = common_cell(pairs, estimator, kind)
        if cell:
            found = phrase_sets(pairs, estimator, cell, kind)
            accuracies = [each.accuracy.accuracy for each in found]
            phrases = round(median(each.phrases for each in found))
            all_pairs = accuracy_in_cell(pairs, estimator, cell, kind)
            numbers = (len(found), len(pairs), phrases)
            figures = mean_with_interval(accuracies)
            yield (*who, estimator, cell.threshold, cell.top_n, *numbers, *figures, all_pairs)


COMMON_CELL = Section(
    "The best common cell of our pairs",
    """\
The paper chose its thresholds by the accuracy of its own pairs. This is the same choice for ours: the cell of
the grid in which the mean over all pairs of a family is highest; a pair without phrases there counts with
chance. Ours: the mean over the pairs that have phrases there, with its 95% interval (Student's t). The
accuracies are of the episodes on which the cell is chosen, so they are slightly too high.""",
    "Type | Family | Estimator | t_c | t_n | Pairs with it :d | Pairs :d | Phrases: median :, | Ours :.1% | "
    "Low :.1% | High :.1% | All pairs :.1%",
    common_rows,
)


def grid_rows(results: Results) -> Rows:
    """Yield the accuracy in each cell, by kind of phrases, family and estimator: a row for each t_c."""
    for (kind, *who, estimator), pairs in _each(results):
        cells = pairs[0].by_estimator[estimator].cells
        accuracies = {
            (cell.threshold, cell.top_n): accuracy_in_cell(pairs, estimator, cell, kind) for cell in cells
        }
        for threshold in sorted({cell.threshold for cell in cells}):
            figures = [accuracies.get((threshold, top)) for top in TOPS]
            if figures != [None] * len(TOPS):
                yield (*who, estimator, threshold, *figures)


GRID = Section(
    "Accuracy in each cell of the grid",
    """\
The mean over all pairs of a family; a pair without phrases in a cell counts with chance there. Cells in which
no pair has phrases are empty. These are the episodes on which the best cells are chosen.""",
    " | ".join(["Type", "Family", "Estimator", "t_c", *(f"t_n {top} :.1%" for top in TOPS)]),
    grid_rows,
)
