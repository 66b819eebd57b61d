"""How well the pairs play, on whole and on shorter sequences (table 7), and what they say most (table 3)."""

from __future__ import annotations

from functools import partial
from statistics import fmean

from spatial_game.language.npmi.referents import KINDS
from spatial_game.reproduction import paper
from spatial_game.reproduction.groups import over_trainings, trainings
from spatial_game.reproduction.inference import mean
from spatial_game.reproduction.results import PairResult, Results
from spatial_game.reproduction.sections import Row, Rows, Section, of_accuracy, of_mean
from spatial_game.studies.lengths import SHORTER


def play_rows(results: Results) -> Rows:
    """Yield the accuracy of each pair, and the mean of each family."""
    for name, pair in results.pairs.items():
        row: Row = {"Pair": name, "Game": pair.config.signature, "Inputs": pair.inputs, "Recipe": pair.recipe}
        yield row | of_accuracy("Accuracy", pair.play) | {"Distinct messages": pair.distinct_messages}
    for family, pairs in results.families().items():
        if len(pairs) > 1:
            values = [pair.play.accuracy for pair in pairs]
            of_trainings = over_trainings(pairs, lambda pair: pair.play.accuracy)
            yield {
                "Pair": f"{family}: mean",
                "Game": pairs[0].config.signature,
                **of_mean("Accuracy", of_trainings),
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
than five). The pairs of one population, which share senders and receivers, count as one: their mean.""",
    "Pair | Game | Accuracy :.2% | Low :.2% | High :.2% | Lowest pair :.2% | Highest pair :.2% | "
    "Distinct messages :, | Inputs | Recipe",
    play_rows,
)


def length_rows(results: Results) -> Rows:
    """Yield the accuracy on shortened sequences, mean over each family, and once the paper's."""
    shown: set[int] = set()
    for family, pairs in results.families().items():
        for integers in pairs[0].lengths:
            row: Row = {"Family": family, "Pairs": trainings(pairs), "Integers": integers}
            row["Whole"] = fmean(over_trainings(pairs, partial(_whole, integers=integers)))
            for less in SHORTER[1:]:
                change = partial(PairResult.change, integers=integers, less=less)
                row[f"-{less}"] = mean(over_trainings(pairs, change))
            yield row
        length = pairs[0].config.sequence_length
        printed = paper.accuracies_by_length(pairs[0].config)
        if printed and length not in shown:
            shown.add(length)
            whole, *changed = map(printed.get, SHORTER)
            theirs: Row = {"Family": f"the paper's, {length} integers", "Integers": "first", "Whole": whole}
            yield theirs | {f"-{less}": change for less, change in zip(SHORTER[1:], changed, strict=True)}


def _whole(pair: PairResult, integers: str) -> float:
    return pair.lengths[integers][0].accuracy


LENGTHS = Section(
    "Shorter sequences",
    """\
Table 7 of the paper, mean over pairs (those of one population count as one): the accuracy on whole
sequences, and the difference on shortened ones, in percentage points (pp). First: the integers 0 to n-1, as
in the paper; any: a random choice.""",
    " | ".join(
        ["Family", "Pairs :d", "Integers", "Whole :.2%", *(f"-{less} :+.2pp" for less in SHORTER[1:])]
    ),
    length_rows,
)


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
