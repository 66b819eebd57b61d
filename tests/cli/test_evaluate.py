"""`spatial-game evaluate` with several pairs and studies, on tiny pairs that hardly learned anything."""

import json
import shutil

import pytest

from spatial_agents.pairs.names import pair_names
from spatial_game.cli import main
from spatial_game.cli.players import named_pairs

TINY = [
    *("--sequence-length", "8", "--window-radius", "1", "--num-distractors", "3"),
    *("--vocab-size", "6", "--message-length", "2"),
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two tiny pairs of one run, and the folder that holds it."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("runs")
    arguments = ["train", *TINY, "--steps", "3", "--pairs", "2", "--hidden-size", "8"]
    arguments += ["--jobs", "1", "--evaluation-episodes", "50"]
    assert main([*arguments, "--out", str(folder / "run")]) == 0
    return folder


def run_json(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_names_stand_for_pairs(runs, monkeypatch):
    monkeypatch.chdir(runs)
    both = [("run/0", "run", 0), ("run/1", "run", 1)]
    assert named_pairs(["run/all"]) == both
    assert named_pairs(["run"]) == both[:1]
    assert named_pairs(["run/1", "run/all", "run/1"]) == both[::-1]
    assert named_pairs(["run/00"]) == [("run/00", "run/00", 0)]  # a folder that is there
    assert named_pairs(["nowhere/1"]) == [("nowhere/1", "nowhere/1", 0)]
    for name in pair_names():
        assert named_pairs([f"{name}/all"])[0][1:] == (name, 0)


def test_an_index_is_the_place_among_all_pairs_finished_or_not(runs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(runs / "run", tmp_path / "run")
    (tmp_path / "run" / "00" / "pair.safetensors").unlink()
    assert named_pairs(["run/all"]) == [("run/1", "run", 1)]
    assert named_pairs(["run/1"]) == [("run/1", "run", 1)]
    from spatial_agents import load_pair

    assert load_pair("run", index=1).card["name"] == "run/01"
    assert main(["evaluate", "run/0"]) == 1
    assert "run/00: the run must be finished; continue it with --resume run" in capsys.readouterr().err
    assert main(["evaluate", "run/2"]) == 1
    assert "index must be less than 2, the pairs of run; got 2" in capsys.readouterr().err
    (tmp_path / "run" / "00" / "config.json").unlink()
    with pytest.raises(ValueError, match="index must be that of a pair of run, 1; got 0"):
        load_pair("run")


def test_all_studies_of_one_pair(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    studies = ["--lengths", "--noise"]
    result = run_json(capsys, "evaluate", "run", "--episodes", "60", "--seed", "2", *studies)
    assert result["pair"] == "run/0"
    assert result["n"] == 60
    assert set(result["lengths_first_integers"]["shortened_by"]) == {"0"}
    assert result["lengths_any_integers"]["integers"] == "any"
    assert len(result["noise"]["by_slot"]) == 2


def test_several_pairs_and_strangers(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    result = run_json(capsys, "evaluate", "run/all", "--cross-play", "--episodes", "60")
    assert [pair["pair"] for pair in result["pairs"]] == ["run/0", "run/1"]
    assert result["cross_play"]["names"] == ["run/0", "run/1"]
    assert main(["evaluate", "run/0", "run/1", "--cross-play", "--episodes", "60"]) == 0
    said = capsys.readouterr().out
    assert "strangers" in said
    assert "worst" in said


def test_another_game_is_played_by_all(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    shorter = ["--sequence-length", "6", "--episodes", "20"]
    result = run_json(capsys, "evaluate", "run/all", "--cross-play", *shorter)
    assert result["cross_play"]["game"].startswith("L6")


FAULTS = {
    "evaluate run --held-out": "held_out needs a pair whose training held combinations out",
    "evaluate run/2": "index must be less than 2, the pairs of run; got 2",
    "evaluate run --noise --episodes 0": "num_episodes must be at least 1; got 0",
    "evaluate run/0 missing": "pair must be a bundled name",
    "evaluate run --vocab-size 7": "vocab_size must be 6, as it was made for; got 7",
}


@pytest.mark.parametrize("line", FAULTS)
def test_mistakes_are_one_line(runs, line, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    assert main(line.split()) == 1
    said = capsys.readouterr().err.strip()
    assert FAULTS[line] in said
    assert len(said.splitlines()) == 1


def test_what_was_held_out_of_training_is_asked_for(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    arguments = ["train", *TINY, "--steps", "3", "--hidden-size", "8", "--hold-out", "0.25", "--seed", "4"]
    assert main([*arguments, "--evaluation-episodes", "50", "--out", "run"]) == 0
    result = run_json(capsys, "evaluate", "run", "--held-out", "--episodes", "60")["held_out"]
    assert (result["fraction"], result["combinations"]) == (0.25, 4 * 2)
    assert len(result["held_out"]) == len(result["control"]) == 3


def test_composition_is_asked_for(runs, capsys, monkeypatch):
    monkeypatch.chdir(runs)
    found = run_json(capsys, "evaluate", "run", "--composition", "--episodes", "200")["composition"]
    assert {"messages", "integer_bits", "offset_bits", "bits_by_chance", "split", "joined"} < set(found)
    assert main(["evaluate", "run", "--composition", "--episodes", "200"]) == 0
    assert "bits about the offset" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("train --out x --slurm time=5", "slurm must be left out without --on slurm; got time=5"),
        ("train --out x --jobs -1", "jobs must be at least 0; got -1"),
        ("train --out x --on slurm", "on must be local where Slurm's sbatch is missing; got slurm"),
    ],
)
def test_places_that_cannot_be(words, fault, capsys, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(words.split()) == 1
    assert fault in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_agents_of_your_own_play_in_every_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agents.py").write_text(
        "from spatial_game.game.policies import OracleReceiver, OracleSender\n"
        "class Mine:\n"
        "    def __init__(self, config):\n"
        "        self.sender, self.receiver = OracleSender(config), OracleReceiver(config)\n"
        "class Mute:\n"
        "    sender = receiver = None\n"
        "    def __init__(self, config): pass\n"
    )
    game = ["--sequence-length", "10"]
    assert main(["evaluate", "my_agents:Mine", "--episodes", "200", *game, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
    assert main(["record", "--agents", "my_agents:Mine", "--episodes", "200", "--out", "play.parquet"]) == 0
    assert main(["describe", "my_agents:Mine", "--episodes", "2000", *game]) == 0
    assert "The language of my_agents:Mine" in capsys.readouterr().out
    assert main(["evaluate", "my_agents:Mute"]) == 1
    assert "my_agents:Mute lacks sender.send" in capsys.readouterr().err
