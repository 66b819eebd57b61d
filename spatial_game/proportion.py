"""A share of successes, and how surely it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Proportion:
    """Successes out of trials, with the 95% Wilson interval."""

    successes: int
    trials: int

    @property
    def accuracy(self) -> float:
        """The share of successes; NaN without trials."""
        return self.successes / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval (Wilson 1927) at 95%; (0, 1) without trials."""
        if not self.trials:
            return 0.0, 1.0
        z, n, p = 1.959963984540054, self.trials, self.accuracy
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def to_dict(self) -> dict[str, Any]:
        """Accuracy, interval and counts, for JSON; accuracy null without trials."""
        accuracy = self.accuracy if self.trials else None
        low, high = self.interval
        return {"accuracy": accuracy, "low": low, "high": high, "n": self.trials, "wins": self.successes}

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.accuracy:.2%} (95% interval {low:.2%} to {high:.2%}, n = {self.trials:,})"
