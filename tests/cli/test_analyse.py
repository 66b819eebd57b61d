"""`analyse`: the dictionary of a recording; and what all commands that take a language have in common."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.scripted import Scripted

from spatial_game import GameConfig, OracleSender, Recording, draw_episodes, read_recording, record
from spatial_game.cli import main
from spatial_game.language import build_dictionary, count, read_dictionary
from spatial_game.language.dictionary.doubts import TOO_FEW, doubts


def test_the_oracle_is_read_and_its_dictionary_written(files, result):
    found = result("analyse play.parquet --out new.json")
    dictionary = read_dictionary("new.json")
    assert (found["written"], found["episodes"]) == (["new.json"], dictionary.total)
    assert found["bits"]["messages"] == dictionary.bits.messages
    assert found["bits"]["entropy"] > found["bits"]["messages"] > 5.9 > found["bits"]["symbols"]
    said = {(row["message"], row["says"]) for row in found["entries"]}
    assert ("[4, m2, m3]", "the target is the first, the second, the second last or the last") in said
    named = [says for message, says in said if "m" not in message]
    assert len(named) >= 200
    assert all(re.fullmatch(r"\d+ (one|two) (left|right)", says) for says in named)


def test_text_shows_the_dictionary_and_how_much_it_explains(files, prose):
    shown = prose("analyse play.parquet")
    for words in ("those of the 10 most frequent of each kind", "What a symbol says in slot 3", "one left"):
        assert words in shown
    assert re.search(r"The dictionary explains (5\.9|6\.0)", shown)
    assert "measured on 500 episodes that were held out." in shown
    assert "of another game" not in shown


def test_what_cannot_be_measured_is_said(prose):
    assert "measured on every tenth episode, and there are fewer." in prose("analyse oracle --episodes 9")


def test_data_of_another_game_are_told_apart(prose):
    """Windows whose integers depend on their place, as attributes and values do."""
    rng, game = np.random.default_rng(0), GameConfig(40, vocab_size=10)
    values = rng.integers(0, 10, (1_000, 4))
    window = np.insert(values + np.arange(0, 40, 10), 2, -1, axis=1)
    Recording(game, window, values[:, :3]).write("attributes.parquet")
    assert "The data are of another game" in prose("analyse attributes.parquet")


def test_data_of_the_game_itself_are_not_called_those_of_another():
    """A sender that tells all that its messages carry: by chance, it explains more than their entropy."""
    games = GameConfig(20, num_visible=1), GameConfig(shape=(5, 5), num_visible=1, window_radius=1)
    for seed, number, config in itertools.product(range(4), (300, 1_000), games):
        episodes = draw_episodes(config, number, np.random.default_rng(seed))
        counts = count(record((OracleSender(config), None), episodes, config))
        assert doubts(build_dictionary(counts), counts).keys() <= {TOO_FEW}


def test_other_formats_write_out_the_members_of_every_class(text):
    game = GameConfig(20, window_radius=1, vocab_size=4, message_length=1)
    parities = Scripted(lambda window: window[:, [0]] % 2 + 2 * (window[:, [2]] % 2))
    record((parities, None), draw_episodes(game, 2_000, np.random.default_rng(0)), game).write("play.parquet")
    assert "class 0: 0, 2, 4, 6, 8, " in text("analyse play.parquet")
    shown = text("analyse play.parquet --format csv")
    assert "class" not in shown
    assert "integers" not in shown
    assert "0, 2, 4, 6, 8, " in shown


def test_a_file_is_written_before_anything_is_printed(text, monkeypatch):
    text("record oracle --game small --episodes 300 --out play.parquet")

    def gone(*lines):
        raise BrokenPipeError

    monkeypatch.setattr("spatial_game.cli.report.print_lines", gone)
    for line in ("analyse --out a.json", "npmi --out b.json", "describe --out c.html"):
        assert main([*line.split(), "play.parquet"]) == 1
    assert read_dictionary("a.json").total == 300
    assert json.loads(Path("b.json").read_text("utf-8"))["episodes"] == 300
    assert "</html>" in Path("c.html").read_text("utf-8")


def test_a_folder_of_recordings_is_read(files, text, error):
    for seed in (0, 1):
        text(f"record random --episodes 50 --seed {seed} --out parts/{seed}.parquet")
    assert "n100 | seed 0,1" in text("analyse parts")
    assert "file must be one recording; got 2" in error("export parts --format csv --out a.csv")
    assert "parts/1.parquet must not be written" in error("analyse parts --out parts/1.parquet")


@pytest.mark.parametrize(
    ("line", "given"),
    [("analyse empty", "the folder empty, which has no"), (["compare", "", "oracle"], "an empty text")],
)
def test_what_holds_no_language_is_refused_as_what_it_is(line, given, files, error):
    Path("empty").mkdir()
    assert f"language must be recordings, a folder of them, or agents; got {given}" in error(line)


def test_a_recording_in_which_nothing_is_told(text):
    """Also by languages of other games: tests/language/test_awkward_languages.py."""
    text("record random --episodes 12 --out one.parquet")
    played = read_recording("one.parquet")
    replace(played, message=np.full_like(played.message, 3)).write("one.parquet")
    for command, nothing in (("analyse", "0.00 bits"), ("describe", "The dictionary finds nothing")):
        shown = text(f"{command} one.parquet")
        assert nothing in shown
        assert "-0.00" not in shown
    assert "no n-gram has a referent that passes" in text("npmi one.parquet")
    text("measure one.parquet")


def test_a_recording_without_episodes_is_refused(folder, error):
    Recording(GameConfig(), np.zeros((0, 5), np.int16), np.zeros((0, 3), np.int16)).write("empty.parquet")
    for command in ("read FILE 1 2 3", "describe FILE", "export FILE --format csv --out out"):
        said = error(command.replace("FILE", "empty.parquet"))
        assert "recording must have at least one episode; got none in empty.parquet" in said
    assert not (folder / "out").exists()


@pytest.mark.parametrize("command", ["analyse", "describe", "measure", "npmi"])
def test_agents_play_for_every_command_that_takes_a_language(command, result):
    """What they play is read as often as the command needs it."""
    assert result(f"{command} oracle --game small --episodes 500")["episodes"] == 500
