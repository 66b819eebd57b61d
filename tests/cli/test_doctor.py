"""`doctor` finds what is there, says what is missing, and survives whatever is broken."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import spatial_game
from spatial_game.cli import doctor, main
from spatial_game.cli.doctor import ADDS, CHECKS, libraries, library
from spatial_game.cli.players import bundled_pairs

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without playing the trained pairs, which takes a second or two."""
    monkeypatch.setattr(doctor, "bundled_pairs", list)


def test_every_extra_says_what_it_adds() -> None:
    assert set(ADDS) == set(PROJECT["optional-dependencies"])


def test_the_json_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["spatial_game"]["version"] == spatial_game.__version__
    assert found["python"]["version"] == ".".join(map(str, sys.version_info[:3]))
    assert found["problems"] == []
    assert found["pairs"] == bundled_pairs()
    assert found["devices"]["cpu"]["cores"] >= found["devices"]["cpu"]["usable"] >= 1
    assert {"numpy", "pettingzoo", "rich"} <= {each["name"] for each in found["libraries"]}
    assert {check["name"] for check in found["checks"] if check["ok"]} >= {"episodes", "play", "pictures"}
    for extra in found["extras"]:
        assert extra["install"] == f"pip install -e '.[{extra['name']}]'"
        assert extra["installed"] == all(each["version"] for each in extra["libraries"])


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("columns", ["50", "100"])
def test_the_text_fits_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    torch = needed("torch", ">=2.4", None, "torch is missing")
    absent = {"sb3-contrib": [torch]}  # the longest name
    monkeypatch.setattr(doctor, "libraries", lambda extra="": absent.get(extra, []))
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    lines = shown.split("\n\n", 1)[1].splitlines()  # after the paths
    assert all(len(line) <= int(columns) for line in lines)
    for heading in ("Devices", "Needed libraries", "Extras", "Checks"):
        assert heading in lines
    assert not [line for line in lines if line != line.rstrip()]


def needed(name: str, needs: str, version: str | None, problem: str | None) -> dict[str, Any]:
    return {"name": name, "needs": needs, "version": version, "problem": problem}


@pytest.mark.usefixtures("quick")
def test_a_missing_extra_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = needed("torch", ">=2.4", None, "torch is missing")
    absent = {"agents": [torch, needed("tensorboard", ">=2.16", "2.21.0", None)], "window": [torch]}
    monkeypatch.setattr(doctor, "libraries", lambda extra="": absent.get(extra, []))
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"agents +torch is missing: training of pairs", shown)
    assert re.search(r"window +torch is missing: render_mode", shown)
    assert "pip install -e '.[agents]'" in shown


@pytest.mark.usefixtures("quick")
def test_a_library_that_is_needed_and_missing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: ["no-such-package>=1"])
    assert main(["doctor", "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == "spatial-game: error: no-such-package is missing\n"
    assert json.loads(out)["problems"] == ["no-such-package is missing"]


@pytest.mark.parametrize("broken", list(CHECKS))
def test_whatever_breaks_is_named(
    broken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> str:
        raise OSError("libsomething.so is\nmissing")

    for name in CHECKS:
        monkeypatch.setitem(CHECKS, name, fail if name == broken else lambda: "")
    assert main(["doctor"]) == 1
    out, err = capsys.readouterr()
    assert f"{broken}: OSError: libsomething.so is missing" in err
    assert re.search(rf"{broken} +fails: ", out)


def test_other_episodes_than_elsewhere_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_PINNED", "0")
    with pytest.raises(ValueError, match="a seed gives other episodes here"):
        CHECKS["episodes"]()


@pytest.mark.parametrize(
    ("have", "need", "enough"),
    [
        ("2.10.0", ">=2.9", True),
        ("2.9", ">=2.10", False),
        ("2.13.0+cpu", ">=2.13", True),
        ("3.1rc1", ">=3", True),
        ("3", "<3", False),
    ],
)
def test_versions_are_compared_by_their_rules(
    have: str, need: str, enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.metadata, "version", lambda _: have)
    problem = None if enough else f"x must be {need}; got {have}"
    assert library(Requirement(f"x{need}"))["problem"] == problem


def test_the_requirements_are_those_of_the_installation() -> None:
    required, agents = ({each["name"] for each in libraries(extra)} for extra in ("", "agents"))
    assert {"numpy", "gymnasium", "pettingzoo"} <= required
    assert "torch" in agents
    assert "torch" not in required
    assert not agents & required
    assert all(each["name"] != "spatial-game" or not each["problem"] for each in libraries("dev"))


def test_a_pair_that_loses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "bundled_pairs", lambda: ["random"])
    with pytest.raises(ValueError, match=r"random must win most episodes; it won \d\d\.\d% of 1,000"):
        CHECKS["play"]()


def test_without_onnx_runtime_only_the_oracle_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    assert CHECKS["play"]() == "oracle wins 100.0%"


@pytest.mark.usefixtures("quick")
def test_without_torch_it_still_works(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # what is None there cannot be imported
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["devices"]["cuda"] == []
