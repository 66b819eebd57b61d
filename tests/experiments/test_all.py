"""The list of stored figures: every file has a command, and changed figures are found."""

import csv
import importlib
import runpy
import sys

import pytest

figures = importlib.import_module("all")
INDEX = list(csv.DictReader((figures.STATIC / "index.csv").open(encoding="utf-8")))


def test_every_stored_file_has_a_line_and_every_line_has_files():
    assert figures.strangers(INDEX) == []


MODULES = "rows", "loops", "known_languages"
"""What scripts import."""
SCRIPTS = [*figures.ROOT.glob("experiments/*.py"), *figures.ROOT.glob("benchmarks/*.py")]


@pytest.mark.parametrize(
    "script",
    sorted(s for s in SCRIPTS if s.stem not in MODULES),
    ids=lambda s: s.name,
)
def test_scripts_tell_what_they_do_and_do_nothing_else(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(script), "--help"])
    try:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(script), run_name="__main__")
    except ModuleNotFoundError as missing:
        pytest.skip(f"needs {missing.name}")
    assert not ended.value.code
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("printed", "fault"),
    [
        ("pair,bits,Seconds\\nb,2.01,9", ""),
        ("pair,bits,Seconds\\nb,3,9", "table.csv: pair = b | bits = 3"),
        ("pair,share,Seconds\\nb,2,9", "table.csv: pair = b | share = 2"),
        ("pair,bits", "ended with 0, after 0 rows"),
    ],
)
def test_rows_that_come_out_differently_are_found(printed, fault, tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text("pair,bits,Seconds\na,1.0,3\nb,2.0,4\n")
    monkeypatch.setattr(figures, "STATIC", tmp_path)
    found = figures.differing({"File": "table.csv", "Check": f"printf '{printed}\\n'"})
    assert [fault in each for each in found] == [True] * bool(fault)


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("embed-60/40", "embed-60/41", False),
        ("60 integers", "61 integers", False),
        ("0 and 40", "0 and 41", False),
        ("0.001", "0.03", False),
        ("0.12", "0.15", False),
        ("1e-09", "0.03", False),
        ("1", "2", False),
        ("", "0.1", False),
        ("yes", "no", False),
        ("50.8% (47.3% to 54.5%)", "50.8% (47.3% to 60.1%)", False),
        ("50.8% (47.3% to 54.5%)", "51.0% (47.2% to 54.5%)", True),
        ("17,576", "17,600", True),
        ("0.00", "0.01", True),
        ("-1.02", "-1.00", True),
    ],
)
def test_names_are_the_same_and_figures_nearly(one, other, near):
    assert figures.near(one, other) == near
    assert figures.alike({"it": one}, {"it": other}) == near


def test_a_command_that_fails_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "STATIC", tmp_path)
    (found,) = figures.differing({"File": "table.csv", "Check": "false"})
    assert "false ended with 1" in found
