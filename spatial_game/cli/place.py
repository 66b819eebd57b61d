"""Where the units of a command run: options that several commands share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_game.cli.options import group
from spatial_game.units import Hear, Place


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """Where units of work run."""

    on: Literal["local", "slurm"] = "local"
    """local: in processes of this machine. slurm: as jobs of a Slurm cluster (needs the extra cluster)."""
    jobs: Annotated[int, Parameter(name=("--jobs", "--workers"))] = 0
    """Units that run at a time. 0: one on each core (analyse: one); on Slurm, as many as it allows."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as partition=gpu time=60 gpus_per_node=1."""

    @property
    def place(self) -> Place:
        """The place that these options mean. Raises `ValueError` if it cannot be used from here."""
        if self.on == "slurm":
            from spatial_game.units.slurm import require_slurm

            require_slurm()
        return Place(self.on, self.jobs or None, self.slurm)


Where = Annotated[PlaceOptions, group("Where it runs")]


def by_steps(advance: Callable[..., None]) -> Hear:
    """Return a listener to units that advances a bar by the steps that they report."""
    steps = Counter[str]()

    def hear(name: str, report: dict[str, Any]) -> None:
        advance(report.get("step", steps[name]) - steps[name], report.get("text"))
        steps[name] = report.get("step", steps[name])

    return hear


def numbered_part(part: str) -> tuple[int, int]:
    """Return the number of a part and the number of parts, from text such as 0/8. Raises `ValueError`."""
    number, _, parts = part.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and int(number) < int(parts)):
        raise ValueError(f"part must be NUMBER/PARTS, such as 0/8 for the first of eight; got {part}")
    return int(number), int(parts)
