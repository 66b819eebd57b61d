"""`spatial-game status`: show the progress of the units of a command."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.options import Command, positional
from spatial_game.cli.terminal import Output
from spatial_game.tables import Table

if TYPE_CHECKING:
    from spatial_game.units.status import Status


@positional
@dataclass(frozen=True, kw_only=True)
class ShowStatus(Command):
    """The options of `spatial-game status`."""

    folder: Annotated[Path, Parameter(name="FOLDER")] = field(kw_only=False)
    """The folder (--out) of a command that runs in several units."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Show a row for each unit, then the number of units in each state."""
        from spatial_game.units.status import status_of

        found = status_of(self.folder)
        table = Table.of("Unit | State | Progress | Left | Last report", map(_row, found))
        output.table(f"Units of {self.folder}", table)
        counts = Counter(status.state for status in found)
        units = f"{len(found)} unit{'s' if len(found) > 1 else ''}"
        output.say("", f"{units}: " + ", ".join(f"{n} {state}" for state, n in counts.items()))
        return {"units": [asdict(status) for status in found], "states": dict(counts)}


def _row(status: Status) -> tuple[str, str, str, str | None, str]:
    step, steps, accuracy = (status.report.get(name) for name in ("step", "steps", "training_accuracy"))
    progress = "" if step is None else f"{step:,.0f}" + (f" of {steps:,.0f}" if steps else "")
    doing = status.report.get("text") if status.state != "done" else None
    said = doing or (f"training {accuracy:.1%}" if accuracy is not None else "")
    state = status.state + (f" (job {status.job})" if status.job and status.state == "running" else "")
    left = None if status.seconds_left is None else in_words(status.seconds_left)
    return status.name, state, progress, left, said


def in_words(seconds: float) -> str:
    """Return a duration, such as 2 h 5 min."""
    minutes, hours = int(seconds / 60), int(seconds / 3600)
    if hours:
        return f"{hours} h {minutes - 60 * hours} min"
    return f"{seconds / 60:.0f} min" if minutes >= 2 else f"{seconds:.0f} s"
