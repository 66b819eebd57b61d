"""Learning curves: how well the agents of a baseline play after so many episodes, and so many seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.seeds import stream


class Progress(NamedTuple):
    """What a baseline shows of itself from time to time."""

    episodes: int
    """Episodes that its agents have played in training."""
    sender: Sender
    receiver: Receiver


class Point(NamedTuple):
    """A point of a learning curve."""

    episodes: int
    seconds: float
    """Processor time spent in training (not in testing), which other work on the machine does not stretch."""
    accuracy: float
    """Of the agents at their best guess, on fresh episodes."""


def trace(
    training: Iterator[Progress], config: GameConfig, seed: int, num_episodes: int = 4096
) -> Iterator[Point]:
    """The learning curve of a baseline, point by point while it trains.

    Every point is of the same `num_episodes` episodes, drawn from the seed's validation stream: they meet
    those of no training stream, and differences between points are not those between episodes. What comes
    before the first point, of untrained agents, is not timed.
    """
    seconds, started = 0.0, None
    for progress in training:
        if started is not None:
            seconds += time.process_time() - started
        rng = np.random.default_rng(stream(seed, "validation"))
        tested = evaluate_agents(progress.sender, progress.receiver, config, num_episodes, rng, seed)
        yield Point(progress.episodes, seconds, tested.accuracy)
        started = time.process_time()


def torch_seed(seed: int, name: str) -> int:
    """A seed for torch or Stable-Baselines3 from the stream of this name."""
    return int(stream(seed, name).generate_state(1, np.uint32)[0])
