"""Long plays, plays that fail, and what cannot be recorded. (Through every interface: test_parity.py.)"""

from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest
from helpers.sizes import SMALL

from spatial_game import GameConfig, RecordingWriter, draw_episodes, read_recording, referential_v0
from spatial_game.envs.play_recording import record_play
from spatial_game.envs.reset_arguments import checked_seeds
from spatial_game.envs.vector import ParallelVectorEnv

CONFIG = GameConfig(**SMALL)


def test_long_play_is_written_in_blocks(tmp_path, monkeypatch):
    blocks, write = [], RecordingWriter.write

    def count_and_write(writer, block):
        blocks.append(len(block))
        write(writer, block)

    monkeypatch.setattr(RecordingWriter, "write", count_and_write)
    envs = gym.make_vec("spatial_game/Receiver-v0", num_envs=1000, **SMALL)
    envs.reset(seed=0)
    with record_play(envs, tmp_path / "play.parquet") as recorder:
        for _ in range(20):
            envs.step(np.zeros(1000, int))
    assert recorder.num_episodes == sum(blocks) == 20_000
    assert len(blocks) > 1
    envs.step(np.zeros(1000, int))  # no longer recorded
    recording = read_recording(tmp_path / "play.parquet")
    assert len(recording) == 20_000
    alone = draw_episodes(CONFIG, 20, np.random.default_rng(checked_seeds(0, 8)[7]))
    np.testing.assert_array_equal(recording.window[7::1000], alone.window)


def test_a_play_that_fails_leaves_no_file(tmp_path):
    envs = ParallelVectorEnv(2, **SMALL)
    with pytest.raises(KeyError), record_play(envs, tmp_path / "play.parquet"):
        envs.reset()
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    assert envs.game.on_end == []


def test_what_other_libraries_make_of_environments_is_recorded(tmp_path):
    """By the attributes that hold them; the parity test has wrappers of Gymnasium and Stable-Baselines3."""
    one = referential_v0.parallel_env(**SMALL)
    two = ParallelVectorEnv(2, **SMALL)
    held = SimpleNamespace(
        par_env=one,  # RLlib, SuperSuit
        workers=[SimpleNamespace(env=one)],  # Tianshou
        _modules={"base_env": two},  # TorchRL
        env_ids=np.arange(2),
        other=referential_v0.parallel_env(),  # of another game, and no part of the environment
    )
    held._my_env = held
    with record_play(SimpleNamespace(venv=SimpleNamespace(vec_envs=[held])), tmp_path / "play.parquet"):
        for env, message, choice in ((one, [1, 2, 3], 0), (two, [[1, 2, 3]] * 2, [0, 0])):
            env.reset()
            for _ in range(2):
                env.step({"sender_0": message, "receiver_0": choice})
    assert read_recording(tmp_path / "play.parquet").message.tolist() == [[1, 2, 3]] * 3


def test_environments_of_others_are_refused(tmp_path):
    with (
        pytest.raises(TypeError, match=r"env must be .* of spatial_game"),
        record_play(gym.make("CartPole-v1"), tmp_path / "play.parquet"),
    ):
        pass
    two = SimpleNamespace(envs=[referential_v0.env(**SMALL), referential_v0.env()])
    with (
        pytest.raises(ValueError, match=r"env must hold one game; got L9 .* and L60 "),
        record_play(two, tmp_path / "play.parquet"),
    ):
        pass
