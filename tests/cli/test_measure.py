"""`measure`: the table of measures. (Measures of one's own: test_own_functions.py.)"""

import pytest


@pytest.mark.usefixtures("quick_measures")
def test_measures_fit_the_terminal(files, result, text, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("spatial_game.cli.report.is_terminal", lambda console: True)
    shown = text("measure play.parquet")
    assert max(map(len, shown.splitlines())) <= 80
    assert "  95% interval  " in shown
    assert "Measures of 700 messages, drawn at random from " in shown
    found = result("measure play.parquet")
    assert 100 < {each["name"]: each["value"] for each in found["measures"]}["different messages"] <= 244
