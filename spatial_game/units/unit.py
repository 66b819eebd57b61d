"""What a unit is, and how a process that is one reports to its driver."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from spatial_game.files import locked

_REPORTS, _TOKEN, _LEASH = "SPATIAL_GAME_UNIT", "SPATIAL_GAME_TOKEN", "SPATIAL_GAME_LEASH"
FAREWELL = 30.0
"""Seconds that a unit has to save its work, and that its successor waits for it."""
INTERRUPTED = 128
"""Exit statuses from here on mean that a signal ended a unit, which then continues when it is run again."""


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


HERE = Place()
Report = dict[str, Any]
Hear = Callable[[str, Report], None]
"""Takes the name of a unit, and a report of it."""


def command_line(unit: Unit) -> list[str]:
    """Return the command line of a unit, for this Python."""
    return [sys.executable, "-m", "spatial_game.cli", *unit.command]


def environment(folder: Path, unit: Unit, token: str, leash: str = "") -> dict[str, str]:
    """Return the variables that make a command a unit. The leash "stdin" makes it end when that is closed."""
    paths = os.pathsep.join([path for path in sys.path if path] or [os.getcwd()])
    return {"PYTHONPATH": paths, _REPORTS: str(folder / f"{unit.name}.jsonl"), _TOKEN: token, _LEASH: leash}


def read_units(folder: Path) -> dict[str, Any]:
    """Return the token and the units of a driver's folder; empty ones if there is no whole units.json."""
    try:
        content = json.loads((folder / "units.json").read_text("utf-8"))
        return {"token": content["token"], "units": [Unit(**unit) for unit in content["units"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"token": None, "units": []}


def parsed(lines: Iterable[bytes]) -> Iterator[Report]:
    """Yield the reports in these lines, but for a line of which a full disk or a kill left a part."""
    for line in lines:
        with contextlib.suppress(ValueError):
            yield dict(json.loads(line))


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
    with locked(path, f"{path.stem} must run once; got one that runs already", patience=FAREWELL):
        _reports[:] = [path]
        say({"host": here, "pid": os.getpid()})
        yield


def _end_with_stdin() -> None:
    """End this process, as by SIGTERM, when its driver closes the pipe or dies."""
    while os.read(0, 1):
        pass
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
    else:  # wakes the main thread if it sleeps
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def say(report: Mapping[str, Any], places: Sequence[Path] = _reports) -> None:
    """Report how far this process is, if it is a unit. What cannot be written, as on a full disk, is lost."""
    for path in places:
        line = json.dumps({"time": time.time(), **report})
        with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
            file.write(f"\n{line}\n".encode())
