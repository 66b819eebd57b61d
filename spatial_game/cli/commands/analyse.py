"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from cyclopts.types import File

from spatial_game.cli.language import LanguageCommand, add_bits, add_senders, dictionary_of
from spatial_game.cli.options import SHOWN, TableCommand, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.dictionary import Dictionary


@dataclass(frozen=True, kw_only=True)
class Analyse(LanguageCommand, TableCommand):
    """The options of `spatial-game analyse`."""

    out: File | None = None
    """Write the dictionary to this JSON file."""

    def execute(self) -> Iterator[Report]:
        """Find the dictionary, write it and show it."""
        from spatial_game.language import write_dictionary

        with self.languages(self.language) as [language]:
            require_writable(self.out, language.files)
            counts = language.count()
            dictionary = dictionary_of(counts)
        if self.out is not None:
            write_dictionary(dictionary, self.out)
        with progress("describing"):
            report = report_of(counts, dictionary)
        add_senders(report, language)
        report.written(self.out)
        yield report


def report_of(counts: Counts, dictionary: Dictionary) -> Report:
    """Report what messages tell of each variable, the most frequent symbols and messages, and the classes."""
    from spatial_game.language.dictionary.doubts import doubts
    from spatial_game.language.dictionary.interpreter import interpreter
    from spatial_game.language.dictionary.tables import dictionary_table

    means = interpreter(dictionary)
    every, shown = dictionary_table(means, complete=True), dictionary_table(means, SHOWN)
    report = Report(
        episodes=counts.total,
        distinct_messages=len(counts.messages),
        signature=dictionary.signature,
        bits=asdict(dictionary.bits),
        classes={name: list(members) for name, members in means.classes.members.items()},
        entries=every.records(),
    )
    report.complete = every
    add_bits(report, "What messages tell", dictionary)
    report.paragraphs(*doubts(dictionary, counts).values())
    number = len(means.symbols) + len(means.messages)
    some = f", those of the {SHOWN} most frequent of each kind" if len(shown.rows) < number else ""
    if number:
        report.table(f"Dictionary: {number:,} entries{some}", shown, group_by="Kind")
    else:
        report.heading("Dictionary: no symbol and no message says anything")
    report.paragraphs(*means.classes.legend)
    report.lines()
    report.facts(signature=dictionary.signature)
    return report
