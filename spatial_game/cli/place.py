"""The options that say where the units of a command run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal  # noqa: F401  (cyclopts reads the types of `Place` here)

from cyclopts import Parameter

from spatial_game.cli.options import group
from spatial_game.units import Hear, Place


@dataclass(frozen=True)
class PlaceOptions(Place):
    """Where units of work run."""

    jobs: Annotated[int, Parameter(name=("--jobs", "--workers"))] = 0


Where = Annotated[PlaceOptions, group("Where it runs")]


def by_steps(advance: Callable[..., None]) -> Hear:
    """Return a listener to units that advances a bar by the steps that they report."""
    steps = Counter[str]()

    def hear(name: str, report: dict[str, Any]) -> None:
        advance(report.get("step", steps[name]) - steps[name], report.get("text"))
        steps[name] = report.get("step", steps[name])

    return hear
