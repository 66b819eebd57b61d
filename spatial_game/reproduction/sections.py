"""The pages of a reproduction: the paper's tables with ours beside them, as HTML, Markdown, CSV and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from spatial_game.files import write_text
from spatial_game.language.counting.counts import count_files
from spatial_game.language.lexicon.grid import MESSAGE_TYPES, THRESHOLDS, TOPS, emergence_table
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.probing.probe import CONTROLS, FEWEST_PAIRS, KINDS, over_pairs
from spatial_game.reproduction.page import Section, to_html, to_markdown
from spatial_game.reproduction.stages import ESTIMATORS, cells_of
from spatial_game.studies.lengths import PAPER_LENGTHS, SHORTER
from spatial_game.tables import Column, Table

PAPER_LENGTH = 60
PAPER_EMERGENCE = {
    "positional": ("99.3% (93.8% to 100%)", "1% (0% to 3%)"),
    "reserved": ("18.8% (18.8% to 18.8%)", "1% (0% to 3%)"),
    "integer": ("45.1% (0% to 100%)", "10% (0% to 15%)"),
    "compositional_integer": ("100% (100% to 100%)", "34% (0% to 99.7%)"),
    "compositional_positional": ("25% (0% to 27%)", "56% (0% to 100%)"),
}
"""Table 1 of the paper: share of runs, share of messages."""
PAPER_TRANSLATION = {"edge": (0.90, 0.94), "integer_at": (0.36, 0.37), "compositional": (0.30, 0.78)}
"""Table 2: average and maximum accuracy."""
PAPER_CONTROL = (0.22, 0.28)
"""Table 2, Compositional-NP."""
DRAWN_PAIRS = 3
"""Pairs whose language is drawn: the first of each family, up to so many."""
NAMED_CURVES = 8
"""Training curves in one figure that have a legend; of more, it would hide them."""
DICTIONARY_ROWS = 4
"""Entries of each kind that the pages show; the data has all."""

Results = Mapping[str, Any]


def write_pages(results: Results, out: Path) -> list[Path]:
    """Write report.html, report.md, results.json and a CSV file for each table; the paths."""
    sections = list(sections_of(results, out / "data"))
    pages = {
        "report.html": to_html(sections, results["signature"]),
        "report.md": to_markdown(sections, results["signature"]),
        "results.json": json.dumps(results, indent=1) + "\n",
        **{f"{section.name}.csv": _with_signatures(section.table, results).to_csv() for section in sections},
    }
    for name, text in pages.items():
        write_text(out / name, text)
    return [out / name for name in pages]


def _with_signatures(table: Table, results: Results) -> Table:
    """The table with a column that says what the numbers of each row depend on."""
    names = [column.name for column in table.columns]
    pairs = results["pairs"]
    at = names.index("Pair") if "Pair" in names else None
    signatures = (
        pairs[row[at]]["signature"] if at is not None and row[at] in pairs else results["signature"]
        for row in table.rows
    )
    rows = tuple((*row, each) for row, each in zip(table.rows, signatures, strict=True))
    return replace(table, columns=(*table.columns, Column("Signature")), rows=rows)


def families(results: Results, length: int | None = None) -> dict[str, list[str]]:
    """The names of pairs by family, in order; those of one sequence length where it is given."""
    found: dict[str, list[str]] = {}
    for name, pair in results["pairs"].items():
        if length in (None, pair["sequence_length"]):
            found.setdefault(pair["family"], []).append(name)
    return found


def drawn_pairs(results: Results) -> list[str]:
    """The pairs whose language is drawn."""
    return [names[0] for names in families(results).values()][:DRAWN_PAIRS]


def sections_of(results: Results, data: Path | None = None) -> Iterator[Section]:
    """The sections in order. `data`: the folder of the stages, whose recordings are drawn too."""
    yield _play(results)
    yield _emergence(results)
    yield _brief(results)
    yield _translation(results)
    yield _minimal_pairs(results)
    yield _hypotheses(results)
    yield _hypotheses_by_pair(results)
    yield replace(_dictionary(results), figures=[] if data is None else _languages(results, data))
    yield _length_means(results)
    yield _lengths(results)
    yield _noise(results)
    yield _reader_means(results)
    yield _readers(results)
    yield _naming(results)
    yield _profiles(results)
    yield _estimators(results)
    yield _cross_play(results)


# --- Tables ---------------------------------------------------------------------------------------------


def _play(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Game"),
        Column("Accuracy", ".2%"),
        Column("95% interval"),
        Column("Distinct messages", ","),
        Column("Paper"),
    )
    rows = []
    for name, pair in results["pairs"].items():
        e = pair["evaluation"]
        rows.append((name, pair["game"], e["accuracy"], _interval(e), e["distinct_messages"], "above 98%"))
    text = (
        "Fresh episodes of each pair's own game. The paper's text says above 98%, its table 7 93% at "
        "60 integers."
    )
    for family, names in families(results).items():
        found = [results["pairs"][name]["evaluation"] for name in names]
        if len(names) > 1:
            accuracies = [e["accuracy"] for e in found]
            messages = round(fmean(e["distinct_messages"] for e in found))
            game = results["pairs"][names[0]]["game"]
            spread = f"{min(accuracies):.2%} to {max(accuracies):.2%} over {len(names)} pairs"
            rows.append((f"{family}: mean", game, fmean(accuracies), spread, messages, "above 98%"))
    drawn = []
    for family, names in families(results).items():
        curves = {n: results["pairs"][n]["training"] for n in names}
        known = {name: curve for name, curve in curves.items() if curve["episodes"]}
        if known:
            label = f"{family}: accuracy on the full game during training"
            label += f", {len(known)} pairs" if len(known) > NAMED_CURVES else ""
            draw = partial(_training_curves, curves=known, chance=results["pairs"][names[0]]["chance"])
            drawn += _drawn(label, draw)
    return Section("play", "How well the pairs play", text, Table(columns, tuple(rows)), drawn)


def _training_curves(axis: Any, curves: Mapping[str, Mapping[str, Any]], chance: float) -> Any:
    named = len(curves) <= NAMED_CURVES
    for name, curve in curves.items():
        label = name if named else ""
        _figures().training_curve(axis, curve["episodes"], curve["accuracy"], chance, label)
    return axis


def _emergence(results: Results) -> Section:
    columns = (
        Column("Type"),
        Column("Pairs"),
        Column("Emergence"),
        Column("Paper: emergence"),
        Column("Of the messages"),
        Column("Paper: of the messages"),
        Column("Of the episodes"),
    )
    rows: list[tuple[Any, ...]] = []
    for family, names in families(results).items():
        found = [results["pairs"][name] for name in names]
        for row in emergence_table([cells_of(pair["grid"]["exact"]) for pair in found]):
            of_paper = found[0]["sequence_length"] == PAPER_LENGTH
            paper = PAPER_EMERGENCE[row.message_type] if of_paper else (None, None)
            emergence, messages = (_spread(values) for values in (row.emergence, row.vocabulary))
            ours = (emergence, paper[0], messages, paper[1], _spread(row.episodes))
            rows.append((MESSAGE_TYPES[row.message_type], f"{family} ({len(names)})", *ours))
    rows.sort(key=lambda row: [*MESSAGE_TYPES.values()].index(row[0]))
    text = (
        "Table 1 of the paper: share of the pairs in which a type of message emerges, and how much it "
        "then covers; mean (smallest to largest) over the 54 cells of the grid, estimator exact."
    )
    return Section("emergence", "Emergence and coverage", text, Table(columns, tuple(rows)))


def _brief(results: Results) -> Section:
    columns = (
        Column("Type"),
        Column("Family"),
        Column("Estimator"),
        Column("Ours: mean", ".1%"),
        Column("Paper: mean", ".0%"),
        Column("Ours: maximum", ".1%"),
        Column("Paper: maximum", ".0%"),
        Column("95% interval of the mean"),
        Column("Pairs that have it"),
        Column("As usual: mean", ".1%"),
        Column("As usual: maximum", ".1%"),
    )
    groups = families(results, PAPER_LENGTH)
    if len(groups) > 1:
        groups = {**groups, "all": [name for names in groups.values() for name in names]}
    rows: list[tuple[Any, ...]] = []
    for kind in KINDS:
        for family, names in groups.items():
            for estimator in ESTIMATORS:
                found = [results["pairs"][n]["thresholds"][estimator]["chosen"].get(kind) for n in names]
                reports = [x["report"] for x in found if x is not None]
                who = (family, estimator, f"{len(reports)} of {len(names)}")
                rows.append(_brief_row(KINDS[kind], who, reports, "accuracy", PAPER_TRANSLATION[kind]))
                controls = [{**r["controls"], "usual": None} for r in reports if r["controls"]]
                rows += [
                    _brief_row(name, who, controls, control, PAPER_CONTROL)
                    for control, name in (CONTROLS.items() if controls else ())
                ]
    rows.sort(key=lambda row: [*KINDS.values(), *CONTROLS.values()].index(row[0]))
    text = (
        "Table 2 of the paper in brief: what receivers understand of phrases of each type, over the pairs "
        f"of {PAPER_LENGTH} integers in which there are such phrases; by pair below. Of Compositional-NP, "
        "the control, higher is not better."
    )
    return Section("translation_brief", "Translation accuracy in brief", text, Table(columns, tuple(rows)))


def _brief_row(
    title: str,
    who: tuple[str, str, str],
    reports: Sequence[Mapping[str, Any]],
    field: str,
    paper: tuple[float, float],
) -> tuple[Any, ...]:
    """A row of table 2 in brief: the accuracies of a field over reports, beside the paper's."""
    family, estimator, number = who
    mean, interval, best = _summary(_values(reports, field))
    usual = _mean_and_best(_values(reports, "usual"))
    return (title, family, estimator, mean, paper[0], best, paper[1], interval, number, *usual)


