"""The training of one pair, step by step: fresh episodes, Gumbel-Softmax, cross-entropy, Adam."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from spatial_agents.checkpoint import check_weights, configs_from_header, read_tensors, write_tensors
from spatial_agents.device_episodes import draw_device_episodes
from spatial_agents.networks import GumbelSoftmax, entropy, new_pair
from spatial_agents.policy import pair_from_network
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_game.config import GameConfig
from spatial_game.evaluation import play
from spatial_game.seeds import stream

STREAMS = ("weights", "training", "noise", "validation", "evaluation")
"""The random streams of a run; the first three seed torch generators."""

_WARM_UP = 0.25
_WARM_UP_FROM = 1 / 25
_BONUS_ENDS = 0.7


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
        noise = _generator(options.seed, "noise", device)
        self.gumbel = GumbelSoftmax(noise, self.recipe.temperature, self.recipe.straight_through)
        weights = _generator(options.seed, "weights", torch.device("cpu"))
        self.network = new_pair(self.game, self.recipe.agent, weights).to(device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), fused=True)
        self.counters = Counters(step=0, length=self.recipe.first_length(self.game))
        # Loss, accuracy and steps since the last row of metrics: summed on the device, read once a stretch.
        self.sums = torch.zeros(3, dtype=torch.float64, device=device)
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

    def step(self) -> None:
        """One step of Adam on fresh episodes of the current length."""
        played = dataclasses.replace(
            self.game, sequence_length=self.counters.length, num_integers=len(self.game.integers)
        )
        episodes = draw_device_episodes(played, self.recipe.batch_size, self.episodes_generator)
        bonus, entropies = entropy_bonus(self.recipe, self.counters.step), []

        def choose_symbol(logits: Tensor) -> Tensor:
            if bonus:
                entropies.append(entropy(logits))
            return self.gumbel(logits)

        message = self.network.sender(episodes.window, choose_symbol)
        logits = self.network.receiver(message, episodes.sequence, episodes.candidates)
        loss = functional.cross_entropy(logits, episodes.target_index)
        self.optimiser.zero_grad()
        (loss - bonus * sum(entropies)).backward()
        if self.recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.recipe, self.counters.step)
        self.optimiser.step()
        accuracy = (logits.argmax(dim=1) == episodes.target_index).double().mean()
        self.sums += torch.stack([loss.detach().double(), accuracy, torch.ones_like(accuracy)])
        self.counters.step += 1

    def close_stretch(self) -> dict[str, float | None]:
        """The row of metrics of the steps since the last one; lengthens the sequences if they went well."""
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
        if accuracy / steps >= self.recipe.grow_at:
            self.counters.length = longer(self.counters.length, self.game)
        return row

    def validate(self) -> float | None:
        """Greedy accuracy on fresh episodes of the full game; None on steps without validation."""
        if self.step_number % self.options.validate_every and not self.finished:
            return None
        seeds = stream(self.options.seed, "validation")
        seeds = np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, self.step_number))
        pair = pair_from_network(self.network, self.game, self.recipe.agent)
        rng = np.random.default_rng(seeds)
        return play(pair.sender, pair.receiver, self.game, self.options.validation_episodes, rng).accuracy

    def weights(self) -> dict[str, Tensor]:
        """The weights of the pair as it plays, on the CPU."""
        return {name: value.cpu() for name, value in self.network.state_dict().items()}

    def save(self, path: Path) -> None:
        """Write everything that the next step depends on."""
        tensors = {f"pair/{name}": value for name, value in self.network.state_dict().items()}
        for name, parameter in self.network.named_parameters():
            for key, value in self.optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser/{key}/{name}"] = value
        for name, generator in self._generators().items():
            tensors[f"generator/{name}"] = generator.get_state()
        tensors["sums"] = self.sums
        header = {
            "kind": "checkpoint",
            "game": self.game.to_dict(),
            "agent": self.recipe.agent.to_dict(),
            "counters": dataclasses.asdict(dataclasses.replace(self.counters, seconds=self.seconds)),
        }
        try:
            write_tensors(path, tensors, header)
        except ValueError as error:
            raise TrainingDiverged(f"{error} at step {self.step_number}") from None

    def restore(self, path: Path) -> None:
        """Continue from what `save` wrote. Raises `ValueError` if it is not of this game and these agents."""
        tensors, header = read_tensors(path, kind="checkpoint")
        configs = configs_from_header(path, header)
        if configs != (self.game, self.recipe.agent):
            raise ValueError(f"{path}: configs must be those of the run's config.json; got {configs}")
        weights = _below("pair/", tensors)
        check_weights(path, weights, *configs)
        try:
            self.network.load_state_dict(weights)
            for name, generator in self._generators().items():
                generator.set_state(tensors[f"generator/{name}"])
            self.sums = tensors["sums"].to(self.device)
            self.counters = Counters(**header["counters"])
            self._restore_optimiser(_below("optimiser/", tensors), self.counters.step)
        except (KeyError, TypeError, RuntimeError) as error:
            raise ValueError(f"{path}: must be a whole checkpoint; {error!r}") from None
        self._started = time.monotonic()

    def _restore_optimiser(self, stored: dict[str, Tensor], step: int) -> None:
        names = [name for name, _ in self.network.named_parameters()]
        keys = ("step", "exp_avg", "exp_avg_sq") if step else ()
        state = {i: {key: stored[f"{key}/{name}"] for key in keys} for i, name in enumerate(names) if keys}
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})

    def _generators(self) -> dict[str, torch.Generator]:
        return {"training": self.episodes_generator, "noise": self.gumbel.generator}


def learning_rate(recipe: Recipe, step: int) -> float:
    """The rate of a step, counted from 0. One-cycle: a cosine up over a quarter of the run, then one down."""
    if recipe.schedule == "constant":
        return recipe.learning_rate
    done = step / recipe.steps
    if done < _WARM_UP:
        low, part = _WARM_UP_FROM, 1 - done / _WARM_UP
    else:
        low, part = 0.0, (done - _WARM_UP) / (1 - _WARM_UP)
    return recipe.learning_rate * (low + (1 - low) * (1 + math.cos(math.pi * part)) / 2)


def entropy_bonus(recipe: Recipe, step: int) -> float:
    """The weight of the entropy in a step's loss: falls to 0 in a straight line."""
    return recipe.entropy_bonus * max(0.0, 1 - step / (_BONUS_ENDS * recipe.steps))


def longer(length: int, game: GameConfig) -> int:
    """The next sequence length of the curriculum: a quarter more, at least 2, at most the game's."""
    return min(game.sequence_length, max(length + 2, length * 5 // 4))


def _generator(seed: int, name: str, device: torch.device) -> torch.Generator:
    return torch.Generator(device).manual_seed(torch_seed(seed, name))


def torch_seed(seed: int, name: str) -> int:
    """The number that seeds the torch generator of a stream."""
    return int(stream(seed, name).generate_state(1, np.uint64)[0] >> np.uint64(1))


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
