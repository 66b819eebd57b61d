"""`spatial-game describe`: a language on one page, from a recording or from a trained pair."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cyclopts.types import Directory, File

from spatial_game.cli.options import require_writable
from spatial_game.cli.read_language import Language, LanguageCommand, warn_of_several
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.files import write_text
from spatial_game.tables import Table, Value

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.language.page.content import Page
    from spatial_game.language.page.sections import Section

SHOWN = 10
"""Rows of a table that text shows."""
LONGEST = 90
"""Characters of a cell that text shows."""
ASKED = 3_000
"""Episodes in which the receiver is asked whether symbols combine."""


@dataclass(frozen=True, kw_only=True)
class Describe(LanguageCommand):
    """The options of `spatial-game describe`."""

    out: File | None = None
    """Also write the language as a page (HTML), with a map, heat maps, and fields in which to ask it."""
    pictures: Directory | None = None
    """Also write the pictures of the page into this folder, as SVG and PNG."""

    def execute(self) -> Iterator[Report]:
        """Read or play, count, and show."""
        from spatial_game.language.page.content import make_page
        from spatial_game.language.page.html import page_html
        from spatial_game.language.page.sections import sections

        with self.language() as language:
            for path in (self.out, self.pictures):
                require_writable(path, language.files)
            dictionary, senders = language.dictionary(), language.senders
            with progress("describing"):
                combines = _combines(language, dictionary, self.seed)
                page = make_page(
                    language.counts, dictionary, name=language.name, combines=combines, command=self.command
                )
        parts = sections(page)
        if self.out is not None:
            write_text(self.out, page_html(page))
        written = [] if self.out is None else [self.out]
        if self.pictures is not None:
            written += _write_pictures(page, self.pictures)
        by_title = {part.title: part.to_dict() for part in parts}
        report = Report(**page.to_dict(), senders=senders, sections=by_title, written=list(map(str, written)))
        add_sections(report, page.name, parts)
        warn_of_several(report, senders)
        if written:
            report.lines("", *(f"written    {path}" for path in written))
        yield report

    @property
    def command(self) -> str:
        """The command that makes the same pictures again."""
        options = {"episodes": self.episodes, "seed": self.seed or None, **vars(self.game)}
        given = [
            (f"--{name.replace('_', '-')}", value) for name, value in options.items() if value is not None
        ]
        sizes = [part for name, value in given for part in (name, *map(str, np.ravel(value).tolist()))]
        return shlex.join(["spatial-game", "describe", *self.recordings, *sizes])


def _combines(language: Language, dictionary: Dictionary, seed: int) -> Mapping[str, Any]:
    """Ask the receiver whether symbols combine; without one, say what the dictionary shows."""
    from spatial_game.studies.combines import combines_by, without_receiver

    agents = language.agents
    if agents is None or dictionary.config.message_length < 2:
        return {"verdict": "cannot say", "sentence": without_receiver(dictionary, seed)}
    study = combines_by(dictionary, language.counts.messages, agents, ASKED, seed)
    return {**study.to_dict(), "sentence": study.summary}


def _write_pictures(page: Page, folder: Path) -> list[Path]:
    """Write the map, the heat maps and the chain of a page."""
    from spatial_game.language.pictures import figures

    drawn = {
        **({"map": figures.map_figure(page.maps)} if page.maps.maps else {}),
        **{
            f"symbols-{slot + 1}": figures.heat_figure(page.heat_maps, page.dictionary, slot)
            for slot in sorted({each.slot for each in page.heat_maps})
        },
        "chain": figures.chain_figure(page.chain, page.dictionary),
    }
    return figures.write_figures(folder, drawn, page.dictionary.signature, page.command)


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
