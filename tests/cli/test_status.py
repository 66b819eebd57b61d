"""`spatial-game status`: show the progress of the units of a command."""

from spatial_game.cli.status import _row
from spatial_game.units.status import Status


def test_a_finished_unit_says_nothing_of_what_it_was_doing():
    report = {"step": 8, "steps": 8, "text": "embed-60/0: usage"}
    assert _row(Status("a", "done", [], None, None, report)) == ("a", "done", "8 of 8", None, "")
    assert _row(Status("a", "running", [], None, None, report))[-1] == "embed-60/0: usage"
    trained = {"step": 8, "steps": 8, "training_accuracy": 0.973}
    assert _row(Status("a", "done", [], None, None, trained))[-1] == "training 97.3%"
