"""The sections of a page in plain English: sentences and tables, which the terminal and the page share.

Each function returns one section, which answers one question; `sections` has them in order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spatial_game.language.dictionary.entries import LEAST_BITS, Entry, sets_of
from spatial_game.language.dictionary.readings import (
    FEWEST_READ,
    LEAST_SURE,
    NEARLY_ALWAYS,
    edges_text,
    entry_text,
)
from spatial_game.language.page.answers import (
    MOST_NAMED,
    answers,
    bits_by_slot,
    bits_by_variable,
    capital,
    warnings,
)
from spatial_game.language.page.content import Example, Message, Page
from spatial_game.language.pictures.grid import window_lines
from spatial_game.language.relations import homonyms, is_compared, synonyms
from spatial_game.language.wording import (
    ANY_LENGTH,
    SHORT,
    integers_text,
    listed,
    number_text,
    offset_text,
    symbols_text,
)
from spatial_game.tables import Table, Value
from spatial_game.text import between, counted

EXAMPLES, MESSAGES, FREQUENCIES = "Examples, symbol by symbol", "Messages", "How often messages are sent"
"""Titles of sections."""
CLASS = "A set of integers that several symbols name is a class, and has the name of its smallest integer."
ADDRESS = "The symbols of later slots say little by themselves: one reads them after the first one."
ALIKE = (
    "Some symbols are one to the receiver: if any two of a row are exchanged, hardly more of its choices "
    "change than with the same message again. The last column has the most that was measured."
)
NOT_ALIKE = (
    "Of the twelve most frequent symbols of each slot, no two were found that are one to the receiver."
)
LISTED = 100
"""Rows of a long list."""


@dataclass(frozen=True)
class Section:
    """A part of a page: a title, sentences, and tables by their titles."""

    title: str
    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences and the rows of the tables, for JSON."""
        tables = {title: table.records() for title, table in self.tables.items()}
        return {"sentences": [*self.sentences], "tables": tables}

    @property
    def filled(self) -> Section:
        """The section without its empty tables."""
        return Section(self.title, self.sentences, {name: t for name, t in self.tables.items() if t.rows})


@functools.lru_cache(maxsize=2)
def sections(page: Page) -> list[Section]:
    """Return the parts of a page in words, the same objects each time; empty ones are left out."""
    about = (examples, messages, symbols, near_an_end, same_and_other, frequencies, slots_and_order)
    found = (each(page).filled for each in (in_short, *(() if page.says_nothing else about), game))
    return [each for each in found if each.sentences or each.tables]


def in_short(page: Page) -> Section:
    """Return what one wants to know first."""
    shown = answers(page)
    said = [f"{each.question} {each.answer}. {each.sentence}" for each in shown]
    said += [f"{text}\n{window}" for each in shown for text, window in each.examples]
    if page.says_nothing:
        return Section("In short", [*said, *warnings(page)])
    bits = {"What messages tell, in bits": bits_by_variable(page)}
    of_slots = {"What symbols tell, in bits": bits_by_slot(page)}
    return Section("In short", [*said, *warnings(page)], {**bits, **of_slots})


# --- Messages -----------------------------------------------------------------------------------------------


def examples(page: Page) -> Section:
    """Return examples: what the sender sees, and what its message says, symbol by symbol."""
    tables = {}
    for each in page.examples:
        title = "It sees " + "\n        ".join(window_lines(page.config, each.window))
        tables[title] = Table.of("It sends | So far, it says", steps_of(page, each))
    texts = " ".join(str(row[1]) for table in tables.values() for row in table.rows)
    legend = page.interpreter.legend(texts)
    hidden = ", and cells marked * are not seen" if page.config.num_hidden else ""
    said = f"What the sender sees (? is the target{hidden}), and what its message says after each symbol."
    return Section(EXAMPLES, [said, *([CLASS] if legend else []), *legend], tables)


