"""Tables of a dictionary: its entries, and the bits about each variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.dictionary.bits import Bits
from spatial_game.language.dictionary.classes import Classes
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.interpreter import Interpreter
from spatial_game.language.dictionary.texts import entry_text
from spatial_game.language.wording import variable_texts
from spatial_game.tables import Table, Value

LEAST_SHOWN = 0.005
"""Bits; less would show 0.00."""
_ENTRY = "Message | Says | Expected :.0% | Bits :.2f | Episodes :,"


def dictionary_table(interpreter: Interpreter, best: int | None = None, *, complete: bool = False) -> Table:
    """Return what symbols say in their slots, then what whole messages add to that.

    `best`: only this number of symbols of each slot and of messages, the most frequent ones. `complete`: long
    sets are written out; otherwise they are named by their class, or counted.
    """
    dictionary, classes = interpreter.dictionary, None if complete else interpreter.classes
    rows: list[tuple[Value, ...]] = []
    for slot in range(dictionary.config.message_length):
        of_slot = [entry for entry in interpreter.symbols if entry.ngram.slot == slot]
        kind = f"What a symbol says in slot {slot + 1}"
        rows += [(kind, *row) for row in _rows(most_frequent(of_slot, best), dictionary, classes)]
    messages = _rows(most_frequent(interpreter.messages, best), dictionary, classes)
    rows += [("What a whole message adds", *row) for row in messages]
    return Table.of(f"Kind | {_ENTRY}", rows)


def entries_in(message: IntArray, interpreter: Interpreter, classes: Classes) -> Table:
    """Return the entries of a message (T,) and of its symbols as rows, with these names of sets."""
    return Table.of(_ENTRY, _rows(interpreter.entries_in(message), interpreter.dictionary, classes))


def _rows(
    found: Iterable[Entry], dictionary: Dictionary, classes: Classes | None
) -> Iterator[tuple[Value, ...]]:
    config = dictionary.config
    for each in found:
        ngram = each.ngram.pattern(config.message_length, dictionary.symbol_names)
        says = entry_text(each, config, classes)
        yield ngram, says, each.share, each.bits, each.episodes


def most_frequent(found: Sequence[Entry], best: int | None) -> list[Entry]:
    """Return the entries of the `best` most frequent n-grams (None: of all), the most frequent first."""
    often: dict[NGram, int] = {}
    for entry in found:
        often[entry.ngram] = max(often.get(entry.ngram, 0), entry.episodes)
    rank = {ngram: i for i, ngram in enumerate(sorted(often, key=lambda ngram: -often[ngram])[:best])}
    return sorted((e for e in found if e.ngram in rank), key=lambda e: (rank[e.ngram], e.index))


def message_bits(bits: Bits) -> dict[int, float]:
    """Return the bits that whole messages tell of each variable, at least 0.

    Variables of which messages and symbols tell less than `LEAST_SHOWN` are left out.
    """
    told = zip(bits.messages_by_variable, bits.symbols_by_variable, strict=True)
    return {
        index: max(messages, 0.0)
        for index, (messages, symbols) in enumerate(told)
        if max(messages, symbols) >= LEAST_SHOWN
    }


def bits_by_variable(dictionary: Dictionary) -> Table:
    """Return the bits that symbols and whole messages tell of each variable, and how many there are to tell.

    What has less than `LEAST_SHOWN` is left out. By chance, held-out bits may be below 0; the table shows 0.
    """
    bits, names = dictionary.bits, variable_texts(dictionary.config)
    rows = (
        (names[index], max(bits.symbols_by_variable[index], 0.0), told, bits.possible_by_variable[index])
        for index, told in message_bits(bits).items()
    )
    return Table.of("About | Symbols :.2f | Message :.2f | Most :.2f", rows)
