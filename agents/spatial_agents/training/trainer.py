"""The training of a pair: draw episodes, let the objective play them, and change the weights by its loss.

A population trains in the same way, with one of its pairs in each step. A checkpoint holds everything that
the next step depends on.
"""

from __future__ import annotations

import contextlib
import copy
import io
import math
import pickle
import statistics
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spatial_agents.networks import PairNetwork, Population, networks_of, new_population, seeded_torch
from spatial_agents.recipes import TrainOptions
from spatial_agents.torch_pair import torch_pair
from spatial_agents.training.episodes import Batch, TrainingEpisodes
from spatial_agents.training.objectives import Metrics, checked_loss, gumbel_objective
from spatial_agents.training.own_code import PACKAGE, OwnCode
from spatial_agents.training.schedules import (
    GROW_AT,
    average_share,
    entropy_bonus,
    first_length,
    learning_rate,
    longer,
    played_game,
    visible_by_steps,
)
from spatial_game.checks import require
from spatial_game.errors import AgentsFailed, TrainingFailed, UserError
from spatial_game.files import write_bytes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.seeds import random_stream

INTERVAL = 50
"""The logging interval: steps between two rows of metrics."""
VALIDATE_EVERY = 1000
"""Steps between two validations."""
VALIDATION_EPISODES = 4096
"""Fresh episodes of the full game in each validation; at least one for each pair."""


class TrainingDiverged(TrainingFailed):
    """The loss or a weight is not finite. The last good checkpoint is untouched."""


