"""The driver: it starts units, several at a time, and hears from them."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from spatial_game.files import locked, write_text
from spatial_game.units.processes import Processes
from spatial_game.units.unit import (
    HERE,
    INTERRUPTED,
    Hear,
    Place,
    Report,
    Unit,
    parsed,
    read_units,
    usable_cores,
)

_PATIENCE = 0.05  # seconds between two looks at the units


class UnitsFailed(ValueError):
    """Some units did not reach their end; the text says which, and why."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in sorted(faults.items())))


class Pool(Protocol):
    """Processes or jobs that run units."""

    @property
    def room(self) -> int:
        """How many more units it takes now."""

    def start(self, units: Sequence[Unit]) -> set[str]:
        """Start these units, and return the names of those that an earlier driver has started."""

    def gone(self, ended: set[str]) -> dict[str, str]:
        """Return the units that run no longer, and how that came about in words; each is returned once.

        `ended`: units that say so themselves.
        """

    def close(self, wanted: bool) -> str:
        """Let go of all units. If that was `wanted`, return what the user should know."""


def run_units(
    units: Sequence[Unit],
    folder: Path,
    place: Place = HERE,
    hear: Hear = lambda name, report: None,
    stopped: threading.Event | None = None,
) -> dict[str, str]:
    """Run the units that are not done, and return why some failed, by their names.

    `hear` is given each report of a unit as it comes. A unit that fails leaves the others alone. Raises
    `ValueError` if another driver uses the folder, and `KeyboardInterrupt` once `stopped` is set: processes
    of this machine have then saved their work and ended; jobs of a cluster go on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock", f"{folder} must not be in use; got one in which another command runs units"):
        token = read_units(folder)["token"] or secrets.token_hex(8)  # jobs of an earlier driver may go on
        content = {"token": token, "units": [asdict(unit) for unit in units]}
        write_text(folder / "units.json", json.dumps(content, indent=1) + "\n")
        pool = _pool(folder.resolve(), token, place)
        return _drive(pool, [unit for unit in units if not unit.done], folder, hear, stopped)


def _pool(folder: Path, token: str, place: Place) -> Pool:
    if place.on == "local":
        return Processes(folder, token, place.jobs or usable_cores())
    from spatial_game.units.slurm import Jobs

    return Jobs(folder, token, place)


def _drive(
    pool: Pool, waiting: list[Unit], folder: Path, hear: Hear, stopped: threading.Event | None
) -> dict[str, str]:
    faults, running, wanted = dict[str, str](), dict[str, _Tail](), False
    try:
        while waiting or running:
            if stopped is not None and stopped.is_set():
                wanted = True
                break
            starting, waiting = waiting[: pool.room], waiting[pool.room :]
            tails = {unit.name: _Tail(folder / f"{unit.name}.jsonl") for unit in starting}
            for name in pool.start(starting):
                tails[name].rewind()
            running |= tails
            time.sleep(_PATIENCE)
            ended = {name for name, tail in running.items() if tail.hear(name, hear)}
            for name, cause in pool.gone(ended).items():
                tail = running.pop(name)
                tail.hear(name, hear)
                fault = _fault(folder, name, tail.last, cause)
                if fault is not None:
                    faults[name] = fault
                    hear(name, {"text": f"stopped: {fault}"})
    finally:
        advice = pool.close(wanted)
    if wanted:
        raise KeyboardInterrupt(advice)
    return faults


def _fault(folder: Path, name: str, last: Report, cause: str) -> str | None:
    """Return why a unit that runs no longer failed; None if it reached its end."""
    if "ended" in last:
        return None if last["ended"] == 0 else last["text"]
    said = _last_line(folder / f"{name}.log")
    return f"{cause} ({said})" if said else cause


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", "replace").strip().splitlines() if path.is_file() else []
    return lines[-1].strip() if lines else ""


class _Tail:
    """Reads what is added to a unit's reports."""

    def __init__(self, path: Path) -> None:
        self.path, self.last = path, Report()
        self._at = path.stat().st_size if path.exists() else 0

    def rewind(self) -> None:
        """Begin with the first report."""
        self._at = 0

    def hear(self, name: str, hear: Hear) -> bool:
        """Pass on the reports since the last call, and return whether the unit has reached an end."""
        for report in self._new():
            self.last = report
            if "ended" not in report:
                hear(name, report)
        return int(self.last.get("ended", INTERRUPTED)) < INTERRUPTED

    def _new(self) -> Iterator[Report]:
        if not self.path.exists() or self.path.stat().st_size <= self._at:
            return
        with self.path.open("rb") as file:
            file.seek(self._at)
            *lines, _ = file.read().split(b"\n")
        self._at += sum(len(line) + 1 for line in lines)
        yield from parsed(lines)
