"""What a person's terminal gets: colours where they are wanted, and a bar that leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache

import pytest

pty = pytest.importorskip("pty")  # there are no pseudo-terminals on Windows

COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7])[0-9;]*m")
BAR = """
import time
from spatial_game.cli.terminal import progress
with progress("counting", {total}) as advance:
    for _ in range(3):
        advance(1)
        time.sleep(0.15)
print("done")
"""


@cache
def at_terminal(*words: str, **environment: str) -> str:
    """What a program writes to a terminal, stdout and stderr alike."""
    ours, its = pty.openpty()
    settings = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    settings |= {"TERM": "xterm-256color", "COLUMNS": "90", **environment}
    running = subprocess.Popen([sys.executable, *words], stdout=its, stderr=its, env=settings)
    os.close(its)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux says that the program has ended
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert running.wait() == 0, shown
    return shown.decode()


def command(*words: str, **environment: str) -> str:
    return at_terminal("-m", "spatial_game", *words, **environment)


PLAY = ("play", "--agents", "oracle", "--episodes", "1")


@pytest.mark.parametrize("words", [("play", "--help"), PLAY], ids=" ".join)
def test_colours_follow_the_terminal_and_no_color(words: tuple[str, ...]) -> None:
    assert COLOUR.search(command(*words))
    assert not COLOUR.search(command(*words, NO_COLOR="1"))
    assert "\x1b" not in command(*words, TERM="dumb")


@pytest.mark.parametrize("total", ["3", "None"])
def test_a_bar_shows_and_goes_and_is_silent_where_it_cannot_move(total: str) -> None:
    shown = at_terminal("-c", BAR.format(total=total))
    assert "counting" in shown
    assert ("3/3" in shown) == (total == "3")
    assert "?" not in re.sub(r"\x1b\[\?25[lh]", "", shown)  # no "0/?" where there is no total
    erased = shown.rsplit("\x1b[2K", 1)[1]
    assert erased.split() == ["done"]
    assert at_terminal("-c", BAR.format(total=total), TERM="dumb").split() == ["done"]
