"""The verdict on claims of the paper."""

from dataclasses import replace

import pytest
from reproductions import cell, family, with_cells

from spatial_game.game.evaluation import Proportion
from spatial_game.reproduction.grid import TypeShare
from spatial_game.reproduction.verdict import ClaimedFigure, verdict


def by_figure(results, estimator):
    """The rows of the verdict of an estimator by figure."""
    rows = verdict(results).records()
    return {row["figure"]: row for row in rows if row["estimator"] in (estimator, "")}


def test_only_like_is_compared_with_like(results):
    """Rows of embeddings, and of the exact estimator, show their figures and have no verdict."""
    raw, embedded = (
        by_figure(family(results, inputs=inputs), "paper") for inputs in ("raw numbers", "embedding")
    )
    assert all(row["verdict"] for row in raw.values())
    assert not any(row["verdict"] for row in embedded.values())
    exact = by_figure(family(results, inputs="numbers scaled to -8..8"), "exact")
    by_estimator = {row["figure"]: row["verdict"] for row in exact.values() if row["estimator"]}
    assert set(by_estimator.values()) == {None}
    assert exact["accuracy (table 7)"]["verdict"] == "stronger"
    assert exact["Compositional-P"]["here"] == "100.0%"
    assert exact["Compositional-P"]["inputs"] == "numbers scaled to -8..8"


def test_the_verdict_says_direction_and_size_of_each_figure(results):
    """Six oracle pairs play perfectly, understand phrases, and do as well on shorter sequences."""
    found = by_figure(family(results), "paper")
    played = found["accuracy (table 7)"]
    assert (played["paper"], played["here"], played["pairs"]) == ("93.0%", "100.0%", "6 of 6")
    assert played["difference"] == pytest.approx(0.0702)
    assert played["95_interval"] == "+7.0 pp to +7.0 pp"
    assert played["verdict"] == "stronger"
    assert found["pairs above 98% (section 5)"]["verdict"] == "replicates"
    exact = by_figure(family(results), "exact")
    for name in ("Compositional-P", "accuracy with it minus without"):
        assert (exact[name]["offset_exchanged"], exact[name]["integer_exchanged"]) == (1, 1)
    few = by_figure(family(results, 1), "paper")
    assert {row["verdict"] for row in few.values()} == {"undecided"}


def test_accuracy_that_does_not_fall_does_not_replicate_a_fall(results):
    lengths = {
        "first": {0: Proportion(10_000, 10_000), 5: Proportion(10_000, 10_000), 40: Proportion(9_996, 10_000)}
    }
    found = by_figure(family(results, lengths=lengths), "paper")
    change = found["change with 40 fewer"]
    assert (change["paper"], change["here"], change["verdict"]) == ("-15.8 pp", "0.0 pp", "absent")
    assert found["change with 5 fewer"]["verdict"] == "replicates"


def test_a_type_of_message_must_emerge_as_often_as_in_the_paper_not_in_one_cell(results):
    """In one of two cells all pairs have such messages: half of the runs, where the paper has 99.3%."""
    both = replace(one := cell(0.5), types={**one.types, "compositional_positional": TypeShare(0.5, 0.5)})
    found = by_figure(with_cells(family(results), *[[both, cell(0.0)]] * 6), "paper")
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
    assert ClaimedFigure("claim", "figure", paper, effects).verdict(max(len(effects), 5)) == said
