"""Checkpoints: the next steps depend on nothing else, and a damaged or foreign one is refused."""

import numpy as np
import pytest
import torch

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
    trainer.save(tmp_path / "checkpoint.pt")
    return tmp_path / "checkpoint.pt"


def require_equal(one, other):
    for name, weight in one.state_dict().items():
        assert torch.equal(weight, other.state_dict()[name])


@pytest.mark.parametrize("recipe", ["curriculum", "local"])
def test_a_training_goes_on_as_if_it_had_not_stopped(tiny_options, tmp_path, recipe):
    options = tiny_options(recipe=recipe)
    whole, stopped, again = (Trainer(options, CPU) for _ in range(3))
    for _ in range(7):
        whole.step()
    for _ in range(3):
        stopped.step()
    stopped.save(tmp_path / "checkpoint.pt")
    again.load(tmp_path / "checkpoint.pt")
    for _ in range(4):
        again.step()
    assert (again.step_number, again.length) == (whole.step_number, whole.length)
    assert torch.equal(again.sums, whole.sums)
    require_equal(again.pair, whole.pair)
    require_equal(again.average, whole.average)


def test_no_damaged_byte_goes_unseen(options, path):
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    good = Trainer(options, CPU)
    good.load(path)
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged[: rng.integers(len(whole))] if rng.random() < 0.3 else damaged)
        trainer = Trainer(options, CPU)
        try:
            trainer.load(path)
        except ValueError as error:
            refused += str(path) in str(error) and len(str(error).splitlines()) == 1
        else:  # for example a padding byte
            require_equal(trainer.pair, good.pair)
    assert refused > 100


def change_moment(content):  # torch's fused Adam would write beyond the end of a smaller one
    content["optimiser"]["state"][0]["exp_avg_sq"] = torch.zeros(1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (change_moment, r"ValueError: .*moments"),
        (lambda content: content.pop("noise"), "KeyError: 'noise'"),
        (lambda content: content.update(run=print), "UnpicklingError"),
        (lambda content: content["run"].update(seed=9), "seed must stay 9, with which the run began; got 0"),
        (lambda content: content["run"].update(device="cuda"), "device must stay cuda, .*; got cpu"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused_and_runs_no_code(options, path, change, fault):
    content = torch.load(path, weights_only=True)
    change(content)
    torch.save(content, path)
    with pytest.raises(
        ValueError, match=rf"checkpoint\.pt: (must be a whole checkpoint of these networks; )?{fault}"
    ):
        Trainer(options, CPU).load(path)


def test_weights_that_are_not_finite_are_never_saved(options, path):
    before, trainer = path.read_bytes(), Trainer(options, CPU)
    trainer.pair.sender.start.data[0] = float("nan")
    with pytest.raises(TrainingDiverged, match=r"sender.start must stay finite; got nan .* at step 0"):
        trainer.save(path)
    assert path.read_bytes() == before
