"""`reproduce`: which pairs it measures, and what it shows. The reproduction itself has tests of its own."""

import json
import shutil

import pytest

from spatial_agents.pairs.names import PRETRAINED
from spatial_game.cli import main
from spatial_game.cli.reproduce import inputs_in_words, subject
from spatial_game.reproduction.results import Sizes


def test_the_inputs_of_a_pair_in_words():
    assert inputs_in_words({"inputs": "scalars", "scalar_reach": 8.0}) == "numbers scaled to -8..8"
    assert inputs_in_words({"inputs": "scalars", "scalar_reach": 0.0}) == "raw numbers"
    assert inputs_in_words({"inputs": "embedding", "scalar_reach": 8.0}) == "embedding"


@pytest.mark.parametrize("label", ["run", "run/0", "run/00", "run/00/pair.safetensors"])
def test_the_metrics_of_a_pair_stand_beside_its_weights(label, tmp_path):
    (tmp_path / "run" / "00").mkdir(parents=True)
    shutil.copy(PRETRAINED / "paper-20" / "00.safetensors", tmp_path / "run" / "00" / "pair.safetensors")
    assert subject(f"{tmp_path}/{label}", 0).metrics == tmp_path / "run" / "00" / "metrics.csv"
    assert subject("paper-20/0", 0).metrics == PRETRAINED / "paper-20" / "00.csv"


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("spatial_game.reproduction.results.QUICK", Sizes(2_000, 50, 100))
    arguments = ["reproduce", "--quick", "--pairs", "oracle", "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["pairs"]["oracle"]["play"]["accuracy"] == 1
    assert (tmp_path / "report.md").exists()
    assert result["verdict"][0]["verdict"] is None  # how integers enter the oracle is not known
    assert main(arguments[:-1]) == 0
    shown = capsys.readouterr().out
    assert "\nVerdict: which claims of the paper these pairs replicate\n" in shown
    for row in result["verdict"]:
        assert row["claim"] in shown
