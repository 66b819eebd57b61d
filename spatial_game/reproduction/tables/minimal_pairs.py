"""The effects of the parts of composed phrases in minimal pairs, over pairs and pair by pair."""

from __future__ import annotations

import itertools

from spatial_game.reproduction.families import family_cells
from spatial_game.reproduction.inference import interval_of_differences, mean
from spatial_game.reproduction.phrases import COMPOSITIONAL
from spatial_game.reproduction.results import ESTIMATORS, PARTS, REPORTED_CELLS, Results
from spatial_game.reproduction.tables.report_table import (
    ReportTable,
    Row,
    Rows,
    accuracy_or_none,
    mean_cells,
    names_of,
)


def effect_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by family."""
    for at, part in itertools.product([*family_cells(results)], PARTS):
        phrases, effects = at.phrases(COMPOSITIONAL), at.effects(part)
        row = names_of(at) | {"Part exchanged": part, "Pairs asked": len(effects)}
        row |= {"Pairs with phrases": len(at.accuracies(COMPOSITIONAL))}
        row |= mean_cells("Effect", effects, interval_of_differences)
        if phrases:
            num_phrases = sum(of_pair.num_phrases for of_pair in phrases)
            row["Beyond the radius"] = sum(of_pair.num_beyond for of_pair in phrases) / num_phrases
        yield row | {"Ceiling": mean(at.ceilings(part))}


EFFECTS = ReportTable(
    "Family | Estimator | Cell | Part exchanged | Pairs asked :d | Pairs with phrases :d | Pairs :d | "
    "Beyond the radius :.1% | Effect :+.1pp | Low :+.1pp | High :+.1pp | Ceiling :+.1pp",
    effect_rows,
)


def exchange_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by pair."""
    for pair, estimator, cell in itertools.product(results.pairs.values(), ESTIMATORS, REPORTED_CELLS):
        row: Row = {"Pair": pair.name, "Estimator": estimator, "Cell": cell, "Phrases": 0}
        phrases = pair.phrases(estimator, cell, COMPOSITIONAL)
        if phrases is None:
            yield row
            continue
        row |= {"Phrases": phrases.num_phrases, "Beyond the radius": phrases.num_beyond}
        for part, exchange in pair.by_estimator[estimator].exchanges[cell].items():
            yield row | {
                "Part exchanged": part,
                "Episodes": exchange.first_before.trials,
                "Phrase understood": accuracy_or_none(exchange.first_before),
                "Original target chosen after the exchange": accuracy_or_none(exchange.first_after),
                "Both followed": accuracy_or_none(exchange.both_followed),
                "Effect": exchange.effect,
                "Ceiling": exchange.ceiling(pair.chance),
            }


MINIMAL_PAIRS = ReportTable(
    "Pair | Estimator | Cell | Part exchanged | Phrases :, | Beyond the radius :, | Episodes :, | "
    "Phrase understood :.1% | Original target chosen after the exchange :.1% | Both followed :.1% | "
    "Effect :+.1pp | Ceiling :+.1pp",
    exchange_rows,
)
