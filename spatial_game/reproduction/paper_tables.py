"""The paper's tables from the results of a reproduction, each with the paper's figures beside ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TypeAlias

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.language.npmi.referents import KINDS
from spatial_game.reproduction import paper
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    accuracy,
    gains,
    mean,
    mean_of_shares,
    over_pairs,
    share_cells,
    training_of,
)
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import (
    CELLS,
    ESTIMATORS,
    FALSE,
    PAPERS,
    Results,
    Section,
    Translation,
)
from spatial_game.studies.lengths import SHORTER
from spatial_game.tables import Value

Rows: TypeAlias = Iterator[tuple[Value, ...]]
PhraseRow: TypeAlias = tuple[str, str, str | None, tuple[float | None, float | None]]
PHRASES: tuple[PhraseRow, ...] = (
    *((name, kind, None, paper.TRANSLATION[kind]) for kind, name in PHRASE_KINDS.items()),
    ("Compositional-NP (symbol 0)", "compositional", "zero", paper.CONTROL),
    ("Compositional-NP (random symbols)", "compositional", "other", (None, None)),
)
"""The rows of table 2: name, kind of phrases, control if it is one, the paper's mean and maximum accuracy.

The paper has no control with random symbols.
"""
DEFAULT_CELL = (0.5, 1)
"""t_c and t_n of the default settings."""


def play_rows(results: Results) -> Rows:
    """Yield the accuracy of each pair, and the mean of each family."""
    for name, pair in results.pairs.items():
        figures = (*share_cells(pair.play), None, None, pair.distinct_messages)
        yield (name, pair.config.signature, *figures, pair.inputs, pair.recipe)
    for family, pairs in results.families().items():
        if len(pairs) > 1:
            values = [pair.play.accuracy for pair in pairs]
            messages = round(fmean(pair.distinct_messages for pair in pairs))
            who = (f"{family}: mean", pairs[0].config.signature)
            yield (*who, *mean_of_shares(values), min(values), max(values), messages, *training_of(pairs))


PLAY = Section(
    "How well the pairs play",
    """\
Fresh episodes of each pair's own game. The paper's text says above 98%; its table 7 says 93% at 60
integers. Low, High: the 95% interval, of a mean over the pairs of the family.""",
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
    for name, kind, control, (theirs, their_most) in PHRASES:
        for family, pairs in results.families(paper.LENGTH).items():
            for estimator, cell in itertools.product(ESTIMATORS, CELLS):
                found = [each for pair in pairs if (each := pair.phrases(estimator, cell, kind))]
                if found or not control:
                    who, ours = (name, family, estimator, cell), _brief(found, control)
                    yield (*who, theirs, their_most, *ours, len(found), len(pairs))


def _brief(found: Sequence[Translation], control: str | None) -> tuple[Value, ...]:
    """Return the cells from the mean to Counts alone."""
    ours = [each.understood(control).accuracy for each in found]
    most = max(ours, default=None)
    few = min((each.phrases for each, share in zip(found, ours, strict=True) if share == most), default=None)
    counted = None if control else mean([each.counted.accuracy for each in found])
    return (*mean_of_shares(ours), most, few, counted)


TRANSLATION_BRIEF = Section(
    "Translation accuracy in brief",
    f"""\
Table 2 of the paper: how often receivers understand phrases of each type, over the pairs that have such
phrases, of {paper.LENGTH} integers (all pairs, if there are none of these). In Compositional-NP, the
control, the positional part is replaced (in the paper by symbol 0 only): there, higher is not better. Cell:
the one that the paper prints, or the best one of each pair. Counts alone: the same phrases said by the
message that the sender sent most often where they are true, so without any analysis. Phrases at the maximum:
the number of phrases of the pair with the maximum; one phrase says little.""",
    "Type | Family | Estimator | Cell | Paper: mean :.0% | Paper: maximum :.0% | Ours: mean :.1% | "
    "Low :.1% | High :.1% | Ours: maximum :.1% | Phrases at the maximum :, | Counts alone: mean :.1% | "
    "Pairs with it :d | Pairs :d",
    brief_rows,
)


def translation_rows(results: Results) -> Rows:
    """Yield table 2 by pair, at the paper's cell and at the best one."""
    for name, kind, control, theirs in PHRASES:
        for pair in results.pairs.values():
            for estimator, cell in itertools.product(ESTIMATORS, CELLS):
                found = pair.phrases(estimator, cell, kind)
                if found or not control:
                    yield (name, pair.name, estimator, cell, *_cells(found, control), *theirs)


