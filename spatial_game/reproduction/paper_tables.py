"""The paper's tables from the results of a reproduction, each with the paper's figures beside ours."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.language.npmi.referents import KINDS
from spatial_game.language.significance import holm
from spatial_game.reproduction import paper
from spatial_game.reproduction.groups import Group, groups
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    deviation,
    interval_of_differences,
    mean,
    signed_rank,
)
from spatial_game.reproduction.phrases import COMPOSITIONAL, PHRASE_KINDS
from spatial_game.reproduction.results import CELLS, ESTIMATORS, FALSE, PAPERS, PARTS, Results, Translation
from spatial_game.reproduction.sections import Row, Rows, Section, accuracy, of_accuracy, of_mean
from spatial_game.studies.lengths import SHORTER

# --- Play ---------------------------------------------------------------------------------------------------


def play_rows(results: Results) -> Rows:
    """Yield the accuracy of each pair, and the mean of each family."""
    for name, pair in results.pairs.items():
        row: Row = {"Pair": name, "Game": pair.config.signature, "Inputs": pair.inputs, "Recipe": pair.recipe}
        yield row | of_accuracy("Accuracy", pair.play) | {"Distinct messages": pair.distinct_messages}
    for family, pairs in results.families().items():
        if len(pairs) > 1:
            values = [pair.play.accuracy for pair in pairs]
            yield {
                "Pair": f"{family}: mean",
                "Game": pairs[0].config.signature,
                **of_mean("Accuracy", values),
                "Lowest pair": min(values),
                "Highest pair": max(values),
                "Distinct messages": round(fmean(pair.distinct_messages for pair in pairs)),
                "Inputs": ", ".join(dict.fromkeys(pair.inputs or "unknown" for pair in pairs)),
                "Recipe": ", ".join(dict.fromkeys(pair.recipe or "unknown" for pair in pairs)),
            }


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

# --- Table 1: types of messages -----------------------------------------------------------------------------


def emergence_rows(results: Results) -> Rows:
    """Yield which types of messages emerge, by family and estimator."""
    families = results.families().items()
    for (kind, name), (family, pairs), estimator in itertools.product(
        MESSAGE_TYPES.items(), families, ESTIMATORS
    ):
        in_pairs = [[cell.types[kind] for cell in pair.by_estimator[estimator].cells] for pair in pairs]
        emerged = [share for shares in in_pairs for share in shares if share.vocabulary]
        ours = {
            "pairs": [fmean(share.vocabulary > 0 for share in cell) for cell in zip(*in_pairs, strict=True)],
            "messages": [share.vocabulary for share in emerged],
            "episodes": [share.episodes for share in emerged],
        }
        printed = paper.EMERGENCE[kind] if pairs[0].config.sequence_length == paper.LENGTH else ()
        theirs = dict(zip(ours, printed, strict=False))
        for share_of, values in ours.items():
            row: Row = {"Type": name, "Family": family, "Pairs": len(pairs), "Estimator": estimator}
            row["Share of the"] = share_of
            if values:
                row |= {"Mean": fmean(values), "Smallest": min(values), "Largest": max(values)}
            if share_of in theirs:
                names = ("Paper: mean", "Paper: smallest", "Paper: largest")
                row |= {n: percent / 100 for n, percent in zip(names, theirs[share_of], strict=True)}
            yield row


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
        at_default = pair.by_estimator["exact"].at(0.5, 1)  # t_c and t_n of the default settings
        yield {
            "Pair": name,
            "Edges with messages of their own": pair.edges,
            "Such messages": pair.edge_messages,
            "Reserved": at_default.types["reserved"].messages,
        }


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

# --- Table 2: how phrases are understood --------------------------------------------------------------------


class Phrases(NamedTuple):
    """A row of the paper's table 2: phrases of a kind, or a control of them."""

    name: str
    kind: str
    control: str | None
    printed: tuple[float, float, float] | None
    """What the paper prints: mean, standard deviation and maximum. It has no random symbols."""

    @property
    def names(self) -> Row:
        """What a row of a table says of the phrases."""
        row: Row = {"Type": self.name}
        if self.printed:
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
            row = phrases.names | group.names | {"Pairs with it": len(found)}
            if found:
                yield row | _over_pairs(found, phrases.control)
            elif not phrases.control:
                yield row


def _over_pairs(found: list[Translation], control: str | None) -> Row:
    """Return how the phrases of several pairs, or a control of them, are understood."""
    ours = [each.understood(control).accuracy for each in found]
    best = [each.phrases for each, share in zip(found, ours, strict=True) if share == max(ours)]
    row = of_mean("Ours: mean", ours) | {
        "Ours: deviation": deviation(ours),
        "Ours: maximum": max(ours),
        "Phrases at the maximum": min(best),
    }
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
                row = phrases.names | {"Pair": pair.name, "Estimator": estimator, "Cell": cell}
                found = pair.phrases(estimator, cell, phrases.kind)
                if found and phrases.control:
                    yield row | of_accuracy("Reported", found.understood(phrases.control))
                elif found:
                    in_grid = pair.by_estimator[estimator].at(found.threshold, found.top_n)
                    yield (
                        row
                        | _of_pair(found)
                        | {"Chosen at": accuracy(in_grid.phrases[phrases.kind].accuracy)}
                    )
                elif not phrases.control:
                    yield row | {"Phrases": 0}


def _of_pair(found: Translation) -> Row:
    """Return how the phrases of a pair are understood."""
    return of_accuracy("Reported", found.accuracy) | {
        "t_c": found.threshold,
        "t_n": found.top_n,
        "Phrases": found.phrases,
        "Deviation": found.deviation,
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

# --- Minimal pairs ------------------------------------------------------------------------------------------


def effect_rows(results: Results) -> Rows:
    """Yield the effects of the parts of composed phrases, by family."""
    for group, part in itertools.product(groups(results), PARTS):
        found, effects = group.phrases(COMPOSITIONAL), group.effects(part)
        row = group.names | {"Part exchanged": part}
        row |= {"Pairs asked": len(effects), "Pairs with phrases": len(found)}
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

# --- The hypotheses -----------------------------------------------------------------------------------------


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

# --- Tables 3 and 7 -----------------------------------------------------------------------------------------


def dictionary_rows(results: Results) -> Rows:
    """Yield the most used associations of the first pair of each family."""
    for pair, *_ in results.families().values():
        for each in pair.most_used:
            row: Row = {"Pair": pair.name, "Message": each.message, "Type": KINDS[each.kind]}
            row |= {"Meaning": each.meaning, "NPMI": each.npmi}
            yield row | {"Confidence": each.confidence, "Episodes": each.count}


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
            row: Row = {"Family": family, "Pairs": len(pairs), "Integers": integers}
            row["Whole"] = fmean(pair.lengths[integers][0].accuracy for pair in pairs)
            for less in SHORTER[1:]:
                changes = (pair.change(integers, less) for pair in pairs)
                row[f"-{less}"] = mean([change for change in changes if change is not None])
            yield row
        length = pairs[0].config.sequence_length
        if length in paper.LENGTHS.keys() - shown:
            shown.add(length)
            whole, *changed = map(paper.LENGTHS[length].get, SHORTER)
            theirs: Row = {"Family": f"the paper's, {length} integers", "Integers": "first", "Whole": whole}
            yield theirs | {f"-{less}": change for less, change in zip(SHORTER[1:], changed, strict=True)}


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
