"""The lists of a language in plain English: sentences and tables, which the terminal and the page share."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.dictionary.entries import LEAST_BITS, Entry
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.readings import LEAST_SURE, edges_text, entry_text
from spatial_game.language.dictionary_tables import bits_by_variable
from spatial_game.language.page.content import Message, Page
from spatial_game.language.page.summary import capital, summary, warnings
from spatial_game.language.pictures.relations import FEWEST_READ, homonyms, synonyms
from spatial_game.language.wording import ANY_LENGTH, SHORT, integers_text, listed, offset_text
from spatial_game.tables import Table
from spatial_game.text import counted

EXAMPLES, MESSAGES = "Examples, symbol by symbol", "Messages"
FREQUENCIES = "How often messages are sent"
"""Titles of sections."""
ADDRESS = (
    "This is an address: what the symbols of later slots say depends on the first one. Choose a first symbol "
    "to see what the second one says after it."
)
NUM_EXAMPLES = 3
MOST_PIECES = 16
"""A set of integers of at most this number of pieces is written out in the list of symbols."""
LISTED = 100
"""Rows of a long list."""
MATTERS = 0.05
"""Order matters if messages tell less without it by at least this share of their bits."""
LEAST_AT_EDGE = 0.2
"""A message is one for an edge if it has at least this share of the episodes there."""
BITS = "Bits about each offset: by one slot, by all symbols, by the whole message, and the most possible"


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


@functools.lru_cache(maxsize=2)
def sections(page: Page) -> list[Section]:
    """Return the parts of a page in words, the same objects each time."""
    answers = [each.sentence for each in summary(page)]
    in_short = _section("In short", [*answers, *warnings(page)])
    lists = [] if page.says_nothing else [each for each in _lists(page) if each.sentences or each.tables]
    bits = _section(
        "Bits", [page.dictionary.bits.text], {BITS: bits_by_variable(page.dictionary, by_slot=True)}
    )
    return [in_short, *lists, bits, _section("The game and its words", _game(page))]


def _lists(page: Page) -> Iterator[Section]:
    yield _examples(page)
    yield _section(MESSAGES, _readings(page), {"The messages that are sent most": messages(page)})
    yield _section("Symbols", _symbols_text(page), symbols(page))
    yield _section("Near an end", [], {"The message that is sent most often": _at_edges(page)})
    yield _section("Synonyms and homonyms", *_same_and_other(page))
    yield _section(FREQUENCIES, _frequencies(page))
    yield _section("Slots and order", _slots_and_order(page))


def _section(title: str, said: Iterable[str], tables: Mapping[str, Table] | None = None) -> Section:
    """Return a section without its empty tables."""
    filled = {name: table for name, table in (tables or {}).items() if table.rows}
    return Section(title, tuple(said), filled)


def _game(page: Page) -> Iterator[str]:
    """Yield the game, and the words of this page."""
    yield _rules(page)
    yield (
        "Offsets are counted from the target: one left is its left neighbour. The edge says whether the "
        "target is near an end. Slot 1 is the place of a message's first symbol. Bits measure what is told: "
        "one bit halves what is possible. Held-out episodes are the tenth of the recording that only checks "
        "the dictionary."
    )


def _rules(page: Page) -> str:
    """Return the rules of the game in words."""
    config = page.config
    where, side = f"A sequence has {config.sequence_length}", "on each side"
    if len(config.shape) > 1:
        where, side = f"A grid has {' x '.join(map(str, config.shape))}", "in each direction"
    sees = f"the integers around one of them, the target ({config.window_radius} {side})"
    if config.num_hidden:
        sees = f"{config.num_visible} of {sees}"
    return (
        f"{where} different integers from 0 to {config.num_integers - 1}. The sender sees {sees}, but not "
        f"the target itself, and sends a message of {counted(config.message_length, 'symbol')} from 0 to "
        f"{config.vocab_size - 1}. The receiver sees all integers and the message, and chooses the target "
        f"among {config.num_candidates} candidates."
    )


# --- Messages -----------------------------------------------------------------------------------------------


def messages(page: Page) -> Table:
    """Return the most frequent messages, and what they say."""
    rows = (
        (str(each), meaning_of(page, each), each.measured, each.episodes) for each in page.messages[:LISTED]
    )
    return Table.of("Message | Says | True (held out) | Episodes :,", rows)


def meaning_of(page: Page, message: Message) -> str:
    """Return what a message says in words; an unsure reading says so."""
    text = message.reading.text(page.interpreter.classes)
    return f"unsure: {text}" if message.reading.is_sure and not message.is_sure else text


def _readings(page: Page) -> Iterator[str]:
    """Yield how often readings are true, how many are unsure, and how often the dictionary does not say."""
    read = [message for message in page.messages if message.reading.senses]
    held_out = sum(message.held_out for message in read)
    if held_out:
        true = sum(message.true for message in read) / held_out
        yield f"What messages say is true in {true:.1%} of {counted(held_out, 'held-out episode')}."
    kinds = {
        f"tell at least {LEAST_BITS} bits more about an offset than their symbols": [
            message for message in page.messages if message.adds
        ],
        "are unsure: true less than half of the time, by a 95% interval": [
            message for message in read if not message.is_sure
        ],
        "have no reading": [message for message in page.messages if not message.reading.senses],
    }
    found = [f"{_share_of(page, some)} {what}" for what, some in kinds.items() if some]
    if found:
        yield f"Of {_those_read(page)}, {listed(found, '; ')}."


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


def _same_and_other(page: Page) -> tuple[list[str], dict[str, Table]]:
    """Return sentences and tables of synonyms and homonyms."""
    readings, classes = [message.reading for message in page.messages], page.interpreter.classes
    same, other = synonyms(readings), homonyms(readings)
    of_same = _share_of(page, [page.messages[i] for group in same for i in group])
    of_other = _share_of(page, [page.messages[i] for i in other])
    said = [
        f"Synonyms: of {_those_read(page)}, {of_same} have the same reading as another one.",
        f"Homonyms: {of_other} say one of several things.",
        f"Messages with fewer than {FEWEST_READ} episodes in the dictionary are not among them.",
    ]
    rows = (
        (
            readings[group[0]].text(classes),
            len(group),
            ", ".join(str(page.messages[i]) for i in group[:SHORT]),
        )
        for group in same[:LISTED]
    )
    several = ((str(page.messages[i]), meaning_of(page, page.messages[i])) for i in other[:LISTED])
    return said, {
        "Synonyms": Table.of("Says | Messages :, | Such as", rows),
        "Homonyms": Table.of("Message | Says", several),
    }


def _frequencies(page: Page) -> Iterator[str]:
    share = page.sent / page.sent.sum()
    half = int(np.searchsorted(np.cumsum(share), 0.5)) + 1
    yield (
        f"The most frequent message is sent in {share[0]:.1%} of the episodes. The {half:,} most frequent "
        f"of {len(share):,} messages make up half of them."
    )


def _slots_and_order(page: Page) -> Iterator[str]:
    if page.config.message_length < 2:
        return
    known = page.dictionary.bits.messages
    unordered = min(page.bits_without_order, known)
    figures = (
        f"a dictionary that does not know it tells {unordered:.2f} of {known:.2f} bits of held-out episodes"
    )
    if 1 - unordered / known >= MATTERS:
        yield f"The order of symbols matters: {figures}."
    else:
        yield (
            f"Symbols can be recognised without their order: {figures}. Whether the receiver needs the order "
            "was not asked."
        )
    if page.agreement is None:
        yield "Too few symbols stand in two slots to say whether they mean the same there."
    else:
        yield page.agreement.text


def _at_edges(page: Page) -> Table:
    """Return the message that is sent most often at each edge where the sender has one for it."""
    names = [edges_text(page.config, [edge]) for edge in range(len(page.at_edges))]
    rows = [
        (capital(name), " ".join(map(str, message)), often / max(total, 1), total)
        for name, (message, often, total) in zip(names, page.at_edges, strict=True)
        if often >= LEAST_AT_EDGE * total > 0
    ]
    return Table.of("Where | Message | Share :.0% | Episodes :,", rows)


# --- Examples -----------------------------------------------------------------------------------------------


def _examples(page: Page) -> Section:
    """Return typical messages, each with what its beginnings say.

    They are the most frequent ones that do not name an edge, of different first symbols.
    """
    sure = [each for each in page.messages if each.windows and each.is_sure and each.reading.senses]
    of_integers = [each for each in sure if not any(sense.edges for sense in each.reading.senses)] or sure
    most = {each.symbols[0]: each for each in reversed(of_integers)}
    typical = sorted(most.values(), key=lambda each: -each.episodes)[:NUM_EXAMPLES]
    tables: dict[str, list[tuple[str, str]]] = {each.windows[0]: [] for each in typical}
    for number, dictionary in enumerate(page.chain.dictionaries):
        whole = number + 1 == len(page.chain.dictionaries)
        for each in typical:
            symbols = each.symbols if whole else each.symbols[: number + 1]
            [reading] = interpreter(dictionary).read(np.array([symbols]))
            text = reading.text(page.interpreter.classes)
            if reading.senses and not reading.true_of(np.array(each.sent_for[:1]))[0]:
                text = f"{text} (untrue here)"
            tables[each.windows[0]].append((" ".join(map(str, symbols)), text))
    texts = " ".join(text for rows in tables.values() for _, text in rows)
    hidden = ", and cells marked * are not seen" if page.config.num_hidden else ""
    said = f"In these windows, ? is the target{hidden}. Each line is what the message says so far."
    return _section(
        EXAMPLES,
        [said, *page.interpreter.legend(texts)],
        {
            f"It sees {window}": Table.of("It sends | So far, it says", rows)
            for window, rows in tables.items()
        },
    )


# --- Symbols ------------------------------------------------------------------------------------------------


def _symbols_text(page: Page) -> Iterator[str]:
    yield (
        "What a symbol says in its slot by itself, if that is significant, and how often it is true where "
        "that offset is seen."
    )
    if page.chain.built == "address":
        yield ADDRESS
    if page.interpreter.classes.members:
        yield "A class is a set of integers without order that several symbols say."


def symbols(page: Page) -> dict[str, Table]:
    """Return a table for each slot, with the most frequent symbol first, and the members of classes.

    Of an address, there is only the first slot.
    """
    dictionary, said = page.dictionary, _entries(page)
    tables = {}
    for slot in range(1 if page.chain.built == "address" else page.config.message_length):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes).astype(int)
        rows = (
            (str(symbol), _all_texts(page, said[slot, symbol]), int(often[symbol]))
            for symbol in np.argsort(-often, kind="stable").tolist()
            if (slot, symbol) in said
        )
        tables[f"Slot {slot + 1}"] = Table.of("Symbol | Says | Episodes :,", rows)
    members = page.interpreter.classes.members.items()
    of_classes = ((name, integers_text(values, ANY_LENGTH)) for name, values in members)
    return {**tables, "Members of the classes": Table.of("Class | Integers", of_classes)}


def _entries(page: Page) -> dict[tuple[int | None, int], list[Entry]]:
    """Return the entries by slot and symbol, what tells most first."""
    found: dict[tuple[int | None, int], list[Entry]] = {}
    for entry in sorted(page.interpreter.symbols, key=lambda entry: -entry.bits * entry.episodes):
        found.setdefault((entry.ngram.slot, entry.ngram.symbols[0]), []).append(entry)
    return found


def _all_texts(page: Page, entries: Sequence[Entry]) -> str:
    """Return what a symbol says; the same integers at several offsets are named once."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        at_cell = entry.index < len(page.config.offsets)
        alike.setdefault(entry.values if at_cell else (-1,), []).append(entry)
    texts = []
    for same in alike.values():
        said = entry_text(same[0], page.config, page.interpreter.classes, MOST_PIECES)
        places = [offset_text(page.config.offsets[entry.index]) for entry in same[1:]]
        true = sum(entry.share * entry.episodes for entry in same) / sum(entry.episodes for entry in same)
        joined = " and " if true ** len(same) >= LEAST_SURE else " or "  # "or": one of them, in each episode
        texts.append(f"{listed([said, *places], joined)} ({true:.0%}{' each' if places else ''})")
    return "; ".join(texts)
