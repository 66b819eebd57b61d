"""The commands, as a person at a terminal meets them: results, JSON, one-line errors, nothing half done."""

import dataclasses
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from quick_processes import quick_popen

from spatial_game.cli import main
from spatial_game.cli.app import COMMANDS, app
from spatial_game.cli.errors import EXTRAS
from spatial_game.cli.options import GameOptions
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.game.seeds import stream
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import Recording, read_recording

ROOT = Path(__file__).parents[2]
TINY_GAME = shlex.split(
    "--sequence-length 6 --window-radius 1 --num-distractors 2 --vocab-size 8 --message-length 2"
)
TINY_RUN = [
    "train",
    *TINY_GAME,
    *shlex.split("--inputs embedding --hidden-size 16 --batch-size 32"),
    *shlex.split("--evaluation-episodes 200 --device cpu"),
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Every test writes into an empty folder of its own."""
    monkeypatch.chdir(tmp_path)


FAST = ["--select", "npmi"]
"""For tests that need any dictionary: a description takes seconds."""


@pytest.fixture(scope="module")
def oracle_files(tmp_path_factory):
    """A recording of the oracle pair and its lexicon, for tests to copy."""
    folder = tmp_path_factory.mktemp("oracle")
    recording = str(folder / "oracle.parquet")
    assert main(["record", "--agents", "oracle", "--episodes", "20000", "--out", recording]) == 0
    assert main(["analyse", recording, *FAST, "--out", str(folder / "lexicon.json")]) == 0
    return folder


@pytest.fixture
def oracle_recording(oracle_files):
    return shutil.copy(oracle_files / "oracle.parquet", "oracle.parquet")


@pytest.fixture
def small_recording():
    """A recording that is fast to convert."""
    main(["record", "--agents", "oracle", "--episodes", "2000", "--out", "small.parquet"])
    return "small.parquet"


@pytest.fixture
def oracle_lexicon(oracle_files):
    return shutil.copy(oracle_files / "lexicon.json", "lexicon.json")


def names_of(command):
    """The options and arguments of a command, without those for its own units."""
    found = app[command].assemble_argument_collection()
    return [argument.name for argument in found if argument.show and not argument.children]


def run_json(capsys, *arguments):
    """What a command with --json prints, which must be JSON and nothing else."""
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def program(*arguments, **options):
    """The command line in a process of its own."""
    words = [sys.executable, "-m", "spatial_game.cli", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def start(*arguments):
    """The command line in a process that signals can end."""
    words = [sys.executable, "-m", "spatial_game.cli", *arguments]
    return quick_popen(words, stdout=subprocess.DEVNULL)


def wait_for(happens, running, longer=0.4):
    """Wait until something happens in a running program, and a little longer."""
    while not happens():
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.01)
    time.sleep(longer)


# --- Results --------------------------------------------------------------------------------------------


def test_record_plays_the_episodes_of_its_stream(oracle_recording):
    recording = read_recording(oracle_recording)
    rng = np.random.default_rng(stream(0, "recording"))
    episodes = draw_episodes(GameConfig(), 20_000, rng)
    assert np.array_equal(recording.window, episodes.window)
    assert np.array_equal(recording.sequence, episodes.sequence)
    assert np.array_equal(recording.message, OracleSender(GameConfig()).send(episodes.window))
    assert recording.accuracy == 1.0
    assert recording.provenance["seed"] == 0
    assert recording.provenance["sender"] == {"policy": "oracle"}


def test_record_does_not_depend_on_its_blocks(monkeypatch):
    main(["record", "--agents", "random", "--episodes", "500", "--out", "whole.parquet"])
    monkeypatch.setattr("spatial_game.cli.record.BLOCK", 64)
    main(["record", "--agents", "random", "--episodes", "500", "--out", "blocks.parquet"])
    whole, blocks = read_recording("whole.parquet"), read_recording("blocks.parquet")
    for name, column in whole.columns().items():
        assert np.array_equal(column, blocks.columns()[name]), name


def test_seeds_change_the_episodes(oracle_recording):
    main(["record", "--agents", "oracle", "--episodes", "100", "--seed", "1", "--out", "other.parquet"])
    assert not np.array_equal(
        read_recording("other.parquet").window, read_recording("oracle.parquet").window[:100]
    )


def test_record_takes_the_game(capsys):
    result = run_json(
        capsys, "record", "--agents", "random", "--episodes", "400", "--out", "r.parquet", *TINY_GAME
    )
    assert result["episodes"] == 400
    assert 0.2 < result["accuracy"] < 0.45  # chance is a third
    assert read_recording("r.parquet").config == GameConfig(
        6, window_radius=1, num_distractors=2, vocab_size=8, message_length=2
    )


def test_analyse_reads_the_oracle_and_writes_what_it_says(oracle_recording, capsys):
    result = run_json(capsys, "analyse", oracle_recording, "--out", "lexicon.json")
    lexicon = Lexicon.read("lexicon.json")
    assert result["lexicon"] == "lexicon.json"
    assert result["entries"] == len(lexicon)
    assert result["listed"] == len(lexicon.listed) == 68  # 4 edges, 60 integers, 4 offsets
    assert result["coverage"] == lexicon.coverage == 1.0
    assert len(result["dictionary"]) == 68
    assert result["message_bits"] >= result["explained_bits"] > 5.9  # the rest is which neighbour it names
    assert result["held_out_bits"] == pytest.approx(result["explained_bits"], abs=0.1)
    assert (result["read_unique"], result["read_right"]) == (1.0, 1.0)
    assert 0 < result["kilobits"] < 2
    by_npmi = run_json(capsys, "analyse", oracle_recording, "--select", "npmi")
    assert by_npmi["ceiling"] == pytest.approx(0.65, abs=0.005)


def test_analyse_shows_the_dictionary_in_the_words_of_the_paper(oracle_recording, capsys):
    capsys.readouterr()
    assert main(["analyse", oracle_recording, "--best", "4", "--select", "npmi"]) == 0
    shown = capsys.readouterr().out
    for words in (
        "Compositional Integer",
        "what is named is two left",
        "the target is the second",
        "a perfect word for an integer",
    ):
        assert words in shown
    assert "the 4 most used of each type" in shown


def test_analyse_counts_in_bits_what_the_dictionary_explains(oracle_recording, capsys):
    capsys.readouterr()
    assert main(["analyse", oracle_recording, "--best", "4"]) == 0
    shown = capsys.readouterr().out
    for words in (
        "Words for integers",
        "what is named is two left",
        "near the target",
        "the target is the second",
    ):
        assert words in shown
    assert re.search(
        r"The messages carry [\d.]+ bits; the dictionary explains [\d.]+ of them \(held out", shown
    )
    assert "leaves exactly one candidate, and 100.00% of these readings are right." in " ".join(shown.split())


def test_what_has_no_effect_on_a_description_is_refused(oracle_recording, capsys):
    assert main(["analyse", oracle_recording, "--threshold", "0.3"]) == 1
    assert "threshold needs select npmi; got 0.3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("markdown", "| Message | Type |"),
        ("csv", "Message,Type,"),
        ("json", "["),
        ("text", "\nDictionary"),
    ],
)
def test_analyse_prints_the_dictionary_in_every_format(name, begins, oracle_recording, capsys):
    capsys.readouterr()
    assert main(["analyse", oracle_recording, "--format", name, *FAST]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(begins)
    assert "what is named is two left" in shown


def test_analyse_takes_patterns_and_several_files(oracle_recording, capsys):
    main(["record", "--agents", "oracle", "--episodes", "5000", "--seed", "1", "--out", "oracle2.parquet"])
    assert run_json(capsys, "analyse", "oracle*.parquet", *FAST)["episodes"] == 25_000
    named = run_json(capsys, "analyse", "oracle.parquet", "oracle2.parquet", *FAST)
    assert named["episodes"] == 25_000


@pytest.mark.parametrize("game", [[], ["--shape", "6", "6"], ["--message-length", "1"]])
def test_a_recording_in_which_nothing_is_told(game, capsys):
    spoken = ["--agents", "random", "--episodes", "12"]
    assert main(["record", *spoken, *game, "--out", "one.parquet"]) == 0
    table = pq.read_table("one.parquet")
    messages = pa.array([[3] * len(message.as_py()) for message in table["message"]], table["message"].type)
    pq.write_table(table.set_column(table.column_names.index("message"), "message", messages), "one.parquet")
    for command in ("analyse", "describe", "analyse --measures"):
        assert main([*command.split(), "one.parquet"]) == 0
    assert capsys.readouterr().err == ""


def test_analyse_counts_a_file_once_whatever_its_name(oracle_recording, tmp_path, capsys):
    (tmp_path / "link.parquet").symlink_to(oracle_recording)
    for other in ("link.parquet", str(tmp_path / oracle_recording)):
        assert main(["analyse", oracle_recording, other]) == 1
        assert f"would count twice; got {other} twice" in capsys.readouterr().err


def test_analyse_reads_a_file_of_another_tool_when_told_the_game(oracle_recording, capsys):
    table = pq.read_table(oracle_recording).select(["window", "message"]).replace_schema_metadata(None)
    pq.write_table(table, "foreign.parquet")
    assert main(["analyse", "foreign.parquet"]) == 1
    assert "give sequence_length and vocab_size" in capsys.readouterr().err
    result = run_json(capsys, "analyse", "foreign.parquet", "--sequence-length", "60", "--vocab-size", "26")
    assert result["listed"] == 68


def test_analyse_says_when_no_word_can_reach_the_threshold(oracle_recording, capsys):
    capsys.readouterr()
    main(["analyse", oracle_recording, "--select", "npmi", "--threshold", "0.9"])
    assert (
        "only a word for a very frequent integer could pass: try --threshold 0.49" in capsys.readouterr().out
    )


def test_the_ceiling_of_words_is_told_only_where_there_are_words(capsys):
    rng = np.random.default_rng(0)
    config = GameConfig()
    episodes = draw_episodes(config, 5_000, rng)
    edges = np.where(episodes.mask_column[:, None] == 2, rng.integers(1, 26, (5_000, 3)), [[0, 0, 0]])
    Recording(config, window=episodes.window, message=edges).write("edges.parquet")
    assert main(["analyse", "edges.parquet", "--select", "npmi"]) == 0
    shown = capsys.readouterr().out
    assert "\nthreshold  0.5\n" in shown
    assert "Compositional Integer" in shown  # among the types


def test_reserved_messages_are_explained_where_there_are_any(oracle_recording, capsys):
    capsys.readouterr()
    assert main(["analyse", oracle_recording, "--select", "npmi"]) == 0
    assert "Reserved" not in capsys.readouterr().out
    config = GameConfig()
    episodes = draw_episodes(config, 5_000, np.random.default_rng(0))
    message = np.where(
        episodes.mask_column[:, None] == 0, 25, OracleSender(config).send(episodes.window) % 25
    )
    Recording(config, window=episodes.window, message=message).write("reserved.parquet")
    assert main(["analyse", "reserved.parquet", "--select", "npmi"]) == 0
    shown = capsys.readouterr().out
    assert "Non-Compositional Positional Reserved" in shown
    assert "Reserved: a positional message that repeats a symbol" in shown


def test_analyse_says_whether_recordings_were_verified(oracle_recording, capsys):
    options = ["--sequence-length", "60", "--vocab-size", "26", *FAST]
    table = pq.read_table(oracle_recording)
    pq.write_table(table.replace_schema_metadata(None), "foreign.parquet")
    cases = {
        (oracle_recording,): ("yes, by its checksums", 1),
        ("foreign.parquet",): ("no: the recording has no checksums", 0),
        ("*.parquet",): ("1 of 2 recordings, by their checksums; the others have none", 1),
    }
    for files, (words, sound) in cases.items():
        assert f"verified   {words}\n" in (main(["analyse", *files, *options]), capsys.readouterr().out)[1]
        result = run_json(capsys, "analyse", *files, *options)
        assert (result["verified_files"], result["files"]) == (sound, 1 + (files == ("*.parquet",)))


def test_a_file_of_another_tool_is_answered_with_the_command_that_converts_it(small_recording, capsys):
    assert main(["export", small_recording, "--format", "csv", "--out", "my play.csv"]) == 0
    for command in ("analyse", "describe"):
        assert main([command, "my play.csv"]) == 1
        convert = "spatial-game import 'my play.csv' --format csv --out 'my play.parquet'"
        assert f"files must be recordings; got my play.csv (convert it: {convert})" in capsys.readouterr().err
    assert main(shlex.split(convert)[1:]) == 0
    os.rename("my play.parquet", "really.csv")  # the content decides
    assert main(["analyse", "really.csv", *FAST]) == 0


def test_import_reads_the_sizes_of_the_game_from_a_csv(tmp_path, capsys):
    (tmp_path / "three.csv").write_text("window_0,window_1,window_2,message_0\n3,-1,4,1\n-1,4,5,0\n")
    assert run_json(capsys, "import", "three.csv", "--format", "csv", "--out", "r.parquet")["episodes"] == 2
    assert read_recording("r.parquet").config == GameConfig(window_radius=1, message_length=1)


def test_analyse_adds_intervals(oracle_recording, capsys):
    result = run_json(capsys, "analyse", oracle_recording, "--intervals", "--select", "npmi")
    assert result["dictionary"][0]["95_interval"] == "1.00 to 1.00"
    assert run_json(capsys, "analyse", oracle_recording, "--intervals", "--select", "npmi") == result
    assert main(["analyse", oracle_recording, "--intervals", "--select", "npmi", "--estimator", "paper"]) == 1
    assert "intervals need the estimator exact; got paper" in capsys.readouterr().err


def test_analyse_finds_nothing_in_random_messages(capsys):
    main(["record", "--agents", "random", "--episodes", "10000", "--out", "random.parquet"])
    assert run_json(capsys, "analyse", "random.parquet")["listed"] == 0
    assert main(["analyse", "random.parquet", *FAST]) == 0
    assert "no message has a meaning that passes" in capsys.readouterr().out


def test_demo_shows_the_whole_loop(capsys):
    assert main(["demo", "--agents", "oracle", "--env-episodes", "20", "--episodes", "5000"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"first episode, \[\d+, \d+, \d+\], means: \d+ (one|two) (left|right)\.", shown)
    for words in (
        "receiver_0 has acted",
        "all that the sender sees",
        "Messages have two parts",
        "lexicon.json",
    ):
        assert words in shown


def test_demo_for_machines(capsys):
    result = run_json(capsys, "demo", "--agents", "oracle", "--env-episodes", "20", "--episodes", "20000")
    assert result["accuracy"] == result["accuracy_env"] == 1.0
    assert result["episodes"] == 20_000
    assert result["lexicon_entries"] == len(Lexicon.read(result["lexicon"]))
    assert result["coverage"] == 1.0
    assert len(read_recording(result["recording"])) == 20_000


def test_play_shows_each_turn(capsys):
    assert main(["play", "--agents", "oracle", "--episodes", "2", "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("sender_0 has acted") == shown.count("receiver_0 has acted") == 2
    assert "won 2 of 2" in shown


@pytest.mark.parametrize("role", [[], ["--as", "sender"], ["--as", "receiver"]], ids=" ".join)
def test_play_refuses_the_lexicon_of_another_game_at_once(role, oracle_lexicon, capsys):
    capsys.readouterr()
    wider = ["--window-radius", "3", "--message-length", "2", "--vocab-size", "400"]
    assert main(["play", "--agents", "oracle", *wider, "--lexicon", oracle_lexicon, *role]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("spatial-game: error: lexicon must be of the game that is played: its vocab_size ")
    assert err.count("\n") == 1
    shorter = ["--sequence-length", "30"]  # the oracle writes 30 integers in another code than 60
    assert main(["play", "--agents", "oracle", *shorter, "--lexicon", oracle_lexicon, *role]) == 1
    assert "made for the oracle's code of 60 integers, not of 30" in capsys.readouterr().err


def test_play_for_machines(capsys):
    result = run_json(capsys, "play", "--agents", "random", "--episodes", "4")
    assert result["won"] == sum(episode["reward"] for episode in result["episodes"])
    assert {"sender_0", "receiver_0", "reward"} == set(result["episodes"][0])


def test_a_pair_can_be_trained_resumed_evaluated_and_recorded(capsys):
    trained = run_json(capsys, *TINY_RUN, "--steps", "40", "--out", "run")["pairs"][0]
    assert Path(trained["folder"]).name == "run"
    assert run_json(capsys, "train", "--resume", "run")["pairs"][0]["card"] == trained["card"]
    Path("run/pair.safetensors").unlink()  # as if the run had been killed at its end
    again = run_json(capsys, "train", "--resume", "run")["pairs"][0]["card"]
    assert again["weights_hash"] == trained["card"]["weights_hash"]
    result = run_json(capsys, "evaluate", "run", "--episodes", "300", "--seed", "5")
    assert result["n"] == 300
    assert result["weights_hash"] == trained["card"]["weights_hash"]
    assert main(["evaluate", "run/pair.safetensors", "--episodes", "300"]) == 0
    assert "95% interval" in capsys.readouterr().out
    run_json(capsys, "record", "--agents", "run", "--episodes", "50", "--out", "run.parquet")
    sender = read_recording("run.parquet").provenance["sender"]
    assert sender["weights_hash"] == trained["card"]["weights_hash"]


def test_measures_are_shown_and_printed(oracle_recording, capsys):
    result = run_json(capsys, "analyse", oracle_recording, "--measures")
    found = {measure["name"]: measure["value"] for measure in result["measures"]}
    assert found["different messages"] == 244
    assert result == run_json(capsys, "analyse", oracle_recording, "--measures")
    assert main(["analyse", oracle_recording, "--measures"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"different messages +244 +17,576 +count +24\d to 24\d ", shown)
    entropy = next(line for line in shown.splitlines() if "message entropy  " in line)
    assert re.search(r" 7\.\d{3} +14\.\d{3} +bits +7\.\d{3} to 7\.\d{3} ", entropy)
    whole = next(line for line in shown.splitlines() if "different messages" in line)
    assert entropy.index(".") == whole.index(" 244 ") + 4  # decimal points stand below each other


@pytest.mark.parametrize("columns", ["80", "100"])
def test_measures_fit_the_terminal(columns, oracle_recording, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    capsys.readouterr()
    assert main(["analyse", oracle_recording, "--measures"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= int(columns)
    assert ("  95% interval  " in shown) == (columns == "100")
    assert ("For 95% intervals, use a terminal" in shown) == (columns != "100")


@pytest.mark.parametrize("form", ["csv", "tensors"])
def test_what_is_exported_can_be_imported(form, small_recording, capsys):
    away = run_json(capsys, "export", small_recording, "--format", form, "--out", "there")
    back = run_json(capsys, "import", "there", "--format", form, "--out", "back.parquet")
    assert away["episodes"] == back["episodes"] == 2_000
    before, after = read_recording(small_recording), read_recording("back.parquet")
    assert after.config == before.config
    assert np.array_equal(after.window, before.window)
    assert np.array_equal(after.message, before.message)


def test_the_interactions_of_the_published_code_can_be_imported(tmp_path, capsys):
    exchange = {
        "sequence": [[k] for k in range(8)],
        "cut_inputs": [[1], [2], [-1], [4], [5]],
        "tds": [[0], [3]],
        "message": [7, 0, 2],
        "guess": 1,
        "target": [3],
        "target_id": [1],
    }
    (tmp_path / "old.json").write_text(json.dumps({"exchange_0": exchange}))
    done = run_json(capsys, "import", "old.json", "--format", "interactions", "--out", "old.parquet")
    assert done == {"episodes": 1, "recording": "old.parquet"}
    recording = read_recording("old.parquet")
    assert recording.config == GameConfig(8, num_distractors=1)
    assert recording.message.tolist() == [[7, 0, 2]]


# --- Help -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, *COMMANDS])
def test_help_comes_from_the_options(name, capsys):
    assert main(["--help"] if name is None else [name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in (COMMANDS if name is None else names_of(name)))
    assert "default: None" not in shown
    assert "()" not in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name):
    for argument in app[name].assemble_argument_collection(parse_docstring=True):
        assert argument.children or argument.parameter.help, argument.name


def test_help_and_mistakes_load_nothing_that_analyses():
    code = """
import sys
from spatial_game.cli import main
for line in ("--help", "--version", "record --help"):
    main(line.split())
    heavy = {"scipy", "pyarrow", "torch", "PIL", "spatial_game.language"} & set(sys.modules)
    print("loaded:", sorted(heavy), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = [line for line in done.stderr.splitlines() if line.startswith("loaded:")]
    assert loaded == ["loaded: []"] * 3


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_one_line_does_not_depend_on_the_terminal(encoding):
    done = program("record", env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.stderr.startswith("spatial-game: error: ")
    assert done.stderr.count("\n") == 1


def test_a_shell_learns_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    script = tmp_path / "spatial-game.fish"
    assert main(["--install-completion", "--shell", "fish", "--output", str(script)]) == 0
    assert all(name in script.read_text() for name in COMMANDS)


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip().count(".") == 2


def test_game_options_are_the_fields_of_the_config():
    names = [field.name for field in dataclasses.fields(GameConfig)]
    assert [field.name for field in dataclasses.fields(GameOptions)] == names


def test_analysis_does_not_load_what_is_slow(oracle_recording, tmp_path, monkeypatch):
    code = """
import sys
from spatial_game.cli import main
main(sys.argv[1:])
print("loaded:", sorted({"torch"} & set(sys.modules)))
"""
    path = os.path.abspath(oracle_recording)
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-c", code, "analyse", path]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


# --- What goes wrong ------------------------------------------------------------------------------------

MISTAKES = {
    "recrod": 'Unknown command "recrod". Did you mean "record"?',
    "record --out x --sequence-lenght 6": "--sequence-lenght. Did you mean --sequence-length?",
    "record --ouy x": "Did you mean --out instead of --ouy?; see spatial-game record --help",
    "record --out": "--out requires an argument",
    "record --out x --episodes many": 'Invalid value for --episodes: unable to convert "many" into int',
    "play --as sendr": 'Invalid value "sendr" for --as. Choose from: "receiver", "sender".',
    "play embed-60": "embed-60",
    "analyse": "RECORDING... requires an argument",
}
FAULTS = {
    "record --agents oracle --out x --episodes 0": "episodes must be at least 1; got 0",
    "record --agents oracle --out x --window-radius 40": "2*radius+1 <= sequence_length; got 40 and 60",
    "record --agents oracle --out x --vocab-size 2": "needs vocab_size**message_length >= 244",
    "record --agents orcale --out x": 'there are no agents "orcale" (did you mean "oracle"?)',
    "evaluate embed60": 'there are no agents "embed60" (did you mean "embed-60"?)',
    "record --agents oracle --out .": "out must be a file; got ., which is a folder",
    "demo --agents oracle --env-episodes 0": "env_episodes must be at least 1; got 0",
    "play --agents oracle --seed -1 --as receiver": "seed must be at least 0; got -1",
    "play --agents oracle --gif text.parquet/play.gif": "gif must be in a folder that can be written to; got",
    "reproduce --out text.parquet/x": "out must be in a folder that can be written to; got",
    "reproduce --out text.parquet": "out must be in a folder that can be written to; got",
    "evaluate embed-60/²": 'there are no agents "embed-60/²"',
    "evaluate no_module:Pair": "agents must be a class that can be imported; got no_module:Pair",
    "evaluate missing": "pair must be a bundled name",
    "analyse missing.parquet": "recording must name a file that exists, or a trained pair; got missing",
    "analyse 'missing*.parquet'": "files must match at least one recording; got missing*.parquet",
    "analyse text.parquet": "text.parquet: not a whole Parquet file",
    "analyse text.parquet text.parquet": "files must be different",
    "analyse 'text*.parquet' ./text.parquet": "files must be different",
    "analyse text.parquet --threshold 2": "threshold must be in -1..1; got 2.0",
    "reproduce --out x --jobs -1": "jobs must be at least 0; got -1",
    "analyse text.parquet --measures": "text.parquet: not a whole Parquet file",
    "import text.parquet --format interactions --out x": "text.parquet: ",
    "export text.parquet --format csv --out x": "text.parquet: not a whole Parquet file",
    "train": "out must name a folder for the run; got none",
    "train --out . --steps 1": "out must be a new or empty folder",
    "train --resume missing": "resume must name a run folder",
    "train --out run --pairs 0": "pairs must be at least 1; got 0",
    "train --out run --device tpu": "device must be auto, cpu or cuda; got tpu",
}


@pytest.mark.parametrize("line", [*MISTAKES, *FAULTS])
def test_a_mistake_is_one_line(line, tmp_path, capsys):
    (tmp_path / "text.parquet").write_text("not Parquet")
    words = [word.strip("'") for word in line.split()]
    assert main(words) == (2 if line in MISTAKES else 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("spatial-game: error: ")
    assert err.count("\n") == 1
    assert (MISTAKES | FAULTS)[line] in err
    assert [path.name for path in tmp_path.iterdir()] == ["text.parquet"]


def test_debug_shows_the_traceback(monkeypatch):
    monkeypatch.setenv("SPATIAL_GAME_DEBUG", "1")
    with pytest.raises(ValueError, match="episodes must be at least 1"):
        main(["play", "--agents", "oracle", "--episodes", "0"])


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr("spatial_game.cli.players.load_players", lambda *_: {}["missing"])
    with pytest.raises(KeyError):
        main(["play"])


def test_a_truncated_recording_is_refused_and_nothing_is_written(oracle_recording, tmp_path, capsys):
    whole = (tmp_path / oracle_recording).read_bytes()
    (tmp_path / "half.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "lexicon.json").write_text("precious")
    assert main(["analyse", "half.parquet", "--out", "lexicon.json"]) == 1
    assert "half.parquet: not a whole Parquet file (damaged, truncated" in capsys.readouterr().err
    assert (tmp_path / "lexicon.json").read_text() == "precious"


def test_a_recording_that_breaks_the_rules_is_refused_with_its_row(oracle_recording, capsys):
    table = pq.read_table(oracle_recording)
    messages = np.stack(table["message"].to_numpy())
    messages[123, 1] = 26
    column = pa.FixedSizeListArray.from_arrays(pa.array(messages.reshape(-1), pa.int16()), 3)
    pq.write_table(table.set_column(1, "message", column), "broken.parquet")
    assert main(["analyse", "broken.parquet"]) == 1
    assert "row 123, column message: values must be in 0..25; got 26" in capsys.readouterr().err


def test_a_pair_does_not_play_another_game(capsys):
    assert main([*TINY_RUN, "--steps", "10", "--out", "run"]) == 0
    for game, fault in (
        ("--vocab-size 9", "vocab_size must be 8"),
        ("--num-integers 7", "num_integers must be at most 6"),
    ):
        assert main(["evaluate", "run", *game.split()]) == 1
        assert fault in capsys.readouterr().err


def test_a_full_disk_costs_nothing(oracle_recording, tmp_path):
    before = (tmp_path / oracle_recording).read_bytes()
    done = program(
        "record", "--agents", "oracle", "--episodes", "50000", "--out", oracle_recording,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("spatial-game: error: ")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / oracle_recording).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [oracle_recording]


def into_full_disk(words, **streams):
    """A command whose output goes to a full disk."""
    with open("/dev/full", "w") as full:
        streams = {name: full if to == "full" else subprocess.PIPE for name, to in streams.items()}
        running = [sys.executable, "-m", "spatial_game.cli", *words.split()]
        return subprocess.run(running, text=True, **streams)


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@FULL
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("--help", 1, "error: the disk is full"),
        ("analyse oracle.parquet --select npmi", 1, "error: the disk is full"),
        ("analyse oracle.parquet --select npmi --json", 1, "error: the disk is full"),
        (
            "analyse none.parquet",
            1,
            "error: recording must name a file that exists, or a trained pair; got none",
        ),
        ("analize oracle.parquet", 2, 'error: Unknown command "analize"'),
    ],
)
def test_a_full_disk_behind_stdout_is_one_line(words, status, said, oracle_recording):
    done = into_full_disk(words, stdout="full", stderr="pipe")
    assert done.returncode == status
    assert done.stderr.startswith(f"spatial-game: {said}")
    assert done.stderr.count("\n") == 1


@FULL
@pytest.mark.parametrize(("words", "status"), [("--version", 0), ("analize", 2)])
def test_a_full_disk_behind_stderr_keeps_the_status(words, status):
    assert into_full_disk(words, stdout="pipe", stderr="full").returncode == status


def test_control_c_is_one_line_and_leaves_nothing(tmp_path):
    running = start(*["record", "--agents", "oracle", "--episodes", "1000000000", "--out", "big.parquet"])
    wait_for(lambda: list(tmp_path.iterdir()), running)  # until it has begun to write
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert running.stderr.read() == "spatial-game: interrupted\n"
    assert list(tmp_path.iterdir()) == []


SLOW_WORK = {
    "record": "record --agents oracle --episodes 1000000000 --out out/big.parquet",
    "export": "export oracle.parquet --format csv --out out/oracle.csv",
    "import": "import oracle.csv --format csv --out out/back.parquet",
}


@pytest.fixture(scope="module")
def large_files(tmp_path_factory):
    """A recording that takes a while to export, and its CSV, which takes a while to import."""
    folder = tmp_path_factory.mktemp("large")
    recording, table = str(folder / "oracle.parquet"), str(folder / "oracle.csv")
    assert main(["record", "--agents", "oracle", "--episodes", "100000", "--out", recording]) == 0
    assert main(["export", recording, "--format", "csv", "--out", table]) == 0
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("command", "signal_name"),
    [("record", "SIGHUP"), ("export", "SIGTERM"), ("import", "SIGHUP")],
)
def test_a_signal_that_ends_the_program_leaves_nothing(command, signal_name, large_files, tmp_path):
    name = signal.Signals[signal_name]
    for path in large_files.iterdir():
        (tmp_path / path.name).symlink_to(path)
    out = tmp_path / "out"
    out.mkdir()
    running = start(*SLOW_WORK[command].split())
    wait_for(lambda: list(out.iterdir()), running, longer=0.02)
    running.send_signal(name)
    assert running.wait(timeout=60) == 128 + name
    assert running.stderr.read() == f"spatial-game: ended by {name.name}\n"
    assert list(out.iterdir()) == []


def test_control_c_in_training_says_how_to_continue(tmp_path):
    running = start(*TINY_RUN, "--steps", "1000000", "--out", "run")
    wait_for((tmp_path / "run" / "metrics.csv").exists, running)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert "continue with --resume run" in running.stderr.read().splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [
        "analyse oracle.parquet --select npmi --format csv",
        "analyse oracle.parquet --select npmi",
        "--help",
        "--version",
    ],
)
def test_a_reader_that_leaves_is_no_error(words, oracle_recording):
    running = [sys.executable, "-m", "spatial_game.cli", *words.split()]
    writing = quick_popen(running)
    writing.stdout.close()
    assert writing.wait(timeout=60) == 141
    assert writing.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows hands on no closed streams")
@pytest.mark.parametrize("closed", [1, 2])
def test_closed_streams_are_no_error(closed, oracle_recording):
    done = program("analyse", oracle_recording, *FAST, preexec_fn=lambda: os.close(closed))
    assert done.returncode == 0
    assert done.stderr == ""
    assert ("Dictionary" in done.stdout) == (closed == 2)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files must be text")
@pytest.mark.parametrize(
    ("encoding", "name", "shown"),
    [("ascii", "d\u00e9.json", r"d\xe9.json"), ("utf-8", "d\udce9.json", r"d\udce9.json")],
)
def test_a_name_that_stdout_cannot_encode_is_no_error(encoding, name, shown, oracle_recording, tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"}
    done = program("analyse", oracle_recording, *FAST, "--out", name, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"lexicon    {shown}\n" in done.stdout
    assert (tmp_path / name).exists()


def test_the_extra_that_is_named_installs_what_is_missing():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for module, extra in EXTRAS.items():
        needs = [re.split("[<>=;]", need)[0] for need in project["optional-dependencies"][extra]]
        assert {module, f"{module}-ce"} & set(needs), module


@pytest.mark.parametrize(
    ("missing", "words", "said"),
    [
        ("torch", ["train", "--out", "run"], "pip install -e '.[agents]'"),
        *(
            (name, ["demo"], "pip install -e '.[analysis]'")
            for name in ("cyclopts", "rich", "pyarrow", "scipy")
        ),
        ("torch", ["record", "--out", "a.parquet", "--device", "cuda"], "pip install -e '.[agents]'"),
    ],
)
def test_without_a_library_one_line_says_what_to_install(missing, words, said, tmp_path):
    code = """
import sys
from spatial_game.cli import main

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
sys.exit(main(sys.argv[2:]))
"""
    command = [sys.executable, "-c", code, missing, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