def _values(reports: Sequence[Mapping[str, Any]], field: str) -> list[float]:
    """The accuracies of a field, of those reports that have it."""
    found = [_accuracy(report.get(field)) for report in reports]
    return [value for value in found if value is not None]


def _mean_and_best(values: Sequence[float]) -> tuple[float | None, float | None]:
    return (fmean(values), max(values)) if values else (None, None)


def _summary(values: Sequence[float]) -> tuple[float | None, str | None, float | None]:
    """Mean, its 95% interval over pairs (Student's t, from two pairs on), and maximum."""
    mean, best = _mean_and_best(values)
    if mean is None or len(values) < 2:
        return mean, None, best
    from scipy.stats import t  # here, as it loads slowly

    half = float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return mean, f"{max(mean - half, 0):.1%} to {min(mean + half, 1):.1%}", best


def _translation(results: Results) -> Section:
    columns = (
        Column("Type"),
        Column("Pair"),
        Column("Estimator"),
        Column("t_c"),
        Column("t_n"),
        Column("Phrases", ","),
        Column("Chosen at", ".1%"),
        Column("Reported", ".1%"),
        Column("95% interval"),
        Column("Of ten draws: deviation", ".1%"),
        Column("As usual", ".1%"),
        Column("Shuffled", ".1%"),
        Column("Sender", ".1%"),
        Column("Ordinary episodes", ".1%"),
        Column("Paper: mean", ".0%"),
        Column("Paper: max", ".0%"),
    )
    rows: list[tuple[Any, ...]] = []
    for kind in KINDS:
        for name, pair in results["pairs"].items():
            for estimator in ESTIMATORS:
                found = pair["thresholds"][estimator]["chosen"].get(kind)
                rows += _translation_rows(kind, (name, estimator), found)
    text = (
        "Table 2 of the paper: what the receiver understands of phrases drawn at random from the "
        "dictionary. t_c and t_n are those of the cell that was best on other episodes (chosen at); "
        "the difference to the reported accuracy is the optimism of the paper's way of choosing. Of ten "
        "draws: the standard deviation of the accuracy over ten draws of a tenth of the episodes each. As "
        "usual: the same episodes told with the true message that the statistics find most usual "
        "there. Ordinary episodes: how many such phrases can express. No phrases: the type did not "
        "emerge in that pair, in any cell. Of Compositional-NP, the "
        "control, higher is not better."
    )
    return Section(
        "translation",
        "Translation accuracy, by pair",
        text,
        Table(columns, tuple(rows)),
        [*_drawn("what the receiver understands", lambda axis: _bars(axis, results)), *_grids(results)],
        folded=True,
    )


