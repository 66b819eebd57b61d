"""The reproduction of the oracle: what is measured, and what is kept."""

from collections import Counter
from dataclasses import replace

import pytest
from reproductions import CONFIG, SIZES, subject

from spatial_game.game.oracle import OracleSender
from spatial_game.reproduction.measuring import MOST_USED, read_metrics, reproduce


class Silent(OracleSender):
    """A sender that is not to speak: everything is there already."""

    def send(self, window):
        raise AssertionError("measured again")


def test_the_oracle_is_perfect_throughout(results):
    pair = results.pairs["oracle"]
    assert pair.play.accuracy == 1
    for lengths in pair.lengths.values():
        assert {less: part.accuracy for less, part in lengths.items()} == {0: 1, 5: 1, 10: 1}
    exact = pair.by_estimator["exact"]
    assert {part: exchange.effect for part, exchange in exact.exchanges.items()} == {
        "offset": 1,
        "integer": 1,
    }
    for kind in ("edge", "compositional"):
        phrases = exact.phrases[kind]
        assert phrases.accuracy.accuracy == phrases.chosen_at.accuracy == 1
        assert (phrases.chosen_at.trials, phrases.accuracy.trials) == (SIZES.choosing, SIZES.reported)
    assert max(Counter(row.kind for row in pair.most_used).values()) <= MOST_USED


def test_what_is_there_is_not_measured_again(results, reproduced):
    silent = [subject(sender=Silent(CONFIG))]
    assert reproduce(silent, reproduced, SIZES, seed=1) == results
    for changes in ({"seed": 2}, {"sizes": replace(SIZES, reported=200)}):
        with pytest.raises(AssertionError, match="measured again"):
            reproduce(silent, reproduced, **{"sizes": SIZES, "seed": 1, **changes})


def test_agents_without_a_hash_of_weights_are_measured_in_each_run(tmp_path):
    oracle = replace(subject(), weights_hash=None)
    reproduce([oracle], tmp_path, SIZES)
    with pytest.raises(AssertionError, match="measured again"):
        reproduce([replace(oracle, sender=Silent(CONFIG))], tmp_path, SIZES)


@pytest.mark.parametrize("content", ['{"key": ', "{}", "[1]"])
def test_a_damaged_file_is_measured_again(results, reproduced, tmp_path, content):
    good = (reproduced / "data" / "oracle.json").read_text("utf-8")
    (tmp_path / "data").mkdir()
    for text in (content, good.replace('"wins"', '"losses"')):
        (tmp_path / "data" / "oracle.json").write_text(text)
        with pytest.raises(AssertionError, match="measured again"):
            reproduce([subject(sender=Silent(CONFIG))], tmp_path, SIZES, seed=1)


def test_pairs_need_names_of_their_own(tmp_path):
    with pytest.raises(ValueError, match="at least one pair, of different names; got none"):
        reproduce([], tmp_path, SIZES)
    with pytest.raises(ValueError, match=r"of different names; got \['oracle', 'oracle'\]"):
        reproduce([subject(), subject()], tmp_path, SIZES)


def test_metrics_without_validation_are_left_out(tmp_path):
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("step,episodes,validation_accuracy\n50,100,\n100,200,0.5\n150,300,0.75\n")
    assert read_metrics(metrics) == [(200.0, 0.5), (300.0, 0.75)]
    assert read_metrics(tmp_path / "none.csv") == []
