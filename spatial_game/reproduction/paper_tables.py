"""The paper's tables from the results of a reproduction, each with the paper's figures beside ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from statistics import fmean, median
from typing import TypeAlias

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.language.npmi.referents import KINDS
from spatial_game.language.significance import holm
from spatial_game.reproduction import paper
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    accuracy,
    accuracy_with_interval,
    deviation,
    effects,
    gains,
    mean,
    mean_with_interval,
    signed_rank,
    training_of,
    translations_of,
)
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import (
    CELLS,
    ESTIMATORS,
    FALSE,
    PAPERS,
    PARTS,
    PairResult,
    Results,
    Section,
    Translation,
)
from spatial_game.studies.lengths import SHORTER
from spatial_game.tables import Value

Rows: TypeAlias = Iterator[tuple[Value, ...]]
Printed: TypeAlias = tuple[float | None, float | None, float | None]
PHRASES: tuple[tuple[str, str, str | None, Printed], ...] = (
    *((name, kind, None, paper.TRANSLATION[kind]) for kind, name in PHRASE_KINDS.items()),
    ("Compositional-NP (symbol 0)", COMPOSITIONAL, "zero", paper.CONTROL),
    ("Compositional-NP (random symbols)", COMPOSITIONAL, "other", (None, None, None)),
)
"""The rows of table 2: name, kind of phrases, control if it is one, and what the paper prints: mean, standard
deviation and maximum.

The paper has no control with random symbols.
"""
DEFAULT_CELL = (0.5, 1)
"""t_c and t_n of the default settings."""


def play_rows(results: Results) -> Rows:
    """Yield the accuracy of each pair, and the mean of each family."""
    for name, pair in results.pairs.items():
        figures = (*accuracy_with_interval(pair.play), None, None, pair.distinct_messages)
        yield (name, pair.config.signature, *figures, pair.inputs, pair.recipe)
    for family, pairs in results.families().items():
        if len(pairs) > 1:
            values = [pair.play.accuracy for pair in pairs]
            messages = round(fmean(pair.distinct_messages for pair in pairs))
            who = (f"{family}: mean", pairs[0].config.signature)
            yield (*who, *mean_with_interval(values), min(values), max(values), messages, *training_of(pairs))


PLAY = Section(
    "How well the pairs play",
    """\
Fresh episodes of each pair's own game. The paper's text says above 98%; its table 7 says 93% at 60
integers. Low, High: the 95% interval, of a mean over the pairs of the family (Student's t; none for fewer
than five).""",
    "Pair | Game | Accuracy :.2% | Low :.2% | High :.2% | Lowest pair :.2% | Highest pair :.2% | "
    "Distinct messages :, | Inputs | Recipe",
    play_rows,
)


def emergence_rows(results: Results) -> Rows:
    """Yield which types of messages emerge, by family and estimator."""
    families = results.families().items()
    for (kind, name), (family, pairs), estimator in itertools.product(
        MESSAGE_TYPES.items(), families, ESTIMATORS
    ):
        nothing: list[float | None] = [None, None, None]
        printed = [nothing, nothing]
        if pairs[0].config.sequence_length == paper.LENGTH:
            printed = [[percent / 100 for percent in figures] for figures in paper.EMERGENCE[kind]]
        cells = zip(*(pair.by_estimator[estimator].cells for pair in pairs), strict=True)
        by_cell = [[cell.types[kind] for cell in of_pairs] for of_pairs in cells]
        emerged = [share for shares in by_cell for share in shares if share.vocabulary]
        ours = {
            "pairs": [fmean(share.vocabulary > 0 for share in shares) for shares in by_cell],
            "messages": [share.vocabulary for share in emerged],
            "episodes": [share.episodes for share in emerged],
        }
        for (share_of, values), theirs in zip(ours.items(), [*printed, nothing], strict=True):
            ends = (fmean(values), min(values), max(values)) if values else (None, None, None)
            yield (name, family, len(pairs), estimator, share_of, *ends, *theirs)


EMERGENCE = Section(
    "Emergence and coverage",
    """\
Table 1 of the paper: the share of the pairs in which a type of message emerges, over the cells of the
grid, and its share of the messages and of the episodes, over all pairs and cells in which it emerges: mean,
smallest and largest. (In the first table, each pair has the same weight.) The paper's figures are over cells,
and by its published program. A message of type *Reserved* repeats one symbol that is sent
only at edges; the paper's program asks instead that at most two messages have the symbol.""",
    "Type | Family | Pairs :d | Estimator | Share of the | Mean :.1% | Smallest :.1% | Largest :.1% | "
    "Paper: mean :.1% | Paper: smallest :.1% | Paper: largest :.1%",
    emergence_rows,
)


