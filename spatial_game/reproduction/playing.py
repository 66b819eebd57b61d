"""Sections on how well pairs play: their own game, and shorter sequences."""

from __future__ import annotations

from statistics import fmean

from spatial_game.reproduction import paper
from spatial_game.reproduction.drawings import drawn, figures, training_curves
from spatial_game.reproduction.page import Section
from spatial_game.reproduction.results import PairResults, Results
from spatial_game.reproduction.summaries import interval_of_shares, with_interval
from spatial_game.studies.lengths import SHORTER
from spatial_game.tables import Table, Value, between

Rows = list[tuple[Value, ...]]


def play(results: Results) -> Section:
    """The accuracy of each pair, and the mean of each family."""
    rows: Rows = []
    for name, pair in results.pairs.items():
        found = pair.evaluation
        of_pair = (*with_interval(found.overall, ".2%"), None, found.distinct_messages)
        rows.append((name, pair.game, *of_pair, "above 98%", pair.recipe))
    for family, pairs in results.families().items():
        if len(pairs) > 1:
            rows.append(_family_mean(family, list(pairs.values())))
    heading = (
        "Pair | Game | Accuracy :.2% | 95% interval | Range over pairs | Distinct messages :, | Paper | "
        "Training, where not the paper's"
    )
    text = (
        "Fresh episodes of each pair's own game. The paper's text says above 98%; its table 7 says 93% at "
        "60 integers. The interval of a mean is over the pairs of the family."
    )
    curves = list(training_curves(results))
    return Section("play", "How well the pairs play", text, Table.of(heading, rows), curves, open=True)


def _family_mean(family: str, pairs: list[PairResults]) -> tuple[Value, ...]:
    values = [pair.evaluation.overall.accuracy for pair in pairs]
    messages = round(fmean(pair.evaluation.distinct_messages for pair in pairs))
    spread = (interval_of_shares(values, ".2%"), between((min(values), max(values))))
    recipes = "; ".join(dict.fromkeys(pair.recipe for pair in pairs))
    return (f"{family}: mean", pairs[0].game, fmean(values), *spread, messages, "above 98%", recipes)


def length_means(results: Results) -> Section:
    """The accuracy on shortened sequences, mean over each family."""
    rows: Rows = []
    series: dict[str, dict[int, float]] = {}
    for family, pairs in results.families().items():
        first = next(iter(pairs.values()))
        length = first.sequence_length
        for integers in first.lengths:
            whole, differences = _mean_differences(list(pairs.values()), integers)
            rows.append(
                (f"{family} ({len(pairs)})", integers, whole, *(differences.get(k) for k in SHORTER[1:]))
            )
            series[f"{family}, {integers}"] = _by_length(length, whole, differences)
        theirs = paper.LENGTHS.get(length)
        if theirs:
            rows.append(("paper", f"{length} integers", *(theirs.get(k) for k in SHORTER)))
            series[f"paper, {length}"] = _by_length(length, theirs[0], theirs)
    text = (
        "Table 7 of the paper, mean over pairs: the accuracy on whole sequences, and the difference on "
        "shortened ones, in percentage points (pp). The paper's rows for 40 and 100 integers need pairs "
        "trained for these lengths (examples/22_appendix_a_and_c.py trains such pairs)."
    )
    heading = ["Family | Integers | Whole :.2%", *(f"-{less} :+.2pp" for less in SHORTER[1:])]
    draw = drawn("Accuracy by sequence length", lambda axis: figures().lines(axis, series, "sequence length"))
    return Section("length_means", "Shorter sequences", text, Table.of(" | ".join(heading), rows), draw)


def _mean_differences(pairs: list[PairResults], integers: str) -> tuple[float, dict[int, float]]:
    studies = [pair.lengths[integers].shortened_by for pair in pairs]
    shorter = [less for less in SHORTER[1:] if less in studies[0]]
    differences = {less: fmean(study[less].difference for study in studies) for less in shorter}
    return fmean(study[0].played.accuracy for study in studies), differences


def _by_length(length: int, whole: float, differences: dict[int, float]) -> dict[int, float]:
    shorter = {length - less: whole + difference for less, difference in differences.items() if less}
    return {length: whole, **shorter}
