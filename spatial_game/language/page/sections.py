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
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.readings import FEWEST_READ, LEAST_SURE, Reading, edges_text, entry_text
from spatial_game.language.page.content import Message, Page
from spatial_game.language.page.summary import capital, summary, warnings
from spatial_game.language.pictures.grid import window_lines
from spatial_game.language.relations import homonyms, is_compared, synonyms
from spatial_game.language.wording import ANY_LENGTH, SHORT, integers_text, listed, offset_text, symbols_text
from spatial_game.tables import Table
from spatial_game.text import between, counted

EXAMPLES, MESSAGES = "Examples, symbol by symbol", "Messages"
FREQUENCIES = "How often messages are sent"
"""Titles of sections."""
WHEREVER = 0.9
"""A symbol stands for integers that have this share of its episodes."""
ADDRESS = "This is an address: what the symbols of later slots say depends on the first one."
UNSURE, SEVERAL = "nothing that is mostly true", "one of several things"
"""What beginnings of messages say whose reading is unsure, or has several senses."""
CLASS = "A set of integers that several symbols name is a class, and has the name of its smallest integer."
ALIKE = (
    "Some symbols are one to the receiver: if any two of a row are exchanged, hardly more of its choices "
    "change than with the same message again. The last column has the most that was measured."
)
NOT_ALIKE = (
    "No two symbols of a slot were found that are one to the receiver. Of each slot, the twelve most "
    "frequent symbols were asked about."
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
LEAST_OPEN = 0.05
"""A range of shares that is wider than this says that more episodes would narrow it."""
MOST_OPEN = 0.5
"""A range that is wider than this says nothing."""
RARE_ARE_OPEN = " Of the rest, the episodes are too few to know. More episodes would narrow this range."


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
    told = () if page.says_nothing else about
    found = (each(page).filled for each in (in_short, *told, game))
    return [each for each in found if each.sentences or each.tables]


def in_short(page: Page) -> Section:
    """Return what one wants to know first."""
    answers = summary(page)
    shown = [
        f"{text}\n{window}" if "\n" in window else f"{text} {window}."
        for each in answers
        for text, window in each.examples
    ]
    return Section("In short", [*(each.sentence for each in answers), *shown, *warnings(page)])


# --- Messages -----------------------------------------------------------------------------------------------


def examples(page: Page) -> Section:
    """Return typical messages, each with what its beginnings say.

    They are the most frequent ones that say one thing, true of their window, and name no edge, of different
    first symbols and sets of integers.
    """
    sure = [each for each in page.messages if each.sent_for and each.is_sure and each.reading.senses]
    plain = [
        each
        for each in sure
        if len(each.reading.senses) == 1
        and not each.reading.senses[0].edges
        and each.reading.true_of(np.array(each.sent_for[:1]))[0]
    ]
    typical: list[Message] = []
    for each in plain or sure:
        alike = (
            each.symbols[0] == other.symbols[0] or _sets(each.reading) == _sets(other.reading)
            for other in typical
        )
        if len(typical) < NUM_EXAMPLES and not any(alike):
            typical.append(each)
    tables = {}
    for each, rows in zip(typical, _beginnings(page, typical), strict=True):
        title = "It sees " + "\n        ".join(window_lines(page.config, each.sent_for[0]))
        tables[title] = Table.of("It sends | So far, it says", rows)
    texts = " ".join(str(row[1]) for table in tables.values() for row in table.rows)
    legend = page.interpreter.legend(texts)
    hidden = ", and cells marked * are not seen" if page.config.num_hidden else ""
    said = f"What the sender sees (? is the target{hidden}), and what its message says after each symbol."
    return Section(EXAMPLES, [said, *([CLASS] if legend else []), *legend], tables)


def _beginnings(page: Page, typical: Sequence[Message]) -> list[list[tuple[str, str]]]:
    """Return the beginnings of each message, and what they say."""
    found: list[list[tuple[str, str]]] = [[] for _ in typical]
    for number, dictionary in enumerate(page.prefixes.dictionaries, 1):
        whole = number == len(page.prefixes.dictionaries)
        sent = [each.symbols[: None if whole else number] for each in typical]
        readings = page.interpreter if whole else interpreter(dictionary)
        for rows, symbols, each, reading in zip(
            found, sent, typical, readings.read(np.array(sent)) if sent else [], strict=True
        ):
            short = "" if whole else SEVERAL if len(reading.senses) > 1 else "" if reading.is_sure else UNSURE
            text = short or reading.text(page.classes)
            true = not reading.senses or short or reading.true_of(np.array(each.sent_for[:1]))[0]
            if short == SEVERAL and number == 1 and (values := _wherever(page, each.symbols[0], reading)):
                text = f"{integers_text(values)}, wherever"
                true = set(values) & set(each.sent_for[0])
            rows.append((page.dictionary.spelt(symbols), text if true else f"{text} (untrue here)"))
    return found


def _wherever(page: Page, symbol: int, reading: Reading) -> list[int]:
    """Return the integers that a first symbol stands for at any offset, of a language of where and what.

    They are the most frequent ones that have nine of ten episodes together; none if they are many, or if the
    symbol may say nothing of integers.
    """
    if page.built != "where and what" or not all(sense.statements for sense in reading.senses):
        return []
    of_offsets = len(page.config.offsets)
    tables = [
        each.symbol_counts[0, symbol] for i, each in page.dictionary.informative.items() if i < of_offsets
    ]
    often = np.sum(tables, axis=0)
    order = np.argsort(-often, kind="stable")
    number = int(np.searchsorted(np.cumsum(often[order]), WHEREVER * often.sum())) + 1
    return sorted(order[:number].tolist()) if number <= SHORT else []


def _sets(reading: Reading) -> set[tuple[int, ...]]:
    """Return the sets of integers that a message names."""
    return {statement.values for sense in reading.senses for statement in sense.statements}


def messages(page: Page) -> Section:
    """Return the most frequent messages, what they say, and how often that is true."""
    read = [message for message in page.messages if message.reading.senses]
    held_out, said = sum(message.true.trials for message in read), []
    if held_out:
        true = sum(message.true.num_correct for message in read) / held_out
        claimed = sum(message.reading.truth * message.true.trials for message in read) / held_out
        said = [
            f"What messages say is true in {true:.1%} of {counted(held_out, 'held-out episode')}. The "
            f"dictionary expects {claimed:.1%}."
        ]
    if page.config.message_length > 1:
        low, high = sets_of(page.dictionary).adding
        more = f"the message tells at least {LEAST_BITS} bits more about an offset than its symbols"
        if high - low > MOST_OPEN:
            said.append(f"In how many episodes {more}, is not known: there are too few episodes.")
        else:
            some, open_ = between((low, high), ".0%"), RARE_ARE_OPEN if high - low > LEAST_OPEN else ""
            said.append(f"In {some} of the episodes, {more}.{open_}")
    kinds = {
        "are unsure: true less than half of the time, by a 95% interval": [
            message for message in read if not message.is_sure
        ],
        "have no reading": [message for message in page.messages if not message.reading.senses],
    }
    if found := [f"{_share_of(page, some)} {what}" for what, some in kinds.items() if some]:
        said.append(f"Of {_those_read(page)}, {listed(found, '; ')}.")
    rows = (
        (each.text, meaning_of(page, each), each.measured, each.episodes) for each in page.messages[:LISTED]
    )
    table = Table.of("Message | Says | True (held out) | Episodes :,", rows)
    return Section(MESSAGES, said, {"The messages that are sent most": table})


def meaning_of(page: Page, message: Message) -> str:
    """Return what a message says in words; an unsure reading says so.

    How often it is true is measured in the held-out episodes, if there are any.
    """
    reading = message.reading
    text = reading.text(page.classes, measured=bool(message.true.trials))
    is_unsure = reading.is_sure and not message.is_sure and not reading.is_too_rare
    return f"unsure: {text}" if is_unsure else text


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
    """Return the message that is sent most often at each edge where the sender has one for it."""
    names = [edges_text(page.config, [edge]) for edge in range(len(page.at_edges))]
    rows = [
        (capital(name), page.dictionary.spelt(message), often / max(total, 1), total)
        for name, (message, often, total) in zip(names, page.at_edges, strict=True)
        if often >= LEAST_AT_EDGE * total > 0
    ]
    table = Table.of("Where | Message | Share :.0% | Episodes :,", rows)
    return Section("Near an end", [], {"The message that is sent most often": table})


def same_and_other(page: Page) -> Section:
    """Return synonyms and homonyms."""
    readings = [message.reading for message in page.messages]
    same, other = synonyms(readings), homonyms(readings)
    of_same = _share_of(page, [page.messages[i] for group in same for i in group])
    of_other = _share_of(page, [page.messages[i] for i in other])
    said = [
        f"Synonyms: of {_those_read(page)}, {of_same} have the same reading as another one.",
        f"Homonyms: {of_other} say one of several things.",
    ]
    if page.too_few:
        said.append("There are too few episodes: with more, messages that have the same reading may differ.")
    if others := [message for message in page.messages if not is_compared(message.reading)]:
        said.append(
            f"Not compared: {_share_of(page, others)} without a sure reading, or with fewer than "
            f"{FEWEST_READ} episodes in the dictionary."
        )
    if same and page.leaves_much:
        said.append("What the dictionary does not explain of messages may tell synonyms apart.")
    texts = ((group, ", ".join(page.messages[i].text for i in group[:SHORT])) for group in same[:LISTED])
    alike = (
        (readings[group[0]].text(page.classes, measured=True), len(group), text) for group, text in texts
    )
    several = (
        (each.text, meaning_of(page, each), each.measured)
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
    said = f"The most frequent message is sent in {share[0]:.1%} of the episodes."
    if half > 1:
        said += f" The {half:,} most frequent of {len(share):,} messages make up half of them."
    return Section(FREQUENCIES, [said])


# --- Symbols ------------------------------------------------------------------------------------------------


def symbols(page: Page) -> Section:
    """Return what the symbols of each slot say by themselves, the most frequent first, and the members of
    classes. Of an address, there is only the first slot."""
    said = [
        "What a symbol says in its slot by itself, if that is significant, and how often it is true where "
        "that offset is seen."
    ]
    slots = 1 if page.built == "address" else page.config.message_length
    said += [ADDRESS] if page.built == "address" else []
    if page.classes.members:
        said.append(CLASS)
    says, dictionary, tables = said_by_symbols(page), page.dictionary, {}
    for slot in range(slots):
        often = np.bincount(dictionary.messages[:, slot], dictionary.episodes).astype(int)
        rows = (
            (page.dictionary.symbol_names[symbol], says[slot, symbol], int(often[symbol]))
            for symbol in np.argsort(-often, kind="stable").tolist()
            if (slot, symbol) in says
        )
        tables[f"Slot {slot + 1}"] = Table.of("Symbol | Says | Episodes :,", rows)
    members = ((name, integers_text(each, ANY_LENGTH)) for name, each in page.classes.members.items())
    return Section(
        "Symbols", said, {**tables, "Members of the classes": Table.of("Class | Integers", members)}
    )


def said_by_symbols(page: Page) -> dict[tuple[int, int], str]:
    """Return what symbols say by themselves, by slot and symbol: what tells most first."""
    found: dict[tuple[int, int], list[Entry]] = {}
    for entry in sorted(page.interpreter.symbols, key=lambda entry: -entry.bits * entry.episodes):
        found.setdefault((entry.ngram.slot or 0, entry.ngram.symbols[0]), []).append(entry)
    return {key: _all_texts(page, entries) for key, entries in found.items()}


def _all_texts(page: Page, entries: Sequence[Entry]) -> str:
    """Return what a symbol says; the same integers at several offsets are named once."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        at_cell = entry.index < len(page.config.offsets)
        alike.setdefault(entry.values if at_cell else (-1,), []).append(entry)
    texts = []
    for same in alike.values():
        said = entry_text(same[0], page.config, page.classes, MOST_PIECES)
        places = [offset_text(page.config.offsets[entry.index]) for entry in same[1:]]
        true = sum(entry.share * entry.episodes for entry in same) / sum(entry.episodes for entry in same)
        joined = " and " if true ** len(same) >= LEAST_SURE else " or "  # "or": one of them, in each episode
        texts.append(f"{listed([said, *places], joined)} ({true:.0%}{' each' if places else ''})")
    return "; ".join(texts)


def slots_and_order(page: Page) -> Section:
    """Return whether the order of symbols matters, whether they mean the same in another slot, and which
    symbols are one to the receiver."""
    said = [*_order(page)] if page.config.message_length > 1 else []
    alike, names = page.combines.get("alike"), page.dictionary.symbol_names
    if alike is not None:
        said.append(ALIKE if alike else NOT_ALIKE)
    rows = (
        (each["slot"] + 1, ", ".join(names[symbol] for symbol in each["symbols"]), each["changed"])
        for each in alike or ()
    )
    table = Table.of("Slot | Symbols | Choices that changed :.1%", rows)
    return Section("Slots and order", said, {"Symbols that are one to the receiver": table})


def _order(page: Page) -> Iterator[str]:
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
        f"Offsets are counted from the target: one of them is {offset_text(config.offsets[0])}.{slices} The "
        "edge says whether the target is near an end. Slot 1 is the place of a message's first symbol. Bits "
        "measure what is told: one bit halves what is possible. Held-out episodes are the tenth of the "
        "recording that only checks the dictionary."
    )
    return Section("The game and its words", [rules, words])
