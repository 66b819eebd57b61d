"""The random policies are uniform. (Which games a policy can play: tests/envs/test_partners.py.)"""

import numpy as np
from scipy import stats

from spatial_game import GameConfig, RandomReceiver, RandomSender, draw_episodes, play
from spatial_game.game.rules import payoff

GAME = GameConfig()


def test_random_policies_are_uniform():
    rng = np.random.default_rng(6)
    episodes = draw_episodes(GAME, 20_000, rng)
    messages, choices = play(RandomSender(GAME, rng), RandomReceiver(GAME, rng), episodes, GAME)
    for slot in range(3):
        assert stats.chisquare(np.bincount(messages[:, slot], minlength=26)).pvalue > 1e-3
    assert stats.chisquare(np.bincount(choices, minlength=5)).pvalue > 1e-3
    assert abs(payoff(episodes.target_index, choices).mean() - 1 / 5) < 0.01
