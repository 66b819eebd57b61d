"""The page of a language in plain English: sentences and tables, which the terminal and the page share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.dictionary.entries import LEAST_BITS, Entry
from spatial_game.language.dictionary.readings import LEAST_SURE, entry_text
from spatial_game.language.dictionary_tables import bits_by_variable
from spatial_game.language.page.content import Message, Page
from spatial_game.language.wording import (
    ANY_LENGTH,
    SHORT,
    integers_text,
    listed,
    offset_text,
    variable_texts,
)
from spatial_game.tables import Table, counted

LEAST_ABOUT_PLACE = 0.1
"""Messages tell of a place if they tell at least this number of bits about it, an episode."""
FEW = 3
"""A message names a place if it leaves at most this number of integers there."""
EXAMPLES = 3
FEW_HELD_OUT = 100
"""With fewer held-out episodes, a dictionary that finds nothing proves nothing."""
BITS = "Bits about each place: by one slot, by all symbols, by the whole message, and the most possible"
_LEAST_NAMED = 0.05  # of the episodes: worth a mention


@dataclass(frozen=True)
class Section:
    """A part of a page: a title, sentences, and tables by their titles."""

    title: str
    sentences: tuple[str, ...]
    tables: Mapping[str, Table]

    def to_dict(self) -> dict[str, Any]:
        """Return the sentences and the rows of the tables, for JSON."""
        tables = {title: table.records() for title, table in self.tables.items()}
        return {"sentences": [*self.sentences], "tables": tables}


def sections(page: Page, most: int = SHORT) -> list[Section]:
    """Return the parts of a page, in order. The alphabet writes out sets of at most `most` pieces."""
    by_variable = {BITS: bits_by_variable(page.dictionary, by_slot=True)}
    found = [_section("The game", _game(page)), _section("What is told", _bits(page), by_variable)]
    if not page.says_nothing:
        found += [
            _section("The alphabet", _alphabet(page), alphabet(page, most)),
            _section("Symbols and whole messages", _wholes(page)),
            _section("Words", _words(page), {WORDS: words(page)}),
            _section("Examples", [], {"Episodes": _examples(page)}),
        ]
    if page.heard is not None and not page.says_nothing:
        heard = page.heard
        tables = {"With the symbol of one slot exchanged": heard.exchange_table}
        found.append(_section("What the receiver makes of it", heard.sentences, tables))
    return found


def _section(title: str, said: Iterable[str], tables: Mapping[str, Table] | None = None) -> Section:
    """Return a section without its empty tables."""
    filled = {name: table for name, table in (tables or {}).items() if table.rows}
    return Section(title, tuple(said), filled)


# --- The game, and what is told -----------------------------------------------------------------------------


def _game(page: Page) -> Iterator[str]:
    """Yield the game in two sentences, and the words of this page."""
    config = page.config
    where, side = f"A sequence has {config.sequence_length}", "on each side"
    if len(config.shape) > 1:
        where, side = f"A grid has {' x '.join(map(str, config.shape))}", "in each direction"
    sees = f"the integers around one of them, the target ({config.window_radius} {side})"
    if config.num_hidden:
        sees = f"{config.num_visible} of {sees}"
    yield (
        f"{where} different integers from 0 to {config.num_integers - 1}; the sender sees {sees}, but not "
        f"the target itself, and sends a message of {counted(config.message_length, 'symbol')} from 0 to "
        f"{config.vocab_size - 1}."
    )
    yield (
        "The receiver sees all integers and the message, and chooses the target among "
        f"{config.num_candidates} candidates."
    )
    yield (
        "Places are counted from the target: one left is its left neighbour. The edge says whether the "
        "target is near an end. Slot 1 is the place of a message's first symbol. Bits measure what is told: "
        "one bit halves what is possible, and "
        f"{np.log2(config.num_integers):.2f} bits tell one of {config.num_integers} integers. Held-out "
        "episodes are the tenth of the recording that only checks the dictionary."
    )


def _bits(page: Page) -> Iterator[str]:
    """Yield how much messages tell, about which places, and which integers they name."""
    bits, names = page.dictionary.bits, variable_texts(page.config)
    yield bits.text
    if page.says_nothing:
        yield (
            "The dictionary finds nothing: no message says anything about any one place that could be "
            "measured. It does not find what messages say of several places together, such as a sum."
        )
        if page.dictionary.bits.episodes < FEW_HELD_OUT:
            few = counted(page.dictionary.total, "episode")
            yield f"With more than {few}, it may find something."
        return
    if page.too_few:
        yield (
            f"There are too few episodes: the dictionary explains {page.fitted_bits:.2f} bits of those "
            "that it was built from. The difference is chance, and with more episodes this page may say "
            "something else."
        )
    of = [
        f"{names[place]} ({min(told, most):.2f} of {most:.2f})"
        for place, (told, most) in enumerate(
            zip(bits.messages_by_variable, bits.possible_by_variable, strict=True)
        )
        if told >= LEAST_ABOUT_PLACE
    ]
    nothing = f"less than {LEAST_ABOUT_PLACE} bits about each single place"
    yield f"In bits, they tell {listed(of, ' and ') if of else nothing}."
    named = [
        f"{names[cell]} in {share:.0%}" for cell, share in enumerate(_named(page)) if share >= _LEAST_NAMED
    ]
    if named:
        yield f"Messages name an integer, or leave at most {FEW}: {listed(named, ', ')} of the episodes."


def _named(page: Page) -> list[float]:
    """Return, for each cell, the share of the episodes whose message names what stands there."""
    shares = np.zeros(len(page.config.offsets))
    for message in page.messages:
        for sense in message.reading.senses:
            for statement in sense.statements:
                if len(statement.values) <= FEW:
                    shares[statement.index] += sense.share * message.episodes
    return [float(share) for share in shares / page.dictionary.total]


# --- The alphabet, and words --------------------------------------------------------------------------------


def _alphabet(page: Page) -> Iterator[str]:
    yield (
        "What a symbol says in its slot, if that is significant, and how often it is true where that place "
        "is seen."
    )
    if page.interpreter.classes.members:
        yield "A class is a set of integers without order that several symbols say."


def alphabet(page: Page, most: int) -> dict[str, Table]:
    """Return a table for each slot, with the most frequent symbol first, and the members of classes."""
    dictionary, said = page.dictionary, _symbols(page)
    tables = {}
    for slot in range(page.config.message_length):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes).astype(int)
        rows = (
            (str(symbol), _all_texts(page, said[slot, symbol], most), int(often[symbol]))
            for symbol in np.argsort(-often, kind="stable").tolist()
            if (slot, symbol) in said
        )
        tables[f"Slot {slot + 1}"] = Table.of("Symbol | Says | Episodes :,", rows)
    members = page.interpreter.classes.members.items()
    of_classes = ((name, integers_text(values, ANY_LENGTH)) for name, values in members)
    return {**tables, "Members of the classes": Table.of("Class | Integers", of_classes)}


def _symbols(page: Page) -> dict[tuple[int | None, int], list[Entry]]:
    """Return the entries by slot and symbol, what tells most first."""
    found: dict[tuple[int | None, int], list[Entry]] = {}
    for entry in sorted(page.interpreter.symbols, key=lambda entry: -entry.bits * entry.episodes):
        found.setdefault((entry.ngram.slot, entry.ngram.symbols[0]), []).append(entry)
    return found


def _all_texts(page: Page, entries: Sequence[Entry], most: int) -> str:
    """Return what a symbol says; the same integers at several places are named once."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        at_cell = entry.index < len(page.config.offsets)
        alike.setdefault(entry.values if at_cell else (-1,), []).append(entry)
    texts = []
    for same in alike.values():
        said = entry_text(same[0], page.config, page.interpreter.classes, most)
        places = [offset_text(page.config.offsets[entry.index]) for entry in same[1:]]
        true = sum(entry.share * entry.episodes for entry in same) / sum(entry.episodes for entry in same)
        joined = " and " if true ** len(same) >= LEAST_SURE else " or "  # "or": one of them, in each episode
        texts.append(f"{listed([said, *places], joined)} ({true:.0%}{' each' if places else ''})")
    return "; ".join(texts)


