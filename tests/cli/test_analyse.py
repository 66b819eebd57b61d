"""`analyse`: the dictionary of a recording, its measures, and one of its messages."""

import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from helpers.scripted import Scripted

from spatial_agents import load_pair
from spatial_game.agents import load_agents
from spatial_game.cli import main
from spatial_game.cli.commands.compare import of_one_training
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import build_dictionary, count, read_dictionary
from spatial_game.recording import Recording, read_recording, record

# --- The dictionary -------------------------------------------------------------------------------------


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


def test_text_shows_the_dictionary_and_how_much_it_explains(files, text):
    shown = " ".join(text("analyse play.parquet").split())
    for words in ("those of the 10 most frequent of each kind", "What a symbol says in slot 3", "one left"):
        assert words in shown
    assert re.search(r"The dictionary explains (5\.9|6\.0)", shown)
    assert "measured on 500 episodes that were held out." in shown
    assert "of another game" not in shown


def test_what_cannot_be_measured_is_said(text):
    text("record --agents oracle --episodes 9 --out few.parquet")
    assert "is measured on every tenth episode, and there are fewer." in " ".join(
        text("analyse few.parquet").split()
    )


def test_data_of_another_game_are_told_apart(text):
    """Windows whose integers depend on their place, as attributes and values do."""
    rng, game = np.random.default_rng(0), GameConfig(40, vocab_size=10)
    values = rng.integers(0, 10, (1_000, 4))
    window = np.insert(values + np.arange(0, 40, 10), 2, -1, axis=1)
    Recording(game, window, values[:, :3]).write("attributes.parquet")
    assert "The data are of another game" in " ".join(text("analyse attributes.parquet").split())


def test_data_of_the_game_itself_are_not_called_those_of_another():
    """A sender that tells all that its messages carry: by chance, it explains more than their entropy."""
    config = GameConfig(20, num_visible=1)
    for seed, number in itertools.product(range(4), (300, 1_000)):
        episodes = draw_episodes(config, number, np.random.default_rng(seed))
        dictionary = build_dictionary(count(record((OracleSender(config), None), episodes, config)))
        assert not dictionary.bits.of_another_game


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
    text("record --agents oracle --game small --episodes 300 --out play.parquet")

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
        text(f"record --agents random --episodes 50 --seed {seed} --out parts/{seed}.parquet")
    assert "n100 | seed 0,1" in text("analyse parts")
    assert "file must be one recording; got 2 in the folder parts" in error(
        "export parts --format csv --out a.csv"
    )
    assert "parts/1.parquet must not be written" in error("analyse parts --out parts/1.parquet")


# --- Two languages side by side -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "given"),
    [("analyse empty", "the folder empty, which has no"), (["compare", "", "oracle"], "an empty text")],
)
def test_what_holds_no_language_is_refused_as_what_it_is(line, given, files, error):
    Path("empty").mkdir()
    assert f"language must be recordings, a folder of them, or agents; got {given}" in error(line)


def test_two_pairs_are_compared_and_play_with_each_other(result):
    found = result("compare oracle random --episodes 1000 --seed 1 --sequence-length 20")
    assert found["languages"] == ["oracle", "random"]
    assert found["bits"][0]["messages"] > 4
    understood = found["translation"]
    assert understood["b_to_a"]["own"]["accuracy"] == 1
    assert max(understood[way]["untranslated"]["accuracy"] for way in ("a_to_b", "b_to_a")) < 0.3
    assert understood["verdict"] == "cannot say"
    assert {"a_s_message", "b_s_message"} < set(found["bilingual"][0])


def test_pairs_of_one_seed_are_named(text):
    shown = " ".join(text("compare landmark-60/0 seen-60/0 --episodes 200").split())
    assert "Both pairs were trained with seed 0: " in shown
    one, *others = map(load_pair, ("landmark-60/0", "landmark-60/0", "landmark-60/1"))
    assert [of_one_training(one, other) for other in (*others, None)] == [[], [], []]


def test_recordings_are_compared_with_each_other_and_with_a_pair(text, monkeypatch):
    monkeypatch.setattr("spatial_game.cli.commands.compare.HEARD", 500)
    for agents in ("oracle", "random"):
        text(f"record --agents {agents} --game small --episodes 300 --out {agents}.parquet")
    shown = text("compare oracle.parquet random.parquet")
    assert "A  oracle, 300 episodes" in shown
    assert "B  random, 300 episodes" in shown
    assert "A has no agents here: its dictionary speaks and reads in their place." in " ".join(shown.split())
    shown = " ".join(shown.split())
    assert shown.index("A's messages lead B's receiver") < shown.index("Who understands whom")
    rows = text("compare random.parquet oracle.parquet --format csv").splitlines()
    assert rows[0] == "A says,A's message,Share,B's message,B says"
    assert len(rows) > 21  # all messages of A


def test_both_maps_have_the_order_of_the_first_language(text, monkeypatch):
    monkeypatch.setattr("spatial_game.language.pictures.figures.DOTS", 50)
    text("compare paper-60/0 embed-60/0 --episodes 3000 --pictures maps")
    for name in "ab":
        written = Path(f"maps/map-{name}.svg").read_text("utf-8")
        columns = re.findall(">([0-9]+)</text>", written)[:12]
        assert columns == [str(integer) for integer in range(0, 60, 5)]  # embed-60 alone has another order
        assert "n3000" in written
        assert Path(f"maps/map-{name}.png").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("play.parquet --episodes 10", "--episodes needs agents that play"),
        ("none.parquet", "recording must name a file that exists, or a trained pair"),
        ("random --sequence-length 20 --json --format csv", "--format must be given without --json; got csv"),
    ],
)
def test_languages_that_cannot_be_compared_are_refused(line, said, files, error):
    assert said in error(f"compare play.parquet {line}")


