"""A measure of a language: a function of a sample of episodes, with what stands beside its values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from spatial_game.checks import require, require_takes, shortened
from spatial_game.language.measures.sample import Sample


@dataclass(frozen=True)
class Estimate:
    """A number about a language; NaN if it is undefined."""

    value: float
    maximum: float = math.inf
    """The largest possible value; inf if it is not known."""
    low: float | None = None
    """An estimate that is too low on average, for a value that may be too high."""
    high: float | None = None
    """An estimate that is too high on average, for a value that may be too low."""


Estimates: TypeAlias = Mapping[str, Estimate]


@dataclass(frozen=True)
class Measure:
    """How figures are estimated, and what stands beside them."""

    estimates: Callable[[Sample], Estimates]
    unit: str
    source: str
    """The publication that the measure comes from."""
    minimum: float = 0.0
    """The smallest possible value; -inf if it is not known."""
    shuffle: Callable[[Sample, np.random.Generator], Sample] | None = None
    """How episodes are shuffled for the value by chance."""
    adjusted: bool = False
    """Whether the value is adjusted for chance (`measuring.adjusted`)."""
    has_interval: bool = False
    max_episodes: int | None = None
    """The most episodes that are looked at, as a measure of all would take too long; None: all."""
    blind_spot: str = ""
    """What the measure cannot see."""
    undefined: str = ""
    """When its figures are NaN."""


def own_measure(function: Callable[[Sample], float], name: str) -> Measure:
    """Return the definition of a measure of the user's own: a function of a `Sample` that returns a number.

    Like a measure of this package, it gets a value by chance, for shuffled messages, and an interval.
    """
    require_takes(name, function, "sample")

    def estimates(sample: Sample) -> dict[str, Estimate]:
        value = np.asarray(function(sample))
        is_number = value.shape == () and value.dtype.kind in "biuf"
        require(is_number, f"{name} must return a number", shortened(value.tolist()))
        return {name: Estimate(float(value))}

    return Measure(
        estimates,
        unit="",
        source="your own",
        minimum=-math.inf,
        shuffle=Sample.shuffled,
        has_interval=True,
        undefined="it is not a number",
    )
