"""What is played through an environment is recorded, whatever its interface, and reads like any recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from spatial_game import referential_symbol_v0
from spatial_game.config import GameConfig
from spatial_game.envs.play_recording import record_play
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.game.episodes import draw_episodes
from spatial_game.recording import read_recording

SMALL: dict[str, int] = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}
CONFIG = GameConfig(**SMALL)
EPISODES = 20


def play_aec(env: Any) -> float:
    won = 0.0
    for episode in range(EPISODES):
        env.reset(seed=0 if episode == 0 else None)
        for agent in env.agent_iter():
            _, reward, gone, _, info = env.last()
            won += reward if gone and agent == "sender_0" else 0.0
            env.step(None if gone else env.action_space(agent).sample(info["action_mask"]))
    return won


def play_vector(env: Any) -> float:
    env.reset(seed=0)
    return sum(float(env.step(env.action_space.sample())[1].sum()) for _ in range(EPISODES // 2))


def play_batch(env: ParallelVectorEnv) -> float:
    env.reset(seed=0)
    won = 0.0
    for _ in range(EPISODES):  # two games, two steps an episode
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        won += env.step(actions)[1]["sender_0"].sum()
    return won


def play_torchrl(env: Any) -> float:
    env.set_seed(0)
    played = env.rollout(EPISODES, break_when_any_done=False)  # two games, two steps an episode
    return float(played["next", "sender_0", "reward"].sum())


def synchronous() -> Any:
    kind = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}
    return gym.make_vec("spatial_game/Receiver-v0", num_envs=2, **kind, **SMALL)


def torchrl() -> Any:
    pytest.importorskip("torchrl")
    from spatial_game.envs.adapters.torchrl import ReferentialEnv

    return ReferentialEnv(2, **SMALL)


CASES: dict[str, tuple[Callable[[Any], float], Callable[[], Any]]] = {
    "AEC by symbol": (play_aec, lambda: referential_symbol_v0.env(**SMALL)),
    "Gymnasium, several": (play_vector, synchronous),
    "batch": (play_batch, lambda: ParallelVectorEnv(2, **SMALL)),
    "TorchRL": (play_torchrl, torchrl),
}


@pytest.mark.parametrize("case", CASES)
def test_every_episode_is_a_row(case: str, tmp_path: Path) -> None:
    play, make = CASES[case]
    env, path = make(), tmp_path / "play.parquet"
    with record_play(env, path, {"seed": 0}) as recorder:
        won = play(env)
    play(env)  # no longer recorded
    recording = read_recording(path)
    assert len(recording) == recorder.num_episodes == EPISODES
    assert recording.config == CONFIG
    assert recording.accuracy == pytest.approx(won / EPISODES)
    assert recording.provenance["seed"] == 0
    games = 1 if case == "AEC by symbol" else 2
    alone = draw_episodes(CONFIG, EPISODES // games, np.random.default_rng(0))
    for name, column in vars(alone).items():
        if name in recording.columns():
            np.testing.assert_array_equal(recording.columns()[name][::games], column)


def test_long_play_is_written_in_blocks(tmp_path: Path) -> None:
    envs = gym.make_vec("spatial_game/Receiver-v0", num_envs=1000, **SMALL)
    envs.reset(seed=0)
    with record_play(envs, tmp_path / "play.parquet"):
        for _ in range(20):
            envs.step(np.zeros(1000, int))
    recording = read_recording(tmp_path / "play.parquet")
    assert len(recording) == 20_000
    alone = draw_episodes(CONFIG, 20, np.random.default_rng(7))
    np.testing.assert_array_equal(recording.window[7::1000], alone.window)


def test_a_play_that_fails_leaves_no_file(tmp_path: Path) -> None:
    envs = ParallelVectorEnv(2, **SMALL)
    with pytest.raises(KeyError), record_play(envs, tmp_path / "play.parquet"):
        play_batch(envs)
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    assert envs.turns.on_end == []


def test_environments_of_others_are_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(TypeError, match="env must be an environment of spatial_game in this process; got"),
        record_play(gym.make("CartPole-v1"), tmp_path / "play.parquet"),
    ):
        pass
