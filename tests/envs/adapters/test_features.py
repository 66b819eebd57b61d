"""The features with which Stable-Baselines3's `MlpPolicy` learns the game."""

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import torch
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize

from spatial_game import GameConfig, draw_episodes, evaluate
from spatial_game.envs.adapters.features import (
    CandidateScores,
    CandidateSurroundings,
    ReceiverFeatures,
    SenderFeatures,
)
from spatial_game.envs.adapters.sb3 import RoleVecEnv, features
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game.windows import candidate_surroundings

SMALL = {"game": "small"}


@pytest.mark.parametrize("symbol_per_turn", [False, True])
@pytest.mark.parametrize("game", [{}, {"num_visible": 1}], ids=["whole", "hidden"])
def test_they_are_plain_modules_for_what_both_agents_see_at_any_time(symbol_per_turn, game):
    envs = ParallelVectorEnv(64, symbol_per_turn=symbol_per_turn, **SMALL | game)
    sees = {
        "sender_0": SenderFeatures(envs.config, symbol_per_turn=symbol_per_turn, width=8),
        "receiver_0": ReceiverFeatures(envs.config, width=8),
    }
    seen, _ = envs.reset(seed=0)
    for _ in range(4):  # also before anything is sent, and off turn
        for agent, module in sees.items():
            one_agent = torch.as_tensor(seen[agent])[:, None]  # as in TorchRL, with an axis for agents
            assert module(one_agent).shape == (64, 1, module.size)
        seen, *_ = envs.step({agent: envs.action_space(agent).sample() for agent in sees})


def test_surroundings_are_those_of_the_function_of_numpy():
    config = GameConfig(shape=(4, 5), window_radius=1)
    episodes = draw_episodes(config, 50, np.random.default_rng(0))
    seen = torch.from_numpy(episodes.sequence), torch.from_numpy(episodes.candidates)
    found = CandidateSurroundings(config)(*(part.long() for part in seen))
    assert np.array_equal(found, candidate_surroundings(config, episodes.sequence, episodes.candidates))


def test_the_receivers_features_are_about_the_integers_around_each_candidate():
    """Exchanging two candidates exchanges features and scores; integers far from both change nothing."""
    config = GameConfig(sequence_length=12, window_radius=1, num_distractors=1, num_integers=13)
    torch.manual_seed(0)
    module = ReceiverFeatures(config, width=4)
    sequence = list(range(12))
    seen = torch.tensor([[1, 2, 3, *sequence, 1, 2], [1, 2, 3, *sequence, 2, 1]]).float()
    one, exchanged = module(seen).unflatten(1, (2, 4))
    torch.testing.assert_close(one, exchanged.flip(0))
    scores = CandidateScores(config, width=4)(seen)
    torch.testing.assert_close(scores[0], scores[1].flip(0))
    seen[0, 3 + 10] = 12  # the cells 0 to 4 are at offsets of the candidates
    torch.testing.assert_close(module(seen)[0].unflatten(0, (2, 4)), one)
    seen[0, 3 + 4] = 12
    assert not module(seen)[0].unflatten(0, (2, 4))[1].allclose(one[1])


GRID = {"shape": (3, 4), "window_radius": 1, "num_visible": 3}


@pytest.mark.parametrize(
    ("role", "name"), [("Sender", "sender"), ("SenderSymbol", "sender_symbol"), ("Receiver", "receiver")]
)
def test_any_role_takes_them(role, name, tmp_path):
    env, batch = gym.make(f"spatial_game/{role}-v0", **GRID), RoleVecEnv(name, 4, **GRID)
    for each in (env, batch):
        steps = {"n_steps": 8, "batch_size": 8, "n_epochs": 1}
        model = PPO("MlpPolicy", each, **steps, policy_kwargs=features(each), device="cpu")
        model.learn(8)
        assert features(model.get_env()) == features(env)
    model.save(tmp_path / "model.zip")
    again = PPO.load(tmp_path / "model.zip", device="cpu")
    seen, _ = env.reset(seed=0)
    np.testing.assert_array_equal(*(each.predict(seen, deterministic=True)[0] for each in (model, again)))


def test_the_value_does_not_change_what_the_policy_sees():
    env = gym.make("spatial_game/Receiver-small-v0")
    policy = PPO("MlpPolicy", env, policy_kwargs=features(env), device="cpu").policy
    policy.predict_values(policy.obs_to_tensor(env.reset(seed=0)[0])[0]).sum().backward()
    assert all(parameter.grad is None for parameter in policy.pi_features_extractor.parameters())


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN])
@pytest.mark.parametrize("role", ["Receiver", "SenderSymbol"])
def test_each_algorithm_takes_its_own(algorithm, role):
    env = gym.make(f"spatial_game/{role}-small-v0")
    few = {"n_steps": 8, "batch_size": 8, "n_epochs": 1} if algorithm is PPO else {}
    algorithm("MlpPolicy", env, policy_kwargs=features(env, algorithm), device="cpu", **few).learn(1)
    for wrong in ("DQN", None, gym.Env):
        with pytest.raises(TypeError, match=r"algorithm must be a class .*, such as DQN; got"):
            features(env, wrong)


def test_other_environments_are_refused():
    with pytest.raises(ValueError, match=r'env must have observations="flat"; got Box\(3981,\)'):
        features(gym.make("spatial_game/Receiver-v0", observations="one_hot"))
    with pytest.raises(TypeError, match="env must play one role of a game of spatial_game; got <"):
        features(gym.make("CartPole-v1"))
    with pytest.raises(TypeError, match="env must be RoleVecEnv for many games"):
        features(gym.make_vec("spatial_game/Receiver-v0", num_envs=2))
    with pytest.raises(ValueError, match="VecNormalize must have norm_obs=False"):
        features(VecNormalize(RoleVecEnv("receiver")))
    assert features(VecNormalize(RoleVecEnv("receiver"), norm_obs=False))


@pytest.mark.slow
def test_ppo_learns_with_them():
    env = RoleVecEnv("receiver", 256, sequence_length=20)
    once = {"n_steps": 4, "batch_size": 256, "n_epochs": 4, "learning_rate": 3e-3, "gae_lambda": 1.0}
    model = PPO("MlpPolicy", env, policy_kwargs=features(env), seed=0, device="cpu", **once)
    assert evaluate(model.learn(40_960), num_episodes=5_000).accuracy > 0.7  # chance is 20%
