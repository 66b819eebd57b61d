"""The driver: it starts units, several at a time, and hears from them."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from spatial_game.files import locked, write_text
from spatial_game.units.processes import Processes
from spatial_game.units.slurm import Jobs
from spatial_game.units.unit import (
    HERE,
    INTERRUPTED,
    Hear,
    Place,
    Report,
    Unit,
    parsed,
    read_units,
)

_PATIENCE = 0.05  # seconds between two looks at the units


class UnitsFailed(ValueError):
    """Some units did not reach their end; `faults` and the text say which, and why."""

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

    `hear` is given each report of a unit as it comes. Raises `ValueError` if another driver uses the folder;
    `UnitsFailed` if units fail, once the others have ended; and `KeyboardInterrupt` once `stopped` is set:
    processes of this machine have then saved their work and ended; jobs of a cluster go on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock", f"{folder} must not be in use; got one in which another command runs units"):
        token = read_units(folder)["token"] or secrets.token_hex(8)  # jobs of an earlier driver may go on
        content = {"token": token, "units": [asdict(unit) for unit in units]}
        write_text(folder / "units.json", json.dumps(content, indent=1) + "\n")
        pool = (Jobs if place.on == "slurm" else Processes)(folder.resolve(), token, place)
        missing = [unit for unit in units if not unit.done]
        if faults := _drive(pool, missing, folder, hear, (stopped or threading.Event()).is_set):
            raise UnitsFailed(faults)


def _drive(
    pool: Processes | Jobs, waiting: list[Unit], folder: Path, hear: Hear, stopping: Callable[[], bool]
) -> dict[str, str]:
    faults, running = dict[str, str](), dict[str, _Tail]()
    try:
        while waiting or running:
            if stopping():
                raise KeyboardInterrupt
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
                faults |= {} if fault is None else {name: fault}
                if fault is not None and "ended" not in tail.last:  # it could not say so itself
                    hear(name, {"text": f"stopped: {fault}"})
    except KeyboardInterrupt:
        raise KeyboardInterrupt(pool.close()) from None
    finally:
        pool.close()
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
