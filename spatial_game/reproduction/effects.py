"""Minimal pairs: the effects of the parts of composed phrases, over pairs and pair by pair."""

from __future__ import annotations

import itertools

from spatial_game.reproduction.groups import groups, trainings
from spatial_game.reproduction.inference import interval_of_differences, mean
from spatial_game.reproduction.phrases import COMPOSITIONAL
from spatial_game.reproduction.results import CELLS, ESTIMATORS, PARTS, Results
from spatial_game.reproduction.sections import Row, Rows, Section, accuracy, of_mean


def effect_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by family."""
    for group, part in itertools.product(groups(results), PARTS):
        found, effects = group.phrases(COMPOSITIONAL), group.effects(part)
        with_phrases = trainings([pair for pair in group.pairs if group.phrases_of(pair, COMPOSITIONAL)])
        row = group.names | {"Part exchanged": part}
        row |= {"Pairs asked": len(effects), "Pairs with phrases": with_phrases}
        row |= of_mean("Effect", effects, interval_of_differences)
        if found:
            row["Beyond the radius"] = sum(each.beyond for each in found) / sum(
                each.phrases for each in found
            )
        yield row | {"Ceiling": mean(group.ceilings(part))}


EFFECTS = Section(
    "Do receivers compose?",
    """\
Minimal pairs: do both parts of Compositional-P affect receivers? Another part replaces one part of each
phrase, so the phrase names another position, which is among the candidates. The paper has no such control.

- Effect: how much more often a position is chosen when it is named, in percentage points (pp), with its 95%
  interval over pairs (Student's t). A receiver that composes follows both parts; one that finds another
  meaning in the phrase, such as an edge, does not move.
- Ceiling: the effect if the receiver followed the part whenever it understands the phrase. A phrase that is
  understood in 27% of the episodes (chance: 20%) cannot have an effect above 8.75 pp.
- Pairs asked: those in which a part can be exchanged, so that the other phrase names a position of the
  sequence.
- Beyond the radius: the share of the phrases with an offset that only windows at an edge show. There, the
  "offset" names the edge.""",
    "Family | Estimator | Cell | Part exchanged | Pairs asked :d | Pairs with phrases :d | Pairs :d | "
    "Beyond the radius :.1% | Effect :+.1pp | Low :+.1pp | High :+.1pp | Ceiling :+.1pp",
    effect_rows,
)


def exchange_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by pair."""
    for name, pair in results.pairs.items():
        for estimator, cell in itertools.product(ESTIMATORS, CELLS):
            row: Row = {"Pair": name, "Estimator": estimator, "Cell": cell, "Phrases": 0}
            phrases = pair.phrases(estimator, cell, COMPOSITIONAL)
            if phrases is None:
                yield row
                continue
            row |= {"Phrases": phrases.phrases, "Beyond the radius": phrases.beyond}
            for part, found in pair.by_estimator[estimator].exchanges[cell].items():
                row |= {"Part exchanged": part, "Episodes": found.first.trials}
                row["Phrase understood"] = accuracy(found.first)
                row["Original target chosen after the exchange"] = accuracy(found.first_after)
                row["Both followed"] = accuracy(found.followed)
                yield row | {"Effect": found.effect, "Ceiling": found.ceiling(pair.chance)}


MINIMAL_PAIRS = Section(
    "Minimal pairs, by pair",
    """\
The columns are those of *Do receivers compose?*, for each pair. 0 phrases: the pair has no phrases of two
parts there. 0 episodes: no part can be exchanged.""",
    "Pair | Estimator | Cell | Part exchanged | Phrases :, | Beyond the radius :, | Episodes :, | "
    "Phrase understood :.1% | Original target chosen after the exchange :.1% | Both followed :.1% | "
    "Effect :+.1pp | Ceiling :+.1pp",
    exchange_rows,
)
