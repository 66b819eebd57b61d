import json
import random
import tracemalloc

import numpy as np
import pytest
import safetensors.torch
import torch

from spatial_agents.networks import new_pair
from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.weights import (
    HEADER_KEY,
    PairWeights,
    hash_file,
    hash_weights,
    read_weights,
    write_weights,
)
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

GAME = GameConfig(6, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)
AGENT = AgentConfig(hidden_size=4)


def make(seed=0, game=GAME, agent=AGENT):
    pair = new_pair(game, agent, seed)
    return PairWeights(pair.state_dict(), game, agent, {"seed": seed})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "pair.safetensors"
    write_weights(path, make())
    return path


def contents(path):
    with safetensors.safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return tensors, json.loads(file.metadata()[HEADER_KEY])


def write_as_is(path, tensors, header):
    safetensors.torch.save_file(tensors, path, {HEADER_KEY: json.dumps(header)})


def rewrite(path, change):
    """Change tensors and header of a file, and give it a hash that suits."""
    tensors, header = contents(path)
    change(tensors, header)
    del header["file_hash"]
    header["file_hash"] = hash_file(header, {name: tensor.numpy() for name, tensor in tensors.items()})
    write_as_is(path, tensors, header)


def test_what_is_written_is_read(path):
    read, written = read_weights(path), make()
    assert read[1:] == written[1:]
    assert read.tensors.keys() == written.tensors.keys()
    assert all(np.array_equal(read.tensors[name], value) for name, value in written.tensors.items())


def test_the_same_weights_make_the_same_bytes(path, tmp_path):
    write_weights(tmp_path / "again", make())
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_hash_is_of_names_shapes_and_numbers():
    tensors = {"a": torch.arange(6.0), "b": torch.ones(2)}
    shuffled = {"b": torch.ones(2), "a": torch.arange(6.0)}
    assert hash_weights(tensors) == hash_weights(shuffled)
    others = [
        {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(2)},
        {"a": torch.arange(6.0), "c": torch.ones(2)},
        {"a": torch.arange(6.0), "b": torch.ones(2) + 1e-6},
    ]
    assert len({hash_weights(other) for other in [tensors, *others]}) == 4