# --- The paper's table ----------------------------------------------------------------------------------


def test_every_format_has_the_words_of_the_paper(files, text):
    for name, begins in {"markdown": "| Message | Type |", "csv": "Message,Type,"}.items():
        shown = text(f"npmi play.parquet --format {name}")
        assert shown.startswith(begins)
        assert "? is 2 left of target" in shown
        assert "n-grams for every integer" not in shown
    shown = text("npmi play.parquet")
    assert shown.startswith("\nN-grams and referents: ")
    assert "threshold  0.5; n-grams for every integer at one offset have 0.65 in this game" in " ".join(
        shown.split(" ")
    )
    assert "n-grams for every integer" not in text("npmi play.parquet --estimator code")


def test_the_papers_table_is_written(files, result):
    found = result("npmi play.parquet --min-confidence 0.9 --out table.json")
    table = json.loads(Path("table.json").read_text("utf-8"))
    assert (found["written"], found["entries"]) == (["table.json"], len(table["associations"]))
    assert found["coverage"] == table["types"]["readable"]["episodes"] == 1.0
    assert table["settings"]["min_confidence"] == 0.9
    assert sum("edge" in entry["referent"] for entry in table["associations"]) == 4
    assert {row["type"] for row in found["types"]} >= {"Compositional Integer", "Compositional Positional"}
    assert found["table"][0]["p"] < 1e-9


def test_a_recording_in_which_nothing_is_told(text):
    """Also by languages of other games: tests/language/test_awkward_languages.py."""
    text("record --agents random --episodes 12 --out one.parquet")
    played = read_recording("one.parquet")
    replace(played, message=np.full_like(played.message, 3)).write("one.parquet")
    for command, nothing in (("analyse", "0.00 bits"), ("describe", "The dictionary finds nothing")):
        shown = text(f"{command} one.parquet")
        assert nothing in shown
        assert "-0.00" not in shown
    assert "no n-gram has a referent that passes" in text("npmi one.parquet")
    text("measure one.parquet")


def test_a_file_without_its_game_is_read_when_told_the_game(files, result, error):
    table = pq.read_table("play.parquet").select(["window", "message"]).replace_schema_metadata(None)
    pq.write_table(table, "foreign.parquet")
    assert "give sequence_length and vocab_size" in error("analyse foreign.parquet")
    assert "--episodes needs agents that play" in error("analyse play.parquet --episodes 7")
    line = "npmi foreign.parquet --sequence-length 60 --vocab-size 26"
    assert result(line)["coverage"] == 1.0


def test_the_pair_of_a_recording_is_loaded_only_to_play(text, monkeypatch):
    text("record --agents embed-60 --episodes 500 --out play.parquet")
    monkeypatch.setattr("spatial_game.cli.commands.compare.HEARD", 50)
    loaded = []

    def load(name, **options):
        loaded.append(name)
        return load_agents(name, **options)

    monkeypatch.setattr("spatial_game.cli.language.load_agents", load)
    text("analyse play.parquet")
    assert loaded == []
    text("compare play.parquet play.parquet --seed 1")
    assert loaded == ["embed-60/0", "embed-60/0"]


# --- Measures -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick_measures")
def test_measures_fit_the_terminal(files, result, text, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("spatial_game.cli.report.is_terminal", lambda console: True)
    shown = text("measure play.parquet")
    assert max(map(len, shown.splitlines())) <= 80
    assert "  95% interval  " in shown
    assert "Measures of 700 messages, drawn at random from " in shown
    found = result("measure play.parquet")
    assert 100 < {each["name"]: each["value"] for each in found["measures"]}["different messages"] <= 244


# --- One message ----------------------------------------------------------------------------------------


def test_a_message_is_shown(result, text):
    text("record --agents oracle --episodes 3000 --sequence-length 20 --out short.parquet")
    sent = read_recording("short.parquet").message
    line = f"read short.parquet {' '.join(map(str, sent[0]))}"
    found = result(line)
    [said] = found["messages"]
    expected = (sent[0].tolist(), (sent == sent[0]).all(axis=1).sum(), 3_000)
    assert (said["message"], said["sent"], found["episodes"]) == expected
    assert f"means  {said['means']}" in text(line)
    never = text("read short.parquet 25 24 25")
    assert "sent   in 0 of 3,000 episodes\n" in never
    assert "means  the dictionary does not say" in never


def test_a_recording_without_episodes_is_refused(folder, error):
    Recording(GameConfig(), np.zeros((0, 5), np.int16), np.zeros((0, 3), np.int16)).write("empty.parquet")
    for line in (
        "read empty.parquet 1 2 3",
        "describe empty.parquet",
        "export empty.parquet --format csv --out out",
    ):
        assert "recording must have at least one episode; got none in empty.parquet" in error(line)
    assert not (folder / "out").exists()


@pytest.mark.parametrize("command", ["analyse", "describe", "measure", "npmi"])
def test_agents_play_for_every_command_that_takes_a_language(command, result):
    """What they play is read as often as the command needs it."""
    assert result(f"{command} oracle --game small --episodes 500")["episodes"] == 500
