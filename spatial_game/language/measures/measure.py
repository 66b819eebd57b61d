"""What a measure reports."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.language.measures.resampling import Floats, interval


@dataclass(frozen=True)
class Measure:
    """One number about a language."""

    name: str
    value: float | None
    """None where the measure is undefined; then `reason` says why."""
    low: float | None
    high: float | None
    """The 95% interval, of resampling the episodes; None where there are too few."""
    shuffled: float | None
    """The value when chance alone makes it: the mean over shuffled copies; see the measure's description."""
    unit: str
    source: str
    """Where the measure comes from."""
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The measure as JSON holds it."""
        return dataclasses.asdict(self)


def report(
    name: str,
    replicates: Floats,
    shuffled: Sequence[Floats],
    *,
    unit: str,
    source: str,
    undefined: str,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Measure:
    """The measure of these replicates, and of those of shuffled copies.

    `undefined` is the reason to give where the value is NaN; `bounds` is where the measure can be.
    """
    value = float(replicates[0])
    if not np.isfinite(value):
        return Measure(name, None, None, None, None, unit, source, undefined)
    ends = interval(replicates)
    low, high = (None, None) if ends is None else (float(np.clip(end, *bounds)) for end in ends)
    chance = [float(copy[0]) for copy in shuffled]
    mean = float(np.mean(chance)) if chance and np.all(np.isfinite(chance)) else None
    return Measure(name, value, low, high, mean, unit, source)