def steps_of(page: Page, example: Example) -> list[tuple[str, str]]:
    """Return the beginnings of an example's message, and what they say."""
    symbols, whole = example.message.symbols, example.beginnings[-1]
    first = said_by_symbols(page).get((0, symbols[0]), ["nothing by itself"])
    says = [] if len(symbols) == 1 else ["; ".join(first[:2])]
    for each in example.beginnings:
        clear = each is whole or example.is_clear(each)
        says.append(each.text(page.classes, measured=True) if clear else "nothing clear yet")
    ends = range(1, len(says)), [len(symbols)]
    return [
        (page.dictionary.spelt(symbols[:end]), text)
        for end, text in zip([*ends[0], *ends[1]], says, strict=True)
    ]


def messages(page: Page) -> Section:
    """Return the most frequent messages, what they say, how often that is true, and how often understood."""
    said = [*_truth(page), *_receiver(page)]
    if page.config.message_length > 1:
        said.append(
            f"In {between(sets_of(page.dictionary).adding, '.0%')} of the episodes, the message tells at "
            f"least {LEAST_BITS} bits more about an offset than its symbols."
        )
    heading = f"Message | Says | True (held out){' | Receiver right' * (page.right.trials > 0)} | Episodes :,"
    missed = sorted(
        (each for each in page.messages if each.is_missed), key=lambda each: each.right.interval[1]
    )
    tables = {
        "The messages that are sent most": page.messages,
        "Messages that the receiver misses, though their readings are sure": missed,
    }
    return Section(
        MESSAGES,
        said,
        {
            title: Table.of(heading, (_row(page, each) for each in some[:LISTED]))
            for title, some in tables.items()
        },
    )


def _truth(page: Page) -> Iterator[str]:
    """Yield how often readings are true, and which messages have no sure one."""
    read = [message for message in page.messages if message.reading.senses]
    if held_out := sum(message.true.trials for message in read):
        true = sum(message.true.num_correct for message in read) / held_out
        claimed = sum(message.reading.truth * message.true.trials for message in read) / held_out
        yield (
            f"What messages say is true in {true:.1%} of {counted(held_out, 'held-out episode')}: every "
            f"tenth one, from which the dictionary was not built. The dictionary expects {claimed:.1%}."
        )
    kinds = {
        "are unsure: true less than half of the time, by a 95% interval": [
            message for message in read if not message.is_sure
        ],
        "have no reading": [message for message in page.messages if not message.reading.senses],
    }
    if found := [f"{_share_of(page, some)} {what}" for what, some in kinds.items() if some]:
        yield f"Of {_those_read(page)}, {listed(found, '; ')}."


def _receiver(page: Page) -> Iterator[str]:
    """Yield what the receiver's figures mean, or how to get them."""
    if page.right.trials:
        yield (
            f"A reading is what the sender says. The receiver is right in {page.right.accuracy:.1%} of "
            f"{counted(page.right.trials, 'episode')}; beside each message stands the 95% interval. It is "
            f"low if the reading is sure, but the receiver is right in less than {NEARLY_ALWAYS:.0%}."
        )
    else:
        yield (
            "A reading is what the sender says. Whether the receiver understands each message is not known: "
            "these episodes have no choices. Those that `spatial-game record` writes have them."
        )


def _row(page: Page, message: Message) -> tuple[Value, ...]:
    right = [right_text(message)] * (page.right.trials > 0)
    return message.text, meaning_of(page, message), true_text(message), *right, message.episodes


def true_text(message: Message) -> str:
    """Return in how many held-out episodes it is true: "4 of 5 (38% to 96%)", or nothing without any."""
    true = message.true
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
    text = reading.text(page.classes, measured=bool(message.true.trials))
    excluded = reading.senses and reading.is_sure and not message.is_sure and not reading.is_too_rare
    return f"unsure: {text}" if excluded else text


def _those_read(page: Page) -> str:
    """Return which messages are read: all, or the most frequent ones."""
    number = counted(len(page.sent), "different message")
    if len(page.messages) == len(page.sent):
        return number
    return f"the {len(page.messages):,} most frequent of {number}"


