"""Models of Stable-Baselines3 as policies. (With the library itself: tests/envs/adapters/test_sb3.py.)"""

import numpy as np

from spatial_game import GameConfig, draw_episodes
from spatial_game.agents.models import ModelReceiver, ModelSender
from spatial_game.game.rules import SENDER
from spatial_game.observations import EqualFormat

CONFIG = GameConfig(sequence_length=9, num_distractors=2, vocab_size=7)


class Parrot:
    """A model of both roles, with equal spaces: its action is the first number that it sees, at least 0."""

    format = EqualFormat(CONFIG, symbol_per_turn=True)
    observation_space = format.observation_spaces[SENDER]
    action_space = format.action_spaces[SENDER]

    def __init__(self):
        self.starts = []

    def predict(self, seen, deterministic=True, **memory):
        assert self.observation_space.contains(seen[0])
        self.starts += [start.all() for name, start in memory.items() if name == "episode_start"]
        return np.clip(seen[:, 0], 0, 6).astype(int), None


def test_a_model_of_equal_spaces_plays_either_role():
    episodes = draw_episodes(CONFIG, 50, np.random.default_rng(0))
    parrot = Parrot()
    messages = ModelSender(parrot, CONFIG).send(episodes.window)
    assert parrot.starts == [True, False, False]  # a model with a memory keeps it within a message
    first = np.clip(episodes.window[:, 0], 0, 6)
    np.testing.assert_array_equal(messages, np.repeat(first[:, None], 3, axis=1))
    choices = ModelReceiver(Parrot(), CONFIG).choose(messages, episodes.sequence, episodes.candidates)
    np.testing.assert_array_equal(choices, first % 3)  # three candidates: larger actions start again at 0
