"""The paper's grid of thresholds: the accuracy of a family in each cell, and its best common cell.

A pair without phrases in a cell counts with chance there, so a cell in which a single pair has phrases is not
the best one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, median

from spatial_game.reproduction import paper
from spatial_game.reproduction.families import Family, families
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, GridCell, PhraseSet, Results
from spatial_game.reproduction.tables.report_table import ReportTable, Row, Rows, mean_cells


@dataclass(frozen=True)
class Grid:
    """The phrases of one kind that the pairs of a family have in each cell, by one estimator."""

    family: Family
    estimator: str
    kind: str

    @property
    def cells(self) -> list[GridCell]:
        """The cells of the first pair: all pairs have the same thresholds."""
        return self.family.pairs[0].by_estimator[self.estimator].cells

    def phrases(self, cell: GridCell) -> list[PhraseSet]:
        """Return the phrases in a cell of each pair that has some."""
        return [phrases for phrases in self._phrases(cell) if phrases]

    def _phrases(self, cell: GridCell) -> list[PhraseSet | None]:
        grids = (pair.by_estimator[self.estimator] for pair in self.family.pairs)
        return [grid.at(cell.threshold, cell.top_n).phrases.get(self.kind) for grid in grids]

    def accuracies(self, cell: GridCell) -> list[float]:
        """Return the accuracy in a cell of each training with phrases: see `Family.by_training`."""
        return self.family.by_training(
            phrases.accuracy.accuracy if phrases else None for phrases in self._phrases(cell)
        )

    def mean_accuracy(self, cell: GridCell) -> float | None:
        """Return the mean over all pairs, chance for those without phrases; None if no pair has any."""
        accuracies = [phrases.accuracy.accuracy for phrases in self.phrases(cell)]
        chance = [self.family.chance] * (len(self.family.pairs) - len(accuracies))
        return fmean(accuracies + chance) if accuracies else None

    @property
    def best(self) -> GridCell | None:
        """The first cell with the highest mean accuracy over all pairs; None if no pair has any phrases."""
        means = ((self.mean_accuracy(cell), cell) for cell in self.cells)
        with_phrases = [(accuracy, cell) for accuracy, cell in means if accuracy is not None]
        return max(with_phrases, key=lambda each: each[0])[1] if with_phrases else None


def _grids(results: Results) -> Iterator[tuple[Row, Grid]]:
    """Yield the grids, each with the first columns of its rows."""
    for kind, name in PHRASE_KINDS.items():
        for family in families(results):
            for estimator in ESTIMATORS:
                row: Row = {"Type": name, "Family": family.name, "Estimator": estimator}
                yield row, Grid(family, estimator, kind)


def common_rows(results: Results) -> Rows:
    """Yield the best common cell of each family, by kind of phrases and estimator."""
    for row, grid in _grids(results):
        if cell := grid.best:
            accuracies = grid.accuracies(cell)
            row |= mean_cells("Ours", accuracies)
            yield row | {
                "t_c": cell.threshold,
                "t_n": cell.top_n,
                "Pairs with it": len(accuracies),
                "Pairs": grid.family.num_trainings,
                "Phrases: median": round(median(phrases.num_phrases for phrases in grid.phrases(cell))),
                "All pairs": grid.mean_accuracy(cell),
            }


COMMON_CELLS = ReportTable(
    "Type | Family | Estimator | t_c | t_n | Pairs with it :d | Pairs :d | Phrases: median :, | Ours :.1% | "
    "Low :.1% | High :.1% | All pairs :.1%",
    common_rows,
)


def grid_rows(results: Results) -> Rows:
    """Yield the accuracy in each cell, by kind of phrases, family and estimator: a row for each t_c."""
    for row, grid in _grids(results):
        by_threshold: dict[float, Row] = {}
        for cell in grid.cells:
            if (accuracy := grid.mean_accuracy(cell)) is not None:
                by_threshold.setdefault(cell.threshold, {})[f"t_n {cell.top_n}"] = accuracy
        for threshold in sorted(by_threshold):
            yield row | {"t_c": threshold} | by_threshold[threshold]


GRID = ReportTable(
    " | ".join(["Type", "Family", "Estimator", "t_c", *(f"t_n {top_n} :.1%" for top_n in paper.TOPS)]),
    grid_rows,
)
