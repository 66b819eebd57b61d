"""The paper's tables from the results of a reproduction, each with the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from spatial_game.language.lexicon.lexicon import TYPES
from spatial_game.language.npmi.grid import MESSAGE_TYPES
from spatial_game.reproduction import paper
from spatial_game.reproduction.asking import CONTROLS
from spatial_game.reproduction.inference import (
    FEWEST_PAIRS,
    accuracy,
    interval_of_shares,
    mean,
    over_pairs,
    with_interval,
)
from spatial_game.reproduction.phrases import KINDS
from spatial_game.reproduction.stages import ESTIMATORS
from spatial_game.reproduction.verdict import PairResults, chosen_phrases, families, in_words
from spatial_game.studies.lengths import SHORTER
from spatial_game.tables import Table, Value, between, spread

Results = Mapping[str, Any]
Rows = list[tuple[Value, ...]]

DICTIONARY_ROWS = 4
"""Entries of each kind that the report shows; the data has all entries."""
DEFAULT_CELL = (0.5, 1)
"""t_c and t_n of the default settings."""
_ORDER = [*KINDS.values(), *CONTROLS.values()]

PLAY = """\
Fresh episodes of each pair's own game. The paper's text says above 98%; its table 7 says 93% at 60
integers. The interval of a mean is over the pairs of the family."""


def play(results: Results) -> Table:
    """The accuracy of each pair, and the mean of each family."""
    rows: Rows = []
    for name, pair in results["pairs"].items():
        found = pair["evaluation"]
        told = (None, found["distinct_messages"], pair["inputs"], pair["recipe"])
        rows.append((name, pair["game"], *with_interval(found, ".2%"), *told))
    for family, own in families(results).items():
        pairs = [*own.values()]
        if len(pairs) > 1:
            values = [pair["evaluation"]["accuracy"] for pair in pairs]
            messages = round(fmean(pair["evaluation"]["distinct_messages"] for pair in pairs))
            ends = (interval_of_shares(values, ".2%"), between((min(values), max(values))))
            how = (in_words(pairs, "inputs"), in_words(pairs, "recipe"))
            rows.append((f"{family}: mean", pairs[0]["game"], fmean(values), *ends, messages, *how))
    heading = "Pair | Game | Accuracy :.2% | 95% interval | Range over pairs | Distinct messages :,"
    heading += " | Inputs | Recipe"
    return Table.of(heading, rows)


EMERGENCE = """\
Table 1 of the paper: the share of the pairs in which a type of message emerges, and its share of the
messages and of the episodes in those pairs. Mean (smallest to largest) over the 54 cells of the grid. The
paper's figures are by its own estimator."""


def emergence(results: Results) -> Table:
    """Table 1: which types of messages emerge, by family and estimator."""
    rows: Rows = []
    for kind, name in MESSAGE_TYPES.items():
        for family, pairs in families(results).items():
            length = next(iter(pairs.values()))["sequence_length"]
            theirs = paper.EMERGENCE[kind] if length == paper.LENGTH else (None, None)
            for estimator in ESTIMATORS:
                cells = zip(*(pair["grid"][estimator] for pair in pairs.values()), strict=True)
                shares = [[cell["types"][kind] for cell in each] for each in cells]
                emerged = [share for each in shares for share in each if share["vocabulary"]]
                pairs_with = _spread([fmean(share["vocabulary"] > 0 for share in each) for each in shares])
                messages, episodes = (
                    _spread([share[part] for share in emerged]) for part in ("vocabulary", "episodes")
                )
                who = (name, f"{family} ({len(pairs)})", estimator)
                rows.append((*who, pairs_with, theirs[0], messages, theirs[1], episodes))
    heading = (
        "Type | Pairs | Estimator | Emergence | Paper: emergence | Of the messages | "
        "Paper: of the messages | Of the episodes"
    )
    return Table.of(heading, rows)


def _spread(values: Sequence[float]) -> str:
    return spread(fmean(values), min(values), max(values)) if values else spread(0, 0, 0)


EDGES = """\
In the paper, over 90% of the pairs have a separate message for each edge, and 20% of these pairs reserve
symbols for edges. A message belongs to an edge if the target is there in at least 80% of the message's
episodes (t_c 0.5, t_n 1, estimator exact). Reserved: such a message repeats one symbol, which at most one
other message has."""


def edges(results: Results) -> Table:
    """The messages for edges, by pair."""
    rows: Rows = []
    for name, pair in results["pairs"].items():
        words = [entry for entry in pair["dictionary"]["entries"] if entry["kind"] == "edge"]
        (cell,) = (c for c in pair["grid"]["exact"] if (c["threshold"], c["top_n"]) == DEFAULT_CELL)
        reserved = "yes" if cell["types"]["reserved"]["vocabulary"] > 0 else "no"
        rows.append((name, len({word["meaning"] for word in words}), len(words), reserved))
    return Table.of("Pair | Edges with messages of their own :d | Such messages :, | Reserved", rows)


