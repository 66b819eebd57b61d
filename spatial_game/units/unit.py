"""Units, and how a unit's process reports to its driver."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from spatial_game.files import locked, no_link, refuse_link, write_text

_UNIT = "SPATIAL_GAME_UNIT"  # the environment variable that makes a command a unit
FAREWELL = 30.0
"""Seconds that a unit has to save its work, and that its successor waits."""
INTERRUPTED = 128
"""From this exit status on, a signal ended the unit; it continues when it is run again."""


def usable_cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Unit:
    """A command line to run once."""

    name: str
    command: tuple[str, ...]
    """The arguments of `spatial-game`, in the working directory of its driver."""
    done: bool = False
    """Whether nothing is missing."""


@dataclass(frozen=True)
class Place:
    """Where units of work run."""

    on: Literal["local", "slurm"] = "local"
    """local: in processes on this machine. slurm: as jobs of a Slurm cluster (needs the extra cluster)."""
    jobs: int = 0
    """Units that run at the same time. 0: one on each core; on Slurm, as many as it allows."""
    slurm: tuple[str, ...] = ()
    """Slurm's own options, such as partition=gpu time=60 gpus_per_node=1."""

    def __post_init__(self) -> None:
        if self.jobs < 0:
            raise ValueError(f"jobs must be at least 0; got {self.jobs}")
        if self.slurm and self.on != "slurm":
            raise ValueError(f"slurm must be left out without --on slurm; got {' '.join(self.slurm)}")
        for word in self.slurm:
            if not word.isprintable():  # a line end would add a line to the script of the job
                raise ValueError(f"slurm must be without control characters; got {word!r}")
        for name in self.slurm_options:
            if not name.replace("-", "_").isidentifier():
                raise ValueError(f"slurm must be options such as partition=gpu or exclusive; got {name}")
            if name == "array":
                raise ValueError("slurm must leave array out, as the units form an array; got array")
        if self.on == "slurm":
            require_slurm()

    @property
    def slurm_options(self) -> dict[str, Any]:
        """Slurm's options by name; True for an option without a value."""
        pairs = [word.partition("=") for word in self.slurm]
        return {name.replace("_", "-"): value if equals else True for name, equals, value in pairs}


def require_slurm() -> None:
    """Raise `ValueError` or `ModuleNotFoundError` if this machine cannot submit jobs."""
    if sys.platform == "win32":
        raise ValueError("on must be local on Windows; got slurm")
    if shutil.which("sbatch") is None:
        raise ValueError("on must be local where Slurm's sbatch is missing; got slurm")
    import submitit  # noqa: F401  (its error names the extra to install)


HERE = Place()
Report = dict[str, Any]
Hear = Callable[[str, Report], None]
"""Takes the name of a unit, and a report of it."""


def command_line(unit: Unit) -> list[str]:
    """Return the command line of a unit, for this Python."""
    return [sys.executable, "-m", "spatial_game.cli", *unit.command]


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Return these options of a command as words of a command line, without options that are None."""
    return [
        f"--{name.replace('_', '-')}={each}"
        for name, value in options.items()
        if value is not None
        for each in (value if isinstance(value, (list, tuple)) else [value])
    ]


def new_reports(folder: Path, unit: Unit, token: str, leash: str = "") -> dict[str, str]:
    """Empty the reports of a unit, and return the environment variables with which its command writes them.

    With the leash "stdin", the process ends when its standard input is closed.
    """
    path = folder / f"{unit.name}.jsonl"
    open(path, "wb", opener=no_link).close()
    python = os.pathsep.join([path for path in sys.path if path] or [os.getcwd()])
    return {"PYTHONPATH": python, _UNIT: json.dumps([str(path), token, leash])}


@dataclass
class UnitsFile:
    """units.json, which a driver writes into the folder that it shares with its units."""

    units: Sequence[Unit] = ()
    token: str = ""
    """It identifies the folder of the driver to a unit."""
    jobs: dict[str, str] = field(default_factory=dict)
    """The Slurm jobs of the units, by the names of the units."""

    @classmethod
    def read(cls, folder: Path) -> UnitsFile:
        """Read it; it is empty if there is none. Raises `ValueError` if it is damaged or a link."""
        path = folder / "units.json"
        refuse_link(path)
        if not path.exists():
            return cls()
        try:
            content = json.loads(path.read_text("utf-8"))
            return cls([Unit(**unit) for unit in content["units"]], content["token"], content["jobs"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path} must be as a command wrote it; got one that is damaged") from None

    def write(self, folder: Path) -> None:
        """Write it completely or not at all."""
        write_text(folder / "units.json", json.dumps(asdict(self), indent=1) + "\n")


def read_reports(path: Path, start: int = 0) -> tuple[list[Report], int]:
    """Return the reports of a unit from a byte on (from the end, if negative), and where the next begins."""
    if not path.is_file():
        return [], 0
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        start = file.seek(max(start if start >= 0 else end + start, 0))
        *lines, rest = file.read().split(b"\n")
        reports = []
        for line in lines:
            with contextlib.suppress(ValueError):  # for example, part of a line after a kill
                reports.append(json.loads(line))
        return reports, file.tell() - len(rest)


def last_line(path: Path) -> str:
    """Return the last informative line of a log; "" if there is none."""
    lines = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
    # Slurm's own last line only says that there was an error.
    return next((line.strip() for line in reversed(lines) if line.strip() and line[:5] != "srun:"), "")


_reports: list[Path] = []  # where this process reports, if it is a unit


@contextlib.contextmanager
def as_unit() -> Iterator[None]:
    """If a driver started this process, report to its folder within the block; else do nothing.

    Raises `ValueError` if the folder is not the driver's, or if the same unit runs elsewhere.
    """
    given = os.environ.pop(_UNIT, "")
    if not given:
        yield
        return
    reports, token, leash = json.loads(given)
    path, here = Path(reports), socket.gethostname()
    if leash:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    if UnitsFile.read(path.parent).token != token:
        raise ValueError(
            f"{path.parent} must be the same folder on all machines; got one on {here} that the driver "
            "does not share"
        )
    with locked(path, f"{path.stem} must run once; got one that runs already", patience=FAREWELL):
        _reports[:] = [path]
        say({"host": here, "pid": os.getpid()})
        yield


def _end_with_stdin() -> None:
    """End this process, as SIGTERM would, when its driver closes the pipe or dies."""
    while os.read(0, 1):
        pass
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
    else:  # wakes the main thread if it sleeps
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(FAREWELL)
    os._exit(128 + signal.SIGTERM)


def say(report: Mapping[str, Any]) -> None:
    """Report the progress of this process, if it is a unit."""
    for path in _reports:
        add_report(path, report)


def add_report(path: Path, report: Mapping[str, Any]) -> None:
    """Add to the reports of a unit. A report that cannot be written, for example on a full disk, is lost."""
    line = json.dumps({"time": time.time(), **report})
    with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
        file.write(f"\n{line}\n".encode())
