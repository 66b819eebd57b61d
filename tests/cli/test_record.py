"""`record`: the episodes of a stream, whoever plays."""

import gymnasium
import numpy as np
import pytest

from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game import GameConfig, OracleSender, draw_episodes, read_recording
from spatial_game.cli.app import parse
from spatial_game.game.seeds import random_stream


def test_the_episodes_are_those_of_the_stream(oracle_files):
    recording = read_recording(oracle_files / "play.parquet")
    episodes = draw_episodes(GameConfig(), 5_000, np.random.default_rng(random_stream(0, "recording")))
    assert np.array_equal(recording.window, episodes.window)
    assert np.array_equal(recording.sequence, episodes.sequence)
    assert np.array_equal(recording.message, OracleSender(GameConfig()).send(episodes.window))
    assert recording.accuracy == 1.0
    assert recording.provenance["seed"] == 0
    assert recording.provenance["sender"] == {"policy": "oracle"}


@pytest.mark.parametrize("size", [{"sequence_length": 20}, {"sequence_length": 20, "num_integers": 60}])
def test_a_pair_plays_the_same_game_of_another_length_as_in_an_environment(folder, text, size):
    options = " ".join(f"--{name.replace('_', '-')} {number}" for name, number in size.items())
    text(f"record embed-60 --episodes 20 --out play.parquet {options}")
    env = gymnasium.make("spatial_game/Receiver-v0", partner="embed-60", **size)
    assert read_recording("play.parquet").config == env.unwrapped.config == GameConfig(**size)


def test_a_game_with_a_name_is_played_and_learnt(folder, text):
    text("record oracle --game small --num-distractors 3 --episodes 20 --out play.parquet")
    small = GameConfig.small().changed(num_distractors=3)
    assert read_recording("play.parquet").config == small
    command = parse(["train", "--game", "small", "--num-distractors", "3", "--steps", "9"])
    assert command.runs() == [TrainOptions(small, Recipe(steps=9))]
