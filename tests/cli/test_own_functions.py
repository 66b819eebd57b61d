"""Functions of the user's own, on the command line: labels for `npmi`, and measures."""

from pathlib import Path

import pytest

from spatial_game.cli import main

OWN = """
import numpy as np

def shown_at_begin(window):
    return np.where(window[:, 0] == -1, "begin", "")

def most_used(sample):
    return np.bincount(sample.number).max() / len(sample)

def failing(given):
    raise KeyError("no")

number = 3
"""


@pytest.fixture
def own(files, monkeypatch):
    """The files of other tests, and a module with functions."""
    Path("functions_of_mine.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(files))


def test_ngrams_may_refer_to_labels(own, result):
    found = result("npmi play.parquet --label functions_of_mine:shown_at_begin")
    labelled = [row for row in found["table"] if row["type"] == "Label"]
    [begin] = [row for row in found["table"] if row["meaning"] == "begin" and row["type"] != "Label"]
    assert {(row["meaning"], row["together"], row["npmi"]) for row in labelled} == {
        ("begin", begin["together"], 1)
    }


def test_measures_may_be_added(own, result):
    *_, found = result("measure play.parquet --own functions_of_mine:most_used")["measures"]
    assert (found["name"], found["source"]) == ("most_used", "your own")
    assert 0 < found["low"] <= found["value"] == found["shuffled"] <= found["high"] < 1


@pytest.mark.parametrize("line", ["npmi play.parquet --label", "measure play.parquet --own"])
def test_functions_that_cannot_be_used_are_named(own, error, capsys, line):
    argument = line.rpartition("--")[2]
    assert f"{argument} must be named as module:function; got parity" in error(f"{line} parity")
    assert f"{argument} must be a class or a function that can be imported" in error(f"{line} nowhere:f")
    assert f"{argument} must be a function; got functions_of_mine:number" in error(
        f"{line} functions_of_mine:number"
    )
    assert main([*line.split(), "functions_of_mine:failing"]) == 1
    assert "functions_of_mine:failing failed: KeyError: 'no'\nTraceback" in capsys.readouterr().err
