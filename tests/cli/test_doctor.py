"""`doctor` says what is installed and what is missing, and plays."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import spatial_game
from spatial_agents.pairs.names import pair_names
from spatial_game.cli import doctor, main
from spatial_game.cli.doctor import ADDS, lacking

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_extra_says_what_it_adds() -> None:
    assert set(ADDS) == set(PROJECT["optional-dependencies"])


def test_it_plays_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = ["torch must be >=2.4; got none"]
    monkeypatch.setattr(doctor, "lacking", lambda extra="": absent if extra == "agents" else [])
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == spatial_game.__version__
    assert found["extras"] == {name: absent if name == "agents" else [] for name in ADDS}
    assert found["played"] == pair_names()[0]
    assert found["accuracy"] > 0.9
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "agents       torch must be >=2.4; got none: training of pairs" in shown
    assert "sb3          installed: Stable-Baselines3" in shown


@pytest.mark.parametrize(
    ("need", "problem"),
    [
        ("no-such-package>=1", "no-such-package must be >=1; got none"),
        ("no-such-package", "no-such-package must be installed; got none"),
        ("NumPy>=1000", r"NumPy must be >=1000; got \d.*"),
    ],
)
def test_a_library_that_is_needed_and_missing_fails(
    need: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: [need, "numpy>=1", 'other>=1; extra == "x"'])
    with pytest.raises(ValueError, match=f"^{problem}$"):
        doctor.Doctor(json=True).execute(doctor.Output(as_json=True))
    assert lacking("x")[1:] == ["other must be >=1; got none"]


def test_a_pair_that_loses_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "pair_names", lambda: ["random"])
    assert main(["doctor"]) == 1
    assert "random must win most of 1,000 episodes" in capsys.readouterr().err
