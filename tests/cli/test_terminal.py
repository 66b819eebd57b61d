"""What a person's terminal gets: colours where they are wanted, and a bar that leaves nothing behind."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from spatial_game.cli import main
from spatial_game.cli.terminal import progress

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7])[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """A function that calls another, and returns what it writes to a terminal, stdout and stderr alike."""

    def run(call: Callable[[], object], **environment: str) -> str:
        terminal = Terminal()
        with monkeypatch.context() as patch:
            for stream in ("stdout", "stderr"):
                patch.setattr(sys, stream, terminal)
            for name, value in {"TERM": "xterm-256color", "COLUMNS": "90", **environment}.items():
                patch.setenv(name, value)
            call()
        return terminal.getvalue()

    return run


@pytest.mark.parametrize("line", ["play --help", "play --agents oracle --episodes 1"])
def test_colours_follow_the_terminal_and_no_color(line: str, at_terminal: Callable[..., str]) -> None:
    def run() -> None:
        assert main(line.split()) == 0

    assert COLOUR.search(at_terminal(run))
    assert not COLOUR.search(at_terminal(run, NO_COLOR="1"))
    assert "\x1b" not in at_terminal(run, TERM="dumb")


@pytest.mark.parametrize("total", [3, None])
def test_a_bar_shows_and_goes_and_is_silent_where_it_cannot_move(
    total: int | None, at_terminal: Callable[..., str]
) -> None:
    def count() -> None:
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
