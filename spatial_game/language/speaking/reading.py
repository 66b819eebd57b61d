"""What one message means by a lexicon, in words: for people and for pictures."""

from __future__ import annotations

from dataclasses import dataclass

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.lexicon.lexicon import Entry, Lexicon
from spatial_game.language.lexicon.referents import Edge, Integer, IntegerAt, Offset, Referent
from spatial_game.language.speaking.decode import Decoder

UNREAD = "the dictionary does not say"
"""What is shown for a message that the lexicon cannot read."""

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
        """Return whether it is true of this window (W,)."""
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
    """Return what a message (T,) says by the lexicon, the surest first; nothing if it cannot read it.

    A whole message can say several things: that the target is second, and what stands beside it. A message
    of parts says the surest integer and offset, or only an integer. Raises `ValueError` for a message of
    another length.
    """
    if len(message) != lexicon.config.message_length:
        raise ValueError(
            f"message must have {lexicon.config.message_length} symbols, as the lexicon's; got {len(message)}"
        )
    readings = Decoder(lexicon).read(message)
    whole = [reading for reading in readings if reading.kind in ("edge", "integer_at")]
    listed = lexicon.listed
    return tuple(_statement(tuple(listed[row] for row in each.entries)) for each in whole or readings[:1])


def in_words(lexicon: Lexicon, message: IntArray, window: IntArray) -> str:
    """Return what a message (T,) says by the lexicon, in a line that marks what is untrue of the window (W,).

    Raises `ValueError` for a message or a window of another length.
    """
    if len(window) != lexicon.config.window_size:
        raise ValueError(
            f"window must have {lexicon.config.window_size} cells, as the lexicon's; got {len(window)}"
        )
    statements = read_message(lexicon, message)
    if not statements:
        return UNREAD
    notes = ("" if each.holds(window, lexicon.config) else " (not so here)" for each in statements)
    return ", and ".join(f"{each}{note}" for each, note in zip(statements, notes, strict=True))


def _statement(entries: tuple[Entry, ...]) -> Statement:
    referent = entries[0].referent
    if len(entries) == 2:
        offset = entries[1].referent
        assert isinstance(referent, Integer)
        assert isinstance(offset, Offset)
        referent = IntegerAt(referent.values, offset.value)
    return Statement(referent, entries)


def _edge_in_words(name: str) -> str:
    """Return an edge in words: `begin+1` is "the target is the second"."""
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
