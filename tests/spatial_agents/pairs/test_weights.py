"""Weights on disk: what is written is read, and every fault of a file is one line."""

import json
import random

import numpy as np
import pytest
import safetensors.numpy

from spatial_agents.network_config import NetworkConfig
from spatial_agents.networks import networks_of, new_networks
from spatial_agents.pairs.pair import load_pair
from spatial_agents.pairs.weights import (
    HEADER_KEY,
    PairWeights,
    _hash_file,
    hash_weights,
    read_weights,
    write_weights,
)
from spatial_game.config import GameConfig

GAME = GameConfig(6, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)


def make(seed=0, **network_config):
    network_config = NetworkConfig(**{"hidden_size": 4, **network_config})
    return PairWeights(
        new_networks(GAME, networks_of(network_config), seed).state_dict(),
        GAME,
        network_config,
        {"seed": seed},
    )


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "pair.safetensors"
    write_weights(path, make())
    return path


def rewrite(path, change):
    """Change tensors and header of a file, and give it a hash that suits."""
    with safetensors.safe_open(path, "np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        header = json.loads(file.metadata()[HEADER_KEY])
    change(tensors, header)
    del header["file_hash"]
    header["file_hash"] = _hash_file(header, tensors)
    safetensors.numpy.save_file(tensors, path, {HEADER_KEY: json.dumps(header)})


def test_what_is_written_is_read_and_the_same_weights_make_the_same_bytes(path, tmp_path):
    read, written = read_weights(path), make()
    assert read[1:] == written[1:]
    assert read.tensors.keys() == written.tensors.keys()
    assert all(np.array_equal(read.tensors[name], value) for name, value in written.tensors.items())
    write_weights(tmp_path / "again", read)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_hash_is_of_names_shapes_and_numbers():
    tensors = {"a": np.arange(6.0), "b": np.ones(2)}
    assert hash_weights(tensors) == hash_weights(dict(reversed(tensors.items())))
    others = [
        {**tensors, "a": np.arange(6.0).reshape(2, 3)},
        {"a": np.arange(6.0), "c": np.ones(2)},
        {**tensors, "b": np.ones(2) + 1e-6},
    ]
    assert len({hash_weights(other) for other in [tensors, *others]}) == 4


def test_every_flipped_bit_and_every_missing_end_is_seen(path):
    whole = path.read_bytes()
    for bit in random.Random(0).sample(range(8 * len(whole)), 50):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped[: bit // 8] if bit % 16 == 0 else flipped)
        with pytest.raises(ValueError, match=r"pair.safetensors: ") as caught:
            read_weights(path)
        assert "\n" not in str(caught.value)


def test_a_file_of_something_else_is_refused(path):
    path.write_bytes(b"PAR1 other")
    with pytest.raises(ValueError, match=r"pair.safetensors: must be a whole safetensors file"):
        read_weights(path)


def change(part, **fields):
    """Return a function that changes fields of a part of the header."""
    return lambda _, header: (header[part] if part else header).update(fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tensors, _: tensors.pop("sender.start"), "networks of both configs; 'start' is missing"),
        (change(None, kind="dictionary"), "kind must be pair; got 'dictionary'"),
        (change(None, format_version=4), "format_version must be 3; got 4"),
        (change("game", window_radius=0), "window_radius must be in 1..32767; got 0"),
        (change("agent", colour=1), "NetworkConfig fields must be among .*'colour'"),
        (lambda _, header: header.pop("provenance"), "must have the field provenance"),
    ],
)
def test_every_fault_is_one_clear_error(path, change, message):
    rewrite(path, change)
    with pytest.raises(ValueError, match=message) as caught:
        load_pair(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_broken_pair_never_replaces_a_good_one(path):
    good, weights = path.read_bytes(), make()
    weights.tensors["sender.start"][0] = float("inf")
    with pytest.raises(ValueError, match=r"sender.start must be float32 in"):
        write_weights(path, weights)
    assert path.read_bytes() == good
