"""Translation: from the messages of one language to those of another, by their dictionaries.

The translation of message m of A is the message n of B that is likeliest given what A's dictionary says of m:

    P(n | m)  ~  P(n) * product over variables of (sum over values v of p_A(v | m) p_B(v | n) / q(v))

where q(v) is how often the game draws the value. Nothing but the message is translated: not the window, and
not the sequence.
"""

from __future__ import annotations

import numpy as np

from spatial_game.errors import UserError
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.memory import chunks

_LEAST = 1e-12


def translate(messages: IntArray, one: Dictionary, other: Dictionary) -> IntArray:
    """Return messages (B, T) of one language in another (B, T'), which has the same game but for messages.

    Messages that the dictionary does not know are read by their symbols. Raises `ValueError` for languages of
    different games, and for symbols that the first language does not have.
    """
    for dictionary in (one, other):
        require_dictionary(dictionary)
    config = one.config
    if other.config.changed(vocab_size=config.vocab_size, message_length=config.message_length) != config:
        games = f"{one.config.signature} and {other.config.signature}"
        raise UserError(f"languages must be of one game to be translated; got {games}")
    messages = check_messages(messages, config, len(messages))
    distinct, which = distinct_rows(messages)
    return other.messages[_likeliest(distinct, one, other)][which]


def _likeliest(messages: IntArray, one: Dictionary, other: Dictionary) -> Numbers:
    """Return the rows (B,) of the likeliest messages of the other language."""
    meaning = {
        variable: p / other.variables[variable].prior for variable, p in other.tables(other.messages).items()
    }
    often = np.log2(other.episodes / other.episodes.sum())
    best = np.empty(len(messages), dtype=np.int64)
    for rows in chunks(len(messages), 16 * len(often)):
        score = np.tile(often, (len(messages[rows]), 1))
        for variable, p in one.tables(messages[rows]).items():
            if variable in meaning:
                score += np.log2(np.maximum(p @ meaning[variable].T, _LEAST))
        best[rows] = score.argmax(axis=1)
    return best