BRIEF = f"""\
Table 2 of the paper: how often receivers understand phrases of each type, over the pairs that have such
phrases, of {paper.LENGTH} integers (all pairs, if there are none of these). In Compositional-NP, the
control, the positional part is replaced: there, higher is not better. Phrases at the maximum: the number
of phrases of the pair with the maximum; one phrase says little. The paper's figures are of raw numbers
and of its own estimator."""


def translation_brief(results: Results) -> Table:
    """Table 2 by family and estimator."""
    rows: Rows = []
    for family, own in (families(results, paper.LENGTH) or families(results)).items():
        for estimator in ESTIMATORS:
            for kind in KINDS:
                rows += _brief_rows(kind, family, estimator, [*own.values()])
    rows.sort(key=lambda row: _ORDER.index(str(row[0])))
    heading = (
        "Type | Family | Estimator | Ours: mean :.1% | Paper: mean :.0% | Ours: maximum :.1% | "
        "Phrases at the maximum :, | Paper: maximum :.0% | 95% interval of the mean | Pairs that have it"
    )
    return Table.of(heading, rows)


def _brief_rows(kind: str, family: str, estimator: str, pairs: Sequence[PairResults]) -> Rows:
    """The row of a kind of phrases in a family, and those of its controls."""
    found = chosen_phrases(pairs, estimator, kind)
    parts = [(KINDS[kind], [chosen["accuracy"] for chosen in found], paper.TRANSLATION[kind])]
    for control, name in CONTROLS.items():
        parts.append((name, [chosen["controls"].get(control) for chosen in found], paper.CONTROL))
    rows: Rows = []
    for name, measured, (theirs, their_most) in parts:
        ours = [value for value in map(accuracy, measured) if value is not None]
        if ours or name == KINDS[kind]:
            best = max(ours, default=None)
            most = [c["phrases"] for c, part in zip(found, measured, strict=True) if accuracy(part) == best]
            figures = (mean(ours), theirs, best, min(most, default=None), their_most)
            number = f"{len(found)} of {len(pairs)}"
            rows.append((name, family, estimator, *figures, interval_of_shares(ours), number))
    return rows


TRANSLATION = """\
Table 2 of the paper, by pair: how often the receiver understands random phrases of the dictionary. t_c
and t_n are the threshold and the number of integers of the best cell of the grid. That cell was chosen on
other episodes (Chosen at); Chosen at minus Reported is the optimism of the paper's way of choosing.
Deviation: the standard deviation over ten draws of a tenth of the episodes each. False: with a phrase
that is not true. Expressible: the share of ordinary episodes that such phrases can express. 0 phrases:
the type did not emerge in that pair, in any cell."""


def translation(results: Results) -> Table:
    """Table 2 by pair."""
    rows: Rows = []
    for kind in KINDS:
        for name, pair in results["pairs"].items():
            for estimator in ESTIMATORS:
                chosen = pair["thresholds"][estimator]["chosen"].get(kind)
                rows += _pair_rows(kind, (name, estimator), chosen)
    rows.sort(key=lambda row: _ORDER.index(str(row[0])))
    heading = (
        "Type | Pair | Estimator | t_c | t_n | Phrases :, | Chosen at :.1% | Reported :.1% | 95% interval | "
        "Deviation :.1% | False :.1% | Sender :.1% | Expressible :.1% | Paper: mean :.0% | "
        "Paper: maximum :.0%"
    )
    return Table.of(heading, rows)


def _pair_rows(kind: str, of: tuple[str, str], chosen: Mapping[str, Any] | None) -> Rows:
    """The row of a kind of phrases in a pair by an estimator, and those of its controls."""
    if chosen is None:
        return [(KINDS[kind], *of, None, None, 0, *[None] * 7, *paper.TRANSLATION[kind])]
    cell = (chosen["threshold"], chosen["top_n"], chosen["phrases"], accuracy(chosen["chosen_on"]))
    others = (chosen["floors"]["shuffled"], chosen["ceiling"], chosen["coverage"])
    reported = (*with_interval(chosen["accuracy"]), chosen["deviation"], *map(accuracy, others))
    controls: Rows = [
        (CONTROLS[name], *of, *[None] * 4, *with_interval(part), *[None] * 4, *paper.CONTROL)
        for name, part in chosen["controls"].items()
    ]
    return [(KINDS[kind], *of, *cell, *reported, *paper.TRANSLATION[kind]), *controls]


