"""The output of a command: tables and text on stdout, or one JSON object; progress on stderr."""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
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

from spatial_game.json_text import printable, to_json
from spatial_game.tables import Table

WIDEST = 100
"""The most columns of text, also on a wider terminal and if the width is unknown."""


class Output:
    """Shows results on stdout: as text, or with `as_json` as a single JSON object and nothing else.

    Colours follow the terminal and the environment variables NO_COLOR and FORCE_COLOR. There are none in a
    pipe, unless FORCE_COLOR asks for them; it does not make the pipe a terminal.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        width = min(shutil.get_terminal_size((WIDEST, 0)).columns, WIDEST)
        self.console = Console(width=width, quiet=as_json, highlight=False, markup=False, emoji=False)

    @property
    def width(self) -> int:
        """The number of columns to fill."""
        return self.console.width

    @property
    def colour(self) -> bool:
        """Whether colours are wanted: in a terminal, or by FORCE_COLOR."""
        return self.console.is_terminal and not self.console.no_color

    def say(self, *lines: Any, style: str | None = None) -> None:
        """Show lines of text. Control characters are escaped."""
        for line in lines or ("",):
            text = "\n".join(map(printable, line.split("\n"))) if isinstance(line, str) else line
            self.console.print(text, style=style, soft_wrap=isinstance(line, str))

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Show the text of the block when it has ended, so that a reader who leaves does not end it."""
        with self.console.capture() as captured:
            yield
        self.console.file.write(captured.get())

    def paragraphs(self, sentences: Iterable[str], indent: str = "") -> None:
        """Show sentences, each in lines of at most the width of the terminal."""
        lines = textwrap.TextWrapper(
            self.width, indent, indent, break_long_words=False, break_on_hyphens=False
        )
        for sentence in sentences:
            self.say(*lines.wrap(sentence))

    def heading(self, text: str) -> None:
        """Show a heading after an empty line."""
        self.console.print(f"\n{printable(text)}", style="bold")

    def table(self, heading: str, table: Table, group_by: str | None = None) -> None:
        """Show a table below a heading, as wide as the terminal allows; nothing for a table without rows."""
        if table.rows:
            self.heading(heading)
            width = self.width if is_terminal(self.console) else None
            self.say("", table.to_text(group_by, width).rstrip())

    def result(self, content: Mapping[str, Any]) -> None:
        """Show the result as JSON, if the output is JSON."""
        if self.as_json:
            print(to_json(content, indent=2))


def note(text: str) -> None:
    """Show a line on stderr that is no error. A process of a pool is silent: its parent has shown it."""
    if multiprocessing.parent_process() is None:
        print(f"spatial-game: note: {printable(text)}", file=sys.stderr, flush=True)


def is_terminal(console: Console) -> bool:
    """Return whether a console writes to a terminal. Rich also says so where FORCE_COLOR is set."""
    return console.is_terminal and console.file.isatty()


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
