"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cyclopts.types import File

from spatial_game.cli.options import require_writable
from spatial_game.cli.read_language import LanguageCommand, warn_of_several
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.files import write_text
from spatial_game.tables import Table, Value

if TYPE_CHECKING:
    from spatial_game.language.page.sections import Section

SHOWN = 10
"""Rows of a table that text shows."""
LONGEST = 90
"""Characters of a cell that text shows."""


@dataclass(frozen=True, kw_only=True)
class Describe(LanguageCommand):
    """The options of `spatial-game describe`."""

    out: File | None = None
    """Also write the language as a page (HTML), with a map, a search and all of its messages."""

    def execute(self) -> Iterator[Report]:
        """Read or play, count, and show."""
        from spatial_game.language.page.content import make_page
        from spatial_game.language.page.html import page_html
        from spatial_game.language.page.sections import sections
        from spatial_game.studies.combines import without_receiver

        with self.language() as language:
            require_writable(self.out, language.files)
            dictionary, senders = language.dictionary(), language.senders
            with progress("describing"):
                content = make_page(language.counts, dictionary, name=language.name, agents=language.agents)
                combine = without_receiver(dictionary, self.seed)
        parts = sections(content)
        if self.out is not None:
            write_text(self.out, page_html(content))
        by_title = {part.title: part.to_dict() for part in parts}
        path = None if self.out is None else str(self.out)
        report = Report(**content.to_dict(), senders=senders, sections=by_title, page=path)
        report.data["combines"] = combine
        add_sections(report, content.name, parts)
        report.heading("Do its symbols combine?")
        report.lines()
        report.paragraphs([combine])
        if language.agents:
            report.paragraphs([f"Ask its receiver: spatial-game evaluate {content.name} --study combines"])
        warn_of_several(report, senders)
        if self.out is not None:
            report.lines("", f"page       {self.out}")
        yield report


def add_sections(report: Report, name: str, parts: Sequence[Section]) -> None:
    """Report the sections of a page as text, with the first rows of their tables."""
    report.heading(f"The language of {name}")
    for section in parts:
        report.heading(section.title)
        report.lines()
        report.paragraphs(section.sentences)
        for title, table in section.tables.items():
            first = Table(table.columns, tuple(tuple(map(_shortened, row)) for row in table.rows[:SHOWN]))
            more = len(table.rows) - len(first.rows)
            report.table(f"{title}{f' (first {SHOWN}; {more:,} more)' if more else ''}", first)


def _shortened(value: Value) -> Value:
    return textwrap.shorten(value, LONGEST, placeholder=" ...") if isinstance(value, str) else value
