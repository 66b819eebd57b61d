"""`spatial-game npmi`: the paper's analysis of recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cyclopts.types import File

from spatial_game.agents.own import own_function
from spatial_game.cli.language import LanguageCommand, add_senders
from spatial_game.cli.options import SHOWN, TableCommand, group, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.text import counted

if TYPE_CHECKING:
    from spatial_game.language.npmi.table import NpmiTable


@dataclass(frozen=True, kw_only=True)
class Npmi(LanguageCommand, TableCommand):
    """The options of `spatial-game npmi`."""

    settings: Annotated[NpmiSettings, group("Associations", "What an association must show.")] = field(
        default_factory=NpmiSettings
    )
    label: str | None = None
    """A function of your own, module:function, that returns a label for each of many windows, the rows of an
    array, in which -1 is the target: n-grams may refer to these, too."""
    out: File | None = None
    """Write the table to this JSON file."""

    def execute(self) -> Iterator[Report]:
        """Make the paper's table, write it and show it."""
        from spatial_game.language.npmi.analysis import npmi_table

        label = own_function(self.label, "label") if self.label else None
        with self.languages(self.language) as [language]:
            require_writable(self.out, language.files)
            counts = language.count()
            with progress("analysing"):  # it reads the episodes again
                table = npmi_table(counts, self.settings, label=label)
        if self.out is not None:
            table.write(self.out)
        report = report_of(table)
        add_senders(report, language)
        report.written(self.out)
        yield report


def report_of(table: NpmiTable) -> Report:
    """Report the most frequent associations of each type, and the types of messages."""
    from spatial_game.language.npmi.score import npmi_of_integer_ngram

    settings, every, best = table.settings, table.shown(), table.shown(SHOWN)
    comparable = (settings.estimator, settings.top_n) == ("exact", 1)
    of_ngram = npmi_of_integer_ngram(table.config) if comparable else None
    report = Report(
        episodes=table.counts.total,
        distinct_messages=len(table.counts.messages),
        entries=len(table),
        coverage=table.coverage,
        signature=table.signature,
        threshold=settings.threshold,
        npmi_of_integer_ngram=of_ngram,
        types=table.shown_types().records(),
        table=every.records(),
    )
    report.complete = every
    some = f", the {SHOWN} most frequent of each type" if len(best.rows) < len(table) else ""
    if table.associations:
        title = f"N-grams and referents: {counted(len(table), 'association')}{some}"
        report.table(title, best, group_by="Type")
    else:
        report.heading("N-grams and referents: no n-gram has a referent that passes")
    if table.label:
        report.paragraphs(about_labels(table))
    report.table("Types of messages", table.shown_types())
    mark = (
        ""
        if of_ngram is None
        else f"; n-grams for every integer at one offset have {of_ngram:.2f} in this game"
    )
    report.lines()
    report.facts(threshold=f"{settings.threshold:g}{mark}", signature=table.signature)
    return report


def about_labels(table: NpmiTable) -> str:
    """Say how many labels windows have, and how many n-grams have one that passes, or why none has."""
    from spatial_game.language.npmi.admit import why_none
    from spatial_game.language.npmi.referents import Labels

    best, number = table.best_labels, len(table.admitted["label"])
    assert best is not None
    assert isinstance(best.referents, Labels)
    if not best.referents.names:
        return f"{table.label} gives no window a label."
    passing = f"{counted(number, 'n-gram')} with a label that passes"
    found = passing if number else f"no n-gram passes: {why_none(best, table.settings)}"
    return f"{table.label} gives windows {counted(len(best.referents.names), 'label')}; {found}."
