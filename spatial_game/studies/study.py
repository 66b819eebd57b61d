"""The base of all studies: a signature, a table and a dictionary for JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver
from spatial_game.tables import Table, Value, between


class Study(ABC):
    """The result of a study of a game, with a seed."""

    config: GameConfig
    seed: int

    @property
    @abstractmethod
    def size(self) -> str:
        """The number of episodes, as the signature names it: `n20000`."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """The result as a table."""

    @abstractmethod
    def results(self) -> dict[str, Any]:
        """The result for JSON, without the signature."""

    @property
    def signature(self) -> str:
        """Game, episodes, seed and version."""
        return f"{self.config.signature} | {self.size} | seed {self.seed} | {spatial_game.__version__}"

    @property
    def chance(self) -> float:
        """The accuracy of a random choice."""
        return 1 / self.config.num_candidates

    def to_dict(self) -> dict[str, Any]:
        """The result and its signature, for JSON."""
        return {**self.results(), "signature": self.signature}


ACCURACY = "Accuracy :.2% | 95% interval"
"""The heading of `accuracy_cells`."""


def accuracy_cells(part: Proportion) -> tuple[Value, Value]:
    """Return an accuracy and its interval as cells of a table."""
    return part.accuracy, between(part.interval)


def count_wins(receiver: Receiver, messages: IntArray, episodes: Episodes) -> int:
    """Return in how many episodes the receiver finds the target after these messages."""
    choices = receiver.choose(messages, episodes.sequence, episodes.candidates)
    return int(np.count_nonzero(choices == episodes.target_index))


def require_episodes(num_episodes: int) -> None:
    """Raise `ValueError` for fewer than one episode."""
    if num_episodes < 1:
        raise ValueError(f"num_episodes must be at least 1; got {num_episodes}")
