"""The sections of the report, from several pairs that are like the oracle, and its files."""

import csv
import itertools
import json
import re
from dataclasses import replace

import pytest
from helpers.reproductions import cell, family, with_cells, with_pairs, with_phrases

from spatial_game.config import GameConfig
from spatial_game.language.npmi.message_types import MESSAGE_TYPES, TypeShare
from spatial_game.proportions import Proportion
from spatial_game.reproduction.report import write_report
from spatial_game.reproduction.results import (
    ESTIMATORS,
    REPORTED_CELLS,
    EstimatorResult,
    Exchange,
    PhraseSet,
)
from spatial_game.reproduction.tables import TABLES

EMPTY = EstimatorResult([cell(0.0)], *({"paper's": {}, "best": {}} for _ in range(2)))


def records(name, results):
    return TABLES[name].table(results).records()


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
    share, phrases = found.accuracy.accuracy, found.num_phrases
    assert (composed["ours_mean"], composed["phrases_at_the_maximum"]) == (pytest.approx(share), phrases)
    over = [row for row in records("hypotheses", many) if row["estimator"] == "exact"]
    assert {(row["family"], row["pairs"], row["p_value"]) for row in over} == {("o", 6, 1 / 2**6)}
    assert {(row["adjusted"], row["least_adjusted"]) for row in over} == {(1 / 2**6, 1 / 2**6)}
    assert {row["hypothesis"].split(":")[0] for row in over} == {"H1", "H2", "Receivers compose"}
    assert "H1: Compositional-P above its false phrases" in {row["hypothesis"] for row in over}
    four = records("hypotheses", family(results, 4))
    assert {(row["pairs"], row["p_value"]) for row in four} == {(4, None)}


def test_tests_are_adjusted_for_the_families_of_one_hypothesis_and_estimator(results):
    """Five and six pairs of two families: no row can be below 2 / 2**6, and the one of five not 1 / 2**5."""
    one, other = family(results), family(results, 5, family="p")
    renamed = {name.replace("o", "p", 1): pair for name, pair in other.pairs.items()}
    rows = records("hypotheses", replace(one, pairs=one.pairs | renamed))
    over = [row for row in rows if row["estimator"] == "exact"]
    assert {(row["family"], row["pairs"], row["adjusted"], row["least_adjusted"]) for row in over} == {
        ("o", 6, 2 / 2**6, 2 / 2**6),
        ("p", 5, 1 / 2**5, 1 / 2**5),
    }


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
    plays = [Proportion(num_correct, 300) for num_correct in (290, 300, 280, 290, 300)]
    mean = records("play", with_pairs(family(results, 5), play=plays))[-1]
    assert (mean["pair"], mean["inputs"], mean["recipe"]) == ("o: mean", "raw numbers", "paper")
    assert (mean["lowest_pair"], mean["highest_pair"]) == (pytest.approx(0.9333, abs=1e-4), 1)
    assert 280 / 300 < mean["low"] < mean["accuracy"] < mean["high"] <= 1
    few = records("play", family(results, 4))[-1]
    assert (few["pair"], few["low"], few["high"]) == ("o: mean", None, None)


def test_pairs_of_several_games_have_no_mean_together(results):
    short, long = (GameConfig(length) for length in (20, 30))
    rows = records("play", with_pairs(family(results, 3), config=[short, long, short]))
    means = {row["pair"]: row["game"] for row in rows if "mean" in row["pair"]}
    assert means == {f"o, {short.signature}: mean": short.signature}


def test_table_2_says_how_much_it_stands_on(results):
    """Half of the pairs have no false control, and one of them has a single phrase."""
    found = results.pairs["oracle"].phrases("exact", "paper's", "edge")
    kinds = [replace(found, num_phrases=number, false=Proportion(*false)) for number, false in FALSE_CONTROLS]
    rows = records("translation_brief", with_phrases(family(results, 4), "edge", kinds))
    row = next(r for r in rows if (r["type"], r["estimator"], r["cell"]) == TABLE_2)
    assert (row["phrases"], row["false"], row["n_of_false"]) == (4, pytest.approx(0.15), 2)
    assert (row["paper_mean"], row["paper_deviation"], row["paper_maximum"]) == (0.90, 0.03, 0.94)
    assert row["expressible"] == pytest.approx(found.expressible.accuracy)
    assert row["random"] == pytest.approx(found.random.accuracy)
    (first, *_) = (r for r in records("translation", family(results, 1)) if r["type"] == TABLE_2[0])
    assert first["n_of_false"] == results.pairs["oracle"].phrases("text", "paper's", "edge").false.trials


