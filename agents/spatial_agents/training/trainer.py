"""The training of a pair: draw episodes, send, choose, and change the weights by the loss.

The loss is the cross-entropy of the receiver's choice. Gradients reach the sender through soft symbols
(Gumbel-Softmax, Jang et al. 2017). A checkpoint holds everything that the next step depends on.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
import math
import pickle
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from spatial_agents.network_config import EXCLUDED_SCORE
from spatial_agents.networks import (
    Networks,
    PairNetwork,
    entropy,
    gumbel_softmax,
    networks_of,
    new_networks,
    seeded_torch,
)
from spatial_agents.recipes import TrainOptions
from spatial_agents.torch_pair import torch_pair
from spatial_agents.training.episodes import Batch, TrainingEpisodes
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
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.files import write_bytes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.seeds import random_stream
from spatial_game.json_text import printable

INTERVAL = 50
"""The logging interval: steps between two rows of metrics."""
VALIDATE_EVERY = 1000
"""Steps between two validations."""
VALIDATION_EPISODES = 4096
"""Fresh episodes of the full game in each validation."""


class TrainingDiverged(TrainingFailed):
    """The loss or a weight is not finite. The last good checkpoint is untouched."""


class Metrics(NamedTuple):
    """A row of metrics.csv: means over the steps since the last row."""

    step: int
    episodes: int
    seconds: float
    sequence_length: int
    learning_rate: float
    loss: float
    training_accuracy: float
    validation_accuracy: float | None  # None if no validation was due


class Trainer:
    """A pair in training, and all that its next step depends on."""

    def __init__(self, options: TrainOptions, device: torch.device, networks: Networks | None = None) -> None:
        self.options, self.recipe, self.config, self.device = options, options.recipe, options.config, device
        self.networks = networks
        makers, seed = (
            networks or networks_of(self.recipe.network_config),
            torch_seed(options.seed, "weights"),
        )
        self.pair = new_networks(self.config, makers, seed).to(device)
        # The pair that plays: a moving average of the weights if the recipe says so, else the pair itself.
        self.average = copy.deepcopy(self.pair) if self.recipe.weight_average else self.pair
        self.optimiser = torch.optim.Adam(self.pair.parameters(), fused=True)
        self.episodes = TrainingEpisodes(options)
        self.noise = torch.Generator(device)
        self.step_number, self.length = 0, first_length(self.recipe, self.config)
        self.seconds_before, self._started = 0.0, time.monotonic()
        # Loss, accuracy and steps since the last row of metrics, summed on the device.
        self.sums = torch.zeros(3, dtype=torch.float64, device=device)

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
        """Draw episodes, let the pair play them, and change its weights by the loss."""
        recipe, step, seed = self.recipe, self.step_number, self.options.seed
        batch = self.draw()
        shared = getattr(self.pair.receiver, "shares_sequences", False)
        self.noise.manual_seed(torch_seed(seed, "noise", step))
        with seeded_torch(torch_seed(seed, "dropout", step), self.device):
            scores, entropies = play_softly(
                self.pair.sender,
                self.pair.receiver,
                batch if shared else batch.with_a_row_each(),
                self.noise,
                temperature=recipe.temperature,
                straight_through=recipe.straight_through,
            )
        if self.episodes.allowed:
            scores = without_left_out(scores, batch)

        def mean(values: Tensor) -> Tensor:
            return (values * batch.allowed).sum() / batch.allowed.sum().clamp(min=1)

        loss = mean(cross_entropy(scores, batch.target_index, reduction="none"))
        objective = loss - entropy_bonus(recipe, step) * mean(entropies)

        self.optimiser.param_groups[0]["lr"] = learning_rate(recipe, step)
        self.optimiser.zero_grad()
        objective.backward()
        if recipe.clip_norm:
            nn.utils.clip_grad_norm_(self.pair.parameters(), recipe.clip_norm)
        self.optimiser.step()
        if self.average is not self.pair:
            move_average(self.average, self.pair, 1 - average_share(recipe, step))

        self.step_number += 1
        accuracy = mean(scores.argmax(dim=1) == batch.target_index)
        self.sums += torch.stack([loss.detach(), accuracy, torch.ones_like(loss)])

    def draw(self) -> Batch:
        """Return the episodes of the next step."""
        visible = visible_by_steps(self.recipe, self.config, self.step_number)
        batch = self.episodes.draw(played_game(self.config, self.length, visible), self.step_number)
        return Batch(*(column.to(self.device) for column in batch))

    # --- Metrics ----------------------------------------------------------------------------------------

    def end_interval(self) -> Metrics:
        """Return the metrics since the last call; sequences grow if accuracy says so.

        Raises `TrainingDiverged`.
        """
        loss, accuracy, steps = self.sums.tolist()
        if not math.isfinite(loss):
            raise TrainingDiverged(f"loss must stay finite; got {loss} at step {self.step_number}")
        metrics = Metrics(
            step=self.step_number,
            episodes=self.step_number * self.recipe.episodes(self.config),
            seconds=round(self.seconds, 2),
            sequence_length=self.length,
            learning_rate=learning_rate(self.recipe, self.step_number - 1),
            loss=loss / steps,
            training_accuracy=accuracy / steps,
            validation_accuracy=self._validate(),
        )
        self.sums.zero_()
        if accuracy / steps >= GROW_AT:
            self.length = longer(self.length, self.config)
        return metrics

    def _validate(self) -> float | None:
        """Return the accuracy of the pair that plays on the full game; None if no validation is due."""
        if self.step_number % VALIDATE_EVERY and not self.finished:
            return None
        rng = np.random.default_rng(random_stream(self.options.seed, "validation", self.step_number))
        self.average.eval()
        evaluation = evaluate_agents(torch_pair(self.average, self.config), VALIDATION_EPISODES, rng)
        self.average.train()
        return evaluation.accuracy

    # --- Checkpoints ------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write a checkpoint, entirely or not at all. Raises `TrainingDiverged` if a weight is not finite."""
        for name, weight in self.pair.named_parameters():
            if not torch.isfinite(weight).all():
                fault = f"{name} must stay finite; got nan or infinity at step {self.step_number}"
                raise TrainingDiverged(fault)
        content = {
            "run": self._identity(),
            "step": self.step_number,
            "length": self.length,
            "seconds": self.seconds,
            "pair": self.pair.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "sums": self.sums,
        }
        buffer = io.BytesIO()
        torch.save(content, buffer)
        write_bytes(path, buffer.getbuffer())

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
                raise UserError(printable(f"{path}: {rule}; got {value}"))
        with _whole(path):
            self._restore(content)

    def _identity(self) -> dict[str, Any]:
        """Return the settings with which a checkpoint was made, and without which it cannot continue."""
        options = self.options
        config, recipe = options.config.to_dict(), dataclasses.asdict(options.recipe)
        return {"seed": options.seed, "device": self.device.type, **config, **recipe}

    def _restore(self, content: dict[str, Any]) -> None:
        self.pair.load_state_dict(content["pair"])
        self.average.load_state_dict(content["average"])
        self.optimiser.load_state_dict(content["optimiser"])
        for weight, moments in self.optimiser.state.items():
            # torch's fused Adam would write beyond the ends of smaller moments.
            if any(moments[name].shape != weight.shape for name in ("exp_avg", "exp_avg_sq")):
                raise UserError("Adam's moments must have the shapes of the weights")
        self.sums.copy_(content["sums"])
        self.step_number, self.length = int(content["step"]), int(content["length"])
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
        raise UserError(
            printable(f"{path}: must be a whole checkpoint of these networks; {reason}")
        ) from None


