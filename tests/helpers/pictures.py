"""Episodes and a dictionary that the tests of pictures share."""

import numpy as np

from helpers.scripted import dictionary_of, left_of
from spatial_game import GameConfig, draw_episodes
from spatial_game.game.scene import Scene


def scene(seed=7, message=(3, 11, 0), choice=None, **game):
    """An episode of the seed, with a choice that is right or wrong, or none yet."""
    config = GameConfig(**game)
    episode = draw_episodes(config, 1, np.random.default_rng(seed))
    target = int(episode.target_index[0])
    chosen = {None: None, "right": target, "wrong": (target + 1) % config.num_candidates}[choice]
    return Scene(config, episode, np.array(message), chosen)


def _left_in_two_parts(window):
    left = left_of(SIXTY, window)
    spoken = np.column_stack([left // 16, left % 16 + 8, np.zeros_like(left)])
    return np.where(left[:, None] < 0, 25, spoken)


SIXTY = GameConfig()
WORDS = dictionary_of(SIXTY, _left_in_two_parts)
"""[3, 11, 0] says that 51 is one left."""
