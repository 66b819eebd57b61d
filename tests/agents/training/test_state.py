"""Checkpoints that are damaged or crafted."""

from dataclasses import replace

import pytest
import torch

from spatial_agents.pairs.tensor_files import read_tensors, write_tensors
from spatial_agents.recipes import Recipe
from spatial_agents.training.state import fresh_state, read_state, write_state
from spatial_agents.training.trainer import Trainer

CPU = torch.device("cpu")


@pytest.fixture
def options(tiny_options):
    return tiny_options()


@pytest.fixture
def path(options, tmp_path):
    """The checkpoint of a pair after five steps."""
    trainer = Trainer([options], CPU)
    for _ in range(5):
        trainer.step()
    write_state(tmp_path / "checkpoint.safetensors", trainer.state(), options, CPU)
    return tmp_path / "checkpoint.safetensors"


def craft(path, change):
    """Change a checkpoint and give it a hash that suits, as an attacker would."""
    tensors, header = read_tensors(path, "checkpoint")
    change(tensors, header)
    write_tensors(path, tensors, header)


def test_a_state_survives_its_file(options, path):
    state = read_state(path, options, CPU)
    again = Trainer([options], CPU, [state]).state()
    assert again.place == state.place == (5, 6)
    assert again.tensors.keys() == state.tensors.keys() == fresh_state(options, CPU).tensors.keys()
    assert all(torch.equal(again.tensors[name], state.tensors[name]) for name in state.tensors)


@pytest.mark.parametrize("moment", ["exp_avg", "exp_avg_sq"])
@pytest.mark.parametrize(
    ("tensor", "rule"),
    [
        (torch.zeros(1), r"must have shape \(16,\); got \(1,\)"),
        (torch.zeros(()), r"must have shape \(16,\); got \(\)"),
        (torch.zeros(16, dtype=torch.float64), "must be float32; got float64"),
        (torch.zeros(16, dtype=torch.uint8), "must be float32; got uint8"),
    ],
)
def test_moments_must_be_those_of_their_weights(options, path, moment, tensor, rule):
    """torch's fused Adam writes beyond the end of smaller ones."""
    name = f"optimiser/{moment}/sender.start"
    craft(path, lambda tensors, header: tensors.update({name: tensor}))
    with pytest.raises(ValueError, match=rf"checkpoint.safetensors: {name} {rule}"):
        read_state(path, options, CPU)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda tensors, header: header["run"].update(vocab_size=9), "vocab_size must stay 9, .*; got 8"),
        (
            lambda tensors, header: header["run"].update(shape=[2, 3]),
            r"shape must stay \[2, 3\], .*; got None",
        ),
        (lambda tensors, header: tensors.update(stranger=torch.ones(1)), "got also stranger"),
    ],
)
def test_other_crafted_contents_are_refused(options, path, change, rule):
    craft(path, change)
    with pytest.raises(ValueError, match=rf"checkpoint.safetensors: .*{rule}"):
        read_state(path, options, CPU)


def test_a_huge_weight_is_refused_in_reading_and_in_writing(options, path, monkeypatch):
    rule = r"checkpoint.safetensors: pair/sender.start must be in -1e\+12..1e\+12; got 1e\+38"

    def enlarge(tensors, header):
        tensors["pair/sender.start"].fill(1e38)

    with pytest.raises(ValueError, match=rule):
        craft(path, enlarge)
    with monkeypatch.context() as patched:
        patched.setattr("spatial_agents.pairs.tensor_files.LARGEST", 1e39)
        craft(path, enlarge)
    with pytest.raises(ValueError, match=rule):
        read_state(path, options, CPU)


def test_a_run_that_claims_huge_networks_is_refused_before_they_are_built(options, path, monkeypatch):
    claimed = replace(options, recipe=Recipe(**{**options.to_dict()["recipe"], "hidden_size": 65_536}))

    def claim(tensors, header):
        header["run"]["hidden_size"] = 65_536

    craft(path, claim)
    monkeypatch.delattr("spatial_agents.training.state.fresh_state")  # it would take 50 GB
    with pytest.raises(ValueError, match=r"checkpoint.safetensors: \S+ must have shape \(.*65536.*; got"):
        read_state(path, claimed, CPU)


def test_a_flipped_bit_is_seen(options, path):
    tensors, _ = read_tensors(path, "checkpoint")
    whole = bytearray(path.read_bytes())
    at = whole.index(tensors["pair/sender.start"].tobytes())
    whole[at + 3] ^= 1 << 6  # in the exponent of a weight
    path.write_bytes(whole)
    with pytest.raises(
        ValueError, match=r"checkpoint.safetensors: file_hash must be \w+, as it was when written"
    ):
        read_state(path, options, CPU)
