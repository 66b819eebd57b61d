"""The driver, which starts units, several at a time, and reads their reports."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spatial_game.files import locked
from spatial_game.units.processes import Processes
from spatial_game.units.slurm import Jobs
from spatial_game.units.unit import (
    HERE,
    INTERRUPTED,
    Hear,
    Place,
    Report,
    Unit,
    UnitsFile,
    add_report,
    last_line,
    read_reports,
)


class UnitsFailed(ValueError):
    """Some units failed; `faults` and the text say which units, and why."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in sorted(faults.items())))
        self.faults = faults


def run_units(
    units: Sequence[Unit],
    folder: Path,
    place: Place = HERE,
    hear: Hear = lambda name, report: None,
    stopped: threading.Event | None = None,
) -> None:
    """Run the units that are not done.

    `hear` is called with each new report of a unit. Raises `ValueError` if another driver uses the folder;
    `UnitsFailed` if units fail, once the others have ended; and `KeyboardInterrupt` once `stopped` is set:
    processes of this machine have then saved their work and ended; jobs of a cluster go on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock", f"{folder} must not be in use; got one in which another command runs units"):
        before = UnitsFile.read(folder)  # jobs of an earlier driver may go on
        file = UnitsFile(units, before.token or secrets.token_hex(8), before.jobs)
        file.write(folder)
        pool = (Jobs if place.on == "slurm" else Processes)(folder.resolve(), file, place)
        missing = [unit for unit in units if not unit.done]
        try:
            faults = _drive(pool, missing, folder, hear, stopped or threading.Event())
        except KeyboardInterrupt:
            raise KeyboardInterrupt(pool.close()) from None
        finally:
            pool.close()
    if faults:
        raise UnitsFailed(faults)


def _drive(
    pool: Processes | Jobs, waiting: list[Unit], folder: Path, hear: Hear, stopped: threading.Event
) -> dict[str, str]:
    """Run the units, and return the reasons of those that failed."""
    faults, running = dict[str, str](), dict[str, _Running]()
    while waiting or running:
        if stopped.is_set():
            raise KeyboardInterrupt
        starting, waiting = waiting[: pool.room], waiting[pool.room :]
        for name, text in pool.start(starting).items():
            hear(name, {"text": text})
        running |= {unit.name: _Running(folder / f"{unit.name}.jsonl") for unit in starting}
        time.sleep(pool.patience)
        gone = pool.gone()  # before their last reports are read
        for name, unit in list(running.items()):
            for report in unit.new_reports():
                hear(name, report)
            if unit.ended or name in gone:
                del running[name]
                if fault := unit.fault(gone.get(name, "")):
                    faults[name] = fault
                if fault and "ended" not in unit.last:  # it could not say so itself
                    hear(name, {"text": f"stopped: {fault}"})
                    add_report(unit.path, {"ended": 1, "text": fault})
    return faults


@dataclass
class _Running:
    """A unit that has been started, and what it has reported so far."""

    path: Path
    last: Report = field(default_factory=dict)
    _read: int = 0

    @property
    def ended(self) -> bool:
        """Whether it has reported its end, good or bad."""
        return bool(self.last.get("ended", INTERRUPTED) < INTERRUPTED)

    def new_reports(self) -> list[Report]:
        """Return the reports since the last call, without the report of its end."""
        reports, self._read = read_reports(self.path, self._read)
        self.last = reports[-1] if reports else self.last
        return [report for report in reports if "ended" not in report]

    def fault(self, cause: str) -> str | None:
        """Return why a unit that no longer runs has failed; None if it finished."""
        if "ended" in self.last:
            return None if self.last["ended"] == 0 else self.last["text"]
        said = last_line(self.path.with_suffix(".log"))
        return f"{cause} ({said})" if said else cause
