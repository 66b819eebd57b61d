"""What a person's terminal gets: colours where they are wanted, and a bar that leaves nothing behind."""

import io
import re
import sys

import pytest

from spatial_game.cli import main
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.tables import Table

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7])[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def at_terminal(monkeypatch):
    """A function that calls another, and returns what it writes to a terminal, stdout and stderr alike.

    With `stream`, they write to that instead.
    """

    def run(call, stream=Terminal, **environment):
        terminal = stream()
        with monkeypatch.context() as patch:
            for name in ("stdout", "stderr"):
                patch.setattr(sys, name, terminal)
            for name, value in {"TERM": "xterm-256color", "COLUMNS": "90", **environment}.items():
                patch.setenv(name, value)
            call()
        return terminal.getvalue()

    return run


@pytest.mark.parametrize("line", ["play --help", "play oracle --episodes 1"])
def test_colours_follow_the_terminal_and_no_color(line, at_terminal):
    def run():
        assert main(line.split()) == 0

    assert COLOUR.search(at_terminal(run))
    assert not COLOUR.search(at_terminal(run, NO_COLOR="1"))
    assert "\x1b" not in at_terminal(run, TERM="dumb")


@pytest.mark.parametrize("total", [3, None])
def test_a_bar_shows_and_goes_and_is_silent_where_it_cannot_move(total, at_terminal):
    def count():
        with progress("counting", total) as advance:
            advance(3)
        print("done")

    shown = at_terminal(count)
    assert "counting" in shown
    assert ("3/3" in shown) == (total == 3)
    assert "?" not in re.sub(r"\x1b\[\?25[lh]", "", shown)  # no "0/?" where there is no total
    erased = shown.rsplit("\x1b[2K", 1)[1]
    assert erased.split() == ["done"]
    assert at_terminal(count, TERM="dumb").split() == ["done"]
    assert at_terminal(count, io.StringIO, FORCE_COLOR="1").split() == ["done"]


def test_force_color_in_a_pipe_asks_for_colours_and_not_for_the_width_of_a_terminal(at_terminal):
    table = Table.of("Name | Words", [("one", "a word " * 40)])

    def run():
        assert main(["play", "oracle", "--episodes", "1"]) == 0
        report = Report()
        report.table("A table", table)
        report.show()

    in_a_pipe = at_terminal(run, io.StringIO)
    assert "\x1b" not in in_a_pipe
    forced = at_terminal(run, io.StringIO, FORCE_COLOR="1")
    assert COLOUR.search(forced)
    assert forced.splitlines()[-1] == in_a_pipe.splitlines()[-1] == f"  one    {'a word ' * 40}".rstrip()


def test_force_color_in_a_pipe_does_not_move_the_bar_of_a_training(at_terminal):
    loop = pytest.importorskip("spatial_agents.training.loop")

    def train():
        with loop.ShownProgress(2, "") as shown:
            shown.show(loop.Metrics(2, 32, 0.1, 8, 0.01, 1.0, 0.5, 0.5, {}))
            shown.say("finished")

    said = at_terminal(train, io.StringIO, FORCE_COLOR="1")
    assert said == "step 2/2  0 s  length 8  training 50.0%  validation 50.0%\nfinished\n"
