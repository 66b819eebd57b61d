"""The paper's hypotheses, tested over the pairs of each family."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean

from spatial_game.language.significance import holm
from spatial_game.reproduction.groups import Group
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    signed_rank,
)
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, FALSE, PAPERS, PARTS, Results
from spatial_game.reproduction.sections import Row, Rows, Section
from spatial_game.reproduction.table_2 import TABLE_2


def _tested() -> Iterator[tuple[str, Callable[[Group], list[float]]]]:
    """Yield the hypotheses, and what should be above zero in each pair."""
    for name, kind, control, _ in TABLE_2:
        hypothesis = f"H2: above {name}" if control else f"H1: {name} above chance"
        yield hypothesis, partial(Group.gains, kind=kind, control=control)
    for kind, name in PHRASE_KINDS.items():
        yield f"H1: {name} above its false phrases", partial(Group.gains, kind=kind, control=FALSE)
    for part in PARTS:
        yield f"Receivers compose: an exchanged {part} is followed", partial(Group.effects, part=part)


def hypothesis_rows(results: Results) -> Rows:
    """Yield the paper's hypotheses, tested over the pairs of each family."""
    families = results.families().items()
    for (hypothesis, differences), estimator in itertools.product(_tested(), ESTIMATORS):
        every = {family: differences(Group(family, pairs, estimator, PAPERS)) for family, pairs in families}
        found = {family: values for family, values in every.items() if values}
        p_values = [signed_rank(values) for values in found.values()]
        least = holm([signed_rank([1.0] * len(values)) for values in found.values()])
        tests = zip(found.items(), p_values, holm(p_values), least, strict=True)
        for (family, values), p_value, adjusted, least_adjusted in tests:
            row: Row = {"Hypothesis": hypothesis, "Estimator": estimator, "Family": family}
            row |= {"Pairs": len(values), "Mean difference": fmean(values)}
            yield row | {"p-value": p_value, "Adjusted": adjusted, "Least adjusted": least_adjusted}


HYPOTHESES = Section(
    "The hypotheses",
    f"""\
Tested over the pairs that have such phrases at the paper's cell, by the exact one-sided signed-rank test
(Wilcoxon; ties share their mean rank). With fewer than {FEWEST_PAIRS} pairs no outcome would be significant,
and there is no p-value.

- H1: phrases are understood above chance. Messages of phrases that are not true also win above chance, so a
  stricter H1 stands beside it: phrases are understood better than where they are not true.
- H2: phrases are understood better than without their positional part.
- Receivers compose: the effect in minimal pairs, which the paper does not have.
- p-value is of each row by itself. Adjusted is by Holm's correction over the families, of one hypothesis by
  one estimator. Least adjusted is what it would be if every pair of these families had a difference above
  zero: a row in which it is above .05 cannot be significant.""",
    "Hypothesis | Estimator | Family | Pairs :d | Mean difference :+.1pp | p-value :.2g | Adjusted :.2g | "
    "Least adjusted :.2g",
    hypothesis_rows,
)
