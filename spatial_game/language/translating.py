"""Translation: from the messages of one language to those of another, by their dictionaries.

The translation of message m of A is the message n of B that is likeliest given what A's dictionary says of m:

    P(n | m)  ~  P(n) * sum over views w of p_A(w | m) p_B(w | n) / q(w) * product over offsets o seen in w of
                         (sum over integers k of p_A(k at o | m) p_B(k at o | n) * N)

where q(w) is how often the game draws a view of the window, and N the number of integers. Nothing but the
message is translated: not the window, and not the sequence.
"""

from __future__ import annotations

import math

import numpy as np

from spatial_game.config import require_one_game
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.variable import LEAST
from spatial_game.memory import chunks


def translate(messages: IntArray, one: Dictionary, other: Dictionary) -> IntArray:
    """Return messages (B, T) of one language in another (B, T'), which has the same game but for messages.

    Messages that the dictionary does not know are read by their symbols. Raises `ValueError` for languages of
    different games, and for symbols that the first language does not have.
    """
    for dictionary in (one, other):
        require_dictionary(dictionary)
    config = one.config
    alike = other.config.changed(vocab_size=config.vocab_size, message_length=config.message_length)
    require_one_game("languages to be translated", config, alike)
    messages = check_messages(messages, config, len(messages))
    distinct, which = distinct_rows(messages)
    return other.messages[_likeliest(distinct, one, other)][which]


def _likeliest(messages: IntArray, one: Dictionary, other: Dictionary) -> Numbers:
    """Return the rows (B,) of the likeliest messages of the other language.

    In a game with more than `MOST_VIEWS` views, all cells count as seen.
    """
    views, meaning = other.columns.views, other.tables(other.messages)
    anywhere = np.ones((1, len(views.share)))  # what a language says that tells nothing of views
    heard = meaning.pop(len(other.config.offsets), views.share * anywhere) / views.share
    often, best = other.episodes / other.episodes.sum(), np.empty(len(messages), dtype=np.int64)
    for rows in chunks(len(messages), 8 * (len(meaning) + 3) * len(often)):
        said = one.tables(messages[rows])
        seen = said.pop(len(one.config.offsets), views.share * anywhere)
        agree = {
            offset: np.maximum(p @ (meaning[offset] * one.config.num_integers).T, LEAST)
            for offset, p in said.items()
            if offset in meaning
        }
        score = np.zeros((len(messages[rows]), len(often)))
        for view, offsets in enumerate(views.offsets.tolist()):
            of_view = seen[:, [view]] * heard[:, view]
            score += math.prod((agree[offset] for offset in offsets if offset in agree), start=of_view)
        best[rows] = (score * often).argmax(axis=1)
    return best
