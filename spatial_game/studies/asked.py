"""What a receiver was asked to see whether symbols combine, and the verdict that follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

FEWEST = 20
"""The fewest different windows that say something."""
LEAST_COVERED = 2 / 3
"""The least share of the windows for which never-sent messages must speak."""


@dataclass(frozen=True)
class Asked:
    """How well a receiver understands the messages that are composed in one way."""

    never_sent: float = 0.0
    """The share of the windows whose composed message was never sent."""
    need_two: float = math.nan
    """The share of the never-sent messages that need two symbols. All that follows is of these alone."""
    windows: int = 0
    """The different windows that they are about."""
    covered: float = 0.0
    """The share of all windows that they speak for: see `combines`."""
    accuracy: float = math.nan
    """How often they are understood; NaN without any."""
    low: float = 0.0
    high: float = 1.0
    elsewhere: float = math.nan
    """The accuracy with the same messages, each sent about another of these windows."""
    every: float = math.nan
    """The accuracy with all composed messages that need two symbols, those that were sent included."""

    @property
    def says_something(self) -> bool:
        """Whether there are enough of these messages, about all kinds of windows."""
        return self.windows >= FEWEST and self.covered >= LEAST_COVERED


@dataclass(frozen=True)
class NewMessage:
    """A message that was never sent, and how often a receiver understands it."""

    message: tuple[int, ...]
    window: tuple[int, ...]
    """One of the windows that it was sent for."""
    num_correct: int
    trials: int
    """The different windows that it was sent for, once each."""


@dataclass(frozen=True)
class Verdict:
    """Whether symbols combine."""

    verdict: str
    """One of `combines.VERDICTS`, or "cannot say"."""
    reason: str | None = None
    """Why nothing can be said: one of `combines_text.REASONS`."""
    degree: str | None = None
    """One of `combines.DEGREES`."""
    composed: str | None = None
    """How the messages are composed that are understood best, or that the reason is about."""
    scaled: tuple[float, float, float] | None = None
    """Where these are on the scale from guessing to messages that are sent, and the 95% interval."""
    perhaps: tuple[str, ...] = ()
    """Other degrees that the interval includes: "mostly", "not"."""