def edge_rows(results: Results) -> Rows:
    """Yield the messages for edges, by pair."""
    for name, pair in results.pairs.items():
        cells = pair.by_estimator["exact"].cells
        (cell,) = (cell for cell in cells if (cell.threshold, cell.top_n) == DEFAULT_CELL)
        yield name, pair.edges, pair.edge_messages, cell.types["reserved"].messages


EDGES = Section(
    "Messages for edges, by pair",
    """\
In the paper, over 90% of the pairs have a separate message for each edge, and 20% of these pairs reserve
symbols for edges. A message belongs to an edge if their NPMI is at least 0.5 (estimator exact), and the
target is there in at least 80% of the message's episodes. Reserved: how many of them repeat one symbol that
is sent only at edges.""",
    "Pair | Edges with messages of their own :d | Such messages :, | Reserved :,",
    edge_rows,
)


def brief_rows(results: Results) -> Rows:
    """Yield table 2 by family, estimator and cell."""
    for name, kind, control, printed in PHRASES:
        for family, pairs in results.families(paper.LENGTH).items():
            for estimator, cell in itertools.product(ESTIMATORS, CELLS):
                found = translations_of(pairs, estimator, cell, kind)
                if found or not control:
                    number = (family, estimator, cell, len(found), len(pairs))
                    yield (name, *number, *printed, *_brief(found, control))


def _brief(found: Sequence[Translation], control: str | None) -> tuple[Value, ...]:
    """Return the cells of table 2 from our mean on."""
    ours = [each.understood(control).accuracy for each in found]
    most = max(ours, default=None)
    few = min((each.phrases for each, share in zip(found, ours, strict=True) if share == most), default=None)
    figures = (*mean_with_interval(ours), deviation(ours), most, few)
    if control or not found:
        return (*figures, *[None] * 6)
    beside = [_mean_accuracy(found, name) for name in ("expressible", "false", "counted", "random")]
    with_false = sum(each.false.trials > 0 for each in found)
    return (*figures, round(median(each.phrases for each in found)), *beside[:2], with_false, *beside[2:])


def _mean_accuracy(found: Sequence[Translation], name: str) -> float | None:
    """Return the mean of a field over the pairs in which it was measured."""
    parts = (getattr(each, name) for each in found)
    return mean([part.accuracy for part in parts if part.trials])


