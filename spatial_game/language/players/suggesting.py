"""What a person could say of a window: messages of a lexicon that are true there, with their words."""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.reading import in_words, read_messages

_DRAWS = 50  # random messages, of which the most frequent are suggested


def suggestions(composer: Composer, window: IntArray) -> list[tuple[list[int], str]]:
    """Return messages for a window (1, W), each with what it says: at most one for each cell.

    The most probable message comes first, then others as they are drawn at random. Nothing that they say is
    untrue of the window.
    """
    best = composer.compose(window)
    others = composer.compose(np.repeat(window, _DRAWS, axis=0), "random", np.random.default_rng(0))
    spoken = [*best.message[best.expressed].tolist(), *others.message[others.expressed].tolist()]
    messages = list(dict.fromkeys(map(tuple, spoken)))
    length = composer.config.message_length
    meanings = read_messages(composer.lexicon, np.array(messages, dtype=np.int16).reshape(-1, length))
    true = [
        list(message)
        for message, statements in zip(messages, meanings, strict=True)
        if statements and all(each.holds(window[0], composer.config) for each in statements)
    ]
    return [(message, in_words(composer.lexicon, message)) for message in true[: window.shape[1] - 1]]