TABLE_2 = ("Non-Compositional Positional", "exact", "paper's")
FALSE_CONTROLS = [(1, (0, 0)), (3, (0, 0)), (5, (10, 100)), (7, (20, 100))]


def test_minimal_pairs_have_a_row_for_each_pair_cell_and_part(results):
    none = replace(results.pairs["oracle"], by_estimator=dict.fromkeys(ESTIMATORS, EMPTY)).by_estimator
    two = with_pairs(family(results, 2), by_estimator=[results.pairs["oracle"].by_estimator, none])
    rows = records("minimal_pairs", two)
    assert [row["phrases"] for row in rows if row["pair"] == "o/1"] == [0] * len(ESTIMATORS) * len(
        REPORTED_CELLS
    )
    exchange = results.pairs["oracle"].by_estimator["exact"].exchanges["best"]["integer"]
    wanted = ("o/0", "exact", "best", "integer")
    keys = ("pair", "estimator", "cell", "part_exchanged")
    row = next(row for row in rows if tuple(map(row.__getitem__, keys)) == wanted)
    ceiling = (exchange.first_before.accuracy - 0.2) / 0.8
    assert (row["effect"], row["ceiling"]) == (exchange.effect, pytest.approx(ceiling))
    assert 0.7 < row["effect"] < row["ceiling"] + 0.1
    row = next(row for row in records("effects", two) if tuple(row.values())[:4] == ("o", *wanted[1:]))
    assert (row["pairs_asked"], row["pairs_with_phrases"], row["pairs"]) == (1, 1, 2)
    assert (row["effect"], row["beyond_the_radius"]) == (exchange.effect, 0)


def test_a_phrase_that_is_understood_in_27_of_100_episodes_cannot_have_an_effect_of_1():
    """A receiver that finds a named place with probability a, and else guesses, has the effect a."""
    named, other = Proportion(27, 100), Proportion(73, 400)
    exchange = Exchange(named, other, other, named, Proportion(0, 100))
    assert (exchange.effect, exchange.ceiling(0.2)) == (pytest.approx(0.0875), pytest.approx(0.0875))
    assert Exchange(*[Proportion(0, 0)] * 5).ceiling(0.2) is None
    assert Exchange(*[Proportion(1, 100)] * 5).ceiling(0.2) == 0


# --- The grid of thresholds -------------------------------------------------------------------------------


def in_grid(results, *pairs):
    """The same results, in which phrases for edges have these accuracies, by pair and t_c; 0: no phrases."""
    grids = []
    for accuracies in pairs:
        phrases = {
            t_c: {"edge": PhraseSet(2, Proportion(n, 100))} if n else {} for t_c, n in accuracies.items()
        }
        grids.append([replace(cell(0.5), threshold=t_c, phrases=found) for t_c, found in phrases.items()])
    return with_cells(results, *grids)


def test_the_best_common_cell_is_not_that_of_a_single_pair(results):
    """At t_c 0.9, one pair is always right and five have no phrases; at 0.5, all are right in half."""
    six = in_grid(family(results), {0.5: 50, 0.9: 100}, *[{0.5: 50, 0.9: 0}] * 5)
    rows = records("common_cell", six)
    row = next(row for row in rows if row["estimator"] == "exact")
    assert (row["t_c"], row["t_n"], row["pairs_with_it"], row["pairs"]) == (0.5, 1, 6, 6)
    assert (row["ours"], row["all_pairs"], row["low"]) == (0.5, 0.5, None)  # all pairs are alike
    grid = records("grid", six)[:2]
    assert [(row["t_c"], row["t_n_1"], row["t_n_15"]) for row in grid] == [
        (0.5, pytest.approx(0.5), None),
        (0.9, pytest.approx(0.2 + 0.8 / 6), None),
    ]


def test_a_common_cell_may_lack_pairs(results):
    rows = records("common_cell", in_grid(family(results), {0.5: 0}, *[{0.5: 50}] * 5))
    assert (rows[0]["pairs_with_it"], rows[0]["ours"]) == (5, 0.5)
    assert rows[0]["all_pairs"] == pytest.approx((0.2 + 5 * 0.5) / 6)
    compared = records("comparison", in_grid(family(results), {0.5: 0}, *[{0.5: 50}] * 5))
    common = [row for row in compared if row["cell"] == "common" and row["figure"] == TABLE_2[0]]
    assert [(row["ours"], row["pairs_with_it"]) for row in common] == [(0.5, 5)] * len(ESTIMATORS)


