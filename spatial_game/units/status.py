"""How far the units of a folder are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from spatial_game.files import is_locked
from spatial_game.units.unit import INTERRUPTED, Report, Unit, parsed, read_units

State = Literal["waiting", "running", "stopped", "failed", "done"]
_END = 1 << 14  # bytes at the end of a file, among which the last reports are


@dataclass(frozen=True)
class Status:
    """How far a unit is."""

    name: str
    command: tuple[str, ...]
    state: State
    """stopped: it was interrupted or killed, and continues when the command is started again."""
    report: Report
    """What it last said of its work: step, steps, seconds and others."""
    job: str | None = None
    """Its Slurm job."""

    @property
    def left(self) -> float | None:
        """Seconds until its end, if it goes on as fast as it did; None if that is unknown."""
        step, steps, seconds = (self.report.get(name) or 0 for name in ("step", "steps", "seconds"))
        return seconds / step * (steps - step) if self.state == "running" and step and steps else None


def status_of(folder: Path) -> list[Status]:
    """Return the status of all units whose driver wrote into this folder or a folder in it.

    Raises `ValueError` if there are none.
    """
    patterns = ("units.json", "units/units.json", "*.units/units.json", "*/units/units.json")
    places = [path.parent for pattern in patterns for path in sorted(folder.glob(pattern))]
    if not places:
        raise ValueError(f"folder must be that of a command that ran units; got {folder}")
    return [found for place in places for found in _statuses(place)]


def _statuses(folder: Path) -> list[Status]:
    from spatial_game.units.slurm import queue, read_jobs

    jobs = read_jobs(folder)
    queued = (queue() if jobs else None) or {}
    return [_status(folder, unit, jobs.get(unit.name), queued) for unit in read_units(folder)["units"]]


def _status(folder: Path, unit: Unit, job: str | None, queued: dict[str, str]) -> Status:
    path = folder / f"{unit.name}.jsonl"
    reports = _last_reports(path)
    last = reports[-1] if reports else Report()
    ended = last.get("ended")
    if ended is not None and ended < INTERRUPTED:
        state: State = "failed" if ended else "done"
    elif job in queued:
        state = "running" if queued[job].startswith(("RUNNING", "COMPLETING")) else "waiting"
    elif is_locked(path):
        state = "running"
    else:
        state = "done" if unit.done else "stopped" if reports else "waiting"
    of_work = (report for report in reversed(reports) if "step" in report)
    report = last if state == "failed" else next(of_work, Report())
    if state == "waiting" and job in queued:
        report = {**report, "text": queued[job]}
    return Status(unit.name, unit.command, state, report, job)


def _last_reports(path: Path) -> list[Report]:
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - _END, 0))
        lines = file.read().split(b"\n")
    return list(parsed(lines))
