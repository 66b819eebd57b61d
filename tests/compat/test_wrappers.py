"""The wrappers of Gymnasium and PettingZoo take the environments, as the tutorials and CleanRL use them."""

import functools
import warnings

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo.utils import parallel_to_aec
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game import referential_symbol_v0, referential_v0

VECTOR = gym.wrappers.vector
WRAPPED = {
    "statistics": VECTOR.RecordEpisodeStatistics,
    "flat": VECTOR.FlattenObservation,
    "normalised": VECTOR.NormalizeObservation,
    "rescaled": functools.partial(VECTOR.RescaleObservation, min_obs=0.0, max_obs=1.0),
    "float64": functools.partial(VECTOR.DtypeObservation, dtype=np.float64),
}


def one(env_id):
    """What CleanRL's `make_env` makes."""
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(env_id))
    env = gym.wrappers.NormalizeObservation(gym.wrappers.FlattenObservation(env))
    return gym.wrappers.TransformObservation(env, lambda seen: np.clip(seen, -10, 10), env.observation_space)


def ended(envs, steps=60):
    """Play at random; return the number of episodes that have ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's spaces cast infinity
        envs.reset(seed=1)
        over = [envs.step(envs.action_space.sample())[2:4] for _ in range(steps)]
        envs.close()
    return np.logical_or(*np.array(over).swapaxes(0, 1)).sum()


@pytest.mark.parametrize("role", ["Sender", "SenderSymbol", "Receiver"])
def test_gymnasiums_wrappers_take_a_role(role):
    env_id = f"spatial_game/{role}-v0"
    assert ended(gym.vector.SyncVectorEnv([functools.partial(one, env_id)] * 4))
    for wrapped in WRAPPED.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            envs = wrapped(gym.make_vec(env_id, num_envs=4, autoreset_mode="NextStep"))
        assert ended(envs)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_statistics_tell_the_share_of_episodes_that_are_won(mode):
    if mode == "SameStep" and tuple(map(int, gym.__version__.split(".")[:2])) < (1, 4):
        pytest.skip("docs/environments/referential.md: Known limits")
    make = functools.partial(gym.make_vec, "spatial_game/Receiver-small-v0", 64, autoreset_mode=mode)
    envs = VECTOR.RecordEpisodeStatistics(make(), buffer_length=10_000)
    envs.reset(seed=0)
    won = [envs.step(np.zeros(64, int))[1] for _ in range(100)]
    assert np.mean(envs.return_queue) * len(envs.return_queue) == np.sum(won) > 1_000


@pytest.mark.parametrize(
    "env",
    [
        parallel_to_aec(referential_v0.parallel_env()),
        parallel_to_aec(referential_symbol_v0.parallel_env()),
        # A message of several symbols has a mask for each, which this wrapper does not know.
        TerminateIllegalWrapper(referential_symbol_v0.env(mask_in_observation=True), illegal_reward=-1),
    ],
    ids=["parallel_to_aec", "parallel_to_aec, symbols", "TerminateIllegalWrapper"],
)
def test_pettingzoos_wrappers_take_the_environments(env):
    for seed in range(20):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            gone = terminated or truncated
            env.step(None if gone else env.action_space(agent).sample(info["action_mask"]))
        assert reward in (0.0, 1.0)
