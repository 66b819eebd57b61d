"""Players in NumPy play as the networks play in torch."""

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest
from slow_twin import GAME, GRID, SOLID

from spatial_agents import load_pair
from spatial_agents.networks.pair import new_pair
from spatial_agents.pairs.names import folder_of, numbered_pairs, pair_names, weights_path
from spatial_agents.pairs.policy import BATCH
from spatial_agents.pairs.tensor_files import Weights, read_weights, write_weights
from spatial_agents.pairs.torch_play import pair_from_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes

SMALL = AgentConfig(hidden_size=12, embedding_size=5, inputs="embedding")
INPUTS = {"sequential": ("scalars", "embedding", "one-hot"), "local": ("scalars", "embedding", "one-hot")}
INPUTS["landmark"] = ("embedding", "one-hot")
AGENTS = {
    f"{network} {inputs}": dataclasses.replace(SMALL, network=network, inputs=inputs, scalar_reach=8.0)
    for network in INPUTS
    for inputs in INPUTS[network]
}
each_agent = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


def pairs(tmp_path, agent, game=GAME, seed=1):
    """The same pair in NumPy and in torch, with weights that tell inputs apart."""
    network = new_pair(game, agent, seed)
    tensors = {name: (5 if value.ndim == 2 else 1) * value for name, value in network.state_dict().items()}
    write_weights(tmp_path / "pair.safetensors", Weights(tensors, game, agent, {}))
    return both(tmp_path / "pair.safetensors")


def both(path):
    return load_pair(path), pair_from_weights(read_weights(path), {})


def differences(ours, theirs, episodes):
    """Return in how many episodes messages and choices differ, and the messages.

    The logits must be the same but for rounding, and differ only where the two best are as close.
    """
    windows, messages = (episodes.window,), ours.sender.send(episodes.window)
    of_messages = compared(ours.sender, theirs.sender, messages, theirs.sender.send(*windows), *windows)
    arrays = messages, episodes.sequence, episodes.candidates
    choices = (pair.receiver.choose(*arrays) for pair in (ours, theirs))
    return of_messages, compared(ours.receiver, theirs.receiver, *choices, *arrays), messages


def compared(ours, theirs, done, their_done, *arrays):
    logits, their_logits = ours.logits(*arrays), theirs.logits(*arrays)
    assert logits.dtype == their_logits.dtype == np.float32
    same = (done == their_done).reshape(len(done), -1).all(axis=1)
    rounding = 3e-5 * max(1, np.abs(logits).max())
    np.testing.assert_allclose(logits[same], their_logits[same], rtol=0, atol=rounding)
    ordered = np.sort(logits, axis=-1)
    gaps = (ordered[..., -1] - ordered[..., -2]).reshape(len(done), -1).min(axis=1)
    assert (gaps[~same] < rounding).all()
    return np.count_nonzero(~same)


@each_agent
def test_untrained_pairs_of_every_kind_play_as_in_torch(agent, tmp_path):
    ours, theirs = pairs(tmp_path, agent)
    *differ, messages = differences(ours, theirs, draw_episodes(GAME, 500, np.random.default_rng(0)))
    assert differ == [0, 0]
    assert len(np.unique(messages, axis=0)) > 1


@pytest.mark.parametrize("game", [GRID, SOLID], ids=["grid", "solid"])
@each_agent
def test_grids_and_hidden_cells_play_as_in_torch(agent, game, tmp_path):
    ours, theirs = pairs(tmp_path, agent, game)
    episodes = draw_episodes(game, 300, np.random.default_rng(0))
    assert differences(ours, theirs, episodes)[:2] == (0, 0)


@each_agent
def test_other_lengths_and_numbers_of_candidates_play_as_in_torch(agent, tmp_path):
    ours, theirs = pairs(tmp_path, agent)
    for other in (GameConfig(15, 15, 1, 13, 7, 2), GameConfig(4, 15, 1, 1, 7, 2)):
        episodes = draw_episodes(other, 100, np.random.default_rng(1))
        assert differences(ours, theirs, episodes)[:2] == (0, 0)


@each_agent
@pytest.mark.parametrize("size", [0, 1, BATCH + 1])
def test_batches_of_any_size_play_as_their_parts_do(size, agent, tmp_path):
    pair, _ = pairs(tmp_path, agent)
    episodes = draw_episodes(GAME, size, np.random.default_rng(0))
    messages = pair.sender.send(episodes.window)
    choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
    assert (messages.dtype, messages.shape) == (np.int16, (size, GAME.message_length))
    assert (choices.dtype, choices.shape) == (np.int16, (size,))
    for i in range(0, size, 31):
        one = episodes[i : i + 1]
        np.testing.assert_array_equal(pair.sender.send(one.window), messages[i : i + 1])
        assert pair.receiver.choose(messages[i : i + 1], one.sequence, one.candidates) == choices[i]


@pytest.mark.parametrize("name", pair_names())
def test_the_first_pair_of_each_name_plays_as_in_torch(name):
    ours, theirs = both(weights_path(name, 0))
    episodes = draw_episodes(ours.config, 2_000, np.random.default_rng(5))
    assert max(differences(ours, theirs, episodes)[:2]) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", pair_names())
def test_bundled_pairs_play_as_in_torch(name):
    for path in numbered_pairs(folder_of(name)).values():
        ours, theirs = both(path)
        episodes = draw_episodes(ours.config, 20_000, np.random.default_rng(5))
        assert max(differences(ours, theirs, episodes)[:2]) <= 2  # one in 10,000


def test_pairs_pickle(tmp_path):
    pair, _ = pairs(tmp_path, AGENTS["sequential scalars"])
    episodes = draw_episodes(GAME, 20, np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(pair))
    np.testing.assert_array_equal(again.sender.send(episodes.window), pair.sender.send(episodes.window))


PLAY = """
import sys
from spatial_game.envs.roles import ReceiverEnv, SenderEnv
import spatial_agents
for env in (ReceiverEnv("embed-60"), SenderEnv(spatial_agents.load_pair("embed-60"))):
    env.reset(seed=0)
    env.step(env.action_space.sample())
print("torch" in sys.modules)
"""


def test_playing_loads_no_torch():
    done = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