TRANSLATION_BRIEF = Section(
    "Translation accuracy in brief",
    f"""\
Table 2 of the paper: how often receivers understand phrases of each type, over the pairs that have such
phrases, of {paper.LENGTH} integers (all pairs, if there are none of these). In Compositional-NP, the
control, the positional part is replaced (in the paper by symbol 0 only): there, higher is not better.

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
    for name, kind, control, printed in PHRASES:
        for pair in results.pairs.values():
            for estimator, cell in itertools.product(ESTIMATORS, CELLS):
                found = pair.phrases(estimator, cell, kind)
                if found or not control:
                    ours = _translation(pair, estimator, kind, control, found)
                    yield (name, pair.name, estimator, cell, *ours, *printed)


def _translation(
    pair: PairResult, estimator: str, kind: str, control: str | None, found: Translation | None
) -> tuple[Value, ...]:
    """Return the cells of a pair's phrases from t_c to Random."""
    if found is None:
        return (None, None, 0, *[None] * 11)
    if control:
        return (*[None] * 4, *accuracy_with_interval(found.understood(control)), *[None] * 7)
    asked = pair.by_estimator[estimator].at(found.threshold, found.top_n).phrases[kind].accuracy
    cell = (found.threshold, found.top_n, found.phrases, accuracy(asked))
    reported = (*accuracy_with_interval(found.accuracy), found.deviation)
    beside = map(accuracy, (found.counted, found.own, found.expressible, found.random))
    return (*cell, *reported, accuracy(found.false), found.false.trials, *beside)


TRANSLATION = Section(
    "Translation accuracy, by pair",
    """\
Table 2 of the paper, by pair: how often the receiver understands random phrases of the table of n-grams and
referents. The best cell was chosen for each pair on other episodes (Chosen at); Chosen at minus Reported is
the optimism of choosing. Low, High: the 95% interval. Deviation: the standard deviation over ten draws of a
tenth of the episodes each. False: with a phrase that is not true; N of false: in so many episodes. Counts
alone: with the message that was sent most often where the phrase is true. Sender: with the sender's own
message. Expressible: the share of ordinary episodes that such phrases can express. Random: with a random
symbol in every slot. 0 phrases: the type did not emerge there.""",
    "Type | Pair | Estimator | Cell | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | Low :.1% | "
    "High :.1% | Deviation :.1% | False :.1% | N of false :, | Counts alone :.1% | Sender :.1% | "
    "Expressible :.1% | Random :.1% | Paper: mean :.0% | Paper: deviation :.1% | Paper: maximum :.0%",
    translation_rows,
)


def effect_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by family."""
    for family, pairs in results.families().items():
        for estimator, cell, part in itertools.product(ESTIMATORS, CELLS, PARTS):
            found = translations_of(pairs, estimator, cell, COMPOSITIONAL)
            phrases = sum(each.phrases for each in found)
            beyond = sum(each.beyond for each in found) / phrases if phrases else None
            moved, ceilings = effects(pairs, estimator, cell, part)
            figures = (*mean_with_interval(moved, -1.0), mean(ceilings))
            numbers = (len(moved), len(found), len(pairs))
            yield (family, estimator, cell, part, *numbers, beyond, *figures)


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
            phrases = pair.phrases(estimator, cell, COMPOSITIONAL)
            if phrases is None:
                yield (name, estimator, cell, None, 0, *[None] * 7)
                continue
            for part, found in pair.by_estimator[estimator].exchanges[cell].items():
                accuracies = map(accuracy, (found.first, found.first_after, found.followed))
                figures = (found.first.trials, *accuracies, found.effect, found.ceiling(pair.chance))
                yield (name, estimator, cell, part, phrases.phrases, phrases.beyond, *figures)


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


def hypothesis_rows(results: Results) -> Rows:
    """Yield the paper's hypotheses, tested over the pairs of each family."""
    rows = [row for row in _tested(results) if row[-1]]
    for _, tests in itertools.groupby(rows, key=lambda row: row[:2]):
        together = [*tests]
        p_values = [signed_rank(values) for *_, values in together]
        least = holm([signed_rank([1.0] * len(values)) for *_, values in together])
        figures = zip(together, p_values, holm(p_values), least, strict=True)
        for (*who, values), *found in figures:
            yield (*who, len(values), fmean(values), *found)


def _tested(results: Results) -> Iterator[tuple[str, str, str, list[float]]]:
    """Yield hypothesis, estimator, family, and for each pair what should be above zero."""
    families = [*itertools.product(ESTIMATORS, results.families().items())]
    for name, kind, control, _ in PHRASES:
        hypothesis = f"H2: above {name}" if control else f"H1: {name} above chance"
        for estimator, (family, pairs) in families:
            yield hypothesis, estimator, family, gains(pairs, estimator, PAPERS, kind, control)
    for kind, name in PHRASE_KINDS.items():
        for estimator, (family, pairs) in families:
            hypothesis = f"H1: {name} above its false phrases"
            yield hypothesis, estimator, family, gains(pairs, estimator, PAPERS, kind, FALSE)
    for part in PARTS:
        for estimator, (family, pairs) in families:
            effect, _ = effects(pairs, estimator, PAPERS, part)
            yield f"Receivers compose: an exchanged {part} is followed", estimator, family, effect


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


def dictionary_rows(results: Results) -> Rows:
    """Yield the most used associations of the first pair of each family."""
    for pair, *_ in results.families().values():
        for row in pair.most_used:
            name = KINDS[row.kind]
            yield pair.name, row.message, name, row.meaning, row.npmi, row.confidence, row.count


DICTIONARY = Section(
    "Dictionary",
    "Table 3 of the paper: the most frequent associations of each type, at t_c 0.5, t_n 1, estimator exact.",
    "Pair | Message | Type | Meaning | NPMI :.2f | Confidence :.0% | Episodes :,",
    dictionary_rows,
)


def length_rows(results: Results) -> Rows:
    """Yield the accuracy on shortened sequences, mean over each family, and once the paper's."""
    shown: set[int] = set()
    for family, pairs in results.families().items():
        for integers in pairs[0].lengths:
            changes = []
            for less in SHORTER[1:]:
                found = [change for pair in pairs if (change := pair.change(integers, less)) is not None]
                changes.append(mean(found))
            whole = fmean(pair.lengths[integers][0].accuracy for pair in pairs)
            yield (family, len(pairs), integers, whole, *changes)
        length = pairs[0].config.sequence_length
        if length in paper.LENGTHS.keys() - shown:
            shown.add(length)
            yield (f"the paper's, {length} integers", None, "first", *map(paper.LENGTHS[length].get, SHORTER))


LENGTHS = Section(
    "Shorter sequences",
    """\
Table 7 of the paper, mean over pairs: the accuracy on whole sequences, and the difference on shortened
ones, in percentage points (pp). First: the integers 0 to n-1, as in the paper; any: a random choice.""",
    " | ".join(
        ["Family", "Pairs :d", "Integers", "Whole :.2%", *(f"-{less} :+.2pp" for less in SHORTER[1:])]
    ),
    length_rows,
)
