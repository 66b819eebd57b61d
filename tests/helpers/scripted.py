"""Dictionaries of senders that are functions, for tests."""

import numpy as np

from spatial_game import draw_episodes, record
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import build_dictionary


class Scripted:
    """A sender that is a function from windows (B, W) to messages (B, T)."""

    def __init__(self, say):
        self.say = say

    def send(self, window):
        return np.asarray(self.say(window))


def counts_of(config, say, num_episodes=10_000, seed=1):
    """Return the counts of a sender that is a function from windows (B, W) to messages (B, T)."""
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(seed))
    return count(record((Scripted(say), None), episodes, config))


def dictionary_of(config, say, num_episodes=6_000, seed=0):
    """Return the dictionary of a function that speaks."""
    return build_dictionary(counts_of(config, say, num_episodes, seed))


def silent(config):
    """Return a dictionary in which nothing means anything."""
    return dictionary_of(
        config, lambda window: np.ones((len(window), config.message_length), dtype=np.int16), 10
    )


def both_sides(config):
    """Return a function whose two symbols name the integers one left and one right; 0 stands for none."""
    return lambda window: np.maximum(integers_at(config, window, -1, 1).T, 0)


def left_of(config, window):
    """Return the integer one left of the target, (B,); -1 where there is none."""
    return integers_at(config, window, -1)[0]


def integers_at(config, window, *offsets):
    """Return the integers (N, B) at these N offsets from the target; below 0 where there is none."""
    return columns_of(config).at_offsets(window)[:, [config.offsets.index(offset) for offset in offsets]].T
