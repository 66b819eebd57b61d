"""Graphs in ONNX Runtime play as the networks play in torch."""

import dataclasses
import json
import pickle
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from slow_twin import GAME, GRID, SOLID

from spatial_agents import load_pair
from spatial_agents.graphs import protobuf
from spatial_agents.graphs.networks import receiver_model, sender_model
from spatial_agents.graphs.session import CHUNK
from spatial_agents.networks.gru import new_pair
from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.pairs.export import export_onnx
from spatial_agents.pairs.names import pair_names, weights_path
from spatial_agents.pairs.tensor_files import Weights, read_weights, write_weights
from spatial_agents.pairs.torch_play import pair_from_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes

SMALL = AgentConfig(hidden_size=12, embedding_size=5)
AGENTS = {
    f"gru {inputs}": dataclasses.replace(SMALL, inputs=inputs, scalar_reach=8.0)
    for inputs in ("scalars", "embedding", "one-hot")
}
LOCAL = {
    f"local {inputs}": dataclasses.replace(SMALL, network="local", inputs=inputs, scalar_reach=8.0)
    for inputs in ("scalars", "embedding", "one-hot")
}
LANDMARK = {
    f"{network} {inputs}": dataclasses.replace(SMALL, network=network, inputs=inputs)
    for network in ("landmark", "product")
    for inputs in ("embedding", "one-hot")
}
AGENTS |= LOCAL | LANDMARK
each_agent = pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)


def pairs(tmp_path, agent, game=GAME, seed=1):
    """The same pair in ONNX Runtime and in torch, with weights that tell inputs apart."""
    network = new_pair(game, agent, torch.Generator().manual_seed(seed))
    tensors = {name: (5 if value.ndim == 2 else 1) * value for name, value in network.state_dict().items()}
    weights = Weights(tensors, game, agent, {})
    write_weights(tmp_path / "pair.safetensors", weights)
    return both(tmp_path / "pair.safetensors")


def both(path):
    return load_pair(path), pair_from_weights(read_weights(path), {})


def require_same_play(ours, theirs, episodes):
    """Compare logits, messages and choices, which may differ where two logits are closer than rounding.

    Return how many differ, and the messages.
    """
    arrays = [episodes.window]
    messages = ours.sender.send(*arrays)
    differ = compared(ours.sender, theirs.sender, messages, theirs.sender.send(*arrays), *arrays)
    arrays = [messages, episodes.sequence, episodes.candidates]
    choices = [pair.receiver.choose(*arrays) for pair in (ours, theirs)]
    return differ + compared(ours.receiver, theirs.receiver, *choices, *arrays), messages


def compared(ours, theirs, done, their_done, *arrays):
    """Return in how many episodes the two differ."""
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
    episodes = draw_episodes(GAME, 500, np.random.default_rng(0))
    differ, messages = require_same_play(ours, theirs, episodes)
    assert differ == 0
    assert len(np.unique(messages, axis=0)) > 1


@pytest.mark.parametrize("game", [GRID, SOLID], ids=["grid", "solid"])
@each_agent
def test_grids_and_hidden_cells_play_as_in_torch(agent, game, tmp_path):
    ours, theirs = pairs(tmp_path, agent, game)
    episodes = draw_episodes(game, 300, np.random.default_rng(0))
    assert require_same_play(ours, theirs, episodes)[0] == 0


@each_agent
def test_other_lengths_and_numbers_of_candidates_play_as_in_torch(agent, tmp_path):
    ours, theirs = pairs(tmp_path, agent)
    for other in (GameConfig(15, 15, 1, 13, 7, 2), GameConfig(4, 15, 1, 1, 7, 2)):
        episodes = draw_episodes(other, 100, np.random.default_rng(1))
        assert require_same_play(ours, theirs, episodes)[0] == 0


@each_agent
def test_graphs_are_valid(agent):
    zeros = {name: np.zeros(shape, np.float32) for name, shape in weight_shapes(GAME, agent).items()}
    for model in (sender_model(GAME, agent, zeros), receiver_model(GAME, agent, zeros)):
        onnx_model = onnx.load_from_string(model + protobuf.properties({"key": "text"}))
        onnx.checker.check_model(onnx_model, full_check=True)
        versions = onnx_model.ir_version, onnx_model.opset_import[0].version
        assert versions == (protobuf.IR_VERSION, protobuf.OPSET)
        assert {p.key: p.value for p in onnx_model.metadata_props} == {"key": "text"}
        assert [each.name for each in onnx_model.graph.output][1] == "logits"


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**31, 2**62, -1, -(2**63)])
def test_whole_numbers_are_written_as_protocol_buffers_write_them(value):
    attribute = onnx.AttributeProto.FromString(protobuf.message((1, "name"), (3, value), (20, 2)))
    assert attribute.i == value


@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_batches_of_any_size_play_as_their_parts_do(size, tmp_path):
    pair, _ = pairs(tmp_path, AGENTS["gru embedding"])
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
def test_bundled_pairs_play_as_in_torch(name):
    """Some 36,000 messages and choices in all; `benchmarks/bench_play.py --same` compares a million."""
    ours, theirs = both(weights_path(name, 0))
    episodes = draw_episodes(ours.config, 2_000, np.random.default_rng(5))
    assert require_same_play(ours, theirs, episodes)[0] <= 1


def test_pairs_pickle(tmp_path):
    pair, _ = pairs(tmp_path, AGENTS["gru scalars"])
    episodes = draw_episodes(GAME, 20, np.random.default_rng(0))
    before = pair.sender.send(episodes.window)
    again = pickle.loads(pickle.dumps(pair))
    np.testing.assert_array_equal(again.sender.send(episodes.window), before)
    np.testing.assert_array_equal(pair.sender.send(episodes.window), before)


PLAY = """
import sys
from spatial_game.envs.roles import ReceiverEnv, SenderEnv
import spatial_agents
assert not {"torch", "onnxruntime"} & set(sys.modules), "loaded before it is needed"
pair = spatial_agents.load_pair("embed-60")
for env in (ReceiverEnv("embed-60"), SenderEnv(pair)):
    env.reset(seed=0)
    env.step(env.action_space.sample())
print(sorted({"torch", "onnxruntime", "onnx"} & set(sys.modules)))
"""


def test_playing_loads_onnx_runtime_and_no_torch():
    done = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "['onnxruntime']\n"), done.stderr


def test_exported_files_play_in_other_programs(tmp_path):
    pair = load_pair("embed-60")
    paths = export_onnx(pair, tmp_path / "out")
    sender, receiver = (onnxruntime.InferenceSession(path) for path in paths)
    for path in paths:
        onnx.checker.check_model(path, full_check=True)
    about = json.loads(sender.get_modelmeta().custom_metadata_map["spatial_game"])
    assert (about["weights_hash"], about["game"]) == (pair.weights_hash, pair.config.to_dict())
    episodes = draw_episodes(GameConfig(30, 60), 50, np.random.default_rng(3))
    [messages] = sender.run(["message"], {"window": episodes.window.astype(np.int64)})
    np.testing.assert_array_equal(messages, pair.sender.send(episodes.window))
    arrays = {"message": messages, "sequence": episodes.sequence, "candidates": episodes.candidates}
    [choices] = receiver.run(["choice"], {name: a.astype(np.int64) for name, a in arrays.items()})
    expected = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
    np.testing.assert_array_equal(choices, expected)
