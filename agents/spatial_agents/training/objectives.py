"""What a training minimises: a function of a pair, a batch and a generator. The package's own is the first.

An objective returns a loss, whose gradients change the weights, and figures for the metrics by their names.
One of them is the `accuracy`, by which the sequences of a curriculum grow. All that an objective draws comes
from the generator, so a run that was stopped ends in the same bytes. Its keyword-only parameters are options
of the training (`TrainOptions.objective_options`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from spatial_agents.network_config import EXCLUDED_SCORE
from spatial_agents.networks import ChooseSymbol, PairNetwork, entropy, gumbel_softmax
from spatial_agents.training.episodes import Batch
from spatial_game.checks import require, shortened
from spatial_game.errors import UserError

Objective = Callable[..., tuple[Tensor, Mapping[str, Tensor]]]
"""A function of a pair, a batch and a generator, and of options."""


def gumbel_objective(
    pair: PairNetwork,
    batch: Batch,
    generator: torch.Generator,
    *,
    temperature: float = 1.0,
    straight_through: bool = False,
    entropy_bonus: float = 0.0,
) -> tuple[Tensor, Mapping[str, Tensor]]:
    """Return the cross-entropy of the choice, less a bonus for the entropy of the symbols.

    Gradients reach the sender through soft symbols (Gumbel-Softmax, Jang et al. 2017).
    """
    entropies = [torch.zeros(len(batch.window), device=batch.window.device)]

    def choose_symbol(logits: Tensor) -> Tensor:
        entropies.append(entropy(logits).reshape(len(logits), -1).sum(dim=1))
        return gumbel_softmax(logits, generator, temperature, straight_through)

    scores = play(pair, batch, choose_symbol)
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    of_message = batch.mean(torch.stack(entropies).sum(dim=0))
    figures = {"accuracy": batch.accuracy(scores), "entropy": of_message}
    return loss - entropy_bonus * of_message, figures


def play(pair: PairNetwork, batch: Batch, choose_symbol: ChooseSymbol) -> Tensor:
    """Return the logits (B, C) of a pair's choices, with a sender that chooses its symbols by this function.

    Cells whose own windows show an unseen combination get EXCLUDED_SCORE. They are never the target, so they
    would otherwise be wrong in every episode, and the receiver would learn to avoid them.
    """

    def chosen(logits: Tensor) -> Tensor:
        symbols = choose_symbol(logits)
        fits = isinstance(symbols, Tensor) and symbols.shape == logits.shape and symbols.is_floating_point()
        if not fits:
            rule = f"choose_symbol must return {_described(logits)}, as one_hot makes of indices"
            raise UserError(f"{rule}; got {_described(symbols)}")
        return symbols

    message = pair.sender(batch.window, chosen)
    rows = batch if getattr(pair.receiver, "shares_sequences", False) else batch.with_a_row_each()
    scores: Tensor = pair.receiver(message, rows.sequence, rows.candidates)
    allowed = batch.allowed.view(len(batch.sequence), -1)
    return scores.masked_fill(~allowed.repeat_interleave(allowed.shape[1], dim=0), EXCLUDED_SCORE)


def _described(value: object) -> str:
    return f"{value.dtype} {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__


# --- What a training tells ----------------------------------------------------------------------------------


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
    figures: Mapping[str, float]  # what else the objective returned, and the norm of the gradients

    @property
    def columns(self) -> dict[str, float | None]:
        """All values by the names of their columns."""
        *values, figures = self
        return dict(zip(self._fields, values, strict=False)) | dict(figures)


METRIC_COLUMNS = (*Metrics._fields[:-1], "gradient_norm")
"""The columns of metrics.csv that every training has."""


def checked_loss(returned: Any) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the loss and the figures that an objective returned.

    Raises `ValueError` unless the loss has gradients, and the figures are numbers, one of them the accuracy.
    """
    is_pair = isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping)
    require(is_pair, "objective must return a loss and a dict of figures", shortened(returned))
    loss, figures = returned
    is_loss = isinstance(loss, Tensor) and loss.dim() == 0 and loss.requires_grad
    rule = "objective must return a loss with gradients, a tensor without dimensions"
    require(is_loss, rule, shortened(loss))
    require("accuracy" in figures, 'objective must return the figure "accuracy"', list(figures))
    for name, figure in figures.items():
        rule = f'figure "{name}" must be a number, or a tensor without dimensions'
        is_number = isinstance(figure, (int, float)) or (isinstance(figure, Tensor) and figure.dim() == 0)
        require(is_number, rule, shortened(figure))
        rule = f"figures must not be named {', '.join(METRIC_COLUMNS)}"
        require(name not in METRIC_COLUMNS, rule, name)
    return loss, {name: torch.as_tensor(figure).detach() for name, figure in figures.items()}
