"""Table 2: how often receivers understand phrases, over pairs and pair by pair.

A row begins as one of `TABLE_2`: a kind of phrases, or a control of it. `understanding.measure_phrases` asks
each receiver, and the rows are means over the pairs of a family that have such phrases.
"""

from __future__ import annotations

import itertools
from statistics import median
from typing import NamedTuple

from spatial_game.reproduction import paper
from spatial_game.reproduction.groups import groups
from spatial_game.reproduction.inference import FEWEST_PAIRS, deviation, mean
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import CELLS, ESTIMATORS, PairResult, PhraseAccuracy, Results
from spatial_game.reproduction.sections import Row, Rows, Section, accuracy, of_accuracy, of_mean


class Phrases(NamedTuple):
    """A row of the paper's table 2: phrases of a kind, or a control of them."""

    name: str
    kind: str
    control: str | None
    printed: tuple[float, float, float] | None
    """What the paper prints: mean, standard deviation and maximum. It has no random symbols."""

    def names_in(self, pair: PairResult) -> Row:
        """Return the names of a row, with the figures that the paper prints of a game like its own."""
        row: Row = {"Type": self.name}
        if self.printed and paper.comparable(pair.config):
            names = ("Paper: mean", "Paper: deviation", "Paper: maximum")
            row |= zip(names, self.printed, strict=True)
        return row


TABLE_2 = (
    *(Phrases(name, kind, None, paper.TRANSLATION[kind]) for kind, name in PHRASE_KINDS.items()),
    Phrases("Compositional-NP (symbol 0)", COMPOSITIONAL, "zero", paper.CONTROL),
    Phrases("Compositional-NP (random symbols)", COMPOSITIONAL, "other", None),
)


def brief_rows(results: Results) -> Rows:
    """Yield table 2 by family, estimator and cell."""
    for phrases in TABLE_2:
        for group in groups(results, paper.LENGTH):
            found = group.phrases(phrases.kind)
            ours = group.accuracies(phrases.kind, phrases.control)
            row = phrases.names_in(group.pairs[0]) | group.names | {"Pairs with it": len(ours)}
            row |= of_mean("Ours: mean", ours) | {"Ours: deviation": deviation(ours)}
            if found:
                yield row | _over_pairs(found, phrases.control)
            elif not phrases.control:
                yield row


def _over_pairs(found: list[PhraseAccuracy], control: str | None) -> Row:
    """Return how the phrases of several pairs, or a control of them, are understood."""
    ours = [each.understood(control).accuracy for each in found]
    best = [each.phrases for each, share in zip(found, ours, strict=True) if share == max(ours)]
    row: Row = {"Ours: maximum": max(ours), "Phrases at the maximum": min(best)}
    if control:
        return row
    floors = {
        "Expressible": [each.expressible for each in found],
        "False": [each.false for each in found],
        "Counts alone": [each.counted for each in found],
        "Random": [each.random for each in found],
    }
    shares = {name: [part.accuracy for part in parts if part.trials] for name, parts in floors.items()}
    row |= {"Phrases": round(median(each.phrases for each in found)), "N of false": len(shares["False"])}
    return row | {name: mean(values) for name, values in shares.items()}


TRANSLATION_BRIEF = Section(
    "Translation accuracy in brief",
    f"""\
Table 2 of the paper: how often receivers understand phrases of each type, over the pairs that have such
phrases, of {paper.LENGTH} integers (all pairs, if there are none of these). In Compositional-NP, the
control, the positional part is replaced (in the paper by symbol 0 only): there, higher is not better.
The paper's figures stand beside games with as many candidates as its own, {paper.NUM_CANDIDATES}.

- Cell: the one that the paper prints, or the best one of each pair.
- Low, High: the 95% interval of the mean over pairs (Student's t; none for fewer than {FEWEST_PAIRS} pairs,
  or if all have the same value). Deviation: the standard deviation over pairs; the paper prints "1-sigma".
- Phrases at the maximum: the phrases of the pair with the maximum. Phrases: the median number of phrases of a
  pair. One phrase says little. Expressible: the share of ordinary episodes that the phrases can express.
- False: the same messages where the phrase is not true. A pair with one phrase has no such control, so N of
  false is the number of pairs that have it.
- Counts alone: the same phrases said by the message that the sender sent most often where they are true, so
  without any analysis. Random: a random symbol in every slot.""",
    "Type | Family | Estimator | Cell | Pairs with it :d | Pairs :d | Paper: mean :.0% | "
    "Paper: deviation :.1% | Paper: maximum :.0% | Ours: mean :.1% | Low :.1% | High :.1% | "
    "Ours: deviation :.1% | Ours: maximum :.1% | Phrases at the maximum :, | Phrases :, | "
    "Expressible :.1% | False :.1% | N of false :d | Counts alone :.1% | Random :.1%",
    brief_rows,
)


def translation_rows(results: Results) -> Rows:
    """Yield table 2 by pair, at the paper's cell and at the best one."""
    for phrases in TABLE_2:
        for pair in results.pairs.values():
            for estimator, cell in itertools.product(ESTIMATORS, CELLS):
                row = phrases.names_in(pair) | {"Pair": pair.name, "Estimator": estimator, "Cell": cell}
                found = pair.phrases(estimator, cell, phrases.kind)
                if found and phrases.control:
                    yield row | of_accuracy("Reported", found.understood(phrases.control))
                elif found:
                    in_grid = pair.by_estimator[estimator].at(found.threshold, found.top_n)
                    chosen_at = accuracy(in_grid.phrases[phrases.kind].accuracy)
                    yield row | {"Chosen at": chosen_at} | _of_pair(found)
                elif not phrases.control:
                    yield row | {"Phrases": 0}


def _of_pair(found: PhraseAccuracy) -> Row:
    """Return how the phrases of a pair are understood."""
    return of_accuracy("Reported", found.accuracy) | {
        "t_c": found.threshold,
        "t_n": found.top_n,
        "Phrases": found.phrases,
        "False": accuracy(found.false),
        "N of false": found.false.trials,
        "Counts alone": accuracy(found.counted),
        "Sender": accuracy(found.own),
        "Expressible": accuracy(found.expressible),
        "Random": accuracy(found.random),
    }


TRANSLATION = Section(
    "Translation accuracy, by pair",
    """\
Table 2 of the paper, by pair: how often the receiver understands random phrases of the table of n-grams and
referents. The best cell was chosen for each pair on other episodes (Chosen at); Chosen at minus Reported is
the optimism of choosing. Low, High: the 95% interval. False: with a phrase that is not true; N of false: the
number of such episodes. Counts alone: with the message that was sent most often where the phrase is true.
Sender: with the sender's own message. Expressible: the share of ordinary episodes that such phrases can
express. Random: with a random symbol in every slot. 0 phrases: the type did not emerge there.""",
    "Type | Pair | Estimator | Cell | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | Low :.1% | "
    "High :.1% | False :.1% | N of false :, | Counts alone :.1% | Sender :.1% | "
    "Expressible :.1% | Random :.1% | Paper: mean :.0% | Paper: deviation :.1% | Paper: maximum :.0%",
    translation_rows,
)
