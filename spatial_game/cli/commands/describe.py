"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import itertools
import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cyclopts.types import Directory, File

from spatial_game.cli.language import (
    ASKED,
    Language,
    LanguageCommand,
    add_senders,
    ask_combines,
    dictionary_of,
)
from spatial_game.cli.options import SHOWN, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.files import write_text
from spatial_game.game.policies import Agents
from spatial_game.tables import Table, Value

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.language.page.content import Page
    from spatial_game.language.page.section import Section

CHOICES = 50_000
"""Episodes in which the receiver of agents chooses: some 5 seconds with a pair of 60 integers."""
LONGEST = 90
"""Characters of a cell that text shows."""


@dataclass(frozen=True, kw_only=True)
class Describe(LanguageCommand):
    """The options of `spatial-game describe`."""

    out: File | None = None
    """Also write the language as a page (HTML), with a map, heat maps, and fields in which to ask it."""
    pictures: Directory | None = None
    """Also write the pictures of the page into this folder, as SVG and PNG."""

    def execute(self) -> Iterator[Report]:
        """Read or play, count, and show."""
        from spatial_game.language.page.html import page_html
        from spatial_game.language.page.sections import sections

        with self.languages(self.language, choices=CHOICES) as [language]:
            for path in (self.out, self.pictures):
                require_writable(path, language.files)
            page = self._page(language)
        parts = sections(page)
        if self.out is not None:
            write_text(self.out, page_html(page))
        pictures = [] if self.pictures is None else _write_pictures(page, self.pictures)
        report = Report(**page.to_dict(), sections={part.title: part.to_dict() for part in parts})
        add_sections(report, page.name, parts)
        add_senders(report, language)
        if self.out is not None or pictures:
            report.lines()
        report.written(self.out, *pictures)
        yield report

    def _page(self, language: Language) -> Page:
        from spatial_game.language.page.content import make_page

        counts = language.count()
        dictionary = dictionary_of(counts)
        with progress("describing"):
            combines = _combines(counts, dictionary, language.speakers(), self.seed)
            return make_page(
                counts, dictionary, name=language.name, combines=combines, command=self._same_again()
            )

    def _same_again(self) -> str:
        """Return the command that makes the same pictures again."""
        options: dict[str, Any] = {"episodes": self.episodes, "seed": self.seed, **self.game}
        given = (
            (f"--{name.replace('_', '-')}", *map(str, np.ravel(value).tolist()))
            for name, value in options.items()
            if value
        )
        return shlex.join(["spatial-game", "describe", *self.language, *itertools.chain(*given)])


def _combines(counts: Counts, dictionary: Dictionary, agents: Agents | None, seed: int) -> Mapping[str, Any]:
    """Ask the agents whether symbols combine, what the receiver ignores and which symbols are one to it, and
    whether the sender says the same again."""
    from spatial_game.studies.ignored import says_the_same, what_it_ignores

    combines = ask_combines(counts, dictionary, agents, seed)
    if agents is None:
        return combines
    ignores, alike = what_it_ignores(agents, ASKED, seed)
    same = says_the_same(agents, ASKED, seed)
    return {**combines, "ignores": ignores, "alike": [asdict(each) for each in alike], "says_the_same": same}


def _write_pictures(page: Page, folder: Path) -> list[Path]:
    """Write the map, the heat maps and the bits of a page."""
    from spatial_game.language.pictures import figures

    drawn = {"map": figures.map_figure(page.maps)} if page.maps.maps else {}
    for slot in sorted({each.slot for each in page.said_by_themselves}):
        pages = figures.heat_figures(page.said_by_themselves, page.dictionary, slot)
        names = (f"symbols-{slot + 1}{f'-{number}' * (number > 1)}" for number in itertools.count(1))
        drawn |= dict(zip(names, pages, strict=False))
    drawn["bits"] = figures.bits_figure(page.prefixes, page.dictionary)
    return figures.write_figures(folder, drawn, page.dictionary.signature, page.command)


def add_sections(report: Report, name: str, parts: Sequence[Section]) -> None:
    """Report the sections of a page as text, with the first rows of their tables, and examples in full."""
    from spatial_game.language.page.symbols import EXAMPLES

    report.heading(f"The language of {name}")
    for section in parts:
        report.heading(section.title)
        report.paragraphs(*section.sentences)
        for title, table in section.tables.items():
            if section.title == EXAMPLES:
                report.table(title, table, is_wrapped=True)
                continue
            first = Table(table.columns, tuple(tuple(map(_shortened, row)) for row in table.rows[:SHOWN]))
            more = len(table.rows) - len(first.rows)
            report.table(f"{title}{f' (first {SHOWN}; {more:,} more)' if more else ''}", first)


def _shortened(value: Value) -> Value:
    """Return a text without the members of counted sets, and not longer than `LONGEST`."""
    if not isinstance(value, str):
        return value
    return textwrap.shorten(
        re.sub(r"(one of \d+ integers) \([^)]*\)", r"\1", value), LONGEST, placeholder=" ..."
    )
