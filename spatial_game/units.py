"""Run command lines of `spatial-game` several at a time, in processes of this machine or as jobs of a cluster.

A *unit* is a command that can be repeated: it continues from its own files, and ends at once if nothing is
missing. A *driver* starts the units (`run_units`). Both share a folder, `OUT/units`, in plain text:

    units.json     names and command lines of all units, and a token
    NAME.jsonl     the unit's reports: how far it is, and at last how it ended
    NAME.log       what the unit prints
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from spatial_game.files import locked, write_text

_REPORTS, _TOKEN, _LEASH = "SPATIAL_GAME_UNIT", "SPATIAL_GAME_TOKEN", "SPATIAL_GAME_LEASH"
_PATIENCE = 0.05  # seconds between two looks at the units
_FAREWELL = 30.0  # seconds that a unit has to save its work, and that its successor waits for it


def usable_cores() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Unit:
    """A command line to run once."""

    name: str
    command: tuple[str, ...]
    """The arguments of `spatial-game`, with absolute paths."""
    done: bool = False
    """Whether nothing is missing."""


@dataclass(frozen=True)
class Place:
    """Where units run, and how many at a time."""

    on: Literal["local", "slurm"] = "local"
    jobs: int | None = None
    """Default: one on each core; on Slurm, as many as it allows."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as "partition=gpu"."""

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise ValueError(f"jobs must be at least 1; got {self.jobs}")
        if self.slurm and self.on != "slurm":
            raise ValueError(f"slurm must be left out without --on slurm; got {' '.join(self.slurm)}")


Report = dict[str, Any]
Hear = Callable[[str, Report], None]
"""Takes the name of a unit, and a report of it."""


