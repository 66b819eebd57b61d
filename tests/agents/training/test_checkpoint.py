"""Checkpoints: the next steps depend on nothing else, and a damaged or foreign one is refused."""

import dataclasses

import numpy as np
import pytest
import torch

from spatial_agents.training import checkpoint
from spatial_agents.training.trainer import Trainer, TrainingDiverged

CPU = torch.device("cpu")


@pytest.fixture
def options(tiny_options):
    return tiny_options()


@pytest.fixture
def path(options, tmp_path):
    """The checkpoint of a pair after five steps."""
    trainer = Trainer(options, CPU)
    for _ in range(5):
        trainer.step()
    checkpoint.save(trainer, tmp_path / "checkpoint.pt")
    return tmp_path / "checkpoint.pt"


def craft(path, change):
    content = torch.load(path, weights_only=True)
    change(content)
    torch.save(content, path)


@pytest.mark.parametrize("recipe", ["curriculum", "local"])
def test_a_training_goes_on_as_if_it_had_not_stopped(tiny_options, tmp_path, recipe):
    options = tiny_options(recipe=recipe)
    whole, stopped, again = (Trainer(options, CPU) for _ in range(3))
    for _ in range(7):
        whole.step()
    for _ in range(3):
        stopped.step()
    checkpoint.save(stopped, tmp_path / "checkpoint.pt")
    checkpoint.load(again, tmp_path / "checkpoint.pt")
    for _ in range(4):
        again.step()
    assert (again.step_number, again.length) == (whole.step_number, whole.length)
    assert torch.equal(again.sums, whole.sums)
    for network in ("pair", "average"):
        expected = getattr(whole, network).state_dict()
        for name, weight in getattr(again, network).state_dict().items():
            assert torch.equal(weight, expected[name])


def test_no_damaged_byte_goes_unseen(options, path):
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged[: rng.integers(len(whole))] if rng.random() < 0.3 else damaged)
        trainer = Trainer(options, CPU)
        try:
            checkpoint.load(trainer, path)
        except ValueError as error:
            refused += str(path) in str(error) and len(str(error).splitlines()) == 1
        else:  # for example a padding byte
            path.write_bytes(whole)
            good = Trainer(options, CPU)
            checkpoint.load(good, path)
            for weight, other in zip(trainer.pair.parameters(), good.pair.parameters(), strict=True):
                assert torch.equal(weight, other)
    assert refused > 100


@pytest.mark.parametrize("moment", ["exp_avg", "exp_avg_sq"])
def test_moments_must_be_those_of_their_weights(options, path, moment):
    """torch's fused Adam writes beyond the end of smaller ones."""
    craft(path, lambda content: content["optimiser"]["state"][0].update({moment: torch.zeros(1)}))
    with pytest.raises(ValueError, match=r"checkpoint.pt: must be a checkpoint of these networks; .*moments"):
        checkpoint.load(Trainer(options, CPU), path)


@pytest.mark.parametrize("lost", ["pair", "noise", "optimiser", "sums", "run"])
def test_a_checkpoint_that_lacks_something_is_refused(options, path, lost):
    craft(path, lambda content: content.pop(lost))
    with pytest.raises(ValueError, match=r"checkpoint.pt: must be a .*checkpoint.*"):
        checkpoint.load(Trainer(options, CPU), path)


def test_a_checkpoint_of_another_run_is_refused(options, path):
    for change, fault in (
        ({"seed": 9}, "seed must stay 0, with which the run began; got 9"),
        (
            {"recipe": dataclasses.replace(options.recipe, batch_size=8)},
            "batch_size must stay 32, .*; got 8",
        ),
    ):
        with pytest.raises(ValueError, match=fault):
            checkpoint.load(Trainer(dataclasses.replace(options, **change), CPU), path)
    craft(path, lambda content: content["run"].update(device="cuda"))
    with pytest.raises(ValueError, match="device must stay cuda, with which the run began; got cpu"):
        checkpoint.load(Trainer(options, CPU), path)


def test_a_checkpoint_runs_no_code(options, path):
    torch.save({"run": print}, path)
    with pytest.raises(ValueError, match="must be a whole checkpoint; UnpicklingError"):
        checkpoint.load(Trainer(options, CPU), path)


def test_weights_that_are_not_finite_are_never_saved(options, path):
    before, trainer = path.read_bytes(), Trainer(options, CPU)
    trainer.pair.sender.start.data[0] = float("nan")
    with pytest.raises(TrainingDiverged, match=r"sender.start must stay finite; got nan .* at step 0"):
        checkpoint.save(trainer, path)
    assert path.read_bytes() == before