def _share_of(page: Page, some: Sequence[Message]) -> str:
    """Return the number of messages, and the share of the episodes that have them."""
    share = sum(message.episodes for message in some) / page.dictionary.total
    return f"{len(some):,} ({share:.1%} of the episodes)"


def near_an_end(page: Page) -> Section:
    """Return the message that is sent most often at each edge."""
    rows = [
        (capital(edges_text(page.config, [edge])), page.dictionary.spelt(message), often / total, total)
        for edge, (message, often, total) in enumerate(page.at_edges)
        if total
    ]
    rows.sort(key=lambda row: -row[2])
    table = Table.of("Where | Message | Share :.0% | Episodes :,", rows)
    return Section("Near an end", [], {"The message that is sent most often": table})


def same_and_other(page: Page) -> Section:
    """Return synonyms and homonyms."""
    readings = [message.reading for message in page.messages]
    same, other = synonyms(readings), homonyms(readings)
    of_same = _share_of(page, [page.messages[i] for group in same for i in group])
    of_other = _share_of(page, [page.messages[i] for i in other])
    bits = page.dictionary.bits
    said = [
        f"Synonyms: of {_those_read(page)}, {of_same} have the same reading as another one. They may differ "
        f"in what the dictionary does not explain: it explains {min(bits.messages, bits.entropy):.1f} of "
        f"{bits.entropy:.1f} bits.",
        f"Homonyms: {of_other} say one of several things.",
    ]
    if others := [message for message in page.messages if not is_compared(message.reading)]:
        said.append(
            f"Not compared: {_share_of(page, others)} without a sure reading, or with fewer than "
            f"{FEWEST_READ} episodes in the dictionary."
        )
    alike = (
        (
            readings[group[0]].text(page.classes, measured=True),
            len(group),
            ", ".join(page.messages[i].text for i in group[:SHORT]),
        )
        for group in same[:LISTED]
    )
    several = (
        (each.text, meaning_of(page, each), true_text(each))
        for each in (page.messages[i] for i in other[:LISTED])
    )
    tables = {
        "Synonyms": Table.of("Says | Messages :, | Such as", alike),
        "Homonyms": Table.of("Message | Says | True (held out)", several),
    }
    return Section("Synonyms and homonyms", said, tables)


def frequencies(page: Page) -> Section:
    """Return how often messages are sent."""
    share = page.sent / page.sent.sum()
    half = int(np.searchsorted(np.cumsum(share), 0.5)) + 1
    said = (
        f"The most frequent message is sent in {share[0]:.1%} of the episodes. The {half:,} most frequent of "
        f"{counted(len(share), 'message')} make up half of them."
    )
    return Section(FREQUENCIES, [said])


# --- Symbols ------------------------------------------------------------------------------------------------


def symbols(page: Page) -> Section:
    """Return what the symbols of each slot say by themselves, the most frequent first, and the members of
    classes. Of an address, there is only the first slot."""
    is_address = page.built == "address"
    said = [
        "What a symbol says in its slot by itself, if that is significant, and how often it is true where "
        "that offset is seen."
    ]
    said += [ADDRESS] * is_address + [CLASS] * bool(page.classes.members)
    says, dictionary, tables = said_by_symbols(page), page.dictionary, {}
    for slot in range(1 if is_address else page.config.message_length):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes).astype(int)
        rows = (
            (dictionary.symbol_names[symbol], "; ".join(says[slot, symbol]), int(often[symbol]))
            for symbol in np.argsort(-often, kind="stable").tolist()
            if (slot, symbol) in says
        )
        tables[f"Slot {slot + 1}"] = Table.of("Symbol | Says | Episodes :,", rows)
    members = ((name, integers_text(each, ANY_LENGTH)) for name, each in page.classes.members.items())
    tables["Members of the classes"] = Table.of("Class | Integers", members)
    return Section("Symbols", said, tables)


