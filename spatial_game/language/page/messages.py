"""What a page says of whole messages: their readings, how often these are true, and who understands them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spatial_game.language.dictionary.entries import sets_of
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.dictionary.thresholds import FEWEST_READ, LEAST_BITS, NEARLY_ALWAYS
from spatial_game.language.page.content import Message, Page
from spatial_game.language.page.section import LISTED, Section
from spatial_game.language.relations import homonyms, is_compared, synonyms
from spatial_game.language.wording import SHORT
from spatial_game.proportions import Proportion
from spatial_game.tables import Table, Value
from spatial_game.text import between, counted

MESSAGES = "Messages"
WIDEST = 0.5
"""A share whose interval is wider is not said: it may be that of few episodes, or of most."""


def messages(page: Page) -> Section:
    """Return the most frequent messages, what they say, how often that is true, and how often understood."""
    said = [*_truth(page), *_receiver(page)]
    if page.config.message_length > 1:
        low, high = sets_of(page.dictionary).adding
        share, more = between((low, high), ".0%"), f"at least {LEAST_BITS} bits more about an offset"
        if high - low <= WIDEST:
            said.append(f"In {share} of the episodes, the message tells {more} than its symbols.")
    heading = f"Message | Says | True (held out){' | Receiver right' * bool(page.right.trials)} | Episodes :,"
    missed = [each for each in page.messages if each.is_missed]
    missed.sort(key=lambda each: each.right.interval[1])
    found = {
        "The messages that are sent most": page.messages,
        "Messages that the receiver misses, though their readings are sure": missed,
    }
    tables = {
        title: Table.of(heading, (_row(page, each) for each in some[:LISTED]))
        for title, some in found.items()
    }
    return Section(MESSAGES, said, tables)


def _truth(page: Page) -> Iterator[str]:
    """Yield how often readings are true, and which messages have no sure one."""
    read = [message for message in page.messages if message.reading.senses]
    if held_out := sum(message.true.trials for message in read):
        true = sum(message.true.num_correct for message in read) / held_out
        expected = sum(message.reading.truth * message.true.trials for message in read) / held_out
        yield (
            f"What messages say is true in {true:.1%} of {counted(held_out, 'held-out episode')}: every "
            f"tenth one, from which the dictionary was not built. The dictionary expects {expected:.1%}."
        )
    unsure = [message for message in read if not message.is_sure]
    silent = [message for message in page.messages if not message.reading.senses]
    if unsure or silent:
        yield (
            f"Of {_messages_read(page)}, {_share_of(page, unsure)} are unsure: true less than half of the "
            f"time, by a 95% interval; {_share_of(page, silent)} have no reading."
        )


def _receiver(page: Page) -> Iterator[str]:
    """Yield what the receiver's figures mean, or why there are none."""
    if page.right.trials:
        yield (
            f"A reading is what the sender says. The receiver is right in {page.right.accuracy:.1%} of "
            f"{counted(page.right.trials, 'episode')}; beside each message stands the 95% interval. It is "
            f"low if the reading is sure, but the receiver is right in less than {NEARLY_ALWAYS:.0%}."
        )
    else:
        yield (
            "A reading is what the sender says. Whether the receiver understands each message is not known: "
            "these episodes have no choices. `spatial-game record NAME --out FILE` records them."
        )


def _row(page: Page, message: Message) -> tuple[Value, ...]:
    right = [right_text(message)] * bool(page.right.trials)
    return message.text, meaning_of(page, message), true_text(message), *right, message.episodes


def true_text(message: Message) -> str:
    """Return in how many held-out episodes it is true: "4 of 5 (38% to 96%)", or nothing without any."""
    return counted_text(message.true)


def counted_text(true: Proportion) -> str:
    """Return a share as it was counted, with its 95% interval; nothing without any trials."""
    ends = between(true.interval, ".0%")
    return f"{true.num_correct:,} of {true.trials:,} ({ends})" if true.trials else ""


def right_text(message: Message) -> str:
    """Return how often the receiver is right after a message, as an interval."""
    low = " (low)" if message.is_missed else ""
    return between(message.right.interval, ".0%") + low if message.right.trials else ""


def meaning_of(page: Page, message: Message) -> str:
    """Return what a message says in words; an unsure reading says so.

    How often it is true is measured in the held-out episodes, if there are any.
    """
    reading = message.reading
    text = reading_text(reading, page.classes, measured=bool(message.true.trials))
    is_excluded = reading.senses and reading.is_sure and not message.is_sure and not reading.is_too_rare
    return f"unsure: {text}" if is_excluded else text


def _messages_read(page: Page) -> str:
    """Return which messages are read: all, or the most frequent ones."""
    number = counted(len(page.sent), "different message")
    return number if page.reads_all else f"the {len(page.messages):,} most frequent of {number}"


def _share_of(page: Page, some: Sequence[Message]) -> str:
    """Return the number of messages, and the share of the episodes that have them."""
    share = sum(message.episodes for message in some) / page.dictionary.total
    return f"{len(some):,} ({share:.1%} of the episodes)"


def same_and_other(page: Page) -> Section:
    """Return synonyms and homonyms."""
    readings, bits = [message.reading for message in page.messages], page.dictionary.bits
    same, several = synonyms(readings), [page.messages[i] for i in homonyms(readings)]
    of_same = _share_of(page, [page.messages[i] for group in same for i in group])
    others = _share_of(page, [message for message in page.messages if not is_compared(message.reading)])
    said = [
        f"Synonyms: of {_messages_read(page)}, {of_same} have the same reading as another one. They may "
        "differ in what the dictionary does not explain: it explains "
        f"{bits.messages:.1f} of {bits.entropy:.1f} bits.",
        f"Homonyms: {_share_of(page, several)} say one of several things.",
        f"Not compared: {others} without a sure reading, or with fewer than {FEWEST_READ} episodes in the "
        "dictionary.",
    ]
    alike = (
        (
            reading_text(readings[group[0]], page.classes, measured=True),
            len(group),
            ", ".join(page.messages[i].text for i in group[:SHORT]),
        )
        for group in same[:LISTED]
    )
    rows = ((each.text, meaning_of(page, each), true_text(each)) for each in several[:LISTED])
    tables = {
        "Synonyms": Table.of("Says | Messages :, | Such as", alike),
        "Homonyms": Table.of("Message | Says | True (held out)", rows),
    }
    return Section("Synonyms and homonyms", said, tables)
