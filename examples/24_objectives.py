"""Train a pair by an objective of your own: REINFORCE with a baseline, or a cost on what is said.

pip install -e '.[agents]'

An objective is a function of a pair, a batch of episodes and a generator. It returns a loss, and figures for
the metrics. Its keyword-only parameters are options of the training. Each of the three trains the small game
for about twenty seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from spatial_agents import Recipe, TrainOptions, load_pair
from spatial_agents.networks import PairNetwork, entropy, gumbel_softmax, one_hot
from spatial_agents.training.episodes import Batch
from spatial_agents.training.objectives import play
from spatial_agents.training.runs import train
from spatial_game import GameConfig

Returned = tuple[Tensor, dict[str, Tensor]]


def reinforce(
    pair: PairNetwork, batch: Batch, generator: torch.Generator, *, weight: float = 0.1
) -> Returned:
    """Reward the sender for each right choice, above the mean of the batch; the receiver learns as usual."""
    log_p, entropies = [], []

    def sample(logits: Tensor) -> Tensor:
        shares = logits.softmax(dim=-1)
        drawn = torch.multinomial(shares.flatten(0, -2), 1, generator=generator).view(shares.shape[:-1])
        symbols = one_hot(drawn, logits.shape[-1])
        log_p.append((logits.log_softmax(dim=-1) * symbols).flatten(1).sum(dim=1))
        entropies.append(entropy(logits).reshape(len(logits), -1).sum(dim=1))
        return symbols

    scores = play(pair, batch, sample)
    reward = (scores.argmax(dim=1) == batch.target_index).float()
    advantage = reward - batch.mean(reward)
    of_receiver = cross_entropy(scores, batch.target_index, reduction="none")
    bonus = weight * max(0.0, 1 - batch.progress / 0.7) * sum(entropies)
    loss = batch.mean(of_receiver - advantage * sum(log_p) - bonus)
    return loss, {"accuracy": batch.mean(reward), "entropy": batch.mean(sum(entropies))}


def short_messages(
    pair: PairNetwork, batch: Batch, generator: torch.Generator, *, cost: float = 0.5
) -> Returned:
    """Charge for each symbol but 0, which means silence: messages become short."""
    spoken = []

    def choose_symbol(logits: Tensor) -> Tensor:
        symbols = gumbel_softmax(logits, generator)
        spoken.append((1 - symbols[..., 0]).reshape(len(logits), -1).sum(dim=1))
        return symbols

    scores = play(pair, batch, choose_symbol)
    length = batch.mean(sum(spoken))
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    return loss + cost * batch.progress * length, {"accuracy": batch.accuracy(scores), "length": length}


def small_vocabulary(
    pair: PairNetwork, batch: Batch, generator: torch.Generator, *, cost: float = 0.3
) -> Returned:
    """Charge for the entropy of the symbols that are used: the vocabulary becomes small."""
    used = []

    def choose_symbol(logits: Tensor) -> Tensor:
        symbols = gumbel_softmax(logits, generator)
        used.append(symbols.flatten(0, -2))
        return symbols

    scores = play(pair, batch, choose_symbol)
    of_vocabulary = entropy(torch.cat(used).mean(dim=0).clamp(min=1e-9).log())
    loss = batch.mean(cross_entropy(scores, batch.target_index, reduction="none"))
    return loss + cost * batch.progress * of_vocabulary, {
        "accuracy": batch.accuracy(scores),
        "entropy": of_vocabulary,
    }


OBJECTIVES = {"reinforce": reinforce, "short_messages": short_messages, "small_vocabulary": small_vocabulary}


def main() -> None:
    """Train by one of them, and show how well the pair plays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("objective", choices=OBJECTIVES)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    options = TrainOptions(
        GameConfig.small(), Recipe("local", steps=args.steps, batch_size=160), out=args.out
    )
    (folder,) = train(options, objective=OBJECTIVES[args.objective])
    evaluation = load_pair(folder).card["evaluation"]
    accuracy, messages = evaluation["accuracy"], evaluation["distinct_messages"]
    print(f"{accuracy:.1%} of 20,000 new episodes, with {messages} messages; chance is 33.3%.")


if __name__ == "__main__":
    main()