def _translation_rows(
    kind: str, of: tuple[str, str], found: Mapping[str, Any] | None
) -> list[tuple[Any, ...]]:
    """The row of a kind of phrases in a pair by an estimator, and those of its controls."""
    if found is None:
        return [(KINDS[kind], *of, None, None, 0, *[None] * 8, *PAPER_TRANSLATION[kind])]
    report = found["report"]
    cell = (found["threshold"], found["top_n"], found["phrases"], found["chosen_on"]["accuracy"])
    deviation = report["draws"]["deviation"]
    reported = (found["reported"]["accuracy"], _interval(found["reported"]), deviation)
    others = (report["usual"], report["floors"].get("shuffled"), report["ceiling"], report["coverage"])
    row = (KINDS[kind], *of, *cell, *reported, *map(_accuracy, others), *PAPER_TRANSLATION[kind])
    controls = [
        (CONTROLS[c], *of, *[None] * 4, v["accuracy"], _interval(v), *[None] * 5, *PAPER_CONTROL)
        for c, v in report["controls"].items()
    ]
    return [row, *controls]


def _minimal_pairs(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Estimator"),
        Column("Part exchanged"),
        Column("Episodes", ","),
        Column("Phrase understood", ".1%"),
        Column("Its place, at the other phrase", ".1%"),
        Column("Both followed", ".1%"),
        Column("Effect", "+.1%"),
    )
    rows: list[tuple[Any, ...]] = []
    for name, pair in results["pairs"].items():
        for estimator in ESTIMATORS:
            found = pair["thresholds"][estimator]["minimal_pairs"] or {}
            for part, x in found.items():
                accuracies = (x[field]["accuracy"] for field in ("first", "first_otherwise", "followed"))
                rows.append((name, estimator, part, x["first"]["n"], *accuracies, x["effect"]))
    text = (
        "Does the receiver hear both parts of Compositional-P? One part of each phrase is exchanged for "
        "another, and the place so named put among the candidates. Effect: how much more often a place is "
        "chosen when it is named; a receiver that composes follows both times, and one that hears something "
        "else in the phrase, such as an edge, is not moved. The paper has no such control."
    )
    return Section("minimal_pairs", "Do receivers compose?", text, Table(columns, tuple(rows)))


