"""Dictionaries of senders that are functions, for tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, draw_episodes
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.recording import record


class Scripted:
    """A sender that is a function from windows (B, W) to messages (B, T)."""

    def __init__(self, say: Callable[[IntArray], IntArray]) -> None:
        self.say = say

    def send(self, window: IntArray) -> IntArray:
        return np.asarray(self.say(window))


def counts_of(
    config: GameConfig, say: Callable[[IntArray], IntArray], num_episodes: int = 10_000, seed: int = 1
) -> Counts:
    """Return the counts of a function that speaks."""
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(seed))
    return count(record((Scripted(say), None), episodes, config))


def dictionary_of(
    config: GameConfig, say: Callable[[IntArray], IntArray], num_episodes: int = 6_000, seed: int = 0
) -> Dictionary:
    """Return the dictionary of a function that speaks."""
    return build_dictionary(counts_of(config, say, num_episodes, seed))


def silent(config: GameConfig) -> Dictionary:
    """Return a dictionary in which nothing means anything."""
    return dictionary_of(
        config, lambda window: np.ones((len(window), config.message_length), dtype=np.int16), 10
    )


def both_sides(config: GameConfig) -> Callable[[IntArray], IntArray]:
    """Return a function whose two symbols name the integers one left and one right; 0 stands for none."""
    columns = [config.offsets.index(-1), config.offsets.index(1)]
    return lambda window: np.maximum(columns_of(config).at_offsets(window)[:, columns], 0)


def left_of(config: GameConfig, window: IntArray) -> IntArray:
    """Return the integer one left of the target, (B,); -1 where there is none."""
    return columns_of(config).at_offsets(window)[:, config.offsets.index(-1)]
