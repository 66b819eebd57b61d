"""What a page says of symbols: one after the other in examples, by themselves, and in another slot."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.texts import entry_text, reading_text
from spatial_game.language.dictionary.thresholds import LEAST_SURE
from spatial_game.language.page.answers import MOST_NAMED
from spatial_game.language.page.content import LEAST_TRUE, MOST_TRIED, Example, Page
from spatial_game.language.page.messages import counted_text
from spatial_game.language.page.section import Section
from spatial_game.language.pictures.grid import window_lines
from spatial_game.language.wording import ANY_LENGTH, integers_text, listed, number_text, offset_text
from spatial_game.tables import Table

EXAMPLES = "Examples, symbol by symbol"
CLASS = "A set of integers that several symbols name is a class, and has the name of its smallest integer."
ADDRESS = (
    "The symbols of later slots tell more after the first one than by themselves: one reads them after it."
)
NO_EXAMPLES = (
    f"There are none: no reading of the {MOST_TRIED} messages that are sent most is sure, and true in "
    f"{LEAST_TRUE:.0%} of its held-out episodes."
)
ALIKE = (
    "Some symbols are one to the receiver: if any two of a row are exchanged, hardly more of its choices "
    "change than with the same message again. The last column has the most that was measured."
)
NOT_ALIKE = (
    "Of the twelve most frequent symbols of each slot, no two were found that are one to the receiver."
)


def examples(page: Page) -> Section:
    """Return examples: what the sender sees, and what its message says, symbol by symbol."""
    if not page.examples:
        return Section(EXAMPLES, [NO_EXAMPLES])
    tables = {}
    for each in page.examples:
        title = "It sees " + "\n        ".join(window_lines(page.config, each.window))
        tables[title] = Table.of("It sends | So far, it says", beginnings_of(page, each))
    texts = " ".join(str(row[1]) for table in tables.values() for row in table.rows)
    legend = page.interpreter.legend(texts)
    marks = ["? is the target"]
    marks += ["cells marked * are not seen"] * bool(page.config.num_hidden)
    marks += ["slices of the grid stand side by side, that in front first"] * (len(page.config.shape) > 2)
    said = f"What the sender sees ({'; '.join(marks)}), and what its message says after each symbol."
    return Section(EXAMPLES, [said, *([CLASS] if legend else []), *legend], tables)


def beginnings_of(page: Page, example: Example) -> list[tuple[str, str]]:
    """Return the beginnings of an example's message, and what they say."""
    symbols, (*shorter, whole) = example.message.symbols, example.beginnings
    says = [
        reading_text(each, page.classes, measured=True) if example.is_clear(each) else "nothing clear yet"
        for each in shorter
    ]
    if len(symbols) > 1:
        names_cell = page.built == "where and what" and page.offset_slot and page.offset_slot[0] == 0
        nothing = "of which cell it speaks" if names_cell else "nothing by itself"
        first = said_by_symbols(page).get((0, symbols[0]), [nothing])
        says.insert(0, "; ".join(first[:2]))
    cut = [*symbols[: len(says)]]
    found = [(page.dictionary.spelt(tuple(cut[:end])), text) for end, text in enumerate(says, 1)]
    return [*found, (example.message.text, reading_text(whole, page.classes, measured=True))]


def symbols(page: Page) -> Section:
    """Return what the symbols of each slot say by themselves, the most frequent first, and the members of
    classes. Of an address, there is only the first slot."""
    is_address, dictionary, says = page.built == "address", page.dictionary, said_by_symbols(page)
    said = [
        "What a symbol says in its slot by itself, if that is significant, and in how many of the held-out "
        "episodes that show the offset it is true, with the 95% interval of the share. Slot 1 has the first "
        "symbol of a message."
    ]
    said += [ADDRESS] * is_address + [CLASS] * bool(page.classes.members)
    tables = {}
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
    return {key: _texts(page, entries) for key, entries in found.items()}


def _texts(page: Page, entries: Sequence[Entry]) -> list[str]:
    """Return what a symbol says; the same integers at several offsets are named once."""
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        is_view = entry.index == len(page.config.offsets)
        alike.setdefault((-1,) if is_view else entry.values, []).append(entry)
    texts = []
    for first, *others in alike.values():
        same = [first, *others]
        true = sum(entry.share * entry.episodes for entry in same) / sum(entry.episodes for entry in same)
        together = true ** len(same) >= LEAST_SURE  # otherwise it says one of them in each episode
        more = [offset_text(page.config.offsets[entry.index]) for entry in others]
        text = listed([entry_text(first, page.config, page.classes), *more], " and " if together else " or ")
        if len(same) > MOST_NAMED:
            where = f"{'' if together else 'one of '}{number_text(len(same))} offsets"
            text = f"{page.classes.text(first.values)} at {where}"
        held_out = counted_text(page.true_in_held_out(same))
        texts.append(f"{text}: {held_out}" if held_out else text)
    return texts


def slots_and_order(page: Page) -> Section:
    """Return whether the order of symbols matters, whether they mean the same in another slot, and which
    symbols are one to the receiver."""
    said, known = list[str](), page.dictionary.bits.messages
    if page.config.message_length > 1:
        bits = f"{page.bits_without_order:.2f} of {known:.2f} bits of held-out episodes"
        few = "Too few symbols stand in two slots to say whether they mean the same there."
        said = [
            f"A dictionary that does not know the order of symbols tells {bits}. Whether the receiver needs "
            "the order was not asked.",
            page.agreement.text if page.agreement else few,
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
