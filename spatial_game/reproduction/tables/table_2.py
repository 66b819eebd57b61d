"""Table 2: how often receivers understand phrases, over pairs and pair by pair.

A row begins as one of `TABLE_2`: a kind of phrases, or a control of it. `understanding.measure_phrases` asks
each receiver, and the rows are means over the pairs of a family that have such phrases.
"""

from __future__ import annotations

import itertools
from statistics import median
from typing import NamedTuple

from spatial_game.reproduction import paper
from spatial_game.reproduction.families import family_cells
from spatial_game.reproduction.inference import deviation, mean
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import (
    ESTIMATORS,
    RANDOM_SYMBOLS,
    REPORTED_CELLS,
    SYMBOL_0,
    PairResult,
    PhraseAccuracy,
    Results,
)
from spatial_game.reproduction.tables.report_table import (
    ReportTable,
    Row,
    Rows,
    accuracy_cells,
    accuracy_or_none,
    mean_cells,
    names_of,
)


class Table2Row(NamedTuple):
    """A row of the paper's table 2: phrases of a kind, or a control of them."""

    name: str
    kind: str
    control: str | None
    printed: paper.Translation | None
    """What the paper prints. It has no control of random symbols."""

    def first_cells(self, pair: PairResult) -> Row:
        """Return the name, with the figures that the paper prints of a game like that of the pair."""
        row: Row = {"Type": self.name}
        if self.printed and paper.comparable(pair.config):
            names = ("Paper: mean", "Paper: deviation", "Paper: maximum")
            row |= zip(names, self.printed, strict=True)
        return row


TABLE_2 = (
    *(Table2Row(name, kind, None, paper.TRANSLATION[kind]) for kind, name in PHRASE_KINDS.items()),
    Table2Row("Compositional-NP (symbol 0)", COMPOSITIONAL, SYMBOL_0, paper.CONTROL),
    Table2Row("Compositional-NP (random symbols)", COMPOSITIONAL, RANDOM_SYMBOLS, None),
)


def brief_rows(results: Results) -> Rows:
    """Yield table 2 by family, estimator and cell."""
    for of_paper, at in itertools.product(TABLE_2, [*family_cells(results, paper.LENGTH)]):
        phrases, control = at.phrases(of_paper.kind), of_paper.control
        ours = at.accuracies(of_paper.kind, control)
        row = of_paper.first_cells(at.family.pairs[0]) | names_of(at) | {"Pairs with it": len(ours)}
        row |= mean_cells("Ours: mean", ours) | {"Ours: deviation": deviation(ours)}
        if phrases:
            accuracy, fewest = min((-each.understood(control).accuracy, each.num_phrases) for each in phrases)
            row |= {"Ours: maximum": -accuracy, "Phrases at the maximum": fewest}
            yield row if control else row | _over_pairs(phrases)
        elif not control:
            yield row


def _over_pairs(phrases: list[PhraseAccuracy]) -> Row:
    """Return what stands beside the mean accuracy of phrases: means over pairs."""
    measured = {
        "Expressible": [of_pair.expressible for of_pair in phrases],
        "False": [of_pair.false for of_pair in phrases],
        "Counts alone": [of_pair.counted for of_pair in phrases],
        "Random": [of_pair.random for of_pair in phrases],
    }
    accuracies = {
        name: [each.accuracy for each in shares if each.trials] for name, shares in measured.items()
    }
    row: Row = {"Phrases": round(median(of_pair.num_phrases for of_pair in phrases))}
    row |= {"N of false": len(accuracies["False"])}
    return row | {name: mean(values) for name, values in accuracies.items()}


TRANSLATION_BRIEF = ReportTable(
    "Type | Family | Estimator | Cell | Pairs with it :d | Pairs :d | Paper: mean :.0% | "
    "Paper: deviation :.1% | Paper: maximum :.0% | Ours: mean :.1% | Low :.1% | High :.1% | "
    "Ours: deviation :.1% | Ours: maximum :.1% | Phrases at the maximum :, | Phrases :, | "
    "Expressible :.1% | False :.1% | N of false :d | Counts alone :.1% | Random :.1%",
    brief_rows,
)


def translation_rows(results: Results) -> Rows:
    """Yield table 2 by pair, at the paper's cell and at the best one."""
    every = itertools.product(TABLE_2, results.pairs.values(), ESTIMATORS, REPORTED_CELLS)
    for of_paper, pair, estimator, cell in every:
        row = of_paper.first_cells(pair) | {"Pair": pair.name, "Estimator": estimator, "Cell": cell}
        phrases = pair.phrases(estimator, cell, of_paper.kind)
        if phrases and of_paper.control:
            yield row | accuracy_cells("Reported", phrases.understood(of_paper.control))
        elif phrases:
            in_grid = pair.by_estimator[estimator].at(phrases.threshold, phrases.top_n)
            chosen_at = accuracy_or_none(in_grid.phrases[of_paper.kind].accuracy)
            yield row | {"Chosen at": chosen_at} | _of_pair(phrases)
        elif not of_paper.control:
            yield row | {"Phrases": 0}


def _of_pair(phrases: PhraseAccuracy) -> Row:
    """Return how the phrases of a pair are understood."""
    return accuracy_cells("Reported", phrases.accuracy) | {
        "t_c": phrases.threshold,
        "t_n": phrases.top_n,
        "Phrases": phrases.num_phrases,
        "False": accuracy_or_none(phrases.false),
        "N of false": phrases.false.trials,
        "Counts alone": accuracy_or_none(phrases.counted),
        "Sender": accuracy_or_none(phrases.own),
        "Expressible": accuracy_or_none(phrases.expressible),
        "Random": accuracy_or_none(phrases.random),
    }


TRANSLATION = ReportTable(
    "Type | Pair | Estimator | Cell | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | Low :.1% | "
    "High :.1% | False :.1% | N of false :, | Counts alone :.1% | Sender :.1% | "
    "Expressible :.1% | Random :.1% | Paper: mean :.0% | Paper: deviation :.1% | Paper: maximum :.0%",
    translation_rows,
)