def _hypotheses(results: Results) -> Section:
    columns = (
        Column("Hypothesis"),
        Column("Estimator"),
        Column("Pairs"),
        Column("Number", "d"),
        Column("Mean difference", "+.1%"),
        Column("p-value", ".2g"),
    )
    above: dict[tuple[str, str, str], list[float]] = {}
    for hypothesis, estimator, name, difference, _ in _all_tests(results):
        pair = results["pairs"][name]
        above.setdefault((hypothesis, estimator, pair["family"]), []).append(difference)
        if pair["sequence_length"] == PAPER_LENGTH and len(families(results, PAPER_LENGTH)) > 1:
            everyone = (hypothesis, estimator, f"all of {PAPER_LENGTH} integers")
            above.setdefault(everyone, []).append(difference)
    rows = [
        (*of, len(differences), fmean(differences), over_pairs(differences))
        for of, differences in sorted(above.items(), key=lambda item: item[0][:2])
    ]
    text = (
        "Over pairs in which there are such phrases, by the signed-rank test, one-sided; with fewer than "
        f"{FEWEST_PAIRS} pairs nothing could come out significant, and there is no p-value. H1: understood "
        "above chance. H2: understood better than without the positional part."
    )
    return Section("hypotheses", "The two hypotheses", text, Table(columns, tuple(rows)))


def _hypotheses_by_pair(results: Results) -> Section:
    columns = (
        Column("Hypothesis"),
        Column("Estimator"),
        Column("Pair"),
        Column("Difference", "+.1%"),
        Column("p-value", ".2g"),
    )
    rows = tuple(sorted(_all_tests(results), key=lambda row: row[:2]))
    text = (
        "Within a pair by episode: H1 by the exact binomial test, H2 by McNemar's exact test on the same "
        "episodes with and without the positional part."
    )
    table = Table(columns, rows)
    return Section("hypotheses_by_pair", "The two hypotheses, by pair", text, table, folded=True)


