"""Functions of the user's own, on the command line: labels for `npmi`, measures, and samplers."""

from pathlib import Path

import pytest

from spatial_game.cli import main
from spatial_game.recording import read_recording

OWN = """
import numpy as np
from spatial_game import GameConfig, draw_episodes

def shown_at_begin(window):
    return np.where(window[:, 0] == -1, "begin", "")

def without(window):
    return np.full(len(window), "")

def by_chance(window):
    return np.random.default_rng(0).integers(2, size=len(window))

def most_used(sample):
    return np.bincount(sample.number).max() / len(sample)

def at_the_ends(n, rng):
    many = draw_episodes(GameConfig.small(), 16 * n, rng)
    return many[np.flatnonzero(np.isin(many.target_position, (0, 7)))[:n]]

def as_text(sample):
    return "much"

def failing(given):
    raise KeyError("no")

def of_two(one, other):
    return None

def nothing(n, rng):
    return None

number = 3
"""


@pytest.fixture
def own(files, monkeypatch, quick_measures):
    """The files of other tests, and a module with functions."""
    Path("functions_of_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(files))


def test_labels_that_no_ngram_has_are_said(own, text):
    line = "npmi play.parquet --label functions_of_mine"
    assert "without gives no window a label." in text(f"{line}:without")
    none = text(f"{line}:by_chance")
    assert "by_chance gives windows 2 labels; no n-gram passes: among those that meet min_count " in none
    assert ", above 0.05 (significance)." in none
    shown = text(f"{line}:shown_at_begin")
    assert "with a label that passes." in shown
    assert "label shown_at_begin | " in shown


def test_functions_that_take_something_else_are_refused(own, error):
    name = "functions_of_mine:of_two"
    assert "label must take (window); got (one, other)" in error(f"npmi play.parquet --label {name}")
    assert "of_two must take (sample); got (one, other)" in error(f"measure play.parquet --own {name}")


def test_ngrams_may_refer_to_labels(own, result):
    found = result("npmi play.parquet --label functions_of_mine:shown_at_begin")
    labelled = [row for row in found["table"] if row["type"] == "Label"]
    [begin] = [row for row in found["table"] if row["meaning"] == "begin" and row["type"] != "Label"]
    assert {(row["meaning"], row["together"], row["npmi"]) for row in labelled} == {
        ("begin", begin["together"], 1)
    }


def test_measures_may_be_added(own, result, error):
    *_, found = result("measure play.parquet --own functions_of_mine:most_used")["measures"]
    assert (found["name"], found["source"]) == ("most_used", "your own")
    assert 0 < found["low"] <= found["value"] == found["shuffled"] <= found["high"] < 1
    assert "as_text must return a number; got 'much'" in error(
        "measure play.parquet --own functions_of_mine:as_text"
    )


def test_episodes_may_be_drawn_by_a_sampler(own, text, result, error):
    options = "--game small --episodes 50 --sampler functions_of_mine"
    found = result(f"evaluate oracle {options}:at_the_ends")
    played = {edge: part["n"] for edge, part in found["pairs"][0]["by_edge"].items() if part["n"]}
    assert (found["sampler"], found["pairs"][0]["accuracy"]) == ("functions_of_mine:at_the_ends", 1.0)
    assert played.keys() == {"begin", "end"}
    assert sum(played.values()) == 50
    text(f"record oracle --out own.parquet {options}:at_the_ends")
    recording = read_recording("own.parquet")
    assert set(recording.target_position.tolist()) == {0, 7}
    assert recording.provenance["sampler"] == "functions_of_mine:at_the_ends"
    assert "rng) returns must be Episodes" in error(f"evaluate oracle {options}:nothing")
    crossed = result(f"evaluate oracle --cross-play {options}:at_the_ends")["cross_play"]
    assert crossed["accuracy"][0][0]["num_correct"] == 50
    assert "rng) returns must be Episodes" in error(f"evaluate oracle --cross-play {options}:nothing")
    assert "sampler must be left out with study" in error(f"evaluate oracle {options}:nothing --study noise")


@pytest.mark.parametrize("line", ["npmi play.parquet --label", "measure play.parquet --own"])
def test_functions_that_cannot_be_used_are_named(own, error, capsys, line):
    argument = line.rpartition("--")[2]
    assert f"{argument} must be named as module:function; got parity" in error(f"{line} parity")
    assert f"{argument} must be a function that can be imported; got" in error(f"{line} nowhere:f")
    assert 'got nowhere.py:f (did you mean "nowhere:f"?)' in error(f"{line} nowhere.py:f")
    assert '(did you mean "number"?)' in error(f"{line} functions_of_mine:numbers")
    assert f"{argument} must be a function; got functions_of_mine:number" in error(
        f"{line} functions_of_mine:number"
    )
    assert main([*line.split(), "functions_of_mine:failing"]) == 1
    assert "functions_of_mine:failing failed: KeyError: 'no'\nTraceback" in capsys.readouterr().err
