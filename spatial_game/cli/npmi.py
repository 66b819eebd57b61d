"""`spatial-game npmi`: the paper's analysis of recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cyclopts.types import File

from spatial_game.agents.own import own_function
from spatial_game.cli.options import TableCommand, group, require_writable
from spatial_game.cli.read_language import LanguageCommand, warn_of_several
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.tables import counted

if TYPE_CHECKING:
    from spatial_game.language.npmi.table import NpmiTable

BEST = 10
"""Rows of each type that text shows, most episodes first; other formats show all."""


@dataclass(frozen=True, kw_only=True)
class Npmi(LanguageCommand, TableCommand):
    """The options of `spatial-game npmi`."""

    settings: Annotated[NpmiSettings, group("Associations", "What an association must show.")] = field(
        default_factory=NpmiSettings
    )
    label: str | None = None
    """A function of your own, module:function, that gives windows labels: n-grams may refer to these, too."""
    out: File | None = None
    """Write the table to this JSON file."""

    def execute(self) -> Iterator[Report]:
        """Make the paper's table, write it and show it."""
        from spatial_game.language.npmi.analysis import npmi_table
        from spatial_game.language.npmi.score import npmi_of_integer_ngram

        label = own_function(self.label, "label") if self.label else None
        with self.language() as language:
            require_writable(self.out, language.files)
            counts = language.counts
        with progress("analysing"):
            table = npmi_table(counts, self.settings, label=label)
        if self.out is not None:
            table.write(self.out)
        settings, of_ngram, mark = table.settings, None, ""
        if (settings.estimator, settings.top_n) == ("exact", 1):
            of_ngram = npmi_of_integer_ngram(table.config)
            mark = f"; n-grams for every integer at one offset have {of_ngram:.2f} in this game"
        report = Report(
            episodes=counts.total,
            distinct_messages=len(counts.messages),
            entries=len(table),
            coverage=table.coverage,
            signature=table.signature,
            threshold=settings.threshold,
            npmi_of_integer_ngram=of_ngram,
            types=table.shown_types().records(),
            table=table.shown().records(),
            out=str(self.out) if self.out else None,
            senders=language.senders,
        )
        report.complete = table.shown()
        add_associations(report, table)
        report.lines("", f"threshold  {settings.threshold:g}{mark}", f"signature  {table.signature}")
        if self.out is not None:
            report.lines(f"table      {self.out}")
        warn_of_several(report, language.senders)
        yield report


def add_associations(report: Report, table: NpmiTable) -> None:
    """Report the most frequent associations of each type, and the types of messages."""
    best = table.shown(BEST)
    if table.associations:
        some = f", the {BEST} most frequent of each type" if len(best.rows) < len(table) else ""
        title = f"N-grams and referents: {counted(len(table), 'association')}{some}"
        report.table(title, best, group_by="Type")
    else:
        report.heading("N-grams and referents: no n-gram has a referent that passes")
    report.table("Types of messages", table.shown_types())
