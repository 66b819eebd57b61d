"""Tables for the terminal, Markdown, HTML and CSV, from the same rows.

A cell holds the value, and its column the format, so CSV and JSON keep every digit. Each writer escapes
characters that have a meaning in its format.
"""

from __future__ import annotations

import csv
import html
import io
import itertools
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from spatial_game.checks import require
from spatial_game.text import printable, written

Value = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column's heading, and how its values are written (see `written`)."""

    name: str
    style: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", printable(self.name))

    def write(self, value: Value) -> str:
        """Return the value as text; "" for None."""
        if isinstance(value, str):
            value = printable(value)
        return "" if value is None else written(value, self.style)


@dataclass(frozen=True)
class Table:
    """Rows under columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    @classmethod
    def of(cls, heading: str, rows: Iterable[tuple[Value, ...]]) -> Table:
        """Return rows under the columns that a heading names: `Pair | Accuracy :.1% | Episodes :,`."""
        names = (part.strip().partition(" :") for part in heading.split("|"))
        return cls(tuple(Column(name, style) for name, _, style in names), tuple(rows))

    def first(self, number: int) -> Table:
        """Return the table of the first rows."""
        return Table(self.columns, self.rows[:number])

    @property
    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [
            [column.write(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def records(self) -> list[dict[str, Value]]:
        """Return a dictionary for each row, by column name, for JSON.

        Raises `ValueError` if two columns have the same name there.
        """
        names = [re.sub(r"[^a-z0-9]+", "_", column.name.lower()).strip("_") for column in self.columns]
        require(len({*names}) == len(names), "columns must have different names", names)
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_text(self, group_by: str | None = None, width: int | None = None) -> str:
        """Return the table in plain characters, for a terminal or a text file.

        `group_by`: a column whose values become headings above their rows. `width`: the columns of the
        terminal; texts that do not fit are broken into lines.
        """
        names = [column.name for column in self.columns]
        kept = [i for i, name in enumerate(names) if name != group_by]
        lines = [[line[i] for i in kept] for line in [names, *self.cells]]
        right = [self.numeric[i] for i in kept]
        widths = _fitting(lines, right, width)
        heading, *rows = (_aligned(line, widths, right) for line in lines)
        text = [heading, "  " + "-" * (max(map(len, heading.split("\n"))) - 2)]
        groups = [""] * len(rows) if group_by is None else [row[names.index(group_by)] for row in self.cells]
        for group, row, before in zip(groups, rows, ["", *groups], strict=False):
            text += [row] if group == before else [f"\n{group}", row]
        return "\n".join(text) + "\n"

    def to_markdown(self) -> str:
        """Return the table in the Markdown of GitHub."""
        rules = ["---:" if numbers else "---" for numbers in self.numeric]
        heading, *cells = (
            [_markdown_cell(cell) for cell in row]
            for row in [[column.name for column in self.columns], *self.cells]
        )
        return "".join(f"| {' | '.join(line)} |\n" for line in [heading, rules, *cells])

    def to_html(self) -> str:
        """Return the table in HTML. Classes: `n` for numbers, `w` for long texts."""
        head = "".join(
            f'<th scope="col"{" class=n" if numbers else ""}>{html.escape(column.name)}</th>'
            for column, numbers in zip(self.columns, self.numeric, strict=True)
        )
        body = "".join(
            f"<tr>{''.join(map(_html_cell, row, texts))}</tr>\n"
            for row, texts in zip(self.rows, self.cells, strict=True)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"

    def to_csv(self) -> str:
        """Return the values: a line of column names, then one line for each row."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = (column.name for column in self.columns)
        writer.writerow([name if re.fullmatch(r"[+-]\d+", name) else _csv_cell(name) for name in names])
        writer.writerows([_csv_cell(value) for value in row] for row in self.rows)
        return text.getvalue()

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers, which are aligned to the right."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return [any(isinstance(v, (int, float)) for v in values) for values in columns]


TABLE_FORMATS: dict[str, Callable[[Table], str]] = {
    "text": Table.to_text,
    "markdown": Table.to_markdown,
    "csv": Table.to_csv,
}
"""The formats in which a table can be written, by name."""


_INDENT, _GAP, _NARROWEST = "  ", "   ", 13  # as wide as "Compositional"
_LONG_TEXT = 48  # characters from which a cell of HTML may take several lines


def _fitting(lines: Sequence[Sequence[str]], right: Sequence[bool], width: int | None) -> list[int]:
    """Return the widths of columns of texts, a line of headings first.

    If all would be too wide, headings of numbers break into lines first, then the widest texts do.
    """
    parts = list(zip(*lines, strict=True))
    fitting = [max(map(len, column)) for column in parts]
    least = [
        max(map(len, [*column[0].split(), *column[1:]])) if numbers or not any(column[1:]) else _NARROWEST
        for column, numbers in zip(parts, right, strict=True)
    ]
    too_wide = len(_INDENT) + sum(fitting) + len(_GAP) * (len(fitting) - 1) - (width or sys.maxsize)
    for _ in range(too_wide):
        spare = [i for i, wide in enumerate(fitting) if wide > least[i]]
        if not spare:
            break
        fitting[max(spare, key=lambda i: (right[i], fitting[i]))] -= 1
    return fitting


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    """Return a row; it has several lines if a text is wider than its column."""
    pairs = zip(cells, widths, strict=True)
    below = [[cell] if len(cell) <= width else textwrap.wrap(cell, width) for cell, width in pairs]
    lines = []
    for parts in itertools.zip_longest(*below, fillvalue=""):
        padded = (
            part.rjust(width) if numbers else part.ljust(width)
            for part, width, numbers in zip(parts, widths, right, strict=True)
        )
        lines.append(f"{_INDENT}{_GAP.join(padded)}".rstrip())
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    """Return a text without HTML and links for Markdown."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;").replace("](", r"]\(")


def _markdown_cell(text: str) -> str:
    """Return a cell of Markdown, in which no bar ends the cell, even after backslashes."""
    return re.sub(r"(\\*)\|", r"\1\1\\|", markdown_text(text))


def _html_cell(value: Value, text: str) -> str:
    """Return a cell of HTML, with a class if it holds a number or a long text."""
    kind = "n" if isinstance(value, (int, float)) else "w" if len(text) > _LONG_TEXT else ""
    return f'<td class="{kind}">{html.escape(text)}</td>' if kind else f"<td>{html.escape(text)}</td>"


def _csv_cell(value: Value) -> Value:
    """Return a cell of CSV; an apostrophe keeps spreadsheets from computing a text."""
    if not isinstance(value, str):
        return value
    return f"'{printable(value)}" if value.startswith(tuple("=+-@＝＋－＠")) else printable(value)