def _all_tests(results: Results) -> Iterator[tuple[str, str, str, float, float]]:
    """Every test within a pair: hypothesis, estimator, pair, difference, p-value."""
    for name, pair in results["pairs"].items():
        for estimator in ESTIMATORS:
            for kind, found in pair["thresholds"][estimator]["chosen"].items():
                for hypothesis, difference, p_value in _tests(kind, found, pair["chance"]):
                    yield hypothesis, estimator, name, difference, p_value


def _tests(kind: str, found: Mapping[str, Any], chance: float) -> Iterator[tuple[str, float, float]]:
    """The tests of one kind of phrases in one pair: hypothesis, difference, p-value."""
    report, accuracy = found["report"], found["reported"]["accuracy"]
    yield f"H1: {KINDS[kind]} above chance", accuracy - chance, report["p_chance"]
    for control, p_value in report["p_control"].items():
        yield f"H2: above {CONTROLS[control]}", accuracy - report["controls"][control]["accuracy"], p_value


def _dictionary(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Message"),
        Column("Type"),
        Column("Meaning"),
        Column("NPMI", ".2f"),
        Column("Confidence", ".0%"),
        Column("Episodes", ","),
    )
    rows = []
    for name in drawn_pairs(results):
        pair = results["pairs"][name]
        for kind in ("edge", "integer_at", "integer", "offset"):
            entries = [e for e in pair["dictionary"]["entries"] if e["kind"] == kind]
            for e in sorted(entries, key=lambda e: -e["count"])[:DICTIONARY_ROWS]:
                figures = (e["npmi"], e["confidence"], e["count"])
                rows.append((name, e["message"], _KIND_NAMES[kind], e["meaning"], *figures))
    said = [
        f"{name}: {len(found['entries'])} entries read {found['coverage']:.1%} of episodes."
        for name, found in ((name, pair["dictionary"]) for name, pair in results["pairs"].items())
    ]
    text = "Table 3 of the paper: the most used entries of each type at the default settings. " + " ".join(
        said
    )
    return Section("dictionary", "Dictionary", text, Table(columns, tuple(rows)))


_KIND_NAMES = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "integer": "Compositional Integer",
    "offset": "Compositional Positional",
}


def _lengths(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Integers"),
        Column("Shortened by", "d"),
        Column("Accuracy", ".2%"),
        Column("95% interval"),
        Column("Difference", "+.2%"),
        Column("Paper: accuracy", ".2%"),
        Column("Paper: difference", "+.2%"),
    )
    rows = []
    for name, pair in results["pairs"].items():
        for integers, study in pair["lengths"].items():
            theirs = PAPER_LENGTHS.get(pair["sequence_length"], {}) if integers == "first" else {}
            for less, e in study["shortened_by"].items():
                own = (e["accuracy"], _interval(e), e["difference"] if int(less) else None)
                difference = theirs.get(int(less)) if int(less) else None
                paper = e["paper"] if integers == "first" else None
                rows.append((name, integers, int(less), *own, paper, difference))
    text = (
        "Table 7 of the paper, by pair: sequences shortened, with as many candidates as in training, each "
        "length on a draw of its own. First integers, as in the paper: 0 to n-1 only, so that the others "
        "are missing. Any integers: a random choice of all, so that only the length differs."
    )
    return Section("lengths", "Shorter sequences, by pair", text, Table(columns, tuple(rows)), folded=True)


