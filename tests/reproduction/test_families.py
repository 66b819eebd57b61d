"""Statistics over independent trainings: the pairs of a population are one."""

from dataclasses import replace

import pytest
from helpers.reproductions import family, with_pairs, with_phrases

from spatial_game.cli.commands.reproduce import report_of
from spatial_game.proportions import Proportion
from spatial_game.reproduction.figures import drawings
from spatial_game.reproduction.tables.claims import CLAIMS
from spatial_game.reproduction.tables.hypotheses import HYPOTHESES
from spatial_game.reproduction.tables.minimal_pairs import EFFECTS
from spatial_game.reproduction.tables.play import PLAY
from spatial_game.reproduction.tables.table_2 import TRANSLATION_BRIEF

RIGHTS = (80, 82, 90, 92, 70, 72, 85, 87, 60, 62, 75, 77)


def members(results, populations):
    """Twelve pairs with accuracies of their own, of these populations in turn."""
    every = family(results, len(RIGHTS))
    proportions = [Proportion(right, 100) for right in RIGHTS]
    edge = results.pairs["oracle"].phrases("code", "paper's", "edge")
    every = with_phrases(every, "edge", [replace(edge, accuracy=each) for each in proportions])
    size = len(RIGHTS) // populations
    names = [f"run-{i // size}" for i in range(len(RIGHTS))]
    return with_pairs(with_pairs(every, play=proportions), population=names)


def rows(section, results, **values):
    return [
        row
        for row in section.table(results).records()
        if all(row[name] == value for name, value in values.items())
    ]


def test_the_pairs_of_one_population_have_no_interval_and_no_test(results):
    """Twelve pairs that were trained apart have both."""
    alone = with_pairs(members(results, 1), population=[""] * len(RIGHTS))
    for known, each in ((True, alone), (False, members(results, 1))):
        (mean,) = rows(PLAY, each, pair="o: mean")
        (phrases,) = rows(
            TRANSLATION_BRIEF, each, type="Non-Compositional Positional", estimator="code", cell="paper's"
        )
        tests = rows(HYPOTHESES, each, estimator="code")
        claims = [row for row in rows(CLAIMS, each) if row["difference"] is not None]
        assert (mean["low"] is not None) is known
        assert (phrases["low"] is not None) is known
        assert any(row["p_value"] is not None for row in tests) is known
        assert any(row["deviation"] is not None for row in claims) is known
        assert {row["pairs"] for row in rows(CLAIMS, each)} == {12 if known else 1}
        assert {row["pairs"] for row in rows(EFFECTS, each)} == {12 if known else 1}
    assert mean["accuracy"] == pytest.approx(sum(RIGHTS) / 1200)


def test_statistics_over_populations_are_those_of_their_means(results):
    """Six populations of two pairs are as six pairs with the means of these."""
    several, means = members(results, 6), [0.81, 0.91, 0.71, 0.86, 0.61, 0.76]
    as_pairs = with_pairs(family(results, 6), play=[Proportion(round(100 * each), 100) for each in means])
    (ours,), (theirs,) = (rows(PLAY, each, pair="o: mean") for each in (several, as_pairs))
    assert [ours["low"], ours["high"]] == pytest.approx([theirs["low"], theirs["high"]])
    (test,) = rows(
        HYPOTHESES, several, estimator="code", hypothesis="H1: Non-Compositional Positional above chance"
    )
    assert (test["pairs"], test["p_value"]) == (6, 1 / 2**6)
    assert [each.name for each in drawings(several)] == ["phrases", "lengths"]


@pytest.mark.parametrize("populations", [6, 12])
def test_the_terminal_says_that_pairs_of_a_population_are_one(results, capsys, populations):
    report_of(members(results, populations), []).show()
    note = "The pairs of one population were trained together, and count as one pair."
    assert (note in capsys.readouterr().out) == (populations == 6)
