"""What a lexicon says that one message means, in words: for people.

A message is read as the dictionary is meant to be used: as a whole, where it has entries of its own, and
otherwise as an integer and its offset. Only listed entries speak.
"""

from __future__ import annotations

from dataclasses import dataclass

from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, IntArray
from spatial_game.language.forms import Form
from spatial_game.language.lexicon import Entry, Lexicon
from spatial_game.language.referents import Edge, Integer, IntegerAt, Offset, Referent

UNREAD = "the dictionary does not say"
"""The reading of a message that the lexicon cannot read."""

_ORDINALS = ("", "second", "third", "fourth", "fifth")


@dataclass(frozen=True)
class Statement:
    """One thing that a message says."""

    referent: Referent
    entries: tuple[Entry, ...]
    """The entry that says it, or the entries of an integer and of its offset."""

    def __str__(self) -> str:
        if isinstance(self.referent, Edge):
            return _edge_in_words(self.referent.name)
        if isinstance(self.referent, Integer):
            return f"{' or '.join(map(str, self.referent.values))} is near the target"
        return str(self.referent)

    def holds(self, window: IntArray, config: GameConfig) -> bool:
        """Whether it is true of this window (W,)."""
        cells = [int(cell) for cell in window]
        mask, referent = cells.index(MASK), self.referent
        if isinstance(referent, Edge):
            return config.edges[mask] == referent.name
        if isinstance(referent, IntegerAt):
            column = mask + referent.offset
            return 0 <= column < len(cells) and cells[column] in referent.values
        assert isinstance(referent, Integer)
        return any(value in cells for value in referent.values)


def read_message(lexicon: Lexicon, message: IntArray) -> tuple[Statement, ...]:
    """All that the lexicon says of a whole message (T,), the surest first; nothing if it cannot read it.

    A whole message can say several things: that the target is second, and what stands beside it.
    """
    symbols = tuple(int(symbol) for symbol in message)
    found = [(entry, place) for entry in lexicon.listed if (place := _place(entry.form, symbols)) is not None]
    whole = [entry for entry, _ in found if entry.kind in ("edge", "integer_at")]
    if whole:
        whole.sort(key=lambda entry: (-entry.confidence, -entry.count))
        return tuple(Statement(entry.referent, (entry,)) for entry in whole)
    words = [(entry, place) for entry, place in found if entry.kind == "integer"]
    if not words:
        return ()
    word, start = min(words, key=_rank)
    end = start + len(word.form.symbols)
    offsets = [
        (entry, place)
        for entry in lexicon.of_kind("offset")
        if (place := _place_beside(entry.form, symbols, start, end)) is not None
    ]
    if not offsets:
        return (Statement(word.referent, (word,)),)
    offset, _ = min(offsets, key=_rank)
    assert isinstance(word.referent, Integer)
    assert isinstance(offset.referent, Offset)
    return (Statement(IntegerAt(word.referent.values, offset.referent.value), (word, offset)),)


def in_words(lexicon: Lexicon, message: IntArray, window: IntArray) -> str:
    """What the lexicon says of a whole message (T,), as a line; what is not true of the window (W,) says so.

    Raises `ValueError` for a lexicon of messages or windows of another shape.
    """
    if len(message) != lexicon.config.message_length or len(window) != lexicon.config.window_size:
        made_for = lexicon.config.message_length, lexicon.config.window_size
        raise ValueError(
            "the lexicon must be of this message_length and window size; "
            f"got {made_for[0]} and {made_for[1]} for {len(message)} and {len(window)}"
        )
    statements = read_message(lexicon, message)
    if not statements:
        return UNREAD
    notes = ("" if each.holds(window, lexicon.config) else " (not so here)" for each in statements)
    return ", and ".join(f"{each}{note}" for each, note in zip(statements, notes, strict=True))


def _rank(found: tuple[Entry, int]) -> tuple[float, int, int]:
    """The order of words in a message: highest NPMI, then longest, then leftmost."""
    entry, place = found
    return -entry.npmi, -len(entry.form.symbols), place


def _place(form: Form, symbols: tuple[int, ...], begin: int = 0) -> int | None:
    """The first slot where the form stands among symbols that begin at slot `begin`; None if nowhere."""
    size = len(form.symbols)
    for start in range(len(symbols) - size + 1):
        slot = begin + start
        if form.slot in (None, slot) and symbols[start : start + size] == form.symbols:
            return slot
    return None


def _place_beside(form: Form, symbols: tuple[int, ...], start: int, end: int) -> int | None:
    """The first slot where the form stands wholly before or after slots `start` to `end - 1`."""
    before = _place(form, symbols[:start])
    return _place(form, symbols[end:], end) if before is None else before


def _edge_in_words(name: str) -> str:
    """`begin+1` is "the target is the second"."""
    if name == "middle":
        return "the target is not near an end"
    side, _, distance = name.replace("-", "+").partition("+")
    number = int(distance or 0)
    last = side == "end"
    if number >= len(_ORDINALS):
        return f"the target is number {number + 1}{' from the end' if last else ''}"
    if number == 0:
        return f"the target is the {'last' if last else 'first'}"
    return f"the target is the {_ORDINALS[number]}{' last' if last else ''}"
