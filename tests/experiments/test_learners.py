"""The baselines learn, and give the same curve again."""

import pytest
from learners import joint
from learners.curves import trace

from spatial_game.config import GameConfig

ppo = pytest.importorskip("learners.ppo", reason="needs Stable-Baselines3")

SMALL = GameConfig.small()
QUICK = {"episodes": 256, "num_envs": 32, "rollout": 4, "batch_size": 128, "points": 2}


def curve(training, seed=0, num_episodes=1000):
    points = trace(training, SMALL, seed, num_episodes=num_episodes)
    return [(point.episodes, point.accuracy) for point in points]


@pytest.mark.slow
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


@pytest.mark.parametrize(
    ("train", "settings"),
    [
        (joint.train_gumbel, joint.PairSettings(episodes=256, points=2)),
        (joint.train_reinforce, joint.PairSettings(episodes=256, points=2)),
        (ppo.train_receiver, ppo.PPOSettings(**QUICK, networks="mlp")),
        (ppo.train_sender, ppo.PPOSettings(**QUICK)),
        (ppo.train_pair, ppo.PPOSettings(**QUICK)),
    ],
    ids=["gumbel", "reinforce", "ppo-mlp", "ppo-sender", "ppo-pair"],
)
def test_a_seed_gives_the_same_curve_again(train, settings):
    first, again, other = (curve(train(SMALL, settings, seed), seed, 200) for seed in (1, 1, 2))
    assert first == again != other
    assert (first[0][0], first[-1][0]) == (0, settings.episodes)
