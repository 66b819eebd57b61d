"""The progress of the units of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spatial_game.files import is_locked
from spatial_game.units.slurm import queue
from spatial_game.units.unit import INTERRUPTED, Report, Unit, UnitsFile, read_reports

State = Literal["waiting", "running", "stopped", "failed", "done"]
_END = 1 << 14  # bytes at the end of a file, among which the last reports are


@dataclass(frozen=True)
class Status:
    """The progress of a unit."""

    name: str
    """Its name. If units of several commands are shown, it begins with the name of their folder."""
    state: State
    """stopped: it was interrupted, and continues when the command is started again."""
    command: list[str]
    job: str | None
    """Its Slurm job."""
    seconds_left: float | None
    """Seconds until its end at its current speed; None if unknown."""
    report: Report
    """Its last report: step, steps, seconds and others."""


def status_of(folder: Path) -> list[Status]:
    """Return the status of all units whose driver wrote to this folder, or to one inside it.

    Raises `ValueError` if there are none, and if a units.json is damaged.
    """
    patterns = ("units.json", "units/units.json", "*/units/units.json")
    places = [path.parent for pattern in patterns for path in sorted(folder.glob(pattern))]
    if not places:
        raise ValueError(f"folder must be that of a command that ran units; got {folder}")
    files = {place: UnitsFile.read(place) for place in places}
    queued = (queue() if any(file.jobs for file in files.values()) else None) or {}
    named = {place: f"{place.relative_to(folder)}/" if len(files) > 1 else "" for place in files}
    return [
        _status(place, unit, named[place], file.jobs.get(unit.name), queued)
        for place, file in files.items()
        for unit in file.units
    ]


def _status(folder: Path, unit: Unit, within: str, job: str | None, queued: dict[str, str]) -> Status:
    reports, _ = read_reports(folder / f"{unit.name}.jsonl", -_END)
    last = reports[-1] if reports else Report()
    report = next((report for report in reversed(reports) if "step" in report), Report())
    ended, left = last.get("ended", INTERRUPTED), None
    state: State = "stopped" if reports or job else "waiting"
    if ended < INTERRUPTED:
        state, report = ("failed", last) if ended else ("done", report)
    elif job in queued:
        state = "running" if queued[job].startswith(("RUNNING", "COMPLETING")) else "waiting"
        report = {**report, "text": queued[job]} if state == "waiting" else report
    elif unit.done:
        state = "done"
    elif is_locked(folder / f"{unit.name}.jsonl"):
        state = "running"
    step, steps, seconds = (report.get(name) or 0 for name in ("step", "steps", "seconds"))
    if state == "running" and step >= 1 and steps:
        left = seconds / step * (steps - step)
    return Status(within + unit.name, state, ["spatial-game", *unit.command], job, left, report)
