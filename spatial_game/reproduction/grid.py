"""The paper's grid of thresholds: the accuracy of a family in each cell, and its best common cell.

A pair without phrases in a cell counts with chance there, so a cell in which a single pair has phrases is not
the best one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from spatial_game.reproduction.groups import over_trainings, trainings
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, Cell, PairResult, PhraseSet, Results
from spatial_game.reproduction.sections import Row, Rows, Section, of_mean
from spatial_game.reproduction.understanding import TOPS


@dataclass(frozen=True)
class Grid:
    """The phrases of one kind that the pairs of a family have in each cell, by one estimator."""

    kind: str
    pairs: Sequence[PairResult]
    estimator: str

    @property
    def cells(self) -> list[Cell]:
        """The cells of the first pair: all have the same thresholds."""
        return self.pairs[0].by_estimator[self.estimator].cells

    def phrases(self, cell: Cell) -> list[PhraseSet]:
        """Return the phrases in a cell, of the pairs that have some."""
        every = (self._phrases_of(pair, cell) for pair in self.pairs)
        return [found for found in every if found]

    def accuracies(self, cell: Cell) -> list[float]:
        """Return the accuracy in a cell, of each training with phrases: see `over_trainings`."""

        def of_pair(pair: PairResult) -> float | None:
            found = self._phrases_of(pair, cell)
            return found.accuracy.accuracy if found else None

        return over_trainings(self.pairs, of_pair)

    def _phrases_of(self, pair: PairResult, cell: Cell) -> PhraseSet | None:
        return pair.by_estimator[self.estimator].at(cell.threshold, cell.top_n).phrases.get(self.kind)

    def accuracy(self, cell: Cell) -> float | None:
        """Return the mean accuracy over all pairs, chance for those without phrases; None if all are."""
        found = self.phrases(cell)
        chance = [self.pairs[0].chance] * (len(self.pairs) - len(found))  # a family plays one game
        return fmean([*(each.accuracy.accuracy for each in found), *chance]) if found else None

    @property
    def best(self) -> Cell | None:
        """The first cell with the highest accuracy over all pairs; None if no pair has any phrases."""
        with_phrases = [cell for cell in self.cells if self.phrases(cell)]
        return max(with_phrases, key=lambda cell: self.accuracy(cell) or 0.0, default=None)


def _grids(results: Results) -> Iterator[tuple[Row, Grid]]:
    """Yield the grids, each with what a row of a table says of it."""
    for kind, name in PHRASE_KINDS.items():
        for family, pairs in results.families().items():
            for estimator in ESTIMATORS:
                row: Row = {"Type": name, "Family": family, "Estimator": estimator}
                yield row, Grid(kind, pairs, estimator)


def common_rows(results: Results) -> Rows:
    """Yield the best common cell of each family, by kind of phrases and estimator."""
    for row, grid in _grids(results):
        if cell := grid.best:
            found = grid.phrases(cell)
            ours = grid.accuracies(cell)
            row |= of_mean("Ours", ours)
            yield row | {
                "t_c": cell.threshold,
                "t_n": cell.top_n,
                "Pairs with it": len(ours),
                "Pairs": trainings(grid.pairs),
                "Phrases: median": round(median(each.phrases for each in found)),
                "All pairs": grid.accuracy(cell),
            }


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
    for row, grid in _grids(results):
        by_threshold: dict[float, Row] = {}
        for cell in grid.cells:
            if (found := grid.accuracy(cell)) is not None:
                by_threshold.setdefault(cell.threshold, {})[f"t_n {cell.top_n}"] = found
        for threshold in sorted(by_threshold):
            yield row | {"t_c": threshold} | by_threshold[threshold]


GRID = Section(
    "Accuracy in each cell of the grid",
    """\
The mean over all pairs of a family; a pair without phrases in a cell counts with chance there. Cells in which
no pair has phrases are empty. These are the episodes on which the best cells are chosen.""",
    " | ".join(["Type", "Family", "Estimator", "t_c", *(f"t_n {top} :.1%" for top in TOPS)]),
    grid_rows,
)
