"""What a command reports: parts for people, which one place shows, and data for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from spatial_game.cli.terminal import is_terminal, stdout_console
from spatial_game.json_text import printable
from spatial_game.tables import Table


@dataclass(frozen=True)
class Heading:
    """A heading, with an empty line before it."""

    text: str

    def show(self, console: Console) -> None:
        """Print it."""
        console.print(f"\n{printable(self.text)}", style="bold")


@dataclass(frozen=True)
class Lines:
    """Lines that are shown as they are."""

    lines: tuple[str | Text, ...]
    style: str | None = None

    def show(self, console: Console) -> None:
        """Print them. Control characters are escaped."""
        for line in self.lines:
            text = "\n".join(map(printable, line.split("\n"))) if isinstance(line, str) else line
            console.print(text, style=self.style, soft_wrap=isinstance(line, str))


@dataclass(frozen=True)
class Paragraph:
    """A sentence or several, in lines of at most the width of the terminal."""

    text: str
    indent: str = ""

    def show(self, console: Console) -> None:
        """Print it."""
        wrapper = textwrap.TextWrapper(
            console.width, self.indent, self.indent, break_long_words=False, break_on_hyphens=False
        )
        Lines(tuple(wrapper.wrap(self.text))).show(console)


@dataclass(frozen=True)
class TitledTable:
    """A table below its title; `group_by` is a column whose values become headings above their rows."""

    title: str
    table: Table
    group_by: str | None = None

    def show(self, console: Console) -> None:
        """Print it as wide as the terminal allows."""
        Heading(self.title).show(console)
        width = console.width if is_terminal(console) else None
        Lines(("", self.table.to_text(self.group_by, width).rstrip())).show(console)


class Report:
    """What a command, or a part of it, reports."""

    def __init__(self, **data: Any) -> None:
        """`data` is the result for programs; more can be added to the attribute."""
        self.data: dict[str, Any] = data
        self.parts: list[Heading | Lines | Paragraph | TitledTable] = []
        """What people see, in order."""
        self.complete: Table | None = None
        """The whole result as one table, for the formats that are tables."""

    def heading(self, text: str) -> None:
        """Add a heading."""
        self.parts.append(Heading(text))

    def lines(self, *lines: str | Text, style: str | None = None) -> None:
        """Add lines; without arguments, an empty one."""
        self.parts.append(Lines(lines or ("",), style))

    def paragraphs(self, sentences: Iterable[str], indent: str = "") -> None:
        """Add sentences, each as a paragraph of its own."""
        self.parts += [Paragraph(sentence, indent) for sentence in sentences]

    def table(self, title: str, table: Table, group_by: str | None = None) -> None:
        """Add a table; nothing if it has no rows."""
        if table.rows:
            self.parts.append(TitledTable(title, table, group_by))

    def show(self) -> None:
        """Print the parts on stdout."""
        console = stdout_console()
        for part in self.parts:
            part.show(console)
