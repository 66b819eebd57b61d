"""The baselines learn, and give the same curve again."""

import numpy as np
import pytest
from learners import joint
from learners.curves import trace

from spatial_game.config import GameConfig
from spatial_game.game.policies import RandomReceiver

ppo = pytest.importorskip("learners.ppo", reason="needs Stable-Baselines3")

SMALL = GameConfig.small()
QUICK = {"num_envs": 64, "rollout": 8, "batch_size": 128, "points": 2}


def curve(training, seed=0, num_episodes=1000):
    points = trace(training, SMALL, seed, num_episodes=num_episodes)
    return [(point.episodes, point.accuracy) for point in points]


@pytest.mark.parametrize(
    ("train", "settings", "above"),
    [
        (joint.train_gumbel, joint.PairSettings(episodes=10_000, points=1), 0.6),
        (joint.train_reinforce, joint.PairSettings(episodes=20_000, points=1), 0.45),
        (ppo.train_receiver, ppo.PPOSettings(episodes=2_048, points=1), 0.8),
        (ppo.train_sender, ppo.PPOSettings(episodes=2_048, points=1), 0.6),
        (ppo.train_pair, ppo.PPOSettings(episodes=10_240, points=1), 0.38),
    ],
    ids=["gumbel", "reinforce", "ppo-receiver", "ppo-sender", "ppo-pair"],
)
def test_it_learns_the_small_game(train, settings, above):
    assert curve(train(SMALL, settings, 0))[-1][1] > above


def test_nothing_is_learned_from_a_receiver_that_does_not_listen():
    deaf = RandomReceiver(SMALL, np.random.default_rng(0))
    settings = ppo.PPOSettings(episodes=2_048, **QUICK)
    assert curve(ppo.train_sender(SMALL, settings, 0, deaf))[-1][1] == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("train", "settings"),
    [
        (joint.train_reinforce, joint.PairSettings(episodes=1_024, points=2)),
        (ppo.train_receiver, ppo.PPOSettings(episodes=1_024, **{**QUICK, "networks": "mlp"})),
    ],
    ids=["reinforce", "ppo-mlp"],
)
def test_a_seed_gives_the_same_curve_again(train, settings):
    first, again, other = (curve(train(SMALL, settings, seed), seed, 500) for seed in (1, 1, 2))
    assert first == again != other
    assert [episodes for episodes, _ in first] == [settings.episodes * part // 2 for part in range(3)]