@functools.lru_cache(maxsize=2)
def said_by_symbols(page: Page) -> dict[tuple[int, int], list[str]]:
    """Return what symbols say by themselves, by slot and symbol: what tells most first."""
    found: dict[tuple[int, int], list[Entry]] = {}
    for entry in sorted(page.interpreter.symbols, key=lambda entry: -entry.bits * entry.episodes):
        found.setdefault((entry.ngram.slot or 0, entry.ngram.symbols[0]), []).append(entry)
    return {key: _all_texts(page, entries) for key, entries in found.items()}


def _all_texts(page: Page, entries: Sequence[Entry]) -> list[str]:
    """Return what a symbol says; the same integers at several offsets are named once."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        at_cell = entry.index < len(page.config.offsets)
        alike.setdefault(entry.values if at_cell else (-1,), []).append(entry)
    texts = []
    for same in alike.values():
        said = entry_text(same[0], page.config, page.classes)
        others = [offset_text(page.config.offsets[entry.index]) for entry in same[1:]]
        true = sum(entry.share * entry.episodes for entry in same) / sum(entry.episodes for entry in same)
        together = true ** len(same) >= LEAST_SURE  # otherwise it says one of them in each episode
        text = listed([said, *others], " and " if together else " or ")
        if len(same) > MOST_NAMED:
            where = f"{'' if together else 'one of '}{number_text(len(same))} offsets"
            text = f"{page.classes.text(same[0].values)} at {where}"
        texts.append(f"{text} ({true:.0%}{' each' if others else ''})")
    return texts


def slots_and_order(page: Page) -> Section:
    """Return whether the order of symbols matters, whether they mean the same in another slot, and which
    symbols are one to the receiver."""
    said, known = [], page.dictionary.bits.messages
    if page.config.message_length > 1:
        said = [
            f"A dictionary that does not know the order of symbols tells "
            f"{min(page.bits_without_order, known):.2f} of {known:.2f} bits of held-out episodes. Whether "
            "the receiver needs the order was not asked.",
            page.agreement.text
            if page.agreement
            else "Too few symbols stand in two slots to say whether they mean the same there.",
        ]
    alike, names = page.combines.get("alike"), page.dictionary.symbol_names
    if alike is not None:
        said.append(ALIKE if alike else NOT_ALIKE)
    rows = (
        (each["slot"] + 1, ", ".join(names[symbol] for symbol in each["symbols"]), each["changed"])
        for each in alike or ()
    )
    table = Table.of("Slot | Symbols | Choices that changed :.1%", rows)
    return Section("Slots and order", said, {"Symbols that are one to the receiver": table})


# --- The whole ----------------------------------------------------------------------------------------------


def game(page: Page) -> Section:
    """Return the rules of the game, and the words of this page."""
    config = page.config
    where, side = f"A sequence has {config.sequence_length}", "on each side"
    if len(config.shape) > 1:
        where, side = f"A grid has {' x '.join(map(str, config.shape))}", "in each direction"
    sees = f"the integers around one of them, the target ({config.window_radius} {side})"
    if config.num_hidden:
        sees = f"{config.num_visible} of {sees}"
    rules = (
        f"{where} different integers from 0 to {config.num_integers - 1}. The sender sees {sees}, but not "
        f"the target itself, and sends a message of {counted(config.message_length, 'symbol')} from "
        f"{symbols_text(page.dictionary.symbol_names)}. The receiver sees all integers and the message, "
        f"and chooses the target among {config.num_candidates} candidates."
    )
    slices = " Slices of the grid stand side by side, that in front first." if len(config.shape) > 2 else ""
    words = (
        f"Offsets are counted from the target: one of them is {offset_text(config.offsets[0])}.{slices} Slot "
        "1 is the place of a message's first symbol. Held-out episodes are the tenth of the recording that "
        "only checks the dictionary."
    )
    return Section("The game and its words", [rules, words])
