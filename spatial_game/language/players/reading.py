"""What one message means by a lexicon, in words: for people and for pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.dictionary.lexicon import Entry, Lexicon
from spatial_game.language.dictionary.referents import Integer, IntegerAt, Offset
from spatial_game.language.dictionary.words import Words
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.phrases import described
from spatial_game.language.players.telling import Telling, Told, told

UNREAD = "the dictionary does not say"
"""What is shown for a message that the lexicon cannot read."""
JOINT = {True: " and ", False: ", and "}
"""What joins the statements of a message, by a description and otherwise."""


def read_message(lexicon: Lexicon, message: IntArray | Sequence[int]) -> tuple[Told, ...]:
    """Return what a message (T,) says by the lexicon; nothing if it cannot read it.

    By a description, everything that its entries say, from left to right of the target. Otherwise the surest
    first: a whole message can say several things, that the target is second, and what stands beside it; a
    message of parts says the surest integer and offset, or only an integer. Raises `ValueError` for a message
    of another length.
    """
    if len(message) != lexicon.config.message_length:
        raise ValueError(
            f"message must have {lexicon.config.message_length} symbols, as the lexicon's; got {len(message)}"
        )
    if described(lexicon):
        return told(lexicon.listed, lexicon.config, np.asarray(message))
    return _decoded(Decoder(lexicon), np.asarray(message))


def read_messages(lexicon: Lexicon, messages: IntArray) -> list[tuple[Told, ...]]:
    """Return what each of the messages (M, T) says by the lexicon, as `read_message` does."""
    if described(lexicon):
        return Telling(lexicon.listed, lexicon.config, Words(lexicon.listed)).of(messages)
    decoder = Decoder(lexicon)
    return [_decoded(decoder, message) for message in messages]


def _decoded(decoder: Decoder, message: IntArray) -> tuple[Told, ...]:
    readings = decoder.read(message)
    whole = [reading for reading in readings if reading.kind in ("edge", "integer_at")]
    listed = decoder.lexicon.listed
    return tuple(_statement(tuple(listed[row] for row in each.entries)) for each in whole or readings[:1])


def in_words(lexicon: Lexicon, message: IntArray | Sequence[int], window: IntArray | None = None) -> str:
    """Return what a message (T,) says by the lexicon, in a line.

    With a window (W,), the line marks what is untrue of it. Raises `ValueError` for a message or a window of
    another length.
    """
    if window is not None and len(window) != lexicon.config.window_size:
        raise ValueError(
            f"window must have {lexicon.config.window_size} cells, as the lexicon's; got {len(window)}"
        )
    return _line(read_message(lexicon, message), lexicon, window)


def read_in_words(lexicon: Lexicon, messages: IntArray) -> list[str]:
    """Return what each of the messages (M, T) says by the lexicon, as `in_words` does."""
    return [_line(statements, lexicon) for statements in read_messages(lexicon, messages)]


def _line(statements: Sequence[Told], lexicon: Lexicon, window: IntArray | None = None) -> str:
    if not statements:
        return UNREAD
    true = [window is None or each.holds(window, lexicon.config) for each in statements]
    parts = [f"{each}{'' if so else ' (not so here)'}" for each, so in zip(statements, true, strict=True)]
    return JOINT[described(lexicon)].join(parts)


def legend(lexicon: Lexicon, words: str) -> list[str]:
    """Return what the classes that words name stand for: `class A: 0, 3, 5-9 or 12`, a line for each."""
    if "class " not in words:
        return []
    lines = Words(lexicon.listed).legend
    return [line for line in lines if re.search(rf"\b{line.partition(':')[0]}\b", words)]


def _statement(entries: tuple[Entry, ...]) -> Told:
    referent = entries[0].referent
    if len(entries) == 2:
        offset = entries[1].referent
        assert isinstance(referent, Integer)
        assert isinstance(offset, Offset)
        referent = IntegerAt(referent.values, offset.value)
    return Told(referent, entries)
