"""Measure how well two agents play: accuracy on fresh episodes, with its interval, and by the edge.

It needs no torch, and works for any sender and receiver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.game.checking import checked_sampler
from spatial_game.game.episodes import Episodes, IntArray, Mask, Sampler, draw_batches
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_receiver, play, won
from spatial_game.game.seeds import random_stream
from spatial_game.proportions import Proportion


@dataclass(frozen=True)
class Evaluation:
    """Accuracy over all episodes and by the edge of the window (begin, begin+1, middle, ...)."""

    overall: Proportion
    by_edge: dict[str, Proportion]
    config: GameConfig
    distinct_messages: int
    seed: int | None = None
    """Of the evaluation stream; None for episodes of another generator."""

    @property
    def accuracy(self) -> float:
        """Over all episodes."""
        return self.overall.accuracy

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the accuracy."""
        return self.overall.interval

    @property
    def num_episodes(self) -> int:
        """Number of episodes played."""
        return self.overall.trials

    def to_dict(self) -> dict[str, Any]:
        """Return all results for JSON."""
        return {
            **self.overall.to_dict(),
            "by_edge": {name: part.to_dict() for name, part in self.by_edge.items()},
            "distinct_messages": self.distinct_messages,
            "chance": 1 / self.config.num_candidates,
            "seed": self.seed,
            "config": self.config.to_dict(),
        }


def evaluate_agents(
    agents: Agents,
    num_episodes: int = 20_000,
    seed: int | np.random.Generator = 0,
    sampler: Sampler | None = None,
) -> Evaluation:
    """Play fresh episodes from the evaluation stream of a seed, or from a generator of your own.

    `sampler(n, rng)` draws n of them; default: `draw_episodes`. Raises `ValueError` if an agent returns what
    the rules do not allow, or the sampler no such episodes.
    """
    require_agents(agents)
    if isinstance(seed, np.random.Generator):
        rng, named_seed = seed, None
    else:
        rng, named_seed = np.random.default_rng(random_stream(seed, "evaluation")), int(seed)
    config = agents.config
    draw = None if sampler is None else checked_sampler(sampler, config)
    num_correct = np.zeros(config.window_size, np.int64)
    plays = np.zeros(config.window_size, np.int64)
    messages: list[IntArray] = []
    for episodes in draw_batches(config, num_episodes, rng, sampler=draw):
        sent, choices = play(agents.sender, agents.receiver, episodes, config)
        correct = won(episodes.target_index, choices)
        num_correct += np.bincount(episodes.mask_column[correct], minlength=config.window_size)
        plays += np.bincount(episodes.mask_column, minlength=config.window_size)
        messages.append(np.unique(sent, axis=0))
    return Evaluation(
        overall=Proportion(int(num_correct.sum()), int(plays.sum())),
        by_edge={
            name: Proportion(int(right), int(played))
            for name, right, played in zip(config.edges, num_correct, plays, strict=True)
        },
        config=config,
        distinct_messages=len(np.unique(np.concatenate(messages), axis=0)),
        seed=named_seed,
    )


def require_agents(agents: object) -> None:
    """Raise `TypeError` for anything but `Agents`, such as their name."""
    require_kind("agents", agents, Agents, "load_agents(name)")


def chosen_by(receiver: Receiver, messages: IntArray, episodes: Episodes) -> IntArray:
    """Return (B,), the receiver's choices after these messages (B, T). Without any, it is not asked."""
    if len(messages) == 0:
        return np.zeros(0, dtype=np.int64)
    return ask_receiver(receiver, messages, episodes.sequence, episodes.candidates)


def won_by(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Mask:
    """Return (B,), the episodes in which the receiver finds the target by these messages (B, T)."""
    return won(episodes.target_index, chosen_by(receiver, messages, episodes))
