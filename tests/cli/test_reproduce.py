"""`reproduce`: which pairs it measures, and what it shows. The reproduction itself has tests of its own."""

import json

import pytest

from spatial_game.agents import load_agents
from spatial_game.cli import main
from spatial_game.cli.commands.reproduce import Reproduce, inputs_text
from spatial_game.files import locked
from spatial_game.reproduction import kept_results
from spatial_game.reproduction.measure_pair import PairToMeasure
from spatial_game.reproduction.results import SampleSizes
from spatial_game.text import counted


def test_the_inputs_of_a_pair_in_words():
    assert inputs_text({"inputs": "scalars", "scalar_reach": 8.0}) == "numbers scaled to -8..8"
    assert inputs_text({"inputs": "scalars", "scalar_reach": 0.0}) == "raw numbers"
    assert inputs_text({"inputs": "embedding", "scalar_reach": 8.0}) == "embedding"


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Few episodes, and a grid of four cells."""
    monkeypatch.setattr("spatial_game.reproduction.results.QUICK", SampleSizes(1_000, 50, 100))
    monkeypatch.setattr("spatial_game.reproduction.paper.THRESHOLDS", (0.5, 0.9))
    monkeypatch.setattr("spatial_game.reproduction.paper.TOPS", (1, 2))


def test_the_report_and_figures_are_written_in_a_folder_of_one_process(tmp_path, capsys):
    out = tmp_path / "out"
    command = ["reproduce", "--quick", "--pairs", "oracle", "--out", str(out)]
    assert main([*command, "--figures", str(tmp_path / "figures")]) == 0
    content = json.loads((out / "results.json").read_text("utf-8"))
    assert content["settings"]["grid"]["t_n"] == [1, 2]
    assert content["signature"] in (out / "report.md").read_text("utf-8")
    assert (tmp_path / "figures" / "table_2.tex").is_file()
    shown = capsys.readouterr().out
    assert "\nThe paper's figures beside ours" in shown
    assert "accuracy (table 7)" in shown
    assert "\nDo receivers compose?" in shown
    assert str(tmp_path / "figures") in shown
    assert main(command) == 0
    assert "\nPairs: 1.\n" in f"\n{capsys.readouterr().out}"  # the oracle is measured in each run
    with locked(out / "lock", "held"):
        assert main(command) == 1
    assert "out must be used by one process at a time" in capsys.readouterr().err


def test_only_new_pairs_are_measured_and_the_first_line_says_how_many_results_are_there(
    tmp_path, capsys, monkeypatch
):
    labels, measured = ["paper-20", "embed-60/0"], []

    def once(pair, sizes, seed):
        measured.append(pair.name)
        return measured_by(pair, sizes, seed)

    measured_by = kept_results.measure_pair
    monkeypatch.setattr(kept_results, "measure_pair", once)
    out = tmp_path / "out"
    command = ["reproduce", "--quick", "--jobs", "1", "--out", str(out), "--pairs"]
    assert main([*command, labels[1]]) == 0
    assert capsys.readouterr().out.startswith("Pairs: 1.\n")
    assert main([*command, *labels]) == 0
    assert capsys.readouterr().out.startswith(f"Pairs: 2; the results of 1 are already in {out}.\n")
    assert measured == [labels[1], labels[0]]
    assert [*json.loads((out / "results.json").read_text("utf-8"))["pairs"]] == labels
    next(Reproduce(out=out, pairs=tuple(labels), quick=True, seed=1).execute()).show()
    assert capsys.readouterr().out.startswith("Pairs: 2.\n")


def test_pairs_of_another_length_than_the_papers_are_named_below_the_first_table(tmp_path, capsys):
    assert main(["reproduce", "--quick", "--pairs", "paper-20", "oracle", "--out", str(tmp_path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    others = "Only in the other tables, as this one is of games with 60 integers, as the paper's have"
    assert f"{others}: paper-20." in shown


def test_half_of_the_cores_are_taken_unless_a_number_is_given(tmp_path, capsys, monkeypatch):
    taken = []
    monkeypatch.setattr(
        "spatial_game.cli.commands.reproduce.run_in_processes", lambda *call: taken.append(call[2])
    )
    for cores, jobs, most in (6, None, 3), (1, None, 1), (6, 5, 5), (6, 0, 6):
        monkeypatch.setattr("spatial_game.cli.commands.reproduce.usable_cores", lambda cores=cores: cores)
        reports = Reproduce(out=tmp_path, pairs=("oracle",), jobs=jobs).execute()
        next(reports).show()
        said = f"Pairs at the same time: at most {most}, on {counted(cores, 'core')} (--jobs changes this)."
        assert said in capsys.readouterr().out
        with pytest.raises(TypeError):  # nothing was measured
            next(reports)
    assert taken == [3, 1, 5, 6]


class Measured(Exception):
    pass


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_trained_pair_is_loaded_once_and_own_agents_by_each_process(write_module, monkeypatch, jobs):
    loaded, sent = [], []
    of_twenty = write_module(
        "from spatial_game import GameConfig, OracleReceiver, OracleSender\n"
        "pair = OracleSender(GameConfig(20)), OracleReceiver(GameConfig(20))\n"
    )

    def load(label, **options):
        loaded.append(label)
        return load_agents(label, **options)

    def run(function, calls, jobs, done):
        sent.extend(type(call[0]) for call in calls)
        for call in calls:
            function(*call)
        raise Measured

    monkeypatch.setattr("spatial_game.cli.commands.reproduce.load_agents", load)
    monkeypatch.setattr("spatial_game.cli.commands.reproduce.run_in_processes", run)
    monkeypatch.setattr("spatial_game.reproduction.kept_results.pair_result", lambda *given: None)
    pairs = ["paper-20", f"{of_twenty}:pair"]
    with pytest.raises(Measured):
        main(["reproduce", "--quick", "--pairs", *pairs, "--out", "made", "--jobs", str(jobs)])
    assert loaded == (pairs if jobs == 1 else [*pairs, f"{of_twenty}:pair"])
    assert sent == ([PairToMeasure, PairToMeasure] if jobs == 1 else [PairToMeasure, str])


def test_own_agents_play_a_game_of_their_own(write_module, capsys):
    name = write_module(
        "from spatial_game import OracleReceiver, OracleSender\n"
        "class Mine:\n"
        "    def __init__(self, game):\n"
        "        self.sender, self.receiver = OracleSender(game), OracleReceiver(game)\n"
    )
    line = f"reproduce --quick --pairs {name}:Mine --sequence-length 20 --out made --json"
    assert main(line.split()) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["comparison"][1]["figure"] == "accuracy (table 7)"
    found = result["pairs"][f"{name}:Mine"]
    assert (found["play"]["accuracy"], found["config"]["sequence_length"]) == (1, 20)
