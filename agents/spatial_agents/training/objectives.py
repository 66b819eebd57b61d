"""What a training minimises: a function of a pair, a batch and a generator. The package's own is the first.

An objective returns a loss, whose gradients change the weights, and figures for the metrics by their names.
One of them is the `accuracy`, by which the sequences of a curriculum grow. All that an objective draws comes
from the generator, so a run that was stopped ends in the same bytes. Its keyword-only parameters are options
of the training (`TrainOptions.objective_options`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from spatial_agents.network_config import EXCLUDED_SCORE
from spatial_agents.networks import ChooseSymbol, PairNetwork, entropy, gumbel_softmax
from spatial_agents.training.episodes import Batch
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