def _length_means(results: Results) -> Section:
    columns = (
        Column("Family"),
        Column("Integers"),
        Column("Whole", ".2%"),
        *(Column(f"-{less}", "+.2%") for less in SHORTER[1:]),
    )
    rows: list[tuple[Any, ...]] = []
    series: dict[str, dict[int, float]] = {}
    for family, names in families(results).items():
        length = results["pairs"][names[0]]["sequence_length"]
        for integers in results["pairs"][names[0]]["lengths"]:
            studies = [results["pairs"][n]["lengths"][integers]["shortened_by"] for n in names]
            whole = fmean(study["0"]["accuracy"] for study in studies)
            less = [k for k in map(str, SHORTER[1:]) if k in studies[0]]
            differences = {k: fmean(study[k]["difference"] for study in studies) for k in less}
            row = (differences.get(str(k)) for k in SHORTER[1:])
            rows.append((f"{family} ({len(names)})", integers, whole, *row))
            series[f"{family}, {integers}"] = {length: whole} | {
                length - int(k): whole + difference for k, difference in differences.items()
            }
        theirs = PAPER_LENGTHS.get(length)
        if theirs:
            rows.append(("paper", f"{length} integers", *(theirs.get(k) for k in SHORTER)))
            series[f"paper, {length}"] = {length - k: theirs[0] + (v if k else 0) for k, v in theirs.items()}
    text = (
        "Table 7 of the paper in brief: accuracy on whole sequences, and the difference to it on shortened "
        "ones, mean over pairs. The paper's rows for 40 and 100 integers need pairs trained so: "
        "spatial-game sweep length --inputs scalars --out sweeps/table-7."
    )
    drawn = _drawn(
        "accuracy by sequence length",
        lambda axis: _figures().lines(axis, series, "sequence length", "accuracy"),
    )
    return Section("length_means", "Shorter sequences", text, Table(columns, tuple(rows)), drawn)


def _noise(results: Results) -> Section:
    columns = (
        Column("Family"),
        Column("Each symbol replaced with", ".0%"),
        Column("Mean accuracy", ".1%"),
        Column("Smallest", ".1%"),
        Column("Largest", ".1%"),
        Column("95% interval of the first pair"),
    )
    rows: list[tuple[Any, ...]] = []
    series: dict[str, dict[float, float]] = {}
    for family, names in families(results).items():
        found = [results["pairs"][name]["noise"]["by_rate"] for name in names]
        for of_rate in zip(*found, strict=True):
            values = [e["accuracy"] for e in of_rate]
            rate = of_rate[0]["rate"]
            rows.append((family, rate, fmean(values), min(values), max(values), _interval(of_rate[0])))
            series.setdefault(family, {})[rate] = fmean(values)
    text = (
        "What receivers understand when each symbol of the sender's message is replaced, with this "
        "probability, by a random other one. The paper has no such figure."
    )
    label = "probability that a symbol is replaced"
    drawn = _drawn(f"accuracy by {label}", lambda axis: _figures().lines(axis, series, label, "accuracy"))
    return Section("noise", "A noisy channel", text, Table(columns, tuple(rows)), drawn)


def _reader_means(results: Results) -> Section:
    columns = (
        Column("Family"),
        Column("Who"),
        Column("Mean", ".1%"),
        Column("Worst", ".1%"),
        Column("Best", ".1%"),
        Column("Covered: mean", ".1%"),
        Column("As the agent: mean", ".1%"),
    )
    rows: list[tuple[Any, ...]] = []
    for family, names in families(results).items():
        found = [results["pairs"][name]["readers"] for name in names]
        accuracies = [r["pair"]["accuracy"] for r in found]
        spread = (fmean(accuracies), min(accuracies), max(accuracies))
        rows.append((f"{family} ({len(names)})", "the pairs themselves", *spread, None, None))
        for role, right, same in (("readers", "accuracy", "agreement"), ("speakers", "understood", "same")):
            for who in found[0][role]:
                parts = [r[role][who] for r in found]
                values = _values(parts, right)
                if values:
                    others = (fmean(_values(parts, field)) for field in ("coverage", same))
                    name = f"{role[:-1]}: {who}"
                    rows.append((family, name, fmean(values), min(values), max(values), *others))
    text = (
        "Readers take the receiver's place, speakers the sender's, in ordinary episodes: how often they are "
        "right, or understood, where they have something to go by. By pair below. The dictionary reader has "
        "nothing but the entries; statistics is naive Bayes over the cells around a candidate; senses lets "
        "a message have several such profiles; usage says the most usual of the messages that the "
        "dictionary makes true."
    )
    return Section("reader_means", "Readers and speakers", text, Table(columns, tuple(rows)))


