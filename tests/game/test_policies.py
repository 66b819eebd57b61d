"""The random policies are uniform. (Which games a policy can play: tests/envs/test_partners.py.)"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import RandomReceiver, RandomSender
from spatial_game.game.rules import payoff, play

GAME = GameConfig()


def test_random_policies_are_uniform() -> None:
    rng = np.random.default_rng(6)
    episodes = draw_episodes(GAME, 20_000, rng)
    messages, choices = play(RandomSender(GAME, rng), RandomReceiver(GAME, rng), episodes, GAME)
    for slot in range(3):
        assert stats.chisquare(np.bincount(messages[:, slot], minlength=26)).pvalue > 1e-3
    assert stats.chisquare(np.bincount(choices, minlength=5)).pvalue > 1e-3
    assert abs(payoff(episodes.target_index, choices).mean() - 1 / 5) < 0.01


def test_how_random_play_is_divided_does_not_matter() -> None:
    def played(sizes: list[int]) -> list[Any]:
        sender, receiver = (kind(GAME, np.random.default_rng(5)) for kind in (RandomSender, RandomReceiver))
        columns = []
        for size in sizes:
            episodes = draw_episodes(GAME, size, np.random.default_rng(0))
            messages = sender.send(episodes.window)
            chosen = receiver.choose(messages, episodes.sequence, episodes.candidates)
            columns.append(np.concatenate((messages, chosen[:, None]), axis=1))
        return np.concatenate(columns).tolist()

    assert played([1, 0, 7, 3]) == played([11])