def _wholes(page: Page) -> Iterator[str]:
    """Yield how many messages say more than their symbols, and how often they are sent."""
    yield (
        f"Of {counted(page.num_messages, 'different message')}, {_messages(page, page.words)}, tell at "
        f"least {LEAST_BITS} bits more about a place than their symbols. Rare messages are not known to."
    )


def _words(page: Page) -> Iterator[str]:
    """Yield how often readings are true, how many are unsure, and how often the dictionary does not say."""
    read = [message for message in page.messages if message.reading.senses]
    unread = [message for message in page.messages if not message.reading.senses]
    unsure = [message for message in read if not message.is_sure]
    held_out = sum(message.held_out for message in read)
    if held_out:
        true = sum(message.true for message in read) / held_out
        yield f"What messages say is true in {true:.1%} of {counted(held_out, 'held-out episode')}."
    yield (
        "Readings that are true less than half of the time, by a 95% interval, are called unsure: "
        f"{_messages(page, unsure)}."
    )
    if unread:
        yield f"The dictionary does not say what the others mean: {_messages(page, unread)}."


def _messages(page: Page, messages: Sequence[Message]) -> str:
    """Return the number of messages, and the share of the episodes that have them."""
    share = sum(message.episodes for message in messages) / page.dictionary.total
    return f"{counted(len(messages), 'message')}, {share:.1%} of the episodes"


WORDS = "Messages that say more than their symbols"


def words(page: Page) -> Table:
    """Return the messages that say more than their symbols, the most frequent one first."""
    rows = ((str(each), meaning_of(page, each), each.measured, each.episodes) for each in page.words)
    return Table.of("Message | Says | True (held out) | Episodes :,", rows)


def meaning_of(page: Page, message: Message) -> str:
    """Return what a message says in words; an unsure reading says so."""
    text = message.reading.text(page.interpreter.classes)
    return f"unsure: {text}" if message.reading.is_sure and not message.is_sure else text


def _examples(page: Page) -> Table:
    """Return a window of some messages, from the most frequent to a rare one, and what they say."""
    shown = [each for each in page.messages if each.windows]
    rows = [
        (each.windows[0], str(each), meaning_of(page, each)) for each in shown[:: -(-len(shown) // EXAMPLES)]
    ]
    return Table.of("The sender sees (? is the target) | It sends | By the dictionary", rows)