class Trainer:
    """A pair in training, and all that its next step depends on."""

    def __init__(self, options: TrainOptions, device: torch.device, own: OwnCode = PACKAGE) -> None:
        self.options, self.recipe, self.config, self.device = options, options.recipe, options.config, device
        self.own = own
        networks = own.networks or networks_of(self.recipe.network_config)
        members = self.recipe.senders, self.recipe.receivers
        weights_seed = torch_seed(options.seed, "weights")
        self.population = new_population(self.config, networks, weights_seed, *members).to(device)
        # What plays: a moving average of the weights if the recipe says so, else the latest weights.
        self.average = copy.deepcopy(self.population) if self.recipe.weight_average else self.population
        self.optimiser = torch.optim.Adam(self.population.parameters(), fused=True)
        self.episodes, self.generator = TrainingEpisodes(options), torch.Generator(device)
        self.episodes_in_step = self.recipe.episodes(self.config)
        self.length = first_length(self.recipe, self.config)
        if own.sampler:
            self.episodes_in_step, self.length = self.recipe.batch_size, self.config.sequence_length
        self.step_number = self.step_saved = 0
        self.seconds_before, self._started = 0.0, time.monotonic()
        # Loss and figures, summed on the device over the steps since the last row of metrics.
        self.sums, self.steps_summed = dict[str, Tensor](), 0

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step_number >= self.recipe.steps

    @property
    def seconds(self) -> float:
        """The seconds of training, over all resumptions."""
        return self.seconds_before + time.monotonic() - self._started

    # --- The step ---------------------------------------------------------------------------------------

    def step(self) -> None:
        """Draw episodes and a pair, and change the pair's weights by the gradients of the objective."""
        recipe, step, seed = self.recipe, self.step_number, self.options.seed
        batch, pair = self.draw(), self.population.pair(*self.draw_pair())
        self.generator.manual_seed(torch_seed(seed, "noise", step))
        with seeded_torch(torch_seed(seed, "dropout", step), self.device):
            loss, figures = self.minimised(pair, batch)

        self.optimiser.param_groups[0]["lr"] = learning_rate(recipe, step)
        self.optimiser.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.population.parameters(), recipe.clip_norm or math.inf)
        self.optimiser.step()
        if self.average is not self.population:
            move_average(self.average, self.population, 1 - average_share(recipe, step))

        self.step_number += 1
        self.steps_summed += 1
        figures = {"loss": loss, **figures, "gradient_norm": norm}
        changed = set(figures) ^ set(self.sums or figures)
        require(not changed, "figures must have the same names in each step", sorted(changed))
        for name, figure in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + figure.detach().to(self.device, torch.float64)

    def minimised(self, pair: PairNetwork, batch: Batch) -> tuple[Tensor, Mapping[str, Tensor]]:
        """Return the loss of the next step, and figures: of an objective of one's own, or of the recipe's."""
        recipe = self.recipe
        if self.own.objective is None:
            return gumbel_objective(
                pair,
                batch,
                self.generator,
                temperature=recipe.temperature,
                straight_through=recipe.straight_through,
                entropy_bonus=entropy_bonus(recipe, self.step_number),
            )
        try:
            return checked_loss(self.own.named_objective(self.options)(pair, batch, self.generator))
        except AgentsFailed:
            self.require_finite()  # which may be why it failed
            raise

    def draw(self) -> Batch:
        """Return the episodes of the next step."""
        step, progress = self.step_number, self.step_number / self.recipe.steps
        if self.own.sampler:
            rng = np.random.default_rng(random_stream(self.options.seed, "training", step))
            batch = Batch.of(self.own.named_sampler(self.config, progress)(self.episodes_in_step, rng))
        else:
            visible = visible_by_steps(self.recipe, self.config, step)
            batch = self.episodes.draw(played_game(self.config, self.length, visible), step)
        return batch.to(self.device)._replace(progress=progress)

    def draw_pair(self) -> tuple[int, int]:
        """Return the sender and the receiver of the next step."""
        rng = np.random.default_rng(random_stream(self.options.seed, "population", self.step_number))
        return int(rng.integers(self.recipe.senders)), int(rng.integers(self.recipe.receivers))

    # --- Metrics ----------------------------------------------------------------------------------------

    def end_interval(self) -> Metrics:
        """Return the metrics since the last call; sequences grow if accuracy says so.

        Raises `TrainingDiverged`.
        """
        self.require_finite_loss()
        sums = torch.stack(list(self.sums.values())) / self.steps_summed
        means = dict(zip(self.sums, sums.tolist(), strict=True))
        loss, accuracy = means.pop("loss"), means.pop("accuracy")
        metrics = Metrics(
            step=self.step_number,
            episodes=self.step_number * self.episodes_in_step,
            seconds=round(self.seconds, 2),
            sequence_length=self.length,
            learning_rate=learning_rate(self.recipe, self.step_number - 1),
            loss=loss,
            training_accuracy=accuracy,
            validation_accuracy=self._validate(),
            figures=means,
        )
        # Zeros keep the names of the figures, which must be those of the next step, too.
        self.sums = {name: torch.zeros_like(figure) for name, figure in self.sums.items()}
        self.steps_summed = 0
        if accuracy >= GROW_AT:
            self.length = longer(self.length, self.config)
        return metrics

    def _validate(self) -> float | None:
        """Return the mean accuracy of the pairs on the full game; None if no validation is due."""
        if self.step_number % VALIDATE_EVERY and not self.finished:
            return None
        rng = np.random.default_rng(random_stream(self.options.seed, "validation", self.step_number))
        members, accuracies = self.recipe.members.values(), []
        episodes_of_each = max(1, VALIDATION_EPISODES // len(members))
        self.average.eval()
        for member in members:
            agents = torch_pair(self.average.pair(*member), self.config)
            accuracies.append(evaluate_agents(agents, episodes_of_each, rng).accuracy)
        self.average.train()
        return statistics.fmean(accuracies)

    # --- Checkpoints ------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write a checkpoint, entirely or not at all. Raises `TrainingDiverged` as `require_finite`."""
        self.require_finite()
        content = {
            "run": self._identity(),
            "step": self.step_number,
            "length": self.length,
            "seconds": self.seconds,
            "population": self.population.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "sums": self.sums,
            "steps_summed": self.steps_summed,
        }
        buffer = io.BytesIO()
        torch.save(content, buffer)
        write_bytes(path, buffer.getbuffer())
        self.step_saved = self.step_number

    def require_finite_loss(self) -> None:
        """Raise `TrainingDiverged` if a loss since the last row of metrics is not finite."""
        loss = float(self.sums.get("loss", 0.0))
        if not math.isfinite(loss):
            first, last = self.step_number - self.steps_summed + 1, self.step_number
            when = f"at step {last}" if first == last else f"between steps {first} and {last}"
            raise TrainingDiverged(f"loss must stay finite; got {loss} {when}")

    def require_finite(self) -> None:
        """Raise `TrainingDiverged` if the loss, which may be the cause, or a weight is not finite."""
        self.require_finite_loss()
        for name, weight in self.population.named_parameters():
            if not torch.isfinite(weight).all():
                fault = f"{name} must stay finite; got nan or infinity at step {self.step_number}"
                raise TrainingDiverged(fault)

    def load(self, path: Path) -> None:
        """Continue from a checkpoint.

        Raises `ValueError` if the file is not whole, or is the checkpoint of a run with other options.
        """
        with _whole(path):
            with zipfile.ZipFile(path) as file:
                damaged = file.testzip()  # torch itself does not check the sums
            if damaged:
                raise UserError(f"{damaged} is damaged")
            content = torch.load(path, map_location=self.device, weights_only=True)
            stored = dict(content["run"])
        for name, value in self._identity().items():
            if value != stored.get(name):
                rule = f"{name} must stay {stored.get(name)}, with which the run began"
                raise UserError(f"{path}: {rule}; got {value}")
        with _whole(path):
            self._restore(content)

    def _identity(self) -> dict[str, Any]:
        """Return the settings with which a checkpoint was made, and without which it cannot continue."""
        return {"device": self.device.type, **self.options.setting}

    def _restore(self, content: dict[str, Any]) -> None:
        self.population.load_state_dict(content["population"])
        self.average.load_state_dict(content["average"])
        self.optimiser.load_state_dict(content["optimiser"])
        for weight, moments in self.optimiser.state.items():
            # torch's fused Adam would write beyond the ends of smaller moments.
            if any(moments[name].shape != weight.shape for name in ("exp_avg", "exp_avg_sq")):
                raise UserError("Adam's moments must have the shapes of the weights")
        self.sums, self.steps_summed = dict(content["sums"]), int(content["steps_summed"])
        self.step_number, self.length = int(content["step"]), int(content["length"])
        self.step_saved = self.step_number
        self.seconds_before = float(content["seconds"])


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn every error in the block into one that names the checkpoint: torch raises many kinds."""
    try:
        yield
    except Exception as error:
        reason = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        # For these, torch advises to load it in a way that can run code.
        if isinstance(error, pickle.UnpicklingError) or "weights_only" in reason:
            reason = "it holds other things than numbers and tensors"
        raise UserError(f"{path}: must be a whole checkpoint of these networks; {reason}") from None


def torch_seed(seed: int, name: str, *key: int) -> int:
    """Return the number that seeds torch for a random stream of a root seed (`spatial_game.game.seeds`)."""
    return int(random_stream(seed, name, *key).generate_state(1, np.uint64)[0] >> np.uint64(1))


@torch.no_grad()
def move_average(average: Population, latest: Population, share: float) -> None:
    """Move the average of the weights towards the weights by this share; what is not trained is copied."""
    for old, new in zip(average.parameters(), latest.parameters(), strict=True):
        old.lerp_(new, share)
    for kept, copied in zip(average.buffers(), latest.buffers(), strict=True):
        kept.copy_(copied)
