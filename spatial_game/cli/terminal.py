"""The terminal: its width and colours, and progress and notes on stderr."""

from __future__ import annotations

import contextlib
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from spatial_game.errors import GameAssumed
from spatial_game.text import printable

WIDEST = 100
"""The most columns of text, also on a wider terminal and if the width is unknown."""


def stdout_console() -> Console:
    """Return what prints on stdout, as wide as the terminal, but at most `WIDEST`.

    Colours follow the terminal and the environment variables NO_COLOR and FORCE_COLOR. There are none in a
    pipe, unless FORCE_COLOR asks for them; it does not make the pipe a terminal.
    """
    width = min(shutil.get_terminal_size((WIDEST, 0)).columns, WIDEST)
    return Console(width=width, highlight=False, markup=False, emoji=False)


def has_colour(console: Console) -> bool:
    """Return whether colours are wanted: in a terminal, or by FORCE_COLOR."""
    return console.is_terminal and not console.no_color


def is_terminal(console: Console) -> bool:
    """Return whether a console writes to a terminal. Rich also says so where FORCE_COLOR is set."""
    return console.is_terminal and console.file.isatty()


@contextlib.contextmanager
def notes() -> Iterator[None]:
    """Show a warning of a game that is assumed as a note of one line on stderr, within the block."""
    show = warnings.showwarning

    def show_note(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, GameAssumed):
            print(f"spatial-game: note: {printable(str(message))}", file=sys.stderr, flush=True)
        else:
            show(message, category, *where)

    with warnings.catch_warnings():
        warnings.simplefilter("always", GameAssumed)
        warnings.showwarning = show_note  # type: ignore[assignment]
        yield


_TASK = TextColumn("{task.description}", markup=False)
_CLOCK = (SpinnerColumn("line"), _TASK, TimeElapsedColumn())
_BAR = (_TASK, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


@contextlib.contextmanager
def progress(task: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show a progress bar on stderr while the block runs, or a clock if there is no total. Silent in a pipe.

    Yields `advance(steps, doing=None)`; `doing` replaces the text next to the bar.
    """
    console = Console(stderr=True)
    silent = not is_terminal(console) or console.is_dumb_terminal
    columns = _CLOCK if total is None else _BAR
    with Progress(*columns, console=console, transient=True, disable=silent) as bar:
        number = bar.add_task(printable(task), total=total)

        def advance(steps: int, doing: str | None = None) -> None:
            bar.update(number, advance=steps, description=doing and printable(doing))

        yield advance