def test_every_flipped_bit_is_seen(path):
    whole = path.read_bytes()
    for bit in random.Random(0).sample(range(8 * len(whole)), 1500):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(ValueError, match=r"pair.safetensors: ") as caught:
            read_weights(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("deep", ["[" * 200_000, '{"a":' * 200_000])
def test_deep_nesting_is_refused_in_one_line(path, deep):
    safetensors.torch.save_file(contents(path)[0], path, {HEADER_KEY: deep})
    with pytest.raises(ValueError, match="metadata must hold spatial_game, a JSON object; got") as caught:
        read_weights(path)
    assert len(str(caught.value)) < 300
    path.write_bytes(len(deep).to_bytes(8, "little") + deep.encode())
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        read_weights(path)


def test_truncated(path):
    whole = path.read_bytes()
    for size in (0, 5, 100, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"pair.safetensors: must be a whole safetensors file"):
            read_weights(path)


def test_foreign(path):
    path.write_text("PAR1 this is something else")
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        read_weights(path)
    safetensors.torch.save_file({"x": torch.ones(1)}, path)
    with pytest.raises(ValueError, match="metadata must hold spatial_game, a JSON object; got None"):
        read_weights(path)
    safetensors.torch.save_file({"x": torch.ones(1)}, path, {HEADER_KEY: "[1"})
    with pytest.raises(ValueError, match="metadata must hold spatial_game, a JSON object"):
        read_weights(path)


def test_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing.safetensors: there is no such file"):
        read_weights(tmp_path / "nothing.safetensors")


def poison(tensors, header):
    tensors["sender.start"][0] = float("nan")


def enlarge(tensors, header):
    tensors["sender.start"][0] = -1e38


def lose(tensors, header):
    del tensors["sender.start"]


def add(tensors, header):
    tensors["stranger"] = torch.ones(1)


def widen(tensors, header):
    tensors["sender.start"] = tensors["sender.start"].double()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (poison, "sender.start must be finite; got nan or infinity"),
        (enlarge, r"sender.start must be in -1e\+12..1e\+12; got -1e\+38"),
        (lose, "a file of this config must hold sender.start; got none"),
        (add, "tensors must be those of this config; got also stranger"),
        (widen, r"sender.start must have shape \(4,\), float32; got \(4,\), float64"),
        (lambda _, header: header.update(kind="lexicon"), "kind must be pair; got 'lexicon'"),
        (lambda _, header: header.update(format_version=3), "format_version must be 2; got 3"),
        (
            lambda _, header: header["game"].update(vocab_size=6),
            r"must have shape \(4, 6\), float32; got \(4, 5\)",
        ),
        (
            lambda _, header: header["agent"].update(hidden_size=8),
            r"must have shape \(\d+.*\), float32; got \(\d+",
        ),
        (lambda _, header: header["game"].update(window_radius=0), "window_radius must be at least 1; got 0"),
        (
            lambda _, header: header["game"].update(message_length=10**12),
            "message_length must be at most 1000",
        ),
        (lambda _, header: header["agent"].update(hidden_size=10**12), "hidden_size must be at most 65536"),
        (lambda _, header: header["agent"].update(hidden_size=4.5), "hidden_size must be a whole number"),
        (lambda _, header: header["agent"].update(colour=1), "AgentConfig fields must be among .*'colour'"),
        (lambda _, header: header.update(game=None), "header must hold the configs"),
        (lambda _, header: header.pop("provenance"), "header must have the field provenance; got none"),
    ],
)
def test_every_fault_is_one_clear_error(path, change, message):
    rewrite(path, change)
    with pytest.raises(ValueError, match=message) as caught:
        load_pair(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("network", "inputs", "game"),
    [
        ("sequential", "scalars", {"vocab_size": 32767}),
        ("sequential", "scalars", {"vocab_size": 4096, "message_length": 1000}),
        ("sequential", "one-hot", {"sequence_length": 32767}),
        ("sequential", "one-hot", {"num_integers": 4095}),
        ("local", "embedding", {"shape": [13, 13, 13, 13], "window_radius": 6}),
        ("landmark", "embedding", {"sequence_length": 32767, "window_radius": 16383}),
        ("landmark", "embedding", {"vocab_size": 4096, "message_length": 1000}),
    ],
)
def test_a_small_file_that_claims_a_huge_game_is_refused_in_little_memory(tmp_path, network, inputs, game):
    path = tmp_path / "pair.safetensors"
    write_weights(path, make(agent=AgentConfig(hidden_size=4, network=network, inputs=inputs)))

    def claim(tensors, header):
        header["game"] = {name: value for name, value in header["game"].items() if name != "num_integers"}
        header["game"] |= {"sequence_length": 60, **game}

    rewrite(path, claim)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"must (have shape|be small enough for a table of at most \d+)"):
        load_pair(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**27


def test_a_name_with_control_characters_is_shown_escaped(path):
    rewrite(path, lambda tensors, header: tensors.update({"\x1b[31m\nred": torch.ones(1)}))
    with pytest.raises(ValueError, match=r"got also \\x1b\[31m\\nred"):
        load_pair(path)


def test_a_broken_pair_never_replaces_a_good_one(path):
    good, weights = path.read_bytes(), make()
    weights.tensors["sender.start"][0] = float("inf")
    with pytest.raises(ValueError, match=r"sender.start must be finite"):
        write_weights(path, weights)
    assert path.read_bytes() == good


def test_a_full_disk_leaves_the_old_file_and_no_other(path, monkeypatch):
    good = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_weights(path, make(seed=1))
    assert path.read_bytes() == good
    assert list(path.parent.iterdir()) == [path]
