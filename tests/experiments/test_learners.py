"""The baselines learn, and give the same curve again."""

import numpy as np
import pytest
from learners import joint
from learners.curves import Progress, trace

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import RandomReceiver

ppo = pytest.importorskip("learners.ppo", reason="needs Stable-Baselines3")

SMALL = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
QUICK = {"num_envs": 64, "rollout": 8, "batch_size": 128, "points": 4}


def last_accuracy(training):
    *_, last = trace(training, SMALL, 0, num_episodes=1000)
    return last.accuracy


@pytest.mark.parametrize(
    ("train", "settings", "above"),
    [
        (joint.train_gumbel, joint.PairSettings(episodes=20_000, points=2), 0.7),
        (joint.train_reinforce, joint.PairSettings(episodes=40_000, points=2), 0.6),
        (ppo.train_receiver, ppo.PPOSettings(episodes=4_096, points=2), 0.9),
        (ppo.train_sender, ppo.PPOSettings(episodes=5_120, points=2), 0.6),
        (ppo.train_pair, ppo.PPOSettings(episodes=20_480, points=2), 0.6),
    ],
    ids=["gumbel", "reinforce", "ppo-receiver", "ppo-sender", "ppo-pair"],
)
def test_it_learns_the_small_game(train, settings, above):
    assert last_accuracy(train(SMALL, settings, 0)) > above


def test_nothing_is_learned_from_a_receiver_that_does_not_listen():
    deaf = RandomReceiver(SMALL, np.random.default_rng(0))
    settings = ppo.PPOSettings(episodes=2_048, **QUICK)
    assert last_accuracy(ppo.train_sender(SMALL, settings, 0, deaf)) == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("train", "settings"),
    [
        (joint.train_reinforce, joint.PairSettings(episodes=1_024, points=4)),
        (ppo.train_receiver, ppo.PPOSettings(episodes=2_048, **{**QUICK, "networks": "mlp"})),
    ],
    ids=["reinforce", "ppo-mlp"],
)
def test_a_seed_gives_the_same_curve_again(train, settings):
    def curve(seed):
        points = list(trace(train(SMALL, settings, seed), SMALL, seed, num_episodes=500))
        return [(point.episodes, point.accuracy) for point in points]

    first = curve(1)
    assert first == curve(1) != curve(2)
    assert [episodes for episodes, _ in first] == [settings.episodes * part // 4 for part in range(5)]


def test_a_curve_tests_all_points_on_the_same_episodes():
    class Recorder(OracleSender):
        def send(self, window):
            windows.append(window)
            return super().send(window)

    windows = []
    sender = Recorder(SMALL)
    training = iter([Progress(n, sender, OracleReceiver(SMALL)) for n in (0, 10, 20)])
    points = list(trace(training, SMALL, 3, num_episodes=100))
    assert [(point.episodes, point.accuracy) for point in points] == [(0, 1.0), (10, 1.0), (20, 1.0)]
    assert points[0].seconds == 0
    assert all(np.array_equal(window, windows[0]) for window in windows)
