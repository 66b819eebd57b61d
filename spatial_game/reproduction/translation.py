"""Sections on how well receivers understand phrases of the dictionary: the paper's table 2 and hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from spatial_game.game.evaluation import Proportion
from spatial_game.reproduction import paper
from spatial_game.reproduction.drawings import accuracy_bars
from spatial_game.reproduction.page import Section
from spatial_game.reproduction.phrases.hypotheses import FEWEST_PAIRS, over_pairs
from spatial_game.reproduction.phrases.kinds import CONTROLS
from spatial_game.reproduction.phrases.minimal_pairs import Exchange
from spatial_game.reproduction.phrases.phrase_table import KINDS
from spatial_game.reproduction.results import BestCell, PairResults, Results
from spatial_game.reproduction.stages import ESTIMATORS
from spatial_game.reproduction.summaries import (
    accuracies,
    accuracy,
    interval_of_shares,
    mean_and_best,
    with_interval,
)
from spatial_game.tables import Table, Value

Rows = list[tuple[Value, ...]]

_ORDER = [*KINDS.values(), *CONTROLS.values()]


def brief(results: Results) -> Section:
    """Table 2 over the pairs of the paper's game."""
    groups = results.families(paper.LENGTH) or results.families()
    if len(groups) > 1:
        groups["all"] = {name: pair for pairs in groups.values() for name, pair in pairs.items()}
    rows: Rows = []
    for kind in KINDS:
        for family, pairs in groups.items():
            for estimator in ESTIMATORS:
                rows += _brief_rows(kind, family, estimator, list(pairs.values()))
    rows.sort(key=lambda row: _ORDER.index(str(row[0])))
    text = (
        "Table 2 of the paper: how often receivers understand phrases of each type, over the pairs that have "
        f"such phrases, of {paper.LENGTH} integers (all pairs, if there are none of these). In "
        "Compositional-NP, the control, the positional part is replaced: there, higher is not better. "
        "Phrases at the maximum: the number of phrases of the pair with the maximum; one phrase says little. "
    )
    heading = (
        "Type | Family | Estimator | Ours: mean :.1% | Paper: mean :.0% | Ours: maximum :.1% | "
        "Phrases at the maximum :, | Paper: maximum :.0% | 95% interval of the mean | Pairs that have it"
    )
    return Section(
        "translation_brief", "Translation accuracy in brief", text, Table.of(heading, rows), open=True
    )


def _brief_rows(kind: str, family: str, estimator: str, pairs: Sequence[PairResults]) -> Rows:
    """The row of a kind of phrases in a family, and those of its controls."""
    found = [chosen for pair in pairs if (chosen := pair.thresholds[estimator].chosen.get(kind))]
    number = f"{len(found)} of {len(pairs)}"
    parts: dict[str, tuple[list[Proportion | None], tuple[float, float]]]
    parts = {KINDS[kind]: ([chosen.reported for chosen in found], paper.TRANSLATION[kind])}
    for control, name in CONTROLS.items():
        parts[name] = [chosen.report.controls.get(control) for chosen in found], paper.CONTROL
    rows: Rows = []
    for name, (measured, theirs) in parts.items():
        ours = accuracies(measured)
        if ours or name == KINDS[kind]:
            mean, best = mean_and_best(ours)
            phrases = [c.phrases for c, part in zip(found, measured, strict=True) if accuracy(part) == best]
            figures = (mean, theirs[0], best, min(phrases, default=None), theirs[1], interval_of_shares(ours))
            rows.append((name, family, estimator, *figures, number))
    return rows


def translation(results: Results) -> Section:
    """Table 2 by pair."""
    rows: Rows = []
    for kind in KINDS:
        for name, pair in results.pairs.items():
            for estimator in ESTIMATORS:
                rows += _pair_rows(kind, (name, estimator), pair.thresholds[estimator].chosen.get(kind))
    rows.sort(key=lambda row: _ORDER.index(str(row[0])))
    text = (
        "Table 2 of the paper, by pair: how often the receiver understands random phrases of the "
        "dictionary. t_c and t_n are the threshold and the number of integers of the best cell of the grid. "
        "That cell was chosen on other episodes (Chosen at); Chosen at minus Reported is the optimism of the "
        "paper's way of choosing. Deviation: the standard deviation over ten draws of a tenth of the "
        "episodes each. False: with a "
        "phrase that is not true. Expressible: the share of ordinary episodes that such phrases can "
        "express. "
        "0 phrases: the type did not emerge in that pair, in any cell."
    )
    heading = (
        "Type | Pair | Estimator | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | 95% interval | "
        "Deviation :.1% | False :.1% | Sender :.1% | Expressible :.1% | Paper: mean :.0% | "
        "Paper: maximum :.0%"
    )
    return Section(
        "translation", "Translation accuracy, by pair", text, Table.of(heading, rows), accuracy_bars(results)
    )