def _readers(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Who"),
        Column("Covered", ".1%"),
        Column("Right where covered", ".1%"),
        Column("95% interval"),
        Column("As the agent", ".1%"),
    )
    rows: list[tuple[Any, ...]] = []
    for name, pair in results["pairs"].items():
        r = pair["readers"]
        rows.append((name, "the pair itself", None, r["pair"]["accuracy"], _interval(r["pair"]), None))
        for who, x in r["readers"].items():
            figures = (x["coverage"]["accuracy"], x["accuracy"]["accuracy"], _interval(x["accuracy"]))
            rows.append((name, f"reader: {who}", *figures, x["agreement"]["accuracy"]))
        for who, x in r["speakers"].items():
            figures = (x["coverage"]["accuracy"], x["understood"]["accuracy"], _interval(x["understood"]))
            rows.append((name, f"speaker: {who}", *figures, x["same"]["accuracy"]))
    text = "The same by pair; As the agent: how often a reader chooses, a speaker says, the same."
    return Section("readers", "Readers and speakers, by pair", text, Table(columns, tuple(rows)), folded=True)


def _naming(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Offset"),
        Column("Bits", ".1f"),
        Column("One integer", ".1%"),
        Column("Several together", ".1%"),
        Column("Several apart", ".1%"),
        Column("None in words", ".1%"),
        Column("Reach", "g"),
    )
    rows: list[tuple[Any, ...]] = []
    for name, pair in results["pairs"].items():
        for which, n in zip(("told most of", "second"), pair["usage"]["naming"], strict=True):
            shares = (n["one"], n["neighbours"], n["scattered"], n["nothing"])
            rows.append((name, which, n["bits"], *shares, pair["readers"]["smoothing"]["reach"]))
    text = (
        "What stands in 80% of a message's episodes at the offset that it tells most of, and at the next: "
        "one integer, several that lie together (a magnitude, such as 40 to 44), or several apart (a name "
        "that they share); shares of the episodes of the middle. Reach: how far an episode with an integer "
        "counts for its neighbours in the statistics, chosen so as to predict left-out episodes best."
    )
    return Section("naming", "Names or magnitudes", text, Table(columns, tuple(rows)))


def _profiles(results: Results) -> Section:
    rows: list[tuple[Any, ...]] = []
    for name in drawn_pairs(results):
        for one in results["pairs"][name]["usage"]["profiles"]:
            said = [f"{share:.0%} {says}" for says, share in one["says"].items()]
            rows.append((name, str(one["message"]), one["episodes"], "; ".join(said)))
    columns = (
        Column("Pair"),
        Column("Message"),
        Column("Episodes", ","),
        Column("Share of its episodes, and what dominates"),
    )
    reaches = [
        f"{name}: {pair['readers']['smoothing']['reach']:g}" for name, pair in results["pairs"].items()
    ]
    text = (
        "The messages most used in the middle of sequences, by their statistics. Integers are names "
        "where the reach is 0, and "
        f"magnitudes where it is more (chosen to predict left-out episodes best): {', '.join(reaches)}."
    )
    return Section("profiles", "What messages mean by statistics", text, Table(columns, tuple(rows)))


def _estimators(results: Results) -> Section:
    columns = (
        Column("Pair"),
        Column("Estimator"),
        Column("Clipped NPMIs", ","),
        Column("Edges", ","),
        Column("Integers at offsets", ","),
        Column("Integers", ","),
        Column("Offsets", ","),
        Column("Of the episodes", ".1%"),
    )
    rows: list[tuple[Any, ...]] = []
    for name, pair in results["pairs"].items():
        for estimator in ESTIMATORS:
            cell = next(c for c in pair["grid"][estimator] if (c["threshold"], c["top_n"]) == (0.5, 1))
            listed = (cell["entries"][kind] for kind in ("edge", "integer_at", "integer", "offset"))
            rows.append((name, estimator, cell["clipped"], *listed, cell["coverage"]))
    text = (
        "At t_c 0.5 and t_n 1: exact takes every probability from the episodes, paper the constants "
        "of the paper's appendix D, without a least confidence."
    )
    return Section("estimators", "The paper's estimator and the exact one", text, Table(columns, tuple(rows)))