EXCHANGED = """\
Do both parts of Compositional-P affect receivers? Another part replaces one part of each phrase, so the
phrase names another place, which is among the candidates. Effect: how much more often a place is chosen
when it is named, in percentage points (pp). A receiver that composes follows both phrases; one that finds
another meaning in them, such as an edge, does not move. The paper has no such control."""


def minimal_pairs(results: Results) -> Table:
    """Whether both parts of composed phrases affect receivers."""
    rows: Rows = []
    for name, pair in results["pairs"].items():
        for estimator in ESTIMATORS:
            for part, x in (pair["thresholds"][estimator]["minimal_pairs"] or {}).items():
                shares = map(accuracy, (x["first"], x["first_otherwise"], x["followed"]))
                rows.append((name, estimator, part, x["first"]["n"], *shares, x["effect"]))
    heading = (
        "Pair | Estimator | Part exchanged | Episodes :, | Phrase understood :.1% | "
        "Original target chosen after the exchange :.1% | Both followed :.1% | Effect :+.1pp"
    )
    return Table.of(heading, rows)


HYPOTHESES = f"""\
Tested over the pairs that have such phrases, by the one-sided signed-rank test. With fewer than
{FEWEST_PAIRS} pairs no outcome would be significant, and there is no p-value. H1: phrases are understood
above chance. H2: phrases are understood better than without their positional part."""


def hypotheses(results: Results) -> Table:
    """The paper's hypotheses, tested over the pairs of each family."""
    differences: dict[tuple[str, str, str], list[float]] = {}
    for pair in results["pairs"].values():
        for hypothesis, estimator, difference in _differences(pair):
            differences.setdefault((hypothesis, estimator, pair["family"]), []).append(difference)
    rows = [
        (*of, len(values), fmean(values), over_pairs(values))
        for of, values in sorted(differences.items(), key=lambda item: item[0][:2])
    ]
    heading = "Hypothesis | Estimator | Pairs | Number :d | Mean difference :+.1pp | p-value :.2g"
    return Table.of(heading, rows)


def _differences(pair: PairResults) -> Iterator[tuple[str, str, float]]:
    """Yield each hypothesis and estimator, with how much better phrases are understood than without it."""
    for estimator in ESTIMATORS:
        for kind, chosen in pair["thresholds"][estimator]["chosen"].items():
            reported = chosen["accuracy"]["accuracy"]
            yield f"H1: {KINDS[kind]} above chance", estimator, reported - pair["chance"]
            for control, without in chosen["controls"].items():
                yield f"H2: above {CONTROLS[control]}", estimator, reported - without["accuracy"]


DICTIONARY = """\
Table 3 of the paper: the most used entries of each type, at t_c 0.5 and t_n 1, estimator exact."""


def dictionary(results: Results) -> Table:
    """Table 3: the most used entries of the first pair of each family."""
    rows: Rows = []
    for pairs in families(results).values():
        name, pair = next(iter(pairs.items()))
        for kind, title in TYPES.items():
            entries = [entry for entry in pair["dictionary"]["entries"] if entry["kind"] == kind]
            rows += [
                (name, e["message"], title, e["meaning"], e["npmi"], e["confidence"], e["count"])
                for e in sorted(entries, key=lambda e: -e["count"])[:DICTIONARY_ROWS]
            ]
    return Table.of("Pair | Message | Type | Meaning | NPMI :.2f | Confidence :.0% | Episodes :,", rows)


LENGTHS = """\
Table 7 of the paper, mean over pairs: the accuracy on whole sequences, and the difference on shortened
ones, in percentage points (pp). First: the integers 0 to n-1, as in the paper; any: a random choice."""


def lengths(results: Results) -> Table:
    """The accuracy on shortened sequences, mean over each family, and the paper's."""
    rows: Rows = []
    for family, own in families(results).items():
        pairs = [*own.values()]
        length = pairs[0]["sequence_length"]
        for integers in pairs[0]["lengths"]:
            studies = [pair["lengths"][integers]["shortened_by"] for pair in pairs]
            changes = (
                fmean(study[str(less)]["difference"] for study in studies)
                if str(less) in studies[0]
                else None
                for less in SHORTER[1:]
            )
            whole = fmean(study["0"]["accuracy"] for study in studies)
            rows.append((f"{family} ({len(pairs)})", integers, whole, *changes))
        if length in paper.LENGTHS:
            rows.append(("paper", f"{length} integers", *map(paper.LENGTHS[length].get, SHORTER)))
    heading = ["Family | Integers | Whole :.2%", *(f"-{less} :+.2pp" for less in SHORTER[1:])]
    return Table.of(" | ".join(heading), list(dict.fromkeys(rows)))
