"""A known language that changes over four frames, in a small game in which one neighbour is visible."""

from functools import cache

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.columns import integers_at_offsets
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import Recording

GAME = GameConfig(sequence_length=8, window_radius=1, num_distractors=3, num_visible=1)
EPISODES = draw_episodes(GAME, 4_000, np.random.default_rng(0))
SEEN = integers_at_offsets(GAME, EPISODES.window)
INTEGER, PLACE = SEEN.max(axis=1), SEEN.argmax(axis=1)
NEW = np.array([20, 21, 22])
LEFT = GAME.offsets.index(-1)


def plain():
    """The message [integer, number of the offset, 0]."""
    return np.column_stack([INTEGER, PLACE, 0 * PLACE])


def silent():
    return np.zeros((len(INTEGER), 3), int)


def with_new_word(values):
    """As plain, but these integers one left are NEW."""
    message = plain()
    message[np.isin(INTEGER, values) & (PLACE == LEFT)] = NEW
    return message


MESSAGES = np.stack([silent(), plain(), with_new_word([3]), with_new_word([3, 4, 5])]).astype(np.int16)


def lexicon_of(message):
    return Lexicon.from_counts(count(Recording(GAME, window=EPISODES.window, message=message)))


@cache
def lexicons():
    return [lexicon_of(message) for message in MESSAGES]
