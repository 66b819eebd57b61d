"""The training of one pair or of batched pairs, step by step: episodes, a noisy channel, Adam."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spatial_agents.networks.gru import PairNetwork, empty_pair
from spatial_agents.networks.layers import PLAIN, batched_layers
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import TrainOptions, smaller_shapes
from spatial_agents.seeding import torch_generator
from spatial_agents.training.adam import Adam
from spatial_agents.training.cuda_graph import CUDAGraph
from spatial_agents.training.data import DeviceEpisodes, device_episodes_from_keys, draw_device_keys
from spatial_agents.training.near import log_weights
from spatial_agents.training.objective import Number, Speaking, outcome
from spatial_agents.training.reconstruction import reconstruction_costs
from spatial_agents.training.samplers import TrainingSampler
from spatial_agents.training.schedules import (
    average_share,
    entropy_bonus,
    learning_rate,
    longer,
    one_factor_share,
    visible_by_steps,
)
from spatial_agents.training.state import (
    PairState,
    TrainingDiverged,
    fresh_network,
    fresh_state,
    played_weights,
)
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.seeds import stream


class Trainer:
    """Pairs in training, and the step that changes them. The pairs differ in their seeds only.

    `batched` pairs share one network, with a leading dimension of pairs in every weight and tensor, and one
    step. Each has its own episodes, noise, gradient norm and moments, as if it were trained alone, up to
    rounding. On CUDA the step is captured as a graph. Without `batched` there is one pair.

    `states` continues pairs that have done the same number of steps; by default they are fresh.
    """

    def __init__(
        self,
        options: Sequence[TrainOptions],
        device: torch.device,
        states: Sequence[PairState] = (),
        *,
        batched: bool = False,
    ) -> None:
        states = states or [fresh_state(own, device) for own in options]
        places = {state.place for state in states}
        if len(places) != 1:
            raise ValueError(f"batched pairs must be at the same step and length; got {sorted(places)}")
        self.options, self.device, self.batched = options, device, batched
        self.recipe, self.game = options[0].recipe, options[0].game
        [(self.step_number, self.length)] = places
        self._seconds, self._started = [state.seconds for state in states], time.monotonic()
        self.samplers = [TrainingSampler(own, device) for own in options]
        self.noise_generators = [torch_generator(own.seed, "noise", device=device) for own in options]
        self._make_networks()
        self._load(states)

    def _make_networks(self) -> None:
        layers = batched_layers(len(self.options)) if self.batched else PLAIN
        network = fresh_network(self.game, self.recipe, layers).to_empty(device=self.device)
        # The pair that plays: a moving average of the weights if the recipe says so, else the network itself.
        self.network = network
        self.playing = copy.deepcopy(network) if self.recipe.weight_average else network
        leading = (len(self.options),) if self.batched else ()
        # Loss, accuracy and steps since the last row of metrics: summed on the device, and read for each row.
        self.sums = torch.zeros(*leading, 3, dtype=torch.float64, device=self.device)
        self.baseline = torch.zeros(leading, device=self.device)
        graph = self.batched and self.device.type == "cuda"
        self.optimiser = Adam(network.parameters(), self.step_number, captured=graph)
        names = ("bonus", "moves", "near")
        self._knobs = {name: torch.zeros((), device=self.device) for name in names}
        self._do_step = CUDAGraph(self._step_on) if graph else self._step_on

    def _load(self, states: Sequence[PairState]) -> None:
        for name, tensor in self._tensors().items():
            of_pairs = [state.tensors[name] for state in states]
            with torch.no_grad():
                tensor.copy_(torch.stack(of_pairs) if self.batched else of_pairs[0])
        for i, state in enumerate(states):
            for name, generator in self._generators(i).items():
                generator.set_state(state.tensors[name])

    def _tensors(self) -> dict[str, Tensor]:
        """Return the tensors that a state holds, those of all pairs together, by their names in it."""
        return held_tensors("", self.network, self.playing, self.optimiser) | self._shared_tensors()

    def _shared_tensors(self) -> dict[str, Tensor]:
        """Return those that belong to no network."""
        baseline = {"baseline": self.baseline} if self.recipe.channel == "reinforce" else {}
        return baseline | {"sums": self.sums}

    def _generators(self, i: int) -> dict[str, torch.Generator]:
        return {"generator/training": self.samplers[i].generator, "generator/noise": self.noise_generators[i]}

    def _of(self, i: int, tensor: Tensor) -> Tensor:
        """Return the part of a tensor that belongs to pair i."""
        return tensor.detach()[i] if self.batched else tensor.detach()

    def state(self, i: int = 0) -> PairState:
        """Return the state of pair i. Its tensors are those of the trainer, not copies."""
        tensors = {name: self._of(i, tensor) for name, tensor in self._tensors().items()}
        tensors |= {name: generator.get_state() for name, generator in self._generators(i).items()}
        return PairState(self.step_number, self.length, self.seconds(i), tensors)

    def weights(self, i: int = 0) -> dict[str, Tensor]:
        """Return the weights with which pair i plays, by their names. They are not copies."""
        return {name: self._of(i, weight) for name, weight in played_weights(self.playing).items()}

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step_number >= self.recipe.steps

    def seconds(self, i: int = 0) -> float:
        """Return the seconds of training of pair i, over all resumptions."""
        return self._seconds[i] + time.monotonic() - self._started

    # --- The step ---------------------------------------------------------------------------------------

    def step(self) -> None:
        """Do one step of Adam for every pair."""
        recipe, step = self.recipe, self.step_number
        self._knobs["bonus"].fill_(entropy_bonus(recipe, step))
        self._knobs["moves"].fill_(1 - average_share(recipe, step))
        self._knobs["near"].fill_(one_factor_share(recipe, step))
        self.optimiser.set_rate(learning_rate(recipe, step))
        self._do_step(self.draw(), self._noise())
        self.step_number += 1

    def _step_on(self, episodes: DeviceEpisodes, noise: Tensor, given: Tensor | None = None) -> None:
        """Do the step on given episodes ([P,] B, ...) and noise (T, [P,] B, V)."""
        self.optimiser.zero_grad()
        self._backward(self.network, episodes, noise, self._knobs["bonus"], given)
        if self.recipe.clip_norm:
            clip = clip_each if self.batched else torch.nn.utils.clip_grad_norm_
            clip(self.network.parameters(), self.recipe.clip_norm)
        self.optimiser.step()
        if self.playing is not self.network:
            move_average(self.playing, self.network, self._knobs["moves"])

    def _backward(
        self,
        network: PairNetwork,
        episodes: DeviceEpisodes,
        noise: Tensor,
        bonus: Number,
        given: Tensor | None = None,
    ) -> None:
        """Let networks play, give their weights gradients, and add to the sums."""
        recipe, slots = self.recipe, iter(noise)
        speaking = Speaking(recipe, lambda _: next(slots), given)
        moved = recipe.targets == "all" and given is None and (recipe.one_factor or recipe.one_factor_start)
        weights = log_weights(episodes, self.game, self._knobs["near"]) if moved else None

        def reconstruct(message: Tensor) -> Tensor:
            understood = network.receiver.understand(message)
            return reconstruction_costs(network.receiver.head, understood, episodes, self.game)

        second = reconstruct if recipe.reconstruct and given is None else None
        found = outcome(network, episodes, speaking, bonus, self.baseline, weights, second)
        found.objective.sum().backward()
        self.sums += torch.stack(
            [found.loss.double(), found.accuracy, torch.ones_like(found.accuracy)], dim=-1
        )

    def draw(self) -> DeviceEpisodes:
        """Return the episodes of the next step, ([P,] B, ...)."""
        visible = visible_by_steps(self.recipe, self.game, self.step_number)
        game = played_game(self.game, self.length, visible)
        if not self.batched:
            return self.samplers[0].draw(game, self.step_number)
        recipe = self.recipe
        near = recipe.one_factor or recipe.one_factor_start
        if recipe.fixed_samples or recipe.hold_out or recipe.targets == "all" or near:
            drawn = [sampler.draw(game, self.step_number) for sampler in self.samplers]
            return DeviceEpisodes(*(torch.stack(parts) for parts in zip(*drawn, strict=True)))
        size = self.recipe.batch_size
        keys = [draw_device_keys(game, size, sampler.generator) for sampler in self.samplers]
        together = device_episodes_from_keys(game, torch.cat(keys))
        return DeviceEpisodes(*(part.unflatten(0, (len(keys), size)) for part in together))

    def _noise(self) -> Tensor:
        """Return the noise (T, [P,] B, V) of the next step, drawn for each pair, one slot after another."""
        slots, symbols = self.game.message_length, self.game.vocab_size
        size = slots, len(self.options), self.recipe.episodes(self.game), symbols
        noise = torch.empty(size, device=self.device)
        for i, generator in enumerate(self.noise_generators):
            for slot in noise[:, i]:
                slot.exponential_(generator=generator)
        return noise if self.batched else noise[:, 0]

    # --- Metrics ----------------------------------------------------------------------------------------

    def row(self, i: int = 0) -> dict[str, Any]:
        """Return the metrics of pair i since the last `begin_interval`. Raises `TrainingDiverged`."""
        loss, accuracy, steps = self._of(i, self.sums).tolist()
        if not math.isfinite(loss):
            raise TrainingDiverged(f"loss must stay finite; got {loss} at step {self.step_number}")
        return {
            "step": self.step_number,
            "episodes": self.step_number * self.recipe.episodes(self.game),
            "seconds": round(self.seconds(i), 2),
            "sequence_length": self.length,
            "learning_rate": learning_rate(self.recipe, self.step_number - 1),
            "loss": loss / steps,
            "training_accuracy": accuracy / steps,
            "validation_accuracy": self.validate(i),
        }

    def begin_interval(self, accuracy: float) -> None:
        """Begin the next logging interval; sequences grow if this training accuracy says so."""
        self.sums.zero_()
        if accuracy >= self.recipe.grow_at:
            self.length = longer(self.length, self.game)

    def validate(self, i: int) -> float | None:
        """Return the greedy accuracy of pair i on fresh episodes of the full game, None if it is not due."""
        every, interval, step = self.options[i].validate_every, self.recipe.grow_every, self.step_number
        if step // every == (step - interval) // every and not self.finished:
            return None
        return self._accuracy(self.pair_network(i), self.options[i])

    def _accuracy(self, network: PairNetwork, options: TrainOptions) -> float:
        rng = np.random.default_rng(stream(options.seed, "validation", self.step_number))
        pair = pair_from_network(network, self.game, self.recipe.agent)
        agents = pair.sender, pair.receiver
        return evaluate_agents(*agents, self.game, options.validation_episodes, rng).accuracy

    def pair_network(self, i: int = 0) -> PairNetwork:
        """Return the network of pair i that plays, with the trainer's own weights."""
        if not self.batched:
            return self.playing
        network = empty_pair(self.game, self.recipe.agent)
        network.load_state_dict(self.weights(i), assign=True)
        return network


