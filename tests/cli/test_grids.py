"""Grids and windows seen in part on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spatial_game.cli import main
from spatial_game.config import GameConfig
from spatial_game.recording import read_recording

GRID = "--shape 4 5 --window-radius 1 --num-visible 2"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(line: str) -> int:
    return main(line.split())


def test_the_oracle_is_recorded_on_a_grid(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"record --agents oracle {GRID} --episodes 300 --out play.parquet --json") == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1
    recording = read_recording("play.parquet")
    assert recording.config == GameConfig(shape=(4, 5), window_radius=1, num_visible=2)
    assert ((recording.window == -2).sum(axis=1) == 6).all()


def test_a_grid_is_exported_and_imported() -> None:
    assert run(f"record --agents random {GRID} --episodes 20 --out play.parquet") == 0
    assert run("export play.parquet --format csv --out play.csv") == 0
    assert run(f"import play.csv --format csv {GRID} --out again.parquet") == 0
    one, other = read_recording("play.parquet"), read_recording("again.parquet")
    assert one.config == other.config
    assert one.window.tolist() == other.window.tolist()


def test_a_grid_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"play --agents oracle {GRID} --episodes 1 --seed 3 --gif play.gif") == 0
    shown = capsys.readouterr().out
    assert "window      [" in shown
    assert "## is hidden" in shown
    assert Path("play.gif").stat().st_size > 0


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            "--agents oracle --shape 2 8 --window-radius 1",
            "window_radius must satisfy 2*radius+1 <= each number of shape; got 1 and (2, 8)",
        ),
        ("--agents oracle --shape 200 200", "shape must have at most 32767 cells; got (200, 200)"),
        ("--agents oracle --shape 3 3 3 3 3", "shape must have 1 to 4 axes; got (3, 3, 3, 3, 3)"),
        (
            "--agents oracle --shape 8 8 --sequence-length 20",
            "sequence_length must be left out or be the number of cells of shape; got 20 and (8, 8)",
        ),
        (
            "--agents oracle --num-visible 5",
            "num_visible must be in 1..4, the window's cells without the mask; got 5",
        ),
        ("--agents embed-60 --shape 8 8", "shape must be (60,), as it was made for; got (8, 8)"),
        ("--agents paper-20 --shape 5 5", "shape must be (20,), as it was made for; got (5, 5)"),
        ("--agents embed-60 --num-visible 1", "num_visible must be all, as it was made for; got 1"),
    ],
)
def test_impossible_grids_are_refused(options: str, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f"record {options} --episodes 5 --out play.parquet") == 1
    err = capsys.readouterr().err
    assert err.endswith(f"{fault}\n")
    assert err.count("\n") == 1
