"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from cyclopts.types import File

from spatial_game.cli.options import TableCommand, require_writable
from spatial_game.cli.read_language import LanguageCommand, warn_of_several
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.language.dictionary.interpreter import Interpreter

BEST = 10
"""Symbols of each slot, and messages, that text shows, most episodes first; other formats show all."""


@dataclass(frozen=True, kw_only=True)
class Analyse(LanguageCommand, TableCommand):
    """The options of `spatial-game analyse`."""

    out: File | None = None
    """Write the dictionary to this JSON file."""

    def execute(self) -> Iterator[Report]:
        """Find the dictionary, write it and show it."""
        from spatial_game.language import dictionary_tables, write_dictionary
        from spatial_game.language.dictionary.interpreter import interpreter

        with self.language() as language:
            require_writable(self.out, language.files)
            counts, dictionary = language.counts, language.dictionary()
        with progress("describing"):
            means = interpreter(dictionary)
            every = dictionary_tables.dictionary_table(means, complete=True)
        if self.out is not None:
            write_dictionary(dictionary, self.out)
        report = Report(
            episodes=counts.total,
            distinct_messages=len(counts.messages),
            signature=dictionary.signature,
            bits=asdict(dictionary.bits),
            classes={name: list(members) for name, members in means.classes.members.items()},
            entries=every.records(),
            dictionary=str(self.out) if self.out else None,
            senders=language.senders,
        )
        report.complete = every
        add_dictionary(report, means)
        report.lines(f"signature   {dictionary.signature}")
        if self.out is not None:
            report.lines(f"dictionary  {self.out}")
        warn_of_several(report, language.senders)
        yield report


def add_dictionary(report: Report, means: Interpreter) -> None:
    """Report what messages tell of each variable, the most frequent symbols and messages, and the classes."""
    from spatial_game.language import dictionary_tables

    shown = dictionary_tables.dictionary_table(means, BEST)
    add_bits(report, "What messages tell", means.dictionary)
    number = len(means.symbols) + len(means.messages)
    some = f", those of the {BEST} most frequent of each kind" if len(shown.rows) < number else ""
    if number:
        report.table(f"Dictionary: {number:,} entries{some}", shown, group_by="Kind")
    else:
        report.heading("Dictionary: no symbol and no message says anything")
    report.lines()
    report.paragraphs(means.classes.legend)


def add_bits(report: Report, heading: str, dictionary: Dictionary) -> None:
    """Report how many bits messages tell of each variable."""
    from spatial_game.language.dictionary_tables import bits_by_variable

    report.heading(heading)
    report.lines()
    report.paragraphs([dictionary.bits.text])
    report.table("Bits an episode", bits_by_variable(dictionary))
