"""Measure how well two agents play: accuracy on fresh episodes, with its interval and by observation type.

It works for any sender and receiver, and does not need torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.extras import needs
from spatial_game.game.checking import checked_sampler
from spatial_game.game.episodes import Episodes, IntArray, Mask, Sampler, draw_batches
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_receiver, play, won
from spatial_game.game.seeds import random_stream

Z = 1.959963984540054
"""The quantile of 97.5% of the normal distribution."""


@dataclass(frozen=True)
class Proportion:
    """A number of correct choices out of trials, with the 95% interval of its share."""

    num_correct: int
    trials: int

    @property
    def accuracy(self) -> float:
        """The share of correct choices; NaN without trials."""
        return self.num_correct / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95% interval of the share (`share_interval`); (0, 1) without trials."""
        return share_interval(self.num_correct, self.trials)

    def to_dict(self) -> dict[str, Any]:
        """Return accuracy, interval and counts for JSON; the accuracy is null without trials."""
        accuracy = self.accuracy if self.trials else None
        low, high = self.interval
        return {
            "accuracy": accuracy,
            "low": low,
            "high": high,
            "n": self.trials,
            "num_correct": self.num_correct,
        }

    def __str__(self) -> str:
        if not self.trials:
            return "no episodes"
        low, high = self.interval
        return f"{self.accuracy:.2%} (95% interval {low:.2%} to {high:.2%}, n = {self.trials:,})"


def share_interval(num_correct: float, trials: int) -> tuple[float, float]:
    """Return the exact 95% interval of a share (Clopper and Pearson 1934); (0, 1) without trials.

    It holds the truth in at least 95% of samples, also for few trials and for shares of 0 and 1.
    """
    with needs("analysis"):  # here: the base package plays without SciPy
        from scipy.special import betaincinv

    failures = trials - num_correct
    low = betaincinv(num_correct, failures + 1, 0.025) if num_correct > 0 else 0.0
    high = betaincinv(num_correct + 1, failures, 0.975) if failures > 0 else 1.0
    return float(low), float(high)


@dataclass(frozen=True)
class Difference:
    """How much more often one thing succeeds than another, in the same trials."""

    first_only: int
    """Trials in which only the first one succeeds."""
    second_only: int
    trials: int

    @classmethod
    def of(cls, first: Mask, second: Mask) -> Difference:
        """Compare two masks (B,) of the same trials: where each of the two succeeds."""
        return cls(int(np.sum(first & ~second)), int(np.sum(second & ~first)), len(first))

    @property
    def value(self) -> float:
        """The difference of the two shares; NaN without trials."""
        return (self.first_only - self.second_only) / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval for paired shares (Agresti and Min 2005, Statistics in Medicine 24:729-740)."""
        number, gap = self.trials + 2, self.first_only - self.second_only
        half = Z * math.sqrt(self.first_only + self.second_only + 1 - gap**2 / number) / number
        return max(gap / number - half, -1.0), min(gap / number + half, 1.0)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of McNemar's exact test that both succeed equally often."""
        with needs("analysis"):
            from scipy.special import bdtr

        changed, fewer = self.first_only + self.second_only, min(self.first_only, self.second_only)
        return min(1.0, 2 * float(bdtr(fewer, changed, 0.5))) if changed else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the difference, its interval and test, and the counts, for JSON; null without trials."""
        low, high = self.interval
        value = self.value if self.trials else None
        return {"difference": value, "low": low, "high": high, "p": self.p_value, **vars(self)}


def share_of(found: Mask) -> Proportion:
    """Return the share of a mask that is true."""
    return Proportion(int(np.sum(found)), len(found))


@dataclass(frozen=True)
class Evaluation:
    """Accuracy over all episodes and by observation type (begin, begin+1, middle, ...)."""

    overall: Proportion
    by_observation: dict[str, Proportion]
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
            "by_observation": {name: part.to_dict() for name, part in self.by_observation.items()},
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
        rng, of_seed = seed, None
    else:
        rng, of_seed = np.random.default_rng(random_stream(seed, "evaluation")), int(seed)
    config = agents.config
    draw = None if sampler is None else checked_sampler(sampler, config)
    num_correct = np.zeros(config.window_size, np.int64)
    plays = np.zeros(config.window_size, np.int64)
    messages: list[IntArray] = []
    for episodes in draw_batches(config, num_episodes, rng, sampler=draw):
        sent, chosen = play(agents.sender, agents.receiver, episodes, config)
        found = won(episodes.target_index, chosen)
        num_correct += np.bincount(episodes.mask_column[found], minlength=config.window_size)
        plays += np.bincount(episodes.mask_column, minlength=config.window_size)
        messages.append(np.unique(sent, axis=0))
    return Evaluation(
        overall=Proportion(int(num_correct.sum()), int(plays.sum())),
        by_observation={
            name: Proportion(int(right), int(played))
            for name, right, played in zip(config.edges, num_correct, plays, strict=True)
        },
        config=config,
        distinct_messages=len(np.unique(np.concatenate(messages), axis=0)),
        seed=of_seed,
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
