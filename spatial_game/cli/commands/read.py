"""`spatial-game read`: what one message means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from cyclopts import Parameter

from spatial_game.cli.language import (
    LanguageName,
    LanguagesCommand,
    add_meaning,
    add_senders,
    dictionary_of,
    messages_of,
)
from spatial_game.cli.report import Report
from spatial_game.text import counted


@dataclass(frozen=True, kw_only=True)
class Read(LanguagesCommand):
    """The options of `spatial-game read`."""

    language: LanguageName = field(kw_only=False)
    message: Annotated[tuple[str, ...], Parameter(required=True)] = field(kw_only=False, default=())
    """The symbols of the message, such as 9 9 20, or those of several messages. In an imported language, they
    may be letters or words."""

    def execute(self) -> Iterator[Report]:
        """Show how often messages were sent and what they mean."""
        from spatial_game.language.dictionary.interpreter import interpreter

        with self.languages([self.language]) as [language]:
            messages = messages_of(self.message, language.symbols, language.config)
            counts = language.count()
            means = interpreter(dictionary_of(counts))
        report = Report(episodes=counts.total, messages=[])
        for message in messages:
            sent = int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
            report.heading(f"Message {means.dictionary.spelt(message)}")
            report.lines("", f"  sent   in {sent:,} of {counted(counts.total, 'episode')}")
            table, words = add_meaning(report, means, message, "means  {}", indent="  ", in_full=True)
            found = {"message": message, "sent": sent, "means": words, "entries": table.records()}
            report.data["messages"].append(found)
        add_senders(report, language)
        yield report
