"""Batched pairs against the same pairs alone."""

import dataclasses
import functools
import json

import numpy as np
import pytest
import torch

from spatial_agents.networks.gru import new_pair
from spatial_agents.pairs.tensor_files import read_tensors, read_weights
from spatial_agents.training import loop
from spatial_agents.training.adam import Adam
from spatial_agents.training.runs import TrainingFailed, finished_folders, resume, train
from spatial_agents.training.trainer import Trainer, clip_each
from spatial_game.units import Place

CPU = torch.device("cpu")

VARIANTS = {
    "scalars": {"inputs": "scalars"},
    "raw scalars, paper": {"inputs": "scalars", "recipe": "paper"},
    "embedding": {"schedule": "linear"},
    "one-hot, average": {"inputs": "one-hot", "weight_average": 0.9},
    "reinforce": {"channel": "reinforce"},
    "straight-through": {"straight_through": True},
    "fixed samples": {"fixed_samples": 50, "start_length": 0},
    "held out": {"hold_out": 0.1},
    "local": {"recipe": "local", "entropy_bonus": 0.0},
    "landmark": {"recipe": "landmark", "entropy_bonus": 0.0},
    "product": {"recipe": "product", "entropy_bonus": 0.0},
    "local, held out": {"recipe": "local", "entropy_bonus": 0.0, "hold_out": 0.1},
}


def batched_and_alone(options, seeds, device=CPU):
    own = [dataclasses.replace(options, seed=seed) for seed in seeds]
    return Trainer(own, device, batched=True), [Trainer([each], device) for each in own]


def assert_close(batched, alone, **tolerance):
    for i, trainer in enumerate(alone):
        found, expected = batched.state(i), trainer.state()
        assert (found.place, found.tensors.keys()) == (expected.place, expected.tensors.keys())
        for name in [name for name in expected.tensors if not name.startswith("optimiser")]:
            torch.testing.assert_close(found.tensors[name], expected.tensors[name], msg=name, **tolerance)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_each_pair_is_as_if_trained_alone(tiny_options, changes, monkeypatch):
    # Some gradients are zero but for rounding. Adam makes whole steps of any; with this, of larger ones only.
    monkeypatch.setattr("spatial_agents.training.trainer.Adam", functools.partial(Adam, epsilon=1e-5))
    options = tiny_options(**{"steps": 60, "learning_rate": 2e-3, **changes})
    batched, alone = batched_and_alone(options, (4, 5))
    for _ in range(15):
        for trainer in (batched, *alone):
            trainer.step()
    assert batched.step_number == 15
    assert_close(batched, alone, rtol=1e-3, atol=2e-4)


def test_a_pair_that_is_spoilt_does_not_touch_the_others(tiny_options):
    spoilt, clean = (batched_and_alone(tiny_options(steps=60), (1, 2, 3))[0] for _ in range(2))
    with torch.no_grad():
        spoilt.network.receiver.sequence_gru.weight_hh_l0[1, 0, 0] = torch.nan
    for trainer in (spoilt, clean):
        for _ in range(5):
            trainer.step()
    assert not torch.isfinite(spoilt.weights(1)["sender.start"]).all()
    for i in (0, 2):
        for name, value in clean.state(i).tensors.items():
            assert torch.equal(spoilt.state(i).tensors[name], value), name


def test_batched_pairs_must_be_at_one_step(tiny_options):
    options = [tiny_options(seed=seed) for seed in (0, 1)]
    _, [ahead, behind] = batched_and_alone(options[0], (0, 1))
    ahead.step()
    with pytest.raises(ValueError, match=r"must be at the same step and length; got \[\(0, 6\), \(1, 6\)\]"):
        Trainer(options, CPU, [ahead.state(), behind.state()], batched=True)


def test_each_pairs_gradient_is_clipped_to_its_own_norm(tiny_options):
    options = tiny_options()
    networks = [
        new_pair(options.game, options.recipe.agent, torch.Generator().manual_seed(i)) for i in (0, 1)
    ]
    stacked = [torch.stack(own) for own in zip(*(n.parameters() for n in networks), strict=True)]
    for stack in stacked:
        stack.grad = torch.stack([torch.full_like(stack[i], 1e-4 + i) for i in (0, 1)])
    clip_each(stacked, 1.0)
    for i, network in enumerate(networks):
        for parameter in network.parameters():
            parameter.grad = torch.full_like(parameter, 1e-4 + i)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        for stack, parameter in zip(stacked, network.parameters(), strict=True):
            torch.testing.assert_close(stack.grad[i], parameter.grad)


# ---------------------------------------------------------------------------------------- in a run folder