# --- The paper's figures beside ours ----------------------------------------------------------------------


def test_a_row_has_both_figures_with_interval_difference_and_effect(results):
    plays = [Proportion(num_correct, 300) for num_correct in (290, 300, 280, 290, 300)]
    rows = records("comparison", with_pairs(family(results, 5), play=plays))
    found = {row["figure"]: row for row in rows}
    row, ours = found["accuracy (table 7)"], 292 / 300
    figures = [row[name] for name in ("paper", "ours", "difference", "effect", "ceiling")]
    assert figures == pytest.approx([0.9298, ours, ours - 0.9298, ours - 0.2, 0.8])
    assert 280 / 300 < row["low"] < ours < row["high"] <= 1
    ends = [row["low"] - 0.9298, row["high"] - 0.9298]  # the paper prints no deviation here
    assert [row["difference_low"], row["difference_high"]] == pytest.approx(ends)
    assert row["deviation"] == pytest.approx(0.0279, abs=1e-4)
    assert (row["pairs_with_it"], row["pairs"]) == (5, 5)
    share = found["pairs above 98% (section 5)"]
    assert (share["ours"], share["low"]) == (0.4, pytest.approx(0.0527, abs=1e-4))  # Clopper and Pearson
    assert found["effect of an exchanged integer"]["paper"] is None


def test_the_papers_deviation_widens_the_interval_of_a_difference(results):
    edge = results.pairs["oracle"].phrases("exact", "paper's", "edge")
    kinds = [replace(edge, accuracy=Proportion(right, 100)) for right in (80, 85, 90, 95, 99)]
    rows = records("comparison", with_phrases(family(results, 5), "edge", kinds))
    row = next(r for r in rows if (r["figure"], r["estimator"], r["cell"]) == TABLE_2)
    half = 2.131 * 0.03 / 4  # Student's t of 15, over the square root of 16 pairs
    low = row["difference"] - ((row["ours"] - row["low"]) ** 2 + half**2) ** 0.5
    assert (row["paper_deviation"], row["difference_low"]) == (0.03, pytest.approx(low, abs=1e-5))
    assert row["difference_low"] < row["low"] - row["paper"]


def test_a_figure_that_no_pair_has_is_shown_without_ours(results):
    none = dict.fromkeys(ESTIMATORS, EMPTY)
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
    assert {(row["estimator"], row["cell"]) for row in composed} == {
        *itertools.product(ESTIMATORS, [*REPORTED_CELLS, "common"])
    }
    [exact] = [row for row in composed if (row["estimator"], row["cell"]) == ("exact", "best")]
    found = many.pairs["o/0"].phrases("exact", "best", "compositional")
    assert exact["ours"] == pytest.approx(found.accuracy.accuracy)


@pytest.mark.parametrize("report_table", TABLES.values(), ids=TABLES)
def test_the_cells_of_a_row_are_those_of_its_columns(results, report_table):
    """A misspelt name would leave its column empty without a word."""
    many = family(results)
    columns = [column.name for column in report_table.table(many).columns]
    named = {name for row in report_table.rows(many) for name in row}
    assert named <= {*columns}
    assert {*columns[:3]} <= named


# --- The files --------------------------------------------------------------------------------------------


def test_the_report_is_markdown_with_figures_and_a_csv_for_each_table(results, tmp_path):
    two = family(results, 2, training=[(1e6, 0.5), (2e6, 0.75)])
    write_report(two, tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert results.signature in text
    assert text.count("\n## ") == len(TABLES)
    for name, report_table in TABLES.items():
        assert f"\n\n{report_table.table(two).to_markdown()}" in text
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").read_text("utf-8").splitlines()))
        assert all("seed 1" in row["Signature"] for row in rows)
        words = ("Signature", "Figure", "Game", "Integers")
        texts = (text for row in rows for column, text in row.items() if column not in words)
        assert not [text for text in texts if re.search(r"\d%|\d to \d", text)]  # numbers, not texts of them
    for figure in ("training", "phrases", "lengths"):
        assert f"]({figure}.png)" in text
        assert (tmp_path / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
    assert "weights abc" in (tmp_path / "translation.csv").read_text("utf-8")
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["seed"] == 1