def _pair_rows(kind: str, of: tuple[str, str], chosen: BestCell | None) -> Rows:
    """The row of a kind of phrases in a pair by an estimator, and those of its controls."""
    if chosen is None:
        return [(KINDS[kind], *of, None, None, 0, *[None] * 7, *paper.TRANSLATION[kind])]
    report = chosen.report
    cell = (chosen.threshold, chosen.top_n, chosen.phrases, accuracy(chosen.chosen_on))
    others = (report.floors.get("shuffled"), report.ceiling, report.coverage)
    reported = (*with_interval(chosen.reported), report.draws.deviation, *map(accuracy, others))
    controls: Rows = [
        (CONTROLS[name], *of, *[None] * 4, *with_interval(part), *[None] * 4, *paper.CONTROL)
        for name, part in report.controls.items()
    ]
    return [(KINDS[kind], *of, *cell, *reported, *paper.TRANSLATION[kind]), *controls]


def minimal_pairs(results: Results) -> Section:
    """Whether both parts of composed phrases affect receivers."""
    rows: Rows = []
    for name, pair in results.pairs.items():
        for estimator in ESTIMATORS:
            found = pair.thresholds[estimator].minimal_pairs
            parts = {"offset": found.offset, "integer": found.integer} if found else {}
            rows += [(name, estimator, part, *_exchange_cells(x)) for part, x in parts.items()]
    text = (
        "Do both parts of Compositional-P affect receivers? Another part replaces one part of each phrase, "
        "so the phrase names another place, which is among the candidates. Effect: how much "
        "more often a place is chosen when it is named, in percentage points (pp). A receiver that "
        "composes follows both phrases; one that finds another meaning in them, such as an edge, does not "
        "move. The paper has no such control."
    )
    heading = (
        "Pair | Estimator | Part exchanged | Episodes :, | Phrase understood :.1% | "
        "Original target chosen after the exchange :.1% | Both followed :.1% | Effect :+.1pp"
    )
    return Section("minimal_pairs", "Do receivers compose?", text, Table.of(heading, rows))


def _exchange_cells(exchange: Exchange) -> tuple[Value, ...]:
    parts = (exchange.first, exchange.first_otherwise, exchange.followed)
    effect = exchange.effect if exchange.first.trials else None
    return (exchange.first.trials, *map(accuracy, parts), effect)


def hypotheses(results: Results) -> Section:
    """The paper's hypotheses, tested over the pairs of each family."""
    several = len(results.families(paper.LENGTH)) > 1
    differences: dict[tuple[str, str, str], list[float]] = {}
    for pair in results.pairs.values():
        groups = [pair.family]
        if several and pair.sequence_length == paper.LENGTH:
            groups.append(f"all of {paper.LENGTH} integers")
        for hypothesis, estimator, difference in _differences(pair):
            for group in groups:
                differences.setdefault((hypothesis, estimator, group), []).append(difference)
    rows = [
        (*of, len(values), fmean(values), over_pairs(values))
        for of, values in sorted(differences.items(), key=lambda item: item[0][:2])
    ]
    text = (
        "Tested over the pairs that have such phrases, by the one-sided signed-rank test. With fewer than "
        f"{FEWEST_PAIRS} pairs no outcome would be significant, and there is no p-value. H1: phrases are "
        "understood above chance. H2: phrases are understood better than without their positional part."
    )
    heading = "Hypothesis | Estimator | Pairs | Number :d | Mean difference :+.1pp | p-value :.2g"
    return Section("hypotheses", "The two hypotheses", text, Table.of(heading, rows), open=True)


def _differences(pair: PairResults) -> Iterator[tuple[str, str, float]]:
    """Yield each hypothesis and estimator, with how much better phrases are understood than without it."""
    for estimator in ESTIMATORS:
        for kind, chosen in pair.thresholds[estimator].chosen.items():
            reported = chosen.reported.accuracy
            yield f"H1: {KINDS[kind]} above chance", estimator, reported - pair.chance
            for control, without in chosen.report.controls.items():
                yield f"H2: above {CONTROLS[control]}", estimator, reported - without.accuracy