class UnitsFailed(ValueError):
    """Some units did not reach their end; the text says which, and why."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {fault}" for name, fault in sorted(faults.items())))


# --- The driver -----------------------------------------------------------------------------------------


class Pool(Protocol):
    """Processes or jobs that run units."""

    room: int
    """How many more units it takes now."""

    def start(self, units: Sequence[Unit]) -> None:
        """Start these units."""

    def gone(self) -> dict[str, str]:
        """Return the units that run no longer, and how that came about in words; each is returned once."""

    def close(self, wanted: bool) -> str:
        """Let go of all units. If that was `wanted`, return what the user should know."""


def run_units(
    units: Sequence[Unit],
    folder: Path,
    place: Place = Place(),  # noqa: B008  (immutable)
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
        token = secrets.token_hex(8)
        content = {"token": token, "units": [asdict(unit) for unit in units]}
        write_text(folder / "units.json", json.dumps(content, indent=1) + "\n")
        pool = _pool(folder.resolve(), token, place)
        return _drive(pool, [unit for unit in units if not unit.done], folder, hear, stopped)


def _pool(folder: Path, token: str, place: Place) -> Pool:
    if place.on == "local":
        return _Processes(folder, token, place.jobs or usable_cores())
    from spatial_game.slurm import Jobs

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
            running |= {unit.name: _Tail(folder / f"{unit.name}.jsonl") for unit in starting}
            pool.start(starting)
            time.sleep(_PATIENCE)
            gone = pool.gone()
            for name, cause in {**dict.fromkeys(running, ""), **gone}.items():
                for report in running[name].new():
                    if "ended" not in report:
                        hear(name, report)
                if name in gone:
                    fault = _fault(folder, name, running.pop(name).last, cause)
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

    def new(self) -> Iterator[Report]:
        """Yield the reports since the last call."""
        if not self.path.exists() or self.path.stat().st_size <= self._at:
            return
        with self.path.open("rb") as file:
            file.seek(self._at)
            *lines, rest = file.read().split(b"\n")
        self._at += sum(len(line) + 1 for line in lines)
        for report in _parsed(lines):
            self.last = report
            yield report


def _parsed(lines: Sequence[bytes]) -> Iterator[Report]:
    """Yield the reports in these lines, but for those of which a full disk or a kill left a part."""
    for line in lines:
        with contextlib.suppress(ValueError):
            report = json.loads(line)
            if isinstance(report, dict):
                yield report


class _Processes:
    """Units as processes of this machine. They end with the driver, however that ends."""

    def __init__(self, folder: Path, token: str, jobs: int) -> None:
        self.folder, self.token, self.jobs = folder, token, jobs
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def room(self) -> int:
        """How many more units it takes now."""
        return self.jobs - len(self.processes)

    def start(self, units: Sequence[Unit]) -> None:
        """Start these units."""
        for unit in units:
            with (self.folder / f"{unit.name}.log").open("ab") as log:
                self.processes[unit.name] = subprocess.Popen(
                    command_line(unit),
                    env={**os.environ, **environment(self.folder, unit, self.token), _LEASH: "stdin"},
                    stdin=subprocess.PIPE,  # it ends when this is closed
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C in a terminal is for the driver
                )

    def gone(self) -> dict[str, str]:
        """Return the units whose processes have ended, and how."""
        ends = {name: process.poll() for name, process in self.processes.items()}
        gone = {name: _cause(status) for name, status in ends.items() if status is not None}
        for name in gone:
            self._close(self.processes.pop(name))
        return gone

    def close(self, wanted: bool) -> str:
        """Let all units save their work and end."""
        for process in self.processes.values():
            self._close(process)
        end = time.monotonic() + _FAREWELL
        for process in self.processes.values():
            try:
                process.wait(max(end - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return "stopped"

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()


def _cause(status: int) -> str:
    by = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return f"its process ended {by}"


def command_line(unit: Unit) -> list[str]:
    """Return the command line of a unit, for this Python."""
    return [sys.executable, "-m", "spatial_game.cli", *unit.command]


def environment(folder: Path, unit: Unit, token: str) -> dict[str, str]:
    """Return the variables that make a command a unit of a driver."""
    paths = os.pathsep.join([path for path in sys.path if path] or [os.getcwd()])
    return {"PYTHONPATH": paths, _REPORTS: str(folder / f"{unit.name}.jsonl"), _TOKEN: token}


# --- The unit -------------------------------------------------------------------------------------------

_reports: list[Path] = []  # where this process reports, if it is a unit


@contextlib.contextmanager
def as_unit() -> Iterator[None]:
    """If a driver started this process, report to its folder within the block; else do nothing.

    Raises `ValueError` if the folder is not that of the driver, or if the same unit runs elsewhere.
    """
    given = {name: os.environ.pop(name, "") for name in (_REPORTS, _TOKEN, _LEASH)}
    if not given[_REPORTS]:
        yield
        return
    path, here = Path(given[_REPORTS]), socket.gethostname()
    if given[_LEASH]:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    if read_units(path.parent)["token"] != given[_TOKEN]:
        raise ValueError(
            f"{path.parent} must be the same folder on all machines; got one on {here} that the driver "
            "does not share"
        )
    with locked(path, f"{path.stem} must run once; got one that runs already", patience=_FAREWELL):
        _reports[:] = [path]
        say({"host": here, "pid": os.getpid()})
        yield


def _end_with_stdin() -> None:
    """End this process, as by SIGTERM, when its driver closes the pipe or dies."""
    while os.read(0, 1):
        pass
    signal.raise_signal(signal.SIGTERM)


def say(report: Mapping[str, Any]) -> None:
    """Report how far this process is, if it is a unit. What cannot be written, as on a full disk, is lost."""
    line = json.dumps({"time": time.time(), **report})
    for path in _reports:
        with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
            file.write(f"\n{line}\n".encode())


# --- Status ---------------------------------------------------------------------------------------------


def read_units(folder: Path) -> dict[str, Any]:
    """Return the token and the units of a driver's folder; empty ones if there is no whole units.json."""
    try:
        content = json.loads((folder / "units.json").read_text("utf-8"))
        return {"token": content["token"], "units": [Unit(**unit) for unit in content["units"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"token": None, "units": []}
