"""Tables for people: in the terminal, as Markdown, LaTeX and CSV, from the same rows.

A cell holds the value itself; how it is written depends on its column, so that CSV and JSON keep every digit.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spatial_game.language.analysis import Admitted, episode_share, vocabulary_share
from spatial_game.language.grid import MESSAGE_TYPES, Cell, emergence_table
from spatial_game.language.lexicon import TYPES, Entry, Lexicon
from spatial_game.language.referents import KINDS

if TYPE_CHECKING:  # it loads scipy.stats, which tables need not wait for
    from spatial_game.language.measures import Measure

Value = str | int | float | None

READABLE = "Any that says where the target is"
"""What the table of types calls its last row."""


@dataclass(frozen=True)
class Column:
    """A column's heading, and how its values are written (a format specification, such as ".2f")."""

    name: str
    style: str = ""

    def write(self, value: Value) -> str:
        """The value as people read it; nothing for None."""
        return "" if value is None else format(value, self.style)


@dataclass(frozen=True)
class Table:
    """Rows under columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    title: str = ""

    @property
    def cells(self) -> list[list[str]]:
        """The rows as they are written."""
        return [
            [column.write(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def records(self) -> list[dict[str, Value]]:
        """A dictionary a row, by column name; for JSON."""
        names = [re.sub(r"[^a-z0-9]+", "_", column.name.lower()) for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_text(self, group_by: str | None = None, width: int | None = None) -> str:
        """The table in plain characters, for a terminal or a text file.

        `group_by`: the name of a column that is left out; each new value of it heads the rows that have it.
        `width`: the columns that a terminal has; texts that would go beyond go on below themselves.
        """
        names = [column.name for column in self.columns]
        kept = [i for i, name in enumerate(names) if name != group_by]
        lines = [[line[i] for i in kept] for line in [names, *self.cells]]
        right = [self._numeric()[i] for i in kept]
        widths = _fitting([max(map(len, column)) for column in zip(*lines, strict=True)], right, width)
        heading, *rows = (_aligned(line, widths, right) for line in lines)
        text = [heading, "  " + "-" * (max(map(len, heading.split("\n"))) - 2)]
        groups = [""] * len(rows) if group_by is None else [row[names.index(group_by)] for row in self.cells]
        for group, row, before in zip(groups, rows, ["", *groups], strict=False):
            text += [row] if group == before else [f"\n{group}", row]
        return "\n".join(text) + "\n"

    def to_markdown(self) -> str:
        """The table in the Markdown of GitHub."""
        rules = ["---:" if numbers else "---" for numbers in self._numeric()]
        cells = [[cell.replace("|", r"\|") for cell in row] for row in self.cells]
        lines = [[column.name for column in self.columns], rules, *cells]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_latex(self) -> str:
        """The table as a LaTeX tabular; it needs the package booktabs."""
        alignment = "".join("r" if numbers else "l" for numbers in self._numeric())
        heading = [column.name for column in self.columns]
        heading_line, *lines = (_latex_line(line) for line in [heading, *self.cells])
        body = [r"\toprule", heading_line, r"\midrule", *lines, r"\bottomrule"]
        return "\n".join([rf"\begin{{tabular}}{{{alignment}}}", *body, r"\end{tabular}"]) + "\n"

    def to_csv(self) -> str:
        """The values, one line a row, after a line of column names."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows(self.rows)
        return text.getvalue()

    def _numeric(self) -> list[bool]:
        """Which columns hold numbers, and so are aligned to the right."""
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return [any(isinstance(v, (int, float)) for v in values) for values in columns]


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": Table.to_text,
    "markdown": Table.to_markdown,
    "latex": Table.to_latex,
    "csv": Table.to_csv,
}
"""How a table can be written, by name."""


def dictionary(lexicon: Lexicon, best: int | None = None, *, derived: bool = False) -> Table:
    """The lexicon in the words of the paper's table 3: message, type and meaning, with how sure that is.

    `best`: only so many entries of each type, those with the most episodes. `derived`: also the entries that
    another says better.
    """
    entries: list[Entry] = []
    for kind in KINDS:
        of_kind = lexicon.of_kind(kind, derived=derived)
        entries += of_kind if best is None else most_used(of_kind, best)
    intervals = any(entry.interval for entry in entries)
    columns = (
        Column("Message"),
        Column("Type"),
        Column("Meaning"),
        Column("NPMI", ".2f"),
        *([Column("95% interval")] if intervals else []),
        Column("Confidence", ".0%"),
        Column("Episodes", ","),
    )
    return Table(columns, tuple(_row(entry, lexicon.config.message_length, intervals) for entry in entries))


def most_used(entries: Sequence[Entry], best: int) -> list[Entry]:
    """The entries with the most episodes, in their own order."""
    chosen = sorted(entries, key=lambda entry: -entry.count)[:best]
    return [entry for entry in entries if entry in chosen]


