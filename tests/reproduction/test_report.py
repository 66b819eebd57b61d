"""The sections of the report, from several pairs that are like the oracle, and its files."""

import csv
import itertools
import json
import re
from dataclasses import replace

import pytest
from reproductions import cell, family, with_cells, with_pairs

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import Proportion
from spatial_game.language.npmi.message_types import MESSAGE_TYPES, TypeShare
from spatial_game.reproduction.inference import over_pairs
from spatial_game.reproduction.report import SECTIONS, write_report
from spatial_game.reproduction.results import CELLS, ESTIMATORS, Estimated


def records(name, results):
    return SECTIONS[name].table(results).records()


# --- The paper's tables -----------------------------------------------------------------------------------


def test_families_are_tested_over_their_pairs(results):
    """Six oracle pairs of one family: means over pairs, and tests over pairs that five make possible."""
    many = family(results)
    brief = records("translation_brief", many)
    assert {(row["pairs_with_it"], row["pairs"]) for row in brief} <= {(6, 6), (0, 6)}
    controls = {row["type"]: row["paper_mean"] for row in brief if "NP" in row["type"]}
    assert controls == {"Compositional-NP (symbol 0)": 0.22, "Compositional-NP (random symbols)": None}
    wanted = ("Compositional-P", "exact", "paper's")
    composed = next(row for row in brief if (row["type"], row["estimator"], row["cell"]) == wanted)
    found = results.pairs["oracle"].phrases("exact", "paper's", "compositional")
    share, phrases = found.accuracy.accuracy, found.phrases
    assert (composed["ours_mean"], composed["phrases_at_the_maximum"]) == (pytest.approx(share), phrases)
    over = [row for row in records("hypotheses", many) if row["estimator"] == "exact"]
    assert {(row["family"], row["pairs"], row["p_value"]) for row in over} == {("o", 6, 1 / 2**6)}
    assert {row["hypothesis"].split(":")[0] for row in over} == {"H1", "H2"}
    assert "H1: Compositional-P above its false phrases" in {row["hypothesis"] for row in over}
    four = records("hypotheses", family(results, 4))
    assert {(row["pairs"], row["p_value"]) for row in four} == {(4, None)}


def test_types_of_messages_emerge_in_some_pairs_and_cells(results):
    two = with_cells(family(results, 2), [cell(0.5), cell(0.25)], [cell(0.0), cell(0.25)])
    rows = records("emergence", two)
    assert len(rows) == 3 * len(ESTIMATORS) * len(MESSAGE_TYPES)
    assert (rows[0]["type"], rows[0]["family"], rows[0]["pairs"]) == ("Non-Compositional Positional", "o", 2)
    names = ("share_of_the", "mean", "smallest", "largest", "paper_mean", "paper_smallest", "paper_largest")
    found = [[row[name] for name in names] for row in rows]
    assert found[0] == ["pairs", 0.75, 0.5, 1, pytest.approx(0.993), pytest.approx(0.938), 1]
    assert found[1][:4] == ["messages", pytest.approx(1 / 3), 0.25, 0.5]
    assert found[-2][:4] == ["messages", None, None, None]


@pytest.mark.parametrize(("kind", "reserved"), [("reserved", 1), ("positional", 0)])
def test_messages_for_edges_are_counted_by_pair(results, kind, reserved):
    one = with_cells(with_pairs(family(results, 1), edges=[2]), [cell(0.1, kind)])
    (row,) = records("edges", one)
    assert (row["pair"], row["edges_with_messages_of_their_own"], row["reserved"]) == ("o/0", 2, reserved)


def test_a_mean_has_an_interval_and_a_range_in_columns_of_their_own(results):
    plays = [Proportion(num_correct, 300) for num_correct in (290, 300, 280)]
    mean = records("play", with_pairs(family(results, 3), play=plays))[-1]
    assert (mean["pair"], mean["inputs"], mean["recipe"]) == ("o: mean", "raw numbers", "paper")
    assert (mean["lowest_pair"], mean["highest_pair"]) == (pytest.approx(0.9333, abs=1e-4), 1)
    ends = (mean["low"], mean["high"])  # 2.90 +- 4.303 * 0.1 / sqrt(3), of 3, cut at 1
    assert ends == (pytest.approx(0.8839, abs=1e-4), 1)


