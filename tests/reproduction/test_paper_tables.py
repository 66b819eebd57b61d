"""The paper's tables, from several pairs that are like the oracle."""

import pytest
from reproductions import cell, family, with_cells, with_pairs

from spatial_game.game.evaluation import Proportion
from spatial_game.language.npmi.analysis import MESSAGE_TYPES
from spatial_game.reproduction import paper_tables as tables
from spatial_game.reproduction.inference import over_pairs
from spatial_game.reproduction.results import ESTIMATORS, Estimated


def test_families_are_tested_over_their_pairs(results):
    """Six oracle pairs of one family: means over pairs, and tests over pairs that five make possible."""
    many = family(results)
    brief = tables.translation_brief(many).records()
    assert {row["pairs_that_have_it"] for row in brief} == {"6 of 6", "0 of 6"}
    composed = next(row for row in brief if (row["type"], row["estimator"]) == ("Compositional-P", "exact"))
    phrases = results.pairs["oracle"].by_estimator["exact"].phrases["compositional"].phrases
    assert (composed["ours_mean"], composed["phrases_at_the_maximum"]) == (1, phrases)
    over = tables.hypotheses(many).records()
    assert {(row["pairs"], row["number"], row["p_value"]) for row in over} == {("o", 6, 1 / 2**6)}
    assert {row["hypothesis"].split(":")[0] for row in over} == {"H1", "H2"}
    four = tables.hypotheses(family(results, 4)).records()
    assert {(row["number"], row["p_value"]) for row in four} == {(4, None)}


def test_types_of_messages_emerge_in_some_pairs_and_cells(results):
    two = with_cells(family(results, 2), [cell(0.5), cell(0.25)], [cell(0.0), cell(0.25)])
    rows = tables.emergence(two).records()
    assert len(rows) == 2 * len(MESSAGE_TYPES)
    row = rows[0]
    assert (row["type"], row["pairs"]) == ("Non-Compositional Positional", "o (2)")
    assert row["emergence"] == "75.0% (50.0% to 100.0%)"
    assert row["of_the_messages"] == "33.3% (25.0% to 50.0%)"
    assert row["paper_emergence"] == "99.3% (93.8% to 100%)"
    assert rows[-1]["of_the_messages"] == "0.0% (0.0% to 0.0%)"


@pytest.mark.parametrize(("kind", "reserved"), [("reserved", "yes"), ("positional", "no")])
def test_messages_for_edges_are_counted_by_pair(results, kind, reserved):
    one = with_cells(with_pairs(family(results, 1), edges=[2]), [cell(0.1, kind)])
    ((name, edges, _, found),) = tables.edges(one).rows
    assert (name, edges, found) == ("o/0", 2, reserved)


def test_a_mean_has_an_interval_and_a_range_in_columns_of_their_own(results):
    plays = [Proportion(wins, 300) for wins in (290, 300, 280)]
    mean = tables.play(with_pairs(family(results, 3), play=plays)).records()[-1]
    assert (mean["pair"], mean["inputs"], mean["recipe"]) == ("o: mean", "raw numbers", "paper")
    assert mean["range_over_pairs"] == "93.33% to 100.00%"
    assert mean["95_interval"] == "88.39% to 100.00%"  # 2.90 +- 4.303 * 0.1 / sqrt(3), of 3, cut at 1


def test_a_kind_without_phrases_has_a_row_without_figures(results):
    none = dict.fromkeys(ESTIMATORS, Estimated([], {}, {}))
    row, *_ = tables.translation(with_pairs(family(results, 1), by_estimator=[none])).records()
    assert (row["phrases"], row["reported"], row["paper_mean"]) == (0, None, 0.9)


def test_a_test_over_pairs_needs_five():
    assert over_pairs([0.1, 0.2, 0.3, 0.4]) is None
    assert over_pairs([0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(1 / 2**5)
    assert over_pairs([-0.1, 0.02, 0.03, -0.4, 0.05]) > 0.3
    assert over_pairs([0.0] * 5) == 1
