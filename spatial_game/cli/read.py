"""`spatial-game read`: what one message means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.types import PositiveInt

from spatial_game.cli.options import Command, GameFlags, UnlistedGame
from spatial_game.cli.report import Report
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.tables import Table, counted

if TYPE_CHECKING:
    from spatial_game.language.dictionary.interpreter import Interpreter


@dataclass(frozen=True, kw_only=True)
class Read(Command):
    """The options of `spatial-game read`."""

    language: str = field(kw_only=False)
    """A recording, a folder of recordings of one language, or a trained pair, such as embed-60/0, which then
    plays."""
    message: Annotated[tuple[int, ...], Parameter(required=True)] = field(kw_only=False, default=())
    """The symbols of the message, such as 9 9 20."""
    game: UnlistedGame = field(default_factory=GameFlags)
    episodes: PositiveInt | None = None
    """Episodes that a pair plays. Default: 200,000."""
    seed: int = 0
    """Root of the random streams of the episodes that a pair plays."""

    def execute(self) -> Iterator[Report]:
        """Show how often the message was sent and what it means."""
        from spatial_game.cli.read_language import read_language, require_agents, warn_of_several
        from spatial_game.language.dictionary.interpreter import interpreter

        names = [self.language]
        with read_language(names, self.game, self.episodes, self.seed) as language:
            require_agents(self.episodes, names)
            [message] = check_messages([self.message], language.config, 1)
            counts, means = language.counts, interpreter(language.dictionary())
        sent = int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
        report = Report(message=list(self.message), sent=sent, episodes=counts.total)
        report.heading(f"Message {' '.join(map(str, self.message))}")
        report.lines("", f"  sent   in {sent:,} of {counted(counts.total, 'episode')}")
        table, words = add_meaning(report, means, message, "means  {}", indent="  ")
        report.data |= {"means": words, "entries": table.records(), "senders": language.senders}
        warn_of_several(report, language.senders)
        yield report


def add_meaning(
    report: Report, means: Interpreter, message: IntArray, sentence: str, indent: str = ""
) -> tuple[Table, str]:
    """Report what a message (T,) means, in a sentence and by its entries; return both."""
    from spatial_game.language.dictionary_tables import entries

    words = means.text(message)
    report.paragraphs([sentence.format(words), *means.legend(words)], indent)
    table = entries(means.entries_in(message), means.dictionary.config, means.classes)
    report.table("What its symbols say, and what the whole message adds", table)
    return table, words