def test_a_batched_run_leaves_what_pairs_alone_leave(tiny_options):
    options = tiny_options("many", pairs=2, seed=5, side_by_side="batched", start_length=0)
    folders = train(options)
    [alone] = train(tiny_options("alone", seed=6, start_length=0))
    assert {path.name for path in folders[1].iterdir()} == {path.name for path in alone.iterdir()}
    assert (folders[1] / "config.json").read_text() == (alone / "config.json").read_text()
    weights = [read_weights(folder / "pair.safetensors").tensors for folder in (folders[1], alone)]
    for name in weights[1]:
        torch.testing.assert_close(*(tensors[name] for tensors in weights), rtol=1e-3, atol=2e-4)
    lengths = [
        [line.split(",")[3] for line in (folder / "metrics.csv").read_text().splitlines()]
        for folder in (folders[1], alone)
    ]
    assert lengths[0] == lengths[1]
    assert json.loads((folders[1] / "card.json").read_text())["machine"].endswith("2 batched pairs")


class Killed(Exception):
    pass


def test_a_batched_run_resumes_to_the_same_bytes(tiny_options, monkeypatch):
    def options_in(out):
        return tiny_options(
            out, pairs=2, side_by_side="batched", steps=20, checkpoint_seconds=0.0, weight_average=0.9
        )

    whole = train(options_in("whole/run"))
    options = options_in("cut/run")

    class Mortal(Trainer):
        def step(self):
            if self.step_number == 13:
                raise Killed
            super().step()

    with monkeypatch.context() as patch:
        patch.setattr(loop, "Trainer", Mortal)
        with pytest.raises(Killed):
            train(options)
    cut = resume(options.out)
    for one, other in zip(whole, cut, strict=True):
        assert (one / "pair.safetensors").read_bytes() == (other / "pair.safetensors").read_bytes()


@pytest.mark.usefixtures("quick_units")
def test_pairs_at_different_steps_and_of_either_form_are_continued(tiny_options, monkeypatch):
    """One pair was trained further, by a process of its own."""
    options = tiny_options(pairs=3, steps=20)
    folders = train(options, Place(jobs=1))
    hashes = [read_tensors(folder / "checkpoint.safetensors", "checkpoint")[0] for folder in folders]
    for folder in folders[1:]:
        for name in ("card.json", "pair.safetensors"):
            (folder / name).unlink()
    for name in ("checkpoint.safetensors", "metrics.csv"):
        (folders[2] / name).unlink()
    assert resume(options.out, side_by_side="batched") == folders
    again = [read_tensors(folder / "checkpoint.safetensors", "checkpoint")[0] for folder in folders]
    for before, after in zip(hashes, again, strict=True):
        torch.testing.assert_close(
            after["pair/sender.start"], before["pair/sender.start"], rtol=1e-3, atol=2e-4
        )


def test_a_pair_that_diverges_stops_with_a_word_and_leaves_the_others(tiny_options, monkeypatch):
    class Poisoned(Trainer):
        def step(self):
            super().step()
            if len(self.options) == 3 and self.step_number == 25:
                self.network.sender.start.data[1] = torch.nan

    monkeypatch.setattr(loop, "Trainer", Poisoned)
    options = tiny_options(pairs=3, side_by_side="batched", checkpoint_seconds=3600.0)
    with pytest.raises(
        TrainingFailed, match=r"^pair 01: loss must stay finite; got nan at step 30; the last"
    ):
        train(options)
    assert [folder.name for folder in finished_folders(options.out)] == ["00", "02"]
    read_tensors(options.out / "01" / "checkpoint.safetensors", "checkpoint")  # whole and finite
    monkeypatch.undo()
    clean = train(tiny_options("clean", pairs=3, side_by_side="batched"))
    for name in ("00", "02"):
        weights = [
            read_weights(out / name / "pair.safetensors").tensors for out in (options.out, clean[0].parent)
        ]
        assert all(np.allclose(weights[0][key], weights[1][key], atol=2e-4) for key in weights[0])


def test_batched_pairs_share_a_curriculum_by_success(tiny_options):
    folders = train(tiny_options(pairs=2, side_by_side="batched", start_length=3, grow_at=0.3))
    lengths = [
        [line.split(",")[3] for line in (folder / "metrics.csv").read_text().splitlines()[1:]]
        for folder in folders
    ]
    assert lengths[0] == lengths[1]
    assert lengths[0][0] == "3" != lengths[0][-1]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_a_captured_step_is_that_of_the_pairs_alone(tiny_options, changes):
    options = tiny_options(**{"steps": 60, "learning_rate": 2e-3, "device": "cuda", **changes})
    batched, alone = batched_and_alone(options, (4, 5, 6), torch.device("cuda"))
    for _ in range(30):
        for trainer in (batched, *alone):
            trainer.step()
    assert batched._do_step.graph is not None
    assert_close(batched, alone, rtol=1e-2, atol=2e-3)
