"""The reproduction of the oracle: what is measured, and what is kept."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from helpers.reproductions import CONFIG, SIZES, oracle_pair

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import Agents
from spatial_game.reproduction import paper
from spatial_game.reproduction.kept_results import pair_result
from spatial_game.reproduction.measure_pair import MOST_USED, PairToMeasure, measure_pair, read_metrics
from spatial_game.reproduction.results import SampleSizes


class Silent(OracleSender):
    """A sender that is not to speak: everything is there already."""

    def send(self, window):
        raise AssertionError("measured again")


def test_the_oracle_plays_perfectly_and_understands_phrases(results):
    """Not all composed ones: n-grams at any slot also make phrases in an order that is not the oracle's."""
    pair = results.pairs["oracle"]
    assert pair.play.accuracy == 1
    for lengths in pair.lengths.values():
        assert {less: part.accuracy for less, part in lengths.items()} == {0: 1, 5: 1, 10: 1}
    exact = pair.by_estimator["exact"]
    assert exact.exchanges.keys() == {"paper's", "best"}
    for exchanges in exact.exchanges.values():
        assert exchanges.keys() == {"offset", "integer"}
        assert all(exchange.effect > 0.7 for exchange in exchanges.values())
    for kind, least in (("edge", 1), ("integer_at", 0.95), ("compositional", 0.6)):
        phrases = exact.phrases["best"][kind]
        asked = exact.at(phrases.threshold, phrases.top_n).phrases[kind].accuracy
        assert min(phrases.accuracy.accuracy, asked.accuracy) >= least
        assert (asked.trials, phrases.accuracy.trials) == (SIZES.choosing, SIZES.reported)
        assert phrases.counted.accuracy > 0.95
    for estimator in pair.by_estimator.values():
        cells = {kind: (found.threshold, found.top_n) for kind, found in estimator.phrases["paper's"].items()}
        assert cells.items() <= paper.TABLE_2_CELLS.items()
    assert max(Counter(row.kind for row in pair.most_used).values()) <= MOST_USED


def again(pair, folder, sizes=SIZES, seed=1):
    """Measure a pair whose sender is not to speak."""
    return pair_result(replace(pair, agents=replace(pair.agents, sender=Silent(CONFIG))), folder, sizes, seed)


def test_a_pair_is_measured_once_for_each_seed_size_weights_grid_and_code(results, reproduced, monkeypatch):
    assert again(oracle_pair(), reproduced) == results.pairs["oracle"]
    for changed in (
        {"seed": 2},
        {"sizes": replace(SIZES, reported=200)},
        {"pair": replace(oracle_pair(), weights_hash="abd")},
    ):
        with pytest.raises(AssertionError, match="measured again"):
            again(**{"pair": oracle_pair(), "folder": reproduced} | changed)
    for name, value in ("paper.THRESHOLDS", (0.5,)), ("kept_results.provenance.hash_of_code", str):
        with monkeypatch.context() as other, pytest.raises(AssertionError, match="measured again"):
            other.setattr(f"spatial_game.reproduction.{name}", value)
            again(oracle_pair(), reproduced)


def test_results_name_the_version_and_the_commit(results):
    assert results.pairs["oracle"].measured_by == f"{spatial_game.__version__} at abc"
    assert f"{spatial_game.__version__} at abc" in results.signature


@pytest.fixture
def small_grid(monkeypatch):
    """Two cells of the grid, one of them with more integers than a game may have."""
    monkeypatch.setattr("spatial_game.reproduction.paper.THRESHOLDS", (0.5,))
    monkeypatch.setattr("spatial_game.reproduction.paper.TOPS", (1, 15))


@pytest.mark.usefixtures("small_grid")
def test_short_sequences_are_measured():
    config = GameConfig(7, window_radius=1, num_distractors=2, vocab_size=7)
    agents = Agents(OracleSender(config), OracleReceiver(config), config)
    pair = PairToMeasure(name="own", family="own", agents=agents, config=config)
    found = measure_pair(pair, SampleSizes(2_000, 50, 100), 0)
    assert found.play.accuracy == 1
    assert found.by_estimator["code"].phrases["best"]


@pytest.mark.usefixtures("small_grid")
def test_agents_without_a_hash_of_weights_are_measured_in_each_run(tmp_path):
    oracle, sizes = replace(oracle_pair(), weights_hash=None), SampleSizes(2_000, 50, 100)
    pair_result(oracle, tmp_path, sizes, 1)
    with pytest.raises(AssertionError, match="measured again"):
        again(oracle, tmp_path, sizes)


DAMAGES = {
    "truncated": lambda good: good[: len(good) // 2],
    "another field": lambda good: good.replace('"num_correct"', '"losses"'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_pair_with_a_damaged_file_is_measured_again(results, reproduced, tmp_path, damage):
    (tmp_path / "data").mkdir()
    good = (reproduced / "data" / "oracle.json").read_text("utf-8")
    (tmp_path / "data" / "oracle.json").write_text(damage(good))
    with pytest.raises(AssertionError, match="measured again"):
        again(oracle_pair(), tmp_path)


def test_metrics_without_validation_are_left_out(tmp_path):
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("step,episodes,validation_accuracy\n50,100,\n100,200,0.5\n150,300,0.75\n")
    assert read_metrics(metrics) == [(200.0, 0.5), (300.0, 0.75)]
    assert read_metrics(tmp_path / "none.csv") == []
    for content, fault in (
        (b"\x00\xff", "not UTF-8 text; invalid start byte at byte 1"),
        (b"step\n1\n", "there must be the column episodes; got ['step']"),
        (
            b"episodes,validation_accuracy\n1,x\n",
            "episodes and validation_accuracy must be numbers; could not",
        ),
    ):
        metrics.write_bytes(content)
        with pytest.raises(UserError, match=re.escape(f"{metrics}: {fault}")):
            read_metrics(metrics)
