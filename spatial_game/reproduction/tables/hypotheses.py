"""The paper's hypotheses, tested over the pairs of each family."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean

from spatial_game.language.significance import holm
from spatial_game.reproduction.families import FamilyCell, families
from spatial_game.reproduction.inference import signed_rank
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, FALSE, PAPERS_CELL, PARTS, Results
from spatial_game.reproduction.tables.report_table import ReportTable, Row, Rows
from spatial_game.reproduction.tables.table_2 import TABLE_2


def _hypotheses() -> Iterator[tuple[str, Callable[[FamilyCell], list[float]]]]:
    """Yield the hypotheses, and what should be above zero in each pair."""
    for name, kind, control, _ in TABLE_2:
        hypothesis = f"H2: above {name}" if control else f"H1: {name} above chance"
        yield hypothesis, partial(FamilyCell.gains, kind=kind, control=control)
    for kind, name in PHRASE_KINDS.items():
        yield f"H1: {name} above its false phrases", partial(FamilyCell.gains, kind=kind, control=FALSE)
    for part in PARTS:
        yield f"Receivers compose: an exchanged {part} is followed", partial(FamilyCell.effects, part=part)


def hypothesis_rows(results: Results) -> Rows:
    """Yield the tests of the hypotheses, over the pairs that have the figure at the paper's cell."""
    for (hypothesis, gains), estimator in itertools.product(_hypotheses(), ESTIMATORS):
        every = {f.name: gains(FamilyCell(f, estimator, PAPERS_CELL)) for f in families(results)}
        by_family = {name: values for name, values in every.items() if values}
        p_values = [signed_rank(values) for values in by_family.values()]
        least = holm([signed_rank([1.0] * len(values)) for values in by_family.values()])
        tests = zip(by_family.items(), p_values, holm(p_values), least, strict=True)
        for (name, values), p_value, adjusted, least_adjusted in tests:
            row: Row = {"Hypothesis": hypothesis, "Estimator": estimator, "Family": name}
            row |= {"Pairs": len(values), "Mean difference": fmean(values)}
            yield row | {"p-value": p_value, "Adjusted": adjusted, "Least adjusted": least_adjusted}


HYPOTHESES = ReportTable(
    "Hypothesis | Estimator | Family | Pairs :d | Mean difference :+.1pp | p-value :.2g | Adjusted :.2g | "
    "Least adjusted :.2g",
    hypothesis_rows,
)
