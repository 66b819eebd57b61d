"""What a command shows: tables and text on stdout, or one JSON object; progress on stderr."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import rich.console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

WIDEST = 100
"""Columns that text takes at most, also on a wider terminal and where nobody knows the width."""


class Console(rich.console.Console):
    """The console of rich, but for one thing: a reader that has gone is an error to report, not an exit."""

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError`, which `report_errors` turns into an exit status."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


class Output:
    """Shows results on stdout: for people, or with `as_json` as a single JSON object and nothing else.

    Colours follow the terminal and the environment variable NO_COLOR; there are none in a pipe.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        width = min(shutil.get_terminal_size((WIDEST, 0)).columns, WIDEST)
        self.console = Console(width=width, highlight=False, markup=False, emoji=False)

    @property
    def width(self) -> int:
        """Columns to fill."""
        return self.console.width

    @property
    def table_width(self) -> int | None:
        """Columns that a table must fit into: those of a terminal, and as many as it likes anywhere else."""
        return self.console.width if self.console.is_terminal else None

    @property
    def colour(self) -> bool:
        """Whether the terminal shows colours."""
        return self.console.is_terminal and not self.console.no_color

    def say(self, *lines: Any, style: str | None = None) -> None:
        """Show lines of text, or tables of rich, to people."""
        if not self.as_json:
            for line in lines or ("",):
                self.console.print(line, style=style, soft_wrap=isinstance(line, str))

    def heading(self, text: str) -> None:
        """Show a heading with a line of space before it."""
        if not self.as_json:
            self.console.print(f"\n{text}", style="bold")

    def result(self, content: Mapping[str, Any]) -> None:
        """Show the result to machines."""
        if self.as_json:
            json.dump(content, sys.stdout, indent=2)
            print()


_UNTIL_DONE = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
_UP_TO_TOTAL = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


@contextlib.contextmanager
def progress(task: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr while the block runs; yields the function that advances it. Silent when piped.

    Without a total, a sign that something goes on, and for how long it has.
    """
    console = Console(stderr=True)
    silent = not console.is_terminal or console.is_dumb_terminal
    columns = _UNTIL_DONE if total is None else _UP_TO_TOTAL
    with Progress(*columns, console=console, transient=True, disable=silent) as bar:
        number = bar.add_task(task, total=total)
        yield lambda steps: bar.advance(number, steps)
