"""sb3-contrib: MaskablePPO and RecurrentPPO play one role through Gymnasium, and what they play is recorded.

pip install -e '.[analysis,sb3]' 'sb3-contrib>=2.6'
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import gymnasium as gym
from sb3_contrib import MaskablePPO, RecurrentPPO

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game import read_recording
from spatial_game.envs.adapters.sb3 import RoleVecEnv
from spatial_game.envs.play_recording import record_play

GAME = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1, "vocab_size": 4, "message_length": 2}
OPTIONS = {
    "n_steps": 64,
    "batch_size": 256,
    "gamma": 1.0,
    "gae_lambda": 1.0,
    "learning_rate": 1e-3,
    "seed": 0,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=8_000, help="for each of the two agents")
    steps = parser.parse_args().steps
    # A batch of games: MaskablePPO asks it for `action_masks`.
    masked = MaskablePPO("MlpPolicy", RoleVecEnv("sender", 16, partner="oracle", **GAME), **OPTIONS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "play.parquet"
        with record_play(masked.get_env(), path):
            masked.learn(steps)
        recording = read_recording(path)
    print(f"MaskablePPO sender: {len(recording)} episodes recorded, {recording.accuracy:.3f} of them won")
    # A single Gymnasium environment, which the library wraps by itself.
    env = gym.make("spatial_game/SenderSymbol-v0", partner="oracle", **GAME)
    recurrent = RecurrentPPO("MlpLstmPolicy", env, **OPTIONS)
    recurrent.learn(steps // 4)
    print(f"RecurrentPPO sender, symbol by symbol: {recurrent.num_timesteps} steps")
    rewards = [episode["r"] for episode in recurrent.ep_info_buffer]
    print(f"the last {len(rewards)} episodes: {sum(rewards) / len(rewards):.3f} won")


if __name__ == "__main__":
    main()
