"""`reproduce`: which pairs it measures, and what it shows. The reproduction itself has tests of its own."""

import json

from spatial_game.cli import main
from spatial_game.cli.reproduce import inputs_in_words
from spatial_game.reproduction.results import Sizes


def test_the_inputs_of_a_pair_in_words():
    assert inputs_in_words({"inputs": "scalars", "scalar_reach": 8.0}) == "numbers scaled to -8..8"
    assert inputs_in_words({"inputs": "scalars", "scalar_reach": 0.0}) == "raw numbers"
    assert inputs_in_words({"inputs": "embedding", "scalar_reach": 8.0}) == "embedding"


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
