"""What a command reports: text for people, which only `Command.run` shows, and data for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from spatial_game.cli.terminal import is_terminal, stdout_console
from spatial_game.tables import Table
from spatial_game.text import printable


class Report:
    """What a command, or a part of it, reports. Text is made when it is shown, as wide as the terminal is."""

    def __init__(self, **data: Any) -> None:
        """`data` is the result for programs; more can be added to the attribute."""
        self.data: dict[str, Any] = data
        self.complete: Table | None = None
        """The whole result as one table, for the formats that are tables."""
        self._parts: list[Callable[[Console], None]] = []
        """What prints the text, in order."""

    def heading(self, text: str) -> None:
        """Add a heading of one or several lines, with an empty line before it."""
        shown = "\n".join(map(printable, text.split("\n")))
        self._parts.append(lambda console: console.print(f"\n{shown}", style="bold"))

    def lines(self, *lines: str | Text) -> None:
        """Add lines that are shown as they are; without arguments, an empty one."""
        self._parts.append(lambda console: print_lines(console, lines or ("",)))

    def facts(self, **texts: object) -> None:
        """Add a line for each name and its text."""
        self.lines(*(f"{name:<9}  {text}" for name, text in texts.items()))

    def written(self, *paths: Path | None) -> None:
        """Report the files that were written; None for one that was not asked for."""
        files = [str(path) for path in paths if path is not None]
        self.data["written"] = files
        if files:
            self.lines(*(f"{'written':<9}  {file}" for file in files))

    def paragraphs(self, *sentences: str | None, indent: str = "", apart: bool = True) -> None:
        """Add sentences, each as a paragraph in lines that fit the terminal; None and "" are left out.

        Only the first line of a text is wrapped: those after it are rows of a picture.
        `apart`: after an empty line.
        """
        texts = list(filter(None, sentences))
        if apart and texts:
            self.lines()

        def show(console: Console) -> None:
            wrapper = textwrap.TextWrapper(
                console.width, indent, indent, break_long_words=False, break_on_hyphens=False
            )
            for sentence, *rows in (text.split("\n") for text in texts):
                print_lines(console, [*wrapper.wrap(sentence), *(f"{indent}  {row}" for row in rows)])

        self._parts.append(show)

    def table(
        self, title: str, table: Table, group_by: str | None = None, *, is_wrapped: bool = False
    ) -> None:
        """Add a table below its title; nothing if it has no rows.

        `group_by`: a column whose values become headings above their rows. `is_wrapped`: its texts are broken
        into lines in a pipe and a file, too, as on a terminal.
        """
        if not table.rows:
            return

        def show(console: Console) -> None:
            width = console.width if is_wrapped or is_terminal(console) else None
            print_lines(console, ["", table.to_text(group_by, width).rstrip()])

        self.heading(title)
        self._parts.append(show)

    def show(self) -> None:
        """Print the text on stdout."""
        console = stdout_console()
        for part in self._parts:
            part(console)


def print_lines(console: Console, lines: Iterable[str | Text]) -> None:
    """Print lines. Control characters in plain ones are escaped."""
    for line in lines:
        text = "\n".join(map(printable, line.split("\n"))) if isinstance(line, str) else line
        console.print(text, soft_wrap=isinstance(line, str))
