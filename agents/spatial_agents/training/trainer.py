"""The training of one pair, step by step: episodes, a channel through which the sender learns, Adam."""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks.gru import new_pair
from spatial_agents.pairs.checkpoint import check_weights, configs_from_header, read_tensors, write_tensors
from spatial_agents.pairs.policy import pair_from_network
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.data import Allowed, DeviceEpisodes, FixedSamples, draw_device_episodes
from spatial_agents.training.objective import Speaking, outcome
from spatial_agents.training.schedules import (
    average_share,
    entropy_bonus,
    learning_rate,
    length_by_steps,
    longer,
    temperature,
)
from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.held_out import held_out
from spatial_game.game.seeds import stream

STREAMS = ("weights", "samples", "training", "noise", "validation", "evaluation")
"""The random streams of a run; the first four seed torch generators."""


class TrainingFailed(RuntimeError):
    """A pair could not be trained to the end, for the reason that the text says."""


class TrainingDiverged(TrainingFailed):
    """The loss or a weight stopped being a number. The last good checkpoint is untouched."""


@dataclass
class Counters:
    """The plain numbers of a training state."""

    step: int
    length: int
    """Sequence length of the current steps."""
    seconds: float = 0.0


class Trainer:
    """A pair in training: its networks, optimiser and generators, and the step that changes them."""

    def __init__(self, options: TrainOptions, device: torch.device) -> None:
        self.options, self.recipe, self.game, self.device = options, options.recipe, options.game, device
        self.episodes_generator = _generator(options.seed, "training", device)
        self.noise_generator = _generator(options.seed, "noise", device)
        weights = _generator(options.seed, "weights", torch.device("cpu"))
        self.network = new_pair(self.game, self.recipe.agent, weights).to(device)
        # The pair that plays: a moving average of the weights if the recipe says so, else the network itself.
        self.playing = copy.deepcopy(self.network) if self.recipe.weight_average else self.network
        self.optimiser = torch.optim.Adam(self.network.parameters(), fused=True)
        self.counters = Counters(step=0, length=self.recipe.first_length(self.game))
        # Loss, accuracy and steps since the last row of metrics: summed on the device, read once a stretch.
        self.sums = torch.zeros(3, dtype=torch.float64, device=device)
        # What REINFORCE expects of a message: at first, the loss of guessing.
        self.baseline = torch.tensor(math.log(self.game.num_candidates), device=device)
        count = self.recipe.fixed_samples
        self.samples = FixedSamples(self.game, count, options.seed, device) if count else None
        share = self.recipe.hold_out
        self.allowed = Allowed(held_out(self.game, share, options.seed), device) if share else None
        self._started = time.monotonic()

    @property
    def step_number(self) -> int:
        """Steps done."""
        return self.counters.step

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.counters.step >= self.recipe.steps

    @property
    def seconds(self) -> float:
        """Seconds of training, over all resumptions."""
        return self.counters.seconds + time.monotonic() - self._started

    @property
    def played(self) -> GameConfig:
        """The game of the current steps: the curriculum's length, the full game's integers."""
        return dataclasses.replace(
            self.game, sequence_length=self.counters.length, num_integers=len(self.game.integers)
        )

    def draw(self) -> DeviceEpisodes:
        """The episodes of the next step."""
        if self.samples is not None:
            return self.samples.batch(self.step_number, self.recipe.batch_size)
        if self.allowed is not None:
            return self.allowed.draw(self.played, self.recipe.batch_size, self.episodes_generator)
        return draw_device_episodes(self.played, self.recipe.batch_size, self.episodes_generator)

    def noise(self, like: Tensor) -> Tensor:
        """Noise of the channel for a symbol: from the exponential distribution."""
        return torch.empty_like(like).exponential_(generator=self.noise_generator)

    def step(self) -> None:
        """One step of Adam."""
        recipe, step = self.recipe, self.counters.step
        speaking = Speaking(recipe, temperature(recipe, step), self.noise)
        found = outcome(self.network, self.draw(), speaking, entropy_bonus(recipe, step), self.baseline)
        self.optimiser.zero_grad()
        found.objective.backward()
        if recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(recipe, step)
        self.optimiser.step()
        move_average(self.playing, self.network, average_share(recipe, step))
        self.sums += torch.stack([found.loss.double(), found.accuracy, torch.ones_like(found.accuracy)])
        self.counters.step += 1

    def close_stretch(self) -> dict[str, Any]:
        """The row of metrics of the steps since the last one; lengthens the sequences if it is time to."""
        loss, accuracy, steps = self.sums.tolist()
        self.sums.zero_()
        if not math.isfinite(loss):
            raise TrainingDiverged(f"loss must stay finite; got {loss} at step {self.step_number}")
        row = {
            "step": self.step_number,
            "episodes": self.step_number * self.recipe.batch_size,
            "seconds": round(self.seconds, 2),
            "sequence_length": self.counters.length,
            "learning_rate": learning_rate(self.recipe, self.step_number - 1),
            "loss": loss / steps,
            "training_accuracy": accuracy / steps,
            "validation_accuracy": self.validate(),
        }
        self.counters.length = self.next_length(accuracy / steps)
        return row

    def next_length(self, accuracy: float) -> int:
        """The sequence length of the next steps, after a stretch of this training accuracy."""
        if self.recipe.grow_by == "steps":
            return length_by_steps(self.recipe, self.game, self.step_number)
        length = self.counters.length
        return longer(length, self.game) if accuracy >= self.recipe.grow_at else length

    def validate(self) -> float | None:
        """Greedy accuracy on fresh episodes of the full game; None in stretches without validation."""
        every, step = self.options.validate_every, self.step_number
        if step // every == (step - self.recipe.grow_every) // every and not self.finished:
            return None
        rng = np.random.default_rng(seeds_of(self.options.seed, "validation", self.step_number))
        pair = pair_from_network(self.playing, self.game, self.recipe.agent)
        return evaluate_agents(
            pair.sender, pair.receiver, self.game, self.options.validation_episodes, rng
        ).accuracy

    def weights(self) -> dict[str, Tensor]:
        """The weights of the pair that plays, on the CPU."""
        return {name: value.cpu() for name, value in self.playing.state_dict().items()}

    def save(self, path: Path) -> None:
        """Write everything that the next step depends on."""
        tensors = {f"pair/{name}": value for name, value in self.network.state_dict().items()}
        if self.playing is not self.network:
            tensors |= {f"average/{name}": value for name, value in self.playing.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser/{key}/{name}"] = value
        for name, generator in self._generators().items():
            tensors[f"generator/{name}"] = generator.get_state()
        if self.recipe.channel == "reinforce":
            tensors["baseline"] = self.baseline
        tensors["sums"] = self.sums
        header = {
            "kind": "checkpoint",
            "game": self.game.to_dict(),
            "agent": self.recipe.agent.to_dict(),
            "counters": dataclasses.asdict(dataclasses.replace(self.counters, seconds=self.seconds)),
            "run": self._identity(),
        }
        try:
            write_tensors(path, tensors, header)
        except ValueError as error:
            raise TrainingDiverged(f"{error} at step {self.step_number}") from None

    def restore(self, path: Path) -> None:
        """Continue from what `save` wrote. Raises `ValueError` if it is not of this run, or not whole."""
        tensors, header = read_tensors(path, kind="checkpoint")
        configs = configs_from_header(path, header)
        if configs != (self.game, self.recipe.agent):
            raise ValueError(f"{path}: configs must be those of the run's config.json; got {configs}")
        stored = header.get("run", {})  # older checkpoints do not say
        for name, value in self._identity().items():
            if name in stored and stored[name] != value:
                raise ValueError(
                    f"{path}: {name} must stay {stored[name]}, with which the run began; got {value}"
                )
        networks = {"pair/": self.network, "average/": self.playing}
        try:
            for prefix, network in networks.items():
                if prefix == "pair/" or self.playing is not self.network:
                    weights = _below(prefix, tensors)
                    check_weights(path, weights, *configs)
                    network.load_state_dict(weights)
            for name, generator in self._generators().items():
                generator.set_state(tensors[f"generator/{name}"])
            if self.recipe.channel == "reinforce":
                self.baseline = tensors["baseline"].to(self.device)
            self.sums = tensors["sums"].to(self.device)
            self.counters = Counters(**header["counters"])
            self._restore_optimiser(_below("optimiser/", tensors), self.counters.step)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ValueError(f"{path}: must be a whole checkpoint; {error!r}") from None
        self._started = time.monotonic()

    def _identity(self) -> dict[str, Any]:
        """What a run must not change on its way: its checkpoints go on with nothing else."""
        return {"seed": self.options.seed, "device": self.device.type, **dataclasses.asdict(self.recipe)}

    def _restore_optimiser(self, stored: dict[str, Tensor], step: int) -> None:
        names = [name for name, _ in self.network.named_parameters()]
        keys = ("step", "exp_avg", "exp_avg_sq") if step else ()
        state = {i: {key: stored[f"{key}/{name}"] for key in keys} for i, name in enumerate(names) if keys}
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})

    def _generators(self) -> dict[str, torch.Generator]:
        return {"training": self.episodes_generator, "noise": self.noise_generator}


@torch.no_grad()
def move_average(average: torch.nn.Module, network: torch.nn.Module, share: float | Tensor) -> None:
    """Let the average of the weights keep this share of itself; does nothing where it is the network."""
    if average is not network:
        for old, new in zip(average.parameters(), network.parameters(), strict=True):
            old.lerp_(new, 1 - share)


def seeds_of(seed: int, name: str, *key: int) -> np.random.SeedSequence:
    """A random stream of a root seed, or the part of it that has this key."""
    seeds = stream(seed, name)
    return np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *key))


def _generator(seed: int, name: str, device: torch.device) -> torch.Generator:
    return torch.Generator(device).manual_seed(torch_seed(seed, name))


def torch_seed(seed: int, name: str) -> int:
    """The number that seeds the torch generator of a stream."""
    return int(stream(seed, name).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
