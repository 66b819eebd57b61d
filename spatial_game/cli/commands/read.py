"""`spatial-game read`: what one message means."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from spatial_game.cli.language import (
    Language,
    LanguageName,
    LanguagesCommand,
    add_meaning,
    add_senders,
    ask_combines,
    dictionary_of,
    messages_of,
)
from spatial_game.cli.report import Report
from spatial_game.text import between, counted

if TYPE_CHECKING:
    from spatial_game.game.episodes import IntArray
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.language.dictionary.interpreter import Interpreter


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
        from spatial_game.language.wording import bits_text

        with self.languages([self.language]) as [language]:
            messages = messages_of(self.message, language.symbols, language.config)
            counts = language.count()
            means = interpreter(dictionary_of(counts))
            report = Report(episodes=counts.total, messages=[])
            never = [message for message in messages if not _sent(counts, message)]
            understood = self._understood(language, counts, means.dictionary) if never else []
        for message in messages:
            sent = _sent(counts, message)
            report.heading(f"Message {means.dictionary.spelt(message)}")
            report.lines("", f"  sent   in {sent:,} of {counted(counts.total, 'episode')}")
            table, words = add_meaning(report, means, message, "means  {}", indent="  ", in_full=True)
            found = {"message": message, "sent": sent, "means": words, "entries": table.records()}
            if not sent:
                report.paragraphs(*_contradictions(means, message), *understood)
                found["never_sent"] = understood
            report.data["messages"].append(found)
        report.paragraphs(
            "True: how often it is true of the episodes with these symbols. Bits: how much it narrows down "
            f"what stands there. {bits_text(language.config)}"
        )
        add_senders(report, language)
        yield report

    def _understood(self, language: Language, counts: Counts, dictionary: Dictionary) -> list[str]:
        """Return how far one can trust readings of messages that were never sent, in sentences."""
        from spatial_game.language.dictionary.interpreter import true_by_symbols
        from spatial_game.language.page.answers import never_sent_text

        combines = ask_combines(counts, dictionary, language.speakers(), self.seed)
        found = [never_sent_text(combines, 1 / language.config.num_candidates)]
        true = true_by_symbols(counts, dictionary)
        if true.trials:
            share = f"{true.accuracy:.0%} ({between(true.interval, '.0%')})"
            episodes = counted(true.trials, "episode")
            symbols = f"The sender: what symbols say is true in {share} of the {episodes} whose message"
            found.insert(0, f"{symbols} the dictionary does not have.")
        return found


def _contradictions(means: Interpreter, message: IntArray) -> Iterator[str]:
    """Yield a sentence for each variable of which symbols of a message (T,) cannot all be right."""
    from spatial_game.language.dictionary.texts import entry_text
    from spatial_game.language.wording import listed, variable_texts

    config, names = means.dictionary.config, means.dictionary.symbol_names
    entries = means.entries_in(message)
    for index, variable in enumerate(variable_texts(config)):
        about = [entry for entry in entries if entry.index == index]
        pairs = itertools.combinations(about, 2)
        at_odds = [pair for pair in pairs if not {*pair[0].values} & {*pair[1].values}]
        says = [
            f'{each.ngram.pattern(len(message), names)} says "{entry_text(each, config, means.classes)}"'
            for each in about
            if any(each in pair for pair in at_odds)
        ]
        if says:
            yield f"Its symbols contradict each other about {variable}: {listed(says, ' and ')}."


def _sent(counts: Counts, message: IntArray) -> int:
    """Return in how many episodes a message (T,) was sent."""
    return int(counts.message_totals[(counts.messages == message).all(axis=1)].sum())
