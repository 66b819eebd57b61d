"""The state of a pair in training: everything that its next step depends on, and its checkpoint on disk."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from spatial_agents.networks.gru import new_pair
from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.pairs.tensor_files import (
    read_tensors,
    require,
    require_tensors,
    write_tensors,
)
from spatial_agents.recipes import TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.adam import MOMENTS


class TrainingFailed(RuntimeError):
    """A pair was not trained to the end; the text says why."""


class TrainingDiverged(TrainingFailed):
    """The loss or a weight is not finite, or too large. The last good checkpoint is untouched."""


@dataclass(frozen=True)
class PairState:
    """The state of one pair between two steps."""

    step: int
    """Steps done."""
    length: int
    """Sequence length of the next step."""
    seconds: float
    """Seconds of training, over all resumptions."""
    tensors: dict[str, Tensor]
    """Weights, their average, Adam's moments, generators and sums, by their names in a checkpoint."""

    @property
    def place(self) -> tuple[int, int]:
        """Step and sequence length, in which batched pairs must agree."""
        return self.step, self.length


def fresh_state(options: TrainOptions, device: torch.device) -> PairState:
    """Return the state of a pair before its first step, with the weights of its seed."""
    generator = torch_generator(options.seed, "weights")
    weights = new_pair(options.game, options.recipe.agent, generator).state_dict()
    length = options.recipe.first_length(options.game)
    return PairState(0, length, 0.0, _first_tensors(weights, options, device))


def _first_tensors(
    weights: Mapping[str, Tensor], options: TrainOptions, device: torch.device
) -> dict[str, Tensor]:
    """Return the tensors of a state before the first step."""
    recipe = options.recipe
    tensors = {f"pair/{name}": weight for name, weight in weights.items()}
    if recipe.weight_average:
        tensors |= {f"average/{name}": weight.clone() for name, weight in weights.items()}
    for moment in MOMENTS:
        tensors |= {f"optimiser/{moment}/{name}": torch.zeros_like(w) for name, w in weights.items()}
    for name in ("training", "noise"):
        tensors[f"generator/{name}"] = torch_generator(options.seed, name, device=device).get_state()
    if recipe.channel == "reinforce":  # the moving average of the loss, at first that of a guess
        tensors["baseline"] = torch.tensor(math.log(options.game.num_candidates))
    tensors["sums"] = torch.zeros(3, dtype=torch.float64)
    return tensors


def write_state(path: Path, state: PairState, options: TrainOptions, device: torch.device) -> None:
    """Write a checkpoint. Raises `TrainingDiverged`, and writes nothing, if a number is out of range."""
    header = {
        "kind": "checkpoint",
        "counters": {"step": state.step, "length": state.length, "seconds": state.seconds},
        "run": _identity(options, device),
    }
    try:
        write_tensors(path, state.tensors, header)
    except ValueError as error:
        raise TrainingDiverged(f"{error} at step {state.step}") from None


def read_state(path: Path, options: TrainOptions, device: torch.device) -> PairState:
    """Read a checkpoint. Raises `ValueError` if it is not whole, or not of a run with these options."""
    arrays, header = read_tensors(path, kind="checkpoint")
    stored, own = header["run"], _identity(options, device)
    for name in sorted(own.keys() | stored.keys()):
        begun, value = stored.get(name), own.get(name)
        require(begun == value, path, f"{name} must stay {begun}, with which the run began", value)
    shapes = weight_shapes(options.game, options.recipe.agent)
    weights = {name: torch.empty(shape, device="meta") for name, shape in shapes.items()}  # without numbers
    require_tensors(path, arrays, _first_tensors(weights, options, device))
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return PairState(**header["counters"], tensors=tensors)


def _identity(options: TrainOptions, device: torch.device) -> dict[str, Any]:
    """Return what a run must keep: its checkpoints continue with nothing else."""
    own = {"seed": options.seed, "device": device.type}
    return {**own, **options.game.to_dict(), **dataclasses.asdict(options.recipe)}
