"""What a study found, as a table and as plain values, with its signature; and what several studies share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Receiver
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.proportions import Proportion, share_interval
from spatial_game.tables import Table, Value
from spatial_game.text import between

ACCURACY = "Accuracy :.2% | 95% interval"
"""The heading of `accuracy_cells`."""
CANNOT_SAY = "cannot say"
LEAST_SENT = 0.1
"""A receiver that understands messages that are sent less than this above guessing says nothing of others."""

MOSTLY, IN_PART = 2 / 3, 1 / 3
"""On a `Scale`, a verdict is *yes* from the first one on, and *no* below the second."""


@dataclass(frozen=True)
class Study:
    """The result of a study of a game."""

    config: GameConfig
    size: str
    """What the signature says of the episodes: `n20000`."""
    seed: int
    table: Table
    results: dict[str, Any]
    """The same for JSON."""
    summary: str = ""
    """The result in a sentence, if there is one."""
    key: str = ""
    """What the columns of the table are, where their names do not say it."""

    @property
    def signature(self) -> str:
        """Game, episodes, seed and version."""
        return f"{self.config.signature} | {self.size} | seed {self.seed} | {spatial_game.__version__}"

    def to_dict(self) -> dict[str, Any]:
        """The result and its signature, for JSON."""
        return {**self.results, "chance": 1 / self.config.num_candidates, "signature": self.signature}


@dataclass(frozen=True)
class Scale:
    """A scale of accuracies: guessing is 0, and the messages that are sent to a receiver are 1."""

    guessing: float
    sent: float

    def of(self, accuracy: float) -> float:
        """Return where an accuracy is on the scale."""
        return (accuracy - self.guessing) / (self.sent - self.guessing)

    def text(self, accuracy: float) -> str:
        """Return the same as "63%". Chance takes it below guessing, or beyond what is sent: 0% and 100%."""
        return f"{min(max(self.of(accuracy), 0.0), 1.0):.0%}"


def understood(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Proportion:
    """Return how often a receiver finds the target by these messages (B, T)."""
    return Proportion.of(won_by(receiver, messages, episodes))


def share_by_window(
    correct: Mask, window: Numbers, weight: FloatArray | None = None
) -> tuple[float, float, float]:
    """Return the weighted share of correct choices (B,), and its 95% interval with windows as trials.

    Agents that understand a window (B,), a number, once do so in every episode with it. So the trials are
    the effective number of different windows (Kish 1965), not the episodes.
    """
    weight = np.ones(len(window)) if weight is None else weight
    share, by_window = float(weight @ correct / weight.sum()), np.bincount(window, weight)
    effective = round(by_window.sum() ** 2 / (by_window @ by_window))
    return share, *share_interval(share * effective, effective)


def may_be_either(low: float, high: float) -> bool:
    """Tell whether an interval on a `Scale` holds both *yes* and *no*: then nothing can be said."""
    return low < IN_PART and high >= MOSTLY


def accuracy_cells(part: Proportion, style: str = ".2%") -> tuple[Value, Value]:
    """Return an accuracy and its interval as cells of a table; None and None if nothing was measured."""
    return (part.accuracy, between(part.interval, style)) if part.trials else (None, None)
