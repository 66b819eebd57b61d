"""The sections of the report, from several pairs that are like the oracle, and its files."""

import csv
import json
from dataclasses import replace

import pytest
from reproductions import cell, family, with_cells, with_pairs

from spatial_game.game.evaluation import Proportion
from spatial_game.language.npmi.table import MESSAGE_TYPES, TypeShare
from spatial_game.reproduction.inference import over_pairs
from spatial_game.reproduction.report import SECTIONS, write_report
from spatial_game.reproduction.results import ESTIMATORS, Estimated
from spatial_game.reproduction.verdict import ClaimedFigure


def with_understood(results, name, **changes):
    """The same results, but for the composed phrases of one pair by the estimator exact."""
    pair = results.pairs[name]
    exact = pair.by_estimator["exact"]
    phrases = {"compositional": replace(exact.phrases["compositional"], **changes)}
    by_estimator = pair.by_estimator | {"exact": replace(exact, phrases=phrases)}
    return replace(results, pairs=results.pairs | {name: replace(pair, by_estimator=by_estimator)})


def records(name, results):
    return SECTIONS[name].table(results).records()


# --- The paper's tables -----------------------------------------------------------------------------------


def test_families_are_tested_over_their_pairs(results):
    """Six oracle pairs of one family: means over pairs, and tests over pairs that five make possible."""
    many = family(results)
    brief = records("translation_brief", many)
    assert {row["pairs_that_have_it"] for row in brief} == {"6 of 6", "0 of 6"}
    controls = {row["type"]: row["paper_mean"] for row in brief if "NP" in row["type"]}
    assert controls == {"Compositional-NP (symbol 0)": 0.22, "Compositional-NP (random symbols)": None}
    composed = next(row for row in brief if (row["type"], row["estimator"]) == ("Compositional-P", "exact"))
    found = results.pairs["oracle"].by_estimator["exact"].phrases["compositional"]
    share, phrases = found.accuracy.accuracy, found.phrases
    assert (composed["ours_mean"], composed["phrases_at_the_maximum"]) == (pytest.approx(share), phrases)
    worse = with_understood(many, "o/0", phrases=1, accuracy=Proportion(1, 2))
    row = next(row for row in records("translation_brief", worse) if row["type"] == composed["type"])
    assert (row["ours_maximum"], row["phrases_at_the_maximum"]) == (share, phrases)
    over = records("hypotheses", many)
    assert {(row["pairs"], row["number"], row["p_value"]) for row in over} == {("o", 6, 1 / 2**6)}
    assert {row["hypothesis"].split(":")[0] for row in over} == {"H1", "H2"}
    four = records("hypotheses", family(results, 4))
    assert {(row["number"], row["p_value"]) for row in four} == {(4, None)}


def test_types_of_messages_emerge_in_some_pairs_and_cells(results):
    two = with_cells(family(results, 2), [cell(0.5), cell(0.25)], [cell(0.0), cell(0.25)])
    rows = records("emergence", two)
    assert len(rows) == 2 * len(MESSAGE_TYPES)
    assert (rows[0]["type"], rows[0]["pairs"]) == ("Non-Compositional Positional", "o (2)")
    assert rows[0]["emergence"] == "75.0% (50.0% to 100.0%)"
    assert rows[0]["of_the_messages"] == "33.3% (25.0% to 50.0%)"
    assert rows[0]["paper_emergence"] == "99.3% (93.8% to 100%)"
    assert rows[-1]["of_the_messages"] == "0.0% (0.0% to 0.0%)"


@pytest.mark.parametrize(("kind", "reserved"), [("reserved", "yes"), ("positional", "no")])
def test_messages_for_edges_are_counted_by_pair(results, kind, reserved):
    one = with_cells(with_pairs(family(results, 1), edges=[2]), [cell(0.1, kind)])
    (row,) = records("edges", one)
    assert (row["pair"], row["edges_with_messages_of_their_own"], row["reserved"]) == ("o/0", 2, reserved)


def test_a_mean_has_an_interval_and_a_range_in_columns_of_their_own(results):
    plays = [Proportion(wins, 300) for wins in (290, 300, 280)]
    mean = records("play", with_pairs(family(results, 3), play=plays))[-1]
    assert (mean["pair"], mean["inputs"], mean["recipe"]) == ("o: mean", "raw numbers", "paper")
    assert mean["range_over_pairs"] == "93.33% to 100.00%"
    assert mean["95_interval"] == "88.39% to 100.00%"  # 2.90 +- 4.303 * 0.1 / sqrt(3), of 3, cut at 1


def test_a_kind_without_phrases_has_a_row_without_figures(results):
    none = dict.fromkeys(ESTIMATORS, Estimated([], {}, {}))
    row, *_ = records("translation", with_pairs(family(results, 1), by_estimator=[none]))
    assert (row["phrases"], row["reported"], row["paper_mean"]) == (0, None, 0.9)


