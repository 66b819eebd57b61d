"""Learning curves: the accuracy of a baseline's agents against episodes played and seconds of training."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents, Receiver, Sender
from spatial_game.game.seeds import random_stream


class Progress(NamedTuple):
    """The progress of a baseline, which it yields from time to time."""

    episodes: int
    """Number of episodes that its agents have played in training."""
    sender: Sender
    receiver: Receiver


class Point(NamedTuple):
    """A point of a learning curve."""

    episodes: int
    seconds: float
    """Processor time of training (without testing), which does not include other work on the machine."""
    accuracy: float
    """Share of fresh episodes in which the greedy agents are right."""


def trace(
    training: Iterator[Progress], config: GameConfig, seed: int, num_episodes: int = 4096
) -> Iterator[Point]:
    """Yield the learning curve of a baseline, point by point, while it trains.

    Every point is measured on the same `num_episodes` episodes, drawn from the seed's validation stream. So
    they are independent of the training, and only the agents differ between points. The time before the
    first point, with untrained agents, does not count.
    """
    seconds, started = 0.0, None
    for progress in training:
        if started is not None:
            seconds += time.process_time() - started
        rng = np.random.default_rng(random_stream(seed, "validation"))
        tested = evaluate_agents(Agents(progress.sender, progress.receiver, config), num_episodes, rng)
        yield Point(progress.episodes, seconds, tested.accuracy)
        started = time.process_time()
