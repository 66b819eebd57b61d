"""What a person could say of a window: messages of a lexicon that are true there, with their words."""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import column_meaning, window_columns
from spatial_game.language.dictionary.referents import Edge, IntegerAt
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.phrases import described
from spatial_game.language.players.reading import in_words, read_messages
from spatial_game.language.players.telling import Told

_DRAWS = 50  # random messages of a description, of which the most frequent are suggested


def suggestions(composer: Composer, window: IntArray) -> list[tuple[list[int], str]]:
    """Return messages for a window (1, W), each with what it says: at most one for each cell.

    By a description, the most probable message, then others as they are drawn at random, but none of which
    anything is untrue. Otherwise the strongest phrase about each cell.
    """
    if described(composer.lexicon):
        return _probable(composer, window)
    found = []
    for column in window_columns(composer.config, window)[0].tolist():
        phrase = composer.strongest(column)
        if phrase is not None:
            found.append((phrase.tolist(), _column_in_words(composer, column)))
    return found


def _probable(composer: Composer, window: IntArray) -> list[tuple[list[int], str]]:
    best = composer.compose(window)
    others = composer.compose(np.repeat(window, _DRAWS, axis=0), "random", np.random.default_rng(0))
    spoken = [*best.message[best.expressed].tolist(), *others.message[others.expressed].tolist()]
    messages = list(dict.fromkeys(map(tuple, spoken)))
    said = read_messages(composer.lexicon, np.array(messages, dtype=np.int16).reshape(len(messages), -1))
    true = [
        list(message)
        for message, statements in zip(messages, said, strict=True)
        if all(each.holds(window[0], composer.config) for each in statements)
    ]
    return [(message, in_words(composer.lexicon, message)) for message in true[: window.shape[1] - 1]]


def _column_in_words(composer: Composer, column: int) -> str:
    edge, value, offset = column_meaning(composer.config, column)
    if value is None or offset is None:
        return str(Told(Edge(str(edge)), ()))
    return str(Told(IntegerAt((value,), offset), ()))