@functools.lru_cache(maxsize=1)
def played_game(game: GameConfig, length: int, visible: int) -> GameConfig:
    """Return the game of steps with this sequence length and number of visible cells, and all integers."""
    shape = game.shape if length == game.sequence_length else smaller_shapes(game)[length]
    size = {"sequence_length": length, "shape": shape, "num_integers": len(game.integers)}
    return dataclasses.replace(game, **size, num_visible=visible)


def held_tensors(prefix: str, network: nn.Module, playing: nn.Module, optimiser: Adam) -> dict[str, Tensor]:
    """Return the tensors of networks in a checkpoint: weights, their average, Adam's moments."""
    tensors = {f"{prefix}pair/{name}": weight for name, weight in network.named_parameters()}
    if playing is not network:
        tensors |= {f"{prefix}average/{name}": weight for name, weight in playing.named_parameters()}
    for moment, of_weights in optimiser.moments.items():
        names = (name for name, _ in network.named_parameters())
        tensors |= {f"{prefix}optimiser/{moment}/{n}": of for n, of in zip(names, of_weights, strict=True)}
    return tensors


@torch.no_grad()
def move_average(average: nn.Module, network: nn.Module, moves: Tensor) -> None:
    """Move the average of the weights towards the weights by this share."""
    for old, new in zip(average.parameters(), network.parameters(), strict=True):
        old.lerp_(new, moves)


@torch.no_grad()
def clip_each(parameters: Any, norm: float) -> None:
    """Scale each pair's gradients down to this norm, as `torch.nn.utils.clip_grad_norm_` does for one."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    squares = [gradient.square().flatten(1).sum(dim=1) for gradient in gradients]
    factors = (norm / (torch.stack(squares).sum(dim=0).sqrt() + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factors.view(-1, *(1,) * (gradient.dim() - 1)))
