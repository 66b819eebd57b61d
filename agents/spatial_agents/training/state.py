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

from spatial_agents.networks.gru import PairNetwork, draw_weights, empty_pair, new_pair
from spatial_agents.networks.layers import PLAIN, Layers
from spatial_agents.pairs.tensor_files import (
    read_tensors,
    require,
    require_tensors,
    write_tensors,
)
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.adam import MOMENTS
from spatial_agents.training.lives import ROLES, number_of
from spatial_agents.training.reconstruction import new_head
from spatial_game.config import GameConfig

_GENERATORS = ("training", "noise")
_HEAD = "receiver.head."
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Recipe)}
"""What checkpoints that are older than a field mean."""


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


def fresh_state(options: TrainOptions, device: torch.device, generation: int = 0) -> PairState:
    """Return the state before the first step of a pair, of a population, or of a generation."""
    tensors = _shared_tensors(options, device, (generation,) if generation else ())
    tensors |= _network_tensors(options, first_weights(options, (generation,) if generation else ()))
    return PairState(0, options.recipe.first_length(options.game), 0.0, tensors)


def fresh_network(game: GameConfig, recipe: Recipe, layers: Layers = PLAIN) -> PairNetwork:
    """Return the networks that a recipe trains, without numbers; the receiver may have a second task."""
    network = empty_pair(game, recipe.agent, layers)
    if recipe.reconstruct:
        network.receiver.head = new_head(game, recipe.agent, layers)
    return network


def played_weights(network: PairNetwork) -> dict[str, Tensor]:
    """Return the weights of the pair alone, without those of a second task. They are not copies."""
    every = network.named_parameters()
    return {name: weight.detach() for name, weight in every if not name.startswith(_HEAD)}


def first_weights(options: TrainOptions, key: tuple[int, ...] = ()) -> dict[str, Tensor]:
    """Return the weights of a new pair. The key names one of several of the same seed."""
    generator = torch_generator(options.seed, "weights", *key)
    weights = new_pair(options.game, options.recipe.agent, generator).state_dict()
    if options.recipe.reconstruct:
        head = new_head(options.game, options.recipe.agent).to_empty(device="cpu")
        with torch.no_grad():
            draw_weights(head, torch_generator(options.seed, "head", *key))
        weights |= {f"{_HEAD}{name}": weight for name, weight in head.state_dict().items()}
    return weights


def member_weights(options: TrainOptions, role: str, index: int, number: int) -> dict[str, Tensor]:
    """Return the first weights of a network of a population, in one of its lives.

    The first sender and the first receiver begin as the pair of the same seed does.
    """
    weights = first_weights(options, (index, number) if index or number else ())
    own = f"{role}."
    return {name.removeprefix(own): weight for name, weight in weights.items() if name.startswith(own)}


def network_tensors(weights: Mapping[str, Tensor], recipe: Recipe, prefix: str) -> dict[str, Tensor]:
    """Return the tensors of new networks in a checkpoint: weights, their average, Adam's moments."""
    tensors = {f"{prefix}pair/{name}": weight for name, weight in weights.items()}
    if recipe.weight_average:
        tensors |= {f"{prefix}average/{name}": weight.clone() for name, weight in weights.items()}
    for moment in MOMENTS:
        zeros = {f"{prefix}optimiser/{moment}/{name}": torch.zeros_like(w) for name, w in weights.items()}
        tensors |= zeros
    return tensors


def _network_tensors(options: TrainOptions, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of all networks before the first step; `weights` are those of a single pair."""
    if not options.recipe.population:
        return network_tensors(weights, options.recipe, "")
    tensors = dict[str, Tensor]()
    for role in ROLES:
        for i in range(number_of(options.recipe, role)):
            own = member_weights(options, role, i, 0)
            tensors |= network_tensors(own, options.recipe, f"{role}/{i}/")
            tensors[f"{role}/{i}/steps"] = torch.tensor(0.0)
    return tensors


def _shared_tensors(
    options: TrainOptions, device: torch.device, key: tuple[int, ...] = ()
) -> dict[str, Tensor]:
    """Return the tensors before the first step that belong to no network."""
    generators = {name: torch_generator(options.seed, name, *key, device=device) for name in _GENERATORS}
    tensors = {f"generator/{name}": generator.get_state() for name, generator in generators.items()}
    if options.recipe.channel == "reinforce":  # the moving average of the loss, at first that of a guess
        tensors["baseline"] = torch.tensor(math.log(options.game.num_candidates))
    return tensors | {"sums": torch.zeros(3, dtype=torch.float64)}


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
        begun, value = stored.get(name, _DEFAULTS.get(name)), own.get(name)
        require(begun == value, path, f"{name} must stay {begun}, with which the run began", value)
    weights = dict(fresh_network(options.game, options.recipe).named_parameters())  # without numbers
    expected = _shared_tensors(options, device) | _network_tensors(options, weights)
    require_tensors(path, arrays, expected)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return PairState(**header["counters"], tensors=tensors)


def _identity(options: TrainOptions, device: torch.device) -> dict[str, Any]:
    """Return what a run must keep: its checkpoints continue with nothing else."""
    own = {"seed": options.seed, "device": device.type}
    return {**own, **options.game.to_dict(), **dataclasses.asdict(options.recipe)}
