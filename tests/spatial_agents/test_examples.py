"""The examples of training run; how well they learn is for their users to see."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


@pytest.mark.parametrize(
    ("name", "words", "lines"),
    [
        ("20_train_from_scratch.py", [], 7),
        ("21_population.py", ["--out", "run"], 4),
        ("23_own_networks.py", ["--out", "run"], 1),
        *[
            ("24_objectives.py", [each, "--out", "run"], 1)
            for each in ("reinforce", "short_messages", "small_vocabulary")
        ],
    ],
)
def test_an_example_trains_and_tells_how_well_it_plays(name, words, lines, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(name, monkeypatch, "--steps", "6", *words)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == lines
    assert "0 new episodes" in shown[-1]


@pytest.mark.slow
def test_the_appendices_are_trained_and_continued(tmp_path, monkeypatch):
    for _ in range(2):
        run("22_appendix_a_and_c.py", monkeypatch, "--steps", "2", "--out", str(tmp_path / "out"))
    assert len(list((tmp_path / "out").glob("*/card.json"))) == 7