def test_pairs_of_several_games_have_no_mean_together(results):
    short, long = (GameConfig(length) for length in (20, 30))
    rows = records("play", with_pairs(family(results, 3), config=[short, long, short]))
    means = {row["pair"]: row["game"] for row in rows if "mean" in row["pair"]}
    assert means == {f"o, {short.signature}: mean": short.signature}


def test_a_test_over_pairs_needs_five():
    assert over_pairs([0.1, 0.2, 0.3, 0.4]) is None
    assert over_pairs([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(1 / 2**5)
    assert over_pairs([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert over_pairs([0.0] * 5) == 1


# --- The paper's figures beside ours ----------------------------------------------------------------------


def test_a_row_has_both_figures_with_interval_difference_and_effect(results):
    plays = [Proportion(num_correct, 300) for num_correct in (290, 300, 280)]
    rows = records("comparison", with_pairs(family(results, 3), play=plays))
    found = {row["figure"]: row for row in rows}
    row, ours, half = found["accuracy (table 7)"], 290 / 300, 4.303 * (10 / 300) / 3**0.5
    figures = [row[name] for name in ("paper", "ours", "low", "high", "difference")]
    assert figures == pytest.approx([0.9298, ours, ours - half, ours + half, ours - 0.9298], abs=1e-4)
    effects = [row[name] for name in ("effect", "effect_low", "effect_high")]
    assert effects == pytest.approx([ours - 0.2, ours - half - 0.2, ours + half - 0.2], abs=1e-4)
    assert (row["pairs_with_it"], row["pairs"]) == (3, 3)
    assert found["pairs above 98% (section 5)"]["ours"] == pytest.approx(1 / 3)


def test_a_figure_that_no_pair_has_is_shown_without_ours(results):
    none = dict.fromkeys(ESTIMATORS, Estimated([cell(0.0)], {"paper's": {}, "best": {}}, {}))
    rows = records("comparison", with_pairs(family(results, 1), by_estimator=[none]))
    for row in (r for r in rows if r["claim"].startswith(("H1", "H2"))):
        assert (row["ours"], row["difference"], row["effect"], row["pairs_with_it"]) == (None, None, None, 0)
    emerged = {row["figure"]: row["ours"] for row in rows if row["claim"].startswith("Types")}
    assert emerged["Compositional Positional: pairs"] == 0
    assert emerged["Compositional Positional: of their messages"] is None


def test_every_type_of_message_and_both_cells_have_rows(results):
    """In one of two cells all pairs have such messages: half of the runs, where the paper has 99.3%."""
    both = replace(one := cell(0.5), types={**one.types, "compositional_positional": TypeShare(1, 0.2, 0.5)})
    many = with_cells(family(results), *[[both, cell(0.0)]] * 6)
    rows = records("comparison", many)
    for row in rows:
        if row["figure"] == "Non-Compositional Positional: pairs":
            assert (row["paper"], row["ours"], row["cell"]) == (0.993, 0.5, "mean of all")
        if row["figure"] == "Compositional Positional: of their messages":
            assert (row["paper"], row["ours"]) == (0.56, pytest.approx(0.2))
    assert {row["figure"] for row in rows} >= {f"{name}: pairs" for name in MESSAGE_TYPES.values()}
    composed = [row for row in rows if row["figure"] == "Compositional-P"]
    assert {(row["estimator"], row["cell"]) for row in composed} == {*itertools.product(ESTIMATORS, CELLS)}
    [exact] = [row for row in composed if (row["estimator"], row["cell"]) == ("exact", "best")]
    found = many.pairs["o/0"].phrases("exact", "best", "compositional")
    assert exact["ours"] == pytest.approx(found.accuracy.accuracy)


# --- The files --------------------------------------------------------------------------------------------


def test_the_report_is_markdown_with_curves_and_a_csv_for_each_table(results, tmp_path):
    write_report(family(results, 2, training=[(1e6, 0.5), (2e6, 0.75)]), tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert results.signature in text
    for name, section in SECTIONS.items():
        assert f"\n## {section.title}\n" in text
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").read_text("utf-8").splitlines()))
        assert all("seed 1" in row["Signature"] for row in rows)
        words = ("Signature", "Figure", "Game", "Integers")
        texts = (text for row in rows for column, text in row.items() if column not in words)
        assert not [text for text in texts if re.search(r"\d%|\d to \d", text)]  # numbers, not texts of them
    assert "](play-1.png)" in text
    assert (tmp_path / "play-1.png").read_bytes().startswith(b"\x89PNG")
    assert "weights abc" in (tmp_path / "translation.csv").read_text("utf-8")
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["seed"] == 1
