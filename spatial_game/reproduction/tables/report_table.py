"""Tables of the report: their columns, and their rows as values by the names of the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple, TypeAlias

from spatial_game.proportions import Proportion
from spatial_game.reproduction.families import FamilyCell
from spatial_game.reproduction.inference import Interval, interval_of_mean
from spatial_game.reproduction.results import Results
from spatial_game.tables import Table, Value

Row: TypeAlias = dict[str, Value]
Rows: TypeAlias = Iterator[Row]


class ReportTable(NamedTuple):
    """A table of the report. The text above it, in report.md, explains its columns."""

    heading: str
    """Its columns: see `Table.of`."""
    rows: Callable[[Results], Iterable[Row]]
    """Returns rows with values for some of the columns; the other cells are empty."""

    def table(self, results: Results) -> Table:
        """Return the table."""
        return self.table_of(self.rows(results))

    def table_of(self, rows: Iterable[Row], names: Sequence[str] | None = None) -> Table:
        """Return some of its rows, with the columns of these names, or with all."""
        columns = {column.name: column for column in Table.of(self.heading, ()).columns}
        names = names or [*columns]
        cells = tuple(tuple(map(row.get, names)) for row in rows)
        return Table(tuple(columns[name] for name in names), cells)


def names_of(at: FamilyCell) -> Row:
    """Return the cells of a row that say what it is measured on, and how."""
    names: Row = {"Family": at.family.name, "Pairs": at.family.num_trainings}
    return names | {"Estimator": at.estimator, "Cell": at.cell}


def accuracy_or_none(proportion: Proportion) -> float | None:
    """Return an accuracy; None if nothing was measured."""
    return proportion.accuracy if proportion.trials else None


def accuracy_cells(column: str, proportion: Proportion) -> Row:
    """Return an accuracy and the ends of its interval, Low and High; nothing if nothing was measured."""
    return _with_ends(column, proportion.accuracy, proportion.interval) if proportion.trials else {}


def mean_cells(
    column: str,
    values: Sequence[float],
    interval: Callable[[Sequence[float]], Interval | None] = interval_of_mean,
) -> Row:
    """Return a mean and the ends of its interval, Low and High; nothing without values."""
    return _with_ends(column, fmean(values), interval(values)) if values else {}


def _with_ends(column: str, figure: float, interval: Interval | None) -> Row:
    low, high = interval or (None, None)
    return {column: figure, "Low": low, "High": high}
