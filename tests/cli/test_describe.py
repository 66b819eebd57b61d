"""`describe` on the command line."""

import json
import os

import numpy as np
import pytest

from spatial_game.cli import main
from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.recording import Recording
from spatial_game.tables import Table

SHORT = GameConfig(sequence_length=20)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A recording of the oracle, in a folder of its own."""
    path = tmp_path_factory.mktemp("described") / "oracle.parquet"
    assert main(["record", "--agents", "oracle", "--episodes", "5000", "--out", str(path)]) == 0
    return path


def test_a_recording_is_described_in_text_json_and_as_a_page(recorded, tmp_path, capsys):
    capsys.readouterr()
    page = tmp_path / "sketch.html"
    assert main(["describe", str(recorded), "--out", str(page)]) == 0
    shown = capsys.readouterr().out
    for words in ("The language of oracle", "What is told", "Messages have two parts", "Examples", str(page)):
        assert words in shown
    text = page.read_text("utf-8")
    assert "Messages have two parts" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert main(["describe", str(recorded), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["episodes"] == 5_000
    assert found["map"]["kind"] == "columns"
    assert not found["says_nothing"]


def test_a_pair_plays_and_is_described(capsys):
    assert main(["describe", "landmark-60/0", "--episodes", "3000"]) == 0
    shown = capsys.readouterr().out
    assert "The language of landmark-60/0" in shown
    assert "The receiver finds the target in" in shown


def test_random_agents_say_nothing(capsys):
    assert main(["describe", "random", "--episodes", "3000"]) == 0
    assert "There is nothing to learn" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["nothing.parquet"], "must name a file that exists, or a trained pair; got nothing.parquet\n"),
        (["embed-61"], 'got embed-61 (did you mean "embed-60"?)'),
        (["embed-61", "--episodes", "10"], 'got embed-61 (did you mean "embed-60"?)'),
        (["embed-60/0", "--episodes", "0"], "episodes must be at least 1; got 0"),
        (["oracle", "--out", "missing/sketch.html"], "out must be in a folder that exists"),
    ],
)
def test_a_mistake_is_one_line(words, fault, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["describe", *words]) == 1
    error = capsys.readouterr().err
    assert fault in error
    assert error.count("\n") == 1
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("option", ["episodes"])
def test_options_of_a_pair_that_plays_are_refused_for_a_recording(option, recorded, capsys):
    assert main(["describe", str(recorded), f"--{option}", "7"]) == 1
    assert f"{option} needs a pair that plays, such as embed-60/0; got 7" in capsys.readouterr().err


def test_a_mixture_of_senders_has_a_warning(recorded, tmp_path, capsys):
    other = tmp_path / "random.parquet"
    assert main(["record", "--agents", "random", "--episodes", "3000", "--out", str(other)]) == 0
    capsys.readouterr()
    assert main(["describe", str(recorded), str(other)]) == 0
    assert "these recordings have 2 senders (oracle, random)" in capsys.readouterr().out
    assert main(["describe", str(recorded)]) == 0
    assert "Warning" not in capsys.readouterr().out
    assert main(["describe", str(recorded), str(other), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["senders"] == ["oracle", "random"]


def test_the_bits_of_a_single_message_have_no_sign(tmp_path, capsys):
    path = str(tmp_path / "play.parquet")
    window = draw_episodes(SHORT, 400, np.random.default_rng(0)).window
    Recording(SHORT, window=window, message=np.zeros((400, 3), np.int16)).write(path)
    for command in ("analyse", "describe"):
        assert main([command, path]) == 0
        shown = capsys.readouterr().out
        assert "The messages carry 0.00 bits" in shown
        assert "-0.00" not in shown


def test_a_table_without_rows_is_not_shown(capsys):
    Output(False).table("A heading", Table.of("Message | Meaning", []))
    assert capsys.readouterr().out == ""
    Output(False).table("A heading", Table.of("Message | Meaning", [("[1]", "the first")]))
    assert "A heading" in capsys.readouterr().out


def test_a_recording_without_episodes_is_refused(tmp_path, capsys):
    empty = Recording(SHORT, window=np.zeros((0, 5), np.int16), message=np.zeros((0, 3), np.int16))
    empty.write(tmp_path / "empty.parquet")
    assert main(["describe", str(tmp_path / "empty.parquet")]) == 1
    assert "at least one episode" in capsys.readouterr().err