def coverage(admitted: Admitted) -> Table:
    """The types of messages (the paper's table 1): their share of the vocabulary and of the episodes."""
    columns = (
        Column("Type"),
        Column("Messages", ","),
        Column("Vocabulary", ".1%"),
        Column("Episodes", ".1%"),
    )
    counts = admitted.counts
    marked = {MESSAGE_TYPES[name]: messages for name, messages in admitted.message_types.items()}
    marked[READABLE] = admitted.readable
    rows = (
        (
            name,
            int(messages.sum()),
            vocabulary_share(counts, messages),
            episode_share(counts, messages),
        )
        for name, messages in marked.items()
    )
    return Table(columns, tuple(rows))


def grid_table(cells: Sequence[Cell]) -> Table:
    """The grid of thresholds: how many entries each cell lists, and how many episodes they read."""
    kinds = {"edge": "Edges", "integer_at": "Integers at offsets", "integer": "Integers", "offset": "Offsets"}
    columns = (
        Column("t_c", ".1f"),
        Column("t_n"),
        *(Column(name, ",") for name in kinds.values()),
        Column("Of the episodes", ".1%"),
    )
    rows = (
        (cell.threshold, cell.top_n, *(cell.entries[kind] for kind in kinds), cell.coverage) for cell in cells
    )
    return Table(columns, tuple(rows))


def emergence(cells: Sequence[Cell]) -> Table:
    """Table 1 of the paper for one language: the share of cells of its grid in which a type emerges, and how
    much of vocabulary and episodes it then covers (mean, smallest and largest)."""
    columns = (
        Column("Type"),
        Column("In cells", ".0%"),
        Column("Of the vocabulary"),
        Column("Of the episodes"),
    )
    rows = (
        (
            MESSAGE_TYPES[row.message_type],
            sum(cell.types[row.message_type].emerged for cell in cells) / len(cells),
            _spread(row.vocabulary),
            _spread(row.episodes),
        )
        for row in emergence_table([cells])
    )
    return Table(columns, tuple(rows))


def _spread(values: tuple[float, float, float]) -> str:
    mean, smallest, largest = values
    return f"{mean:.1%} ({smallest:.1%} to {largest:.1%})"


def _row(entry: Entry, message_length: int, intervals: bool) -> tuple[Value, ...]:
    meaning = str(entry.referent)
    words = (
        entry.form.pattern(message_length),
        TYPES[entry.kind],
        meaning.capitalize() if entry.kind == "integer" else meaning,
    )
    interval = "{:.2f} to {:.2f}".format(*entry.interval) if entry.interval else None
    return (*words, entry.npmi, *([interval] if intervals else []), entry.confidence, entry.count)


_INDENT, _GAP, _NARROWEST = "  ", "   ", 12


def _fitting(widths: Sequence[int], right: Sequence[bool], width: int | None) -> list[int]:
    """The widths of the columns; where all would be too wide, the widest of the texts gives way."""
    fitting = list(widths)
    texts = [i for i, numbers in enumerate(right) if not numbers]
    while (
        width is not None and texts and len(_INDENT) + sum(fitting) + len(_GAP) * (len(fitting) - 1) > width
    ):
        widest = max(texts, key=lambda i: fitting[i])
        if fitting[widest] <= _NARROWEST:
            break
        fitting[widest] -= 1
    return fitting


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    """A row; several lines where a text is wider than its column."""
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


def _latex_line(cells: Sequence[str]) -> str:
    escaped = (_LATEX_SPECIAL.sub(r"\\\1", cell) for cell in cells)
    # A line that began with a bracket would be an argument of the command before it.
    return " & ".join(re.sub(r"^\[", "{[}", cell) for cell in escaped) + r" \\"


_LATEX_SPECIAL = re.compile(r"([&%$#_{}])")


def measures(found: Sequence[Measure]) -> Table:
    """The measures of a language, in full; an undefined one has no value."""
    columns = (
        Column("Measure"),
        Column("Value", ".4g"),
        Column("Low", ".4g"),
        Column("High", ".4g"),
        Column("Shuffled", ".4g"),
        Column("Unit"),
        Column("Source"),
    )
    return Table(
        columns, tuple((m.name, m.value, m.low, m.high, m.shuffled, m.unit, m.source) for m in found)
    )


def measures_for_people(found: Sequence[Measure]) -> Table:
    """The measures that are defined, in the width of a terminal."""
    columns = (Column("Measure"), Column("Value"), Column("95% interval"), Column("Shuffled", ".4g"))
    rows = (
        (m.name, f"{m.value:.4g} {m.unit}", _between(m.low, m.high), m.shuffled)
        for m in found
        if m.value is not None
    )
    return Table(columns, tuple(rows))


def _between(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3g} to {high:.3g}"