def _cross_play(results: Results) -> Section:
    cross = results["cross_play"]
    accuracy = [[cell["accuracy"] for cell in row] for row in cross["accuracy"]]
    columns = (Column("Sender"), *(Column(name, ".1%") for name in cross["names"]))
    rows = tuple((name, *row) for name, row in zip(cross["names"], accuracy, strict=True))
    side = max(3.6, 1.2 + 0.45 * len(accuracy))
    drawn = _drawn(
        "accuracy of senders with receivers",
        lambda axis: _figures().cross_play(axis, accuracy, cross["names"]),
        (side + 1.2, side),
    )
    text = f"Each sender with each receiver, in the game {cross['game']}: {cross['signature']}."
    if cross["strangers_mean"] is not None:
        text += (
            f" Partners understand each other in {cross['partners_mean']:.1%}, strangers in "
            f"{cross['strangers_mean']:.1%} of the episodes; chance is {cross['chance']:.0%}."
        )
    return Section("cross_play", "Cross-play", text, Table(columns, rows), drawn)


# --- Drawings -------------------------------------------------------------------------------------------


def _figures() -> Any:
    from spatial_game import figures

    return figures


def _drawn(
    label: str, draw: Callable[[Any], Any], size: tuple[float, float] = (6.4, 3.6)
) -> list[tuple[str, str]]:
    """The drawing as SVG; none where matplotlib is not installed."""
    try:
        return [(label, _figures().to_svg(draw, size, label=label))]
    except ModuleNotFoundError:
        return []


def _bars(axis: Any, results: Results) -> Any:
    bars = {}
    for name in drawn_pairs(results):
        pair = results["pairs"][name]
        for kind, found in pair["thresholds"]["exact"]["chosen"].items():
            report = found["report"]
            bars[f"{name}\n{kind}"] = [
                ("shuffled", _accuracy(report["floors"].get("shuffled"))),
                ("random phrase", found["reported"]["accuracy"]),
                ("as usual", _accuracy(report["usual"])),
                ("the sender", _accuracy(report["ceiling"])),
            ]
    chance = next(iter(results["pairs"].values()))["chance"]
    return _figures().accuracy_bars(axis, bars, chance)


def _grids(results: Results) -> list[tuple[str, str]]:
    drawn = []
    for name in drawn_pairs(results):
        pair = results["pairs"][name]
        read = {(c["threshold"], c["top_n"]): c["coverage"] for c in pair["grid"]["exact"]}
        drawn += _grid_drawn(f"{name}: episodes that the dictionary reads, over the grid", read, "read")
        understood = {
            (c["threshold"], c["top_n"]): c["accuracy"]["accuracy"]
            for c in pair["thresholds"]["exact"]["cells"]
            if c["kind"] == "integer_at"
        }
        label = f"{name}: phrases for integers at offsets that the receiver understands, over the grid"
        drawn += _grid_drawn(label, understood, "understood")
    return drawn


def _grid_drawn(
    label: str, cells: Mapping[tuple[float, int], float | None], what: str
) -> list[tuple[str, str]]:
    found = [[cells.get((t, n)) for t in THRESHOLDS] for n in TOPS]
    values = [[math.nan if value is None else value for value in row] for row in found]
    return _drawn(label, partial(_grid_map, values=values, label=what))


def _languages(results: Results, data: Path) -> list[tuple[str, str]]:
    """What the recordings and lexicons of the pairs look like."""
    drawn = []
    for name in drawn_pairs(results):
        lexicon, recording = data / name / "lexicon.json", data / name / "recording.parquet"
        if lexicon.exists() and recording.exists():
            counts, entries, draw = count_files([recording]), Lexicon.read(lexicon), _figures()
            of = {"counts": counts, "lexicon": entries}
            label = f"{name}: the most frequent messages, and what they say"
            drawn += _drawn(label, partial(draw.message_flow, **of))
            label = f"{name}: what whole messages say, and their NPMI"
            drawn += _drawn(label, partial(draw.npmi_map, lexicon=entries), (6.4, 6.4))
            drawn += _drawn(f"{name}: symbols by slot", partial(draw.symbol_usage, counts=counts))
    return drawn


def _grid_map(axis: Any, values: Any, label: str) -> Any:
    return _figures().grid_map(axis, values, THRESHOLDS, TOPS, label)


def _interval(part: Mapping[str, Any]) -> str:
    return f"{part['low']:.1%} to {part['high']:.1%}"


def _accuracy(part: Mapping[str, Any] | None) -> float | None:
    return None if part is None else part["accuracy"]


def _spread(values: tuple[float, float, float]) -> str:
    mean, smallest, largest = values
    return f"{mean:.1%} ({smallest:.1%} to {largest:.1%})"