def test_a_test_over_pairs_needs_five():
    assert over_pairs([0.1, 0.2, 0.3, 0.4]) is None
    assert over_pairs([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(1 / 2**5)
    assert over_pairs([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert over_pairs([0.0] * 5) == 1


# --- The verdict ------------------------------------------------------------------------------------------


def by_figure(results, estimator="paper"):
    """The rows of the verdict of an estimator by figure."""
    rows = records("verdict", results)
    return {row["figure"]: row for row in rows if row["estimator"] in (estimator, "")}


def test_only_like_is_compared_with_like(results):
    """Rows of embeddings, and of the exact estimator, show their figures and have no verdict."""
    raw, embedded = (by_figure(family(results, inputs=inputs)) for inputs in ("raw numbers", "embedding"))
    assert all(row["verdict"] for row in raw.values())
    assert not any(row["verdict"] for row in embedded.values())
    exact = by_figure(family(results, inputs="numbers scaled to -8..8"), "exact")
    assert {row["verdict"] for row in exact.values() if row["estimator"]} == {None}
    assert exact["accuracy (table 7)"]["verdict"] == "stronger"
    composed = results.pairs["oracle"].by_estimator["exact"].phrases["compositional"].accuracy
    assert exact["Compositional-P"]["here"] == f"{composed.accuracy:.1%}"
    assert exact["Compositional-P"]["inputs"] == "numbers scaled to -8..8"


def test_the_verdict_says_direction_and_size_of_each_figure(results):
    """Six oracle pairs play perfectly, and do not fall as the paper's on shorter sequences."""
    lengths = {"first": {less: Proportion(10_000 - less // 10, 10_000) for less in (0, 5, 40)}}
    found = by_figure(family(results, lengths=lengths))
    played = found["accuracy (table 7)"]
    assert (played["paper"], played["here"], played["pairs"]) == ("93.0%", "100.0%", "6 of 6")
    assert played["difference"] == pytest.approx(0.0702)
    assert (played["95_interval"], played["verdict"]) == ("+7.0 pp to +7.0 pp", "stronger")
    assert found["pairs above 98% (section 5)"]["verdict"] == "replicates"
    change = found["change with 40 fewer"]
    assert (change["paper"], change["here"], change["verdict"]) == ("-15.8 pp", "0.0 pp", "absent")
    assert found["change with 5 fewer"]["verdict"] == "replicates"
    assert {row["verdict"] for row in by_figure(family(results, 1)).values()} == {"undecided"}


def test_a_type_of_message_must_emerge_as_often_as_in_the_paper_not_in_one_cell(results):
    """In one of two cells all pairs have such messages: half of the runs, where the paper has 99.3%."""
    both = replace(one := cell(0.5), types={**one.types, "compositional_positional": TypeShare(1, 0.5, 0.5)})
    found = by_figure(with_cells(family(results), *[[both, cell(0.0)]] * 6))
    assert found["messages for the edges of the sequence"]["verdict"] == "weaker"
    assert found["parts of messages for positions"]["verdict"] == "stronger"


@pytest.mark.parametrize(
    ("paper", "effects", "said"),
    [
        (0.30, [0.29, 0.31, 0.30, 0.33, 0.27], "replicates"),
        (0.30, [0.39, 0.41, 0.40, 0.43, 0.37], "stronger"),
        (0.30, [0.19, 0.21, 0.20, 0.23, 0.17], "weaker"),
        (0.30, [-0.19, -0.21, -0.20, -0.23, -0.17], "opposite"),
        (0.30, [0.09, -0.11, 0.10, -0.13, 0.07], "absent"),
        (0.30, [0.19, -0.51, 0.60, -0.23, 0.17], "undecided"),
        (0.30, [0.10, 0.90, 0.30, -0.23, 0.17], "undecided"),
        (0.30, [0.20, 0.90, 0.40, 0.33, 0.27], "undecided"),
        (-0.30, [-0.29, -0.31, -0.30, -0.33, -0.27], "replicates"),
        (-0.30, [-0.39, -0.41, -0.40, -0.43, -0.37], "stronger"),
        (-0.30, [0.19, 0.21, 0.20, 0.23, 0.17], "opposite"),
        (0.003, [-0.01, 0.0, 0.01, 0.0, 0.0], "replicates"),
        (0.003, [-0.19, -0.21, -0.20, -0.23, -0.17], "opposite"),
        (0.30, [0.30, 0.30], "undecided"),
        (0.30, [], "absent"),
    ],
)
def test_a_verdict_compares_direction_and_size(paper, effects, said):
    assert ClaimedFigure("claim", "figure", "", paper, effects).verdict(max(len(effects), 5)) == said


# --- The files --------------------------------------------------------------------------------------------


def test_the_report_is_markdown_with_figures_and_a_csv_for_each_table(results, tmp_path):
    write_report(family(results, training=[(1e6, 0.5), (2e6, 0.75)]), tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert results.signature in text
    for name, section in SECTIONS.items():
        assert f"\n## {section.title}\n" in text
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").read_text("utf-8").splitlines()))
        assert all("seed 1" in row["Signature"] for row in rows)
    for name in ("play-1.png", "translation-1.png"):
        assert f"]({name})" in text
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert "weights abc" in (tmp_path / "translation.csv").read_text("utf-8")
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["seed"] == 1