def torch_seed(seed: int, name: str, *key: int) -> int:
    """Return the number that seeds torch for a random stream of a root seed (`spatial_game.game.seeds`)."""
    return int(random_stream(seed, name, *key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def play_softly(
    sender: nn.Module,
    receiver: nn.Module,
    batch: Batch,
    noise: torch.Generator,
    *,
    temperature: float = 1.0,
    straight_through: bool = False,
) -> tuple[Tensor, Tensor]:
    """Let a sender and a receiver play with soft symbols, so that gradients pass from one to the other.

    Return the logits of the choices (B, C), and the entropies of the messages (B,): the sums over symbols.
    """
    entropies = [torch.zeros(len(batch.window), device=batch.window.device)]

    def choose_symbol(logits: Tensor) -> Tensor:
        entropies.append(entropy(logits).reshape(len(logits), -1).sum(dim=1))
        return gumbel_softmax(logits, noise, temperature, straight_through)

    message = sender(batch.window, choose_symbol)
    return receiver(message, batch.sequence, batch.candidates), torch.stack(entropies).sum(dim=0)


def without_left_out(scores: Tensor, batch: Batch) -> Tensor:
    """Return the scores (B, C) with EXCLUDED_SCORE for cells whose own windows show a unseen combination.

    This is for sequences in which every cell is a target. Cells that are never the target would otherwise be
    wrong in every episode, and the receiver would learn to avoid them.
    """
    allowed = batch.allowed.view(len(batch.sequence), -1)
    return scores.masked_fill(~allowed.repeat_interleave(allowed.shape[1], dim=0), EXCLUDED_SCORE)


@torch.no_grad()
def move_average(average: PairNetwork, pair: PairNetwork, share: float) -> None:
    """Move the average of the weights towards the weights by this share; what is not trained is copied."""
    for old, new in zip(average.parameters(), pair.parameters(), strict=True):
        old.lerp_(new, share)
    for kept, latest in zip(average.buffers(), pair.buffers(), strict=True):
        kept.copy_(latest)
