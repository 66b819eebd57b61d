"""The examples of training run; how well they learn is for their users to see."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def test_from_scratch_above_chance_in_seconds(monkeypatch, capsys):
    run("20_train_from_scratch.py", monkeypatch, "--steps", "150")
    last = capsys.readouterr().out.splitlines()[-1]
    assert float(last.partition("%")[0]) > 36  # chance is 33.3%


def test_a_population_of_four_pairs(monkeypatch, capsys):
    run("21_population.py", monkeypatch, "--steps", "200")
    won = [float(line.partition(": ")[2].partition("%")[0]) for line in capsys.readouterr().out.splitlines()]
    assert len(won) == 4
    assert min(won) > 22  # chance is 20%


def test_own_networks_are_trained_and_loaded(tmp_path, monkeypatch, capsys):
    run("23_own_networks.py", monkeypatch, "--steps", "2", "--out", str(tmp_path / "run"))
    assert "of 20,000 new episodes" in capsys.readouterr().out


@pytest.mark.slow
def test_the_appendices_are_trained_and_continued(tmp_path, monkeypatch):
    for _ in range(2):
        run("22_appendix_a_and_c.py", monkeypatch, "--steps", "2", "--out", str(tmp_path / "out"))
    assert len(list((tmp_path / "out").glob("*/card.json"))) == 7
