"""The result of a measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.measures.resampling import interval


@dataclass(frozen=True)
class Measure:
    """One number about a language."""

    name: str
    value: float | None
    """None if the measure is undefined; then `reason` says why."""
    low: float | None
    high: float | None
    """The 95% interval, from resampling the episodes; None if there are too few."""
    shuffled: float | None
    """The value by chance: the mean over shuffled copies; see the measure's description."""
    unit: str
    source: str
    """The publication that the measure comes from."""
    reason: str | None = None
    maximum: float | None = None
    """The largest possible value for these episodes, if known."""

    def to_dict(self) -> dict[str, Any]:
        """Return the measure for JSON."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Kind:
    """The common properties of measures of one kind."""

    unit: str
    source: str
    undefined: str
    """The reason to give if the value is NaN."""
    low: float = 0.0
    high: float = np.inf
    """The interval is cut at these bounds."""

    def report(
        self,
        name: str,
        replicates: FloatArray,
        shuffled: Sequence[FloatArray],
        maximum: float = np.inf,
    ) -> Measure:
        """Return the measure from these replicates and those of shuffled copies."""
        value = float(replicates[0])
        if not np.isfinite(value):
            return Measure(name, None, None, None, None, self.unit, self.source, self.undefined)
        ends = interval(replicates)
        low, high = (None, None) if ends is None else (float(np.clip(e, self.low, self.high)) for e in ends)
        chance = [float(copy[0]) for copy in shuffled]
        mean = float(np.mean(chance)) if chance and np.all(np.isfinite(chance)) else None
        most = min(maximum, self.high)
        of = float(most) if np.isfinite(most) else None
        return Measure(name, value, low, high, mean, self.unit, self.source, maximum=of)