def _cells(found: Translation | None, control: str | None) -> tuple[Value, ...]:
    """Return the cells from t_c to Expressible."""
    if found is None:
        return (None, None, 0, *[None] * 9)
    reported = share_cells(found.understood(control))
    if control:
        return (*[None] * 4, *reported, *[None] * 5)
    cell = (found.threshold, found.top_n, found.phrases, accuracy(found.chosen_at))
    beside = (found.false, found.counted, found.own, found.expressible)
    return (*cell, *reported, found.deviation, *map(accuracy, beside))


TRANSLATION = Section(
    "Translation accuracy, by pair",
    """\
Table 2 of the paper, by pair: how often the receiver understands random phrases of the table of forms and
referents. The best cell was chosen for each pair on other episodes (Chosen at); Chosen at minus Reported is
the optimism of choosing. Low, High: the 95% interval. Deviation: the standard deviation over ten draws of a
tenth of the episodes each. False: with a phrase that is not true. Counts alone: with the message that was
sent most often where the phrase is true. Sender: with the sender's own message. Expressible: the share of
ordinary episodes that such phrases can express. 0 phrases: the type did not emerge there.""",
    "Type | Pair | Estimator | Cell | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | Low :.1% | "
    "High :.1% | Deviation :.1% | False :.1% | Counts alone :.1% | Sender :.1% | Expressible :.1% | "
    "Paper: mean :.0% | Paper: maximum :.0%",
    translation_rows,
)


def exchange_rows(results: Results) -> Rows:
    """Yield whether both parts of composed phrases affect receivers."""
    for name, pair in results.pairs.items():
        for estimator in ESTIMATORS:
            for part, found in pair.by_estimator[estimator].exchanges.items():
                shares = map(accuracy, (found.first, found.first_otherwise, found.followed))
                yield (name, estimator, part, found.first.trials, *shares, found.effect)


MINIMAL_PAIRS = Section(
    "Do receivers compose?",
    """\
Do both parts of Compositional-P affect receivers, at the paper's cell? Another part replaces one part of each
phrase, so the phrase names another place, which is among the candidates. Effect: how much more often a place
is chosen when it is named, in percentage points (pp). A receiver that composes follows both phrases; one that
finds another meaning in them, such as an edge, does not move. The paper has no such control.""",
    "Pair | Estimator | Part exchanged | Episodes :, | Phrase understood :.1% | "
    "Original target chosen after the exchange :.1% | Both followed :.1% | Effect :+.1pp",
    exchange_rows,
)


def hypothesis_rows(results: Results) -> Rows:
    """Yield the paper's hypotheses, tested over the pairs of each family."""
    tested: list[tuple[str, str, str | None]] = [
        (f"H2: above {name}" if control else f"H1: {name} above chance", kind, control)
        for name, kind, control, _ in PHRASES
    ]
    tested += [(f"H1: {name} above its false phrases", kind, FALSE) for kind, name in PHRASE_KINDS.items()]
    for hypothesis, kind, control in sorted(tested, key=lambda each: each[0]):
        for estimator in ESTIMATORS:
            for family, pairs in results.families().items():
                values = gains(pairs, estimator, PAPERS, kind, control)
                if values:
                    yield hypothesis, estimator, family, len(values), fmean(values), over_pairs(values)


HYPOTHESES = Section(
    "The two hypotheses",
    f"""\
Tested over the pairs that have such phrases at the paper's cell, by the one-sided signed-rank test. With
fewer than {FEWEST_PAIRS} pairs no outcome would be significant, and there is no p-value. H1: phrases are
understood above chance. Messages of phrases that are not true also win above chance, so a stricter H1 stands
beside it: phrases are understood better than where they are not true. H2: phrases are understood better than
without their positional part. p-values are of each row by itself.""",
    "Hypothesis | Estimator | Family | Pairs :d | Mean difference :+.1pp | p-value :.2g",
    hypothesis_rows,
)


def dictionary_rows(results: Results) -> Rows:
    """Yield the most used entries of the first pair of each family."""
    for pair, *_ in results.families().values():
        for row in pair.most_used:
            name = KINDS[row.kind]
            yield pair.name, row.message, name, row.meaning, row.npmi, row.confidence, row.count


DICTIONARY = Section(
    "Dictionary",
    "Table 3 of the paper: the most frequent entries of each type, at t_c 0.5 and t_n 1, estimator exact.",
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
