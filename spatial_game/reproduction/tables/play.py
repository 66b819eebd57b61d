"""How well the pairs play, on whole and on shorter sequences (table 7), and what they say most (table 3)."""

from __future__ import annotations

from statistics import fmean

from spatial_game.language.npmi.referents import KINDS
from spatial_game.reproduction import paper
from spatial_game.reproduction.families import families
from spatial_game.reproduction.inference import mean
from spatial_game.reproduction.results import Results
from spatial_game.reproduction.tables.report_table import ReportTable, Row, Rows, accuracy_cells, mean_cells
from spatial_game.studies.lengths import SHORTER


def play_rows(results: Results) -> Rows:
    """Yield the accuracy of each pair, and the mean of each family."""
    for name, pair in results.pairs.items():
        row: Row = {"Pair": name, "Game": pair.config.signature, "Inputs": pair.inputs, "Recipe": pair.recipe}
        yield row | accuracy_cells("Accuracy", pair.play) | {"Distinct messages": pair.distinct_messages}
    for family in families(results):
        if len(family.pairs) > 1:
            accuracies = [pair.play.accuracy for pair in family.pairs]
            yield {
                "Pair": f"{family.name}: mean",
                "Game": family.config.signature,
                **mean_cells("Accuracy", family.plays),
                "Lowest pair": min(accuracies),
                "Highest pair": max(accuracies),
                "Distinct messages": round(fmean(pair.distinct_messages for pair in family.pairs)),
                "Inputs": ", ".join(dict.fromkeys(pair.inputs or "unknown" for pair in family.pairs)),
                "Recipe": ", ".join(dict.fromkeys(pair.recipe or "unknown" for pair in family.pairs)),
            }


PLAY = ReportTable(
    "Pair | Game | Accuracy :.2% | Low :.2% | High :.2% | Lowest pair :.2% | Highest pair :.2% | "
    "Distinct messages :, | Inputs | Recipe",
    play_rows,
)


def length_rows(results: Results) -> Rows:
    """Yield the mean accuracy of each family on shortened sequences, and once the paper's."""
    shown: set[int] = set()
    for family in families(results):
        for integers in family.pairs[0].lengths:
            row: Row = {"Family": family.name, "Pairs": family.num_trainings, "Integers": integers}
            row |= {f"-{less}": mean(family.changes(integers, less)) for less in SHORTER[1:]}
            whole = family.by_training(pair.lengths[integers][0].accuracy for pair in family.pairs)
            yield row | {"Whole": fmean(whole)}
        length, theirs = family.config.sequence_length, paper.accuracies_by_length(family.config)
        if theirs and length not in shown:
            shown.add(length)
            row = {"Family": f"the paper's, {length} integers", "Integers": "first", "Whole": theirs[0]}
            yield row | {f"-{less}": theirs.get(less) for less in SHORTER[1:]}


LENGTHS = ReportTable(
    " | ".join(
        ["Family", "Pairs :d", "Integers", "Whole :.2%", *(f"-{less} :+.2pp" for less in SHORTER[1:])]
    ),
    length_rows,
)


def dictionary_rows(results: Results) -> Rows:
    """Yield the most used associations of the first pair of each family."""
    for family in families(results):
        pair = family.pairs[0]
        for row in pair.most_used:
            yield {
                "Pair": pair.name,
                "Message": row.message,
                "Type": KINDS[row.kind],
                "Meaning": row.meaning,
                "NPMI": row.npmi,
                "Confidence": row.confidence,
                "Episodes": row.count,
            }


DICTIONARY = ReportTable(
    "Pair | Message | Type | Meaning | NPMI :.2f | Confidence :.0% | Episodes :,",
    dictionary_rows,
)
