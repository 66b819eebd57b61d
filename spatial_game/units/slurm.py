"""Units as jobs of a Slurm cluster, submitted with submitit.

submitit pickles what it submits: here a list of words, in a folder that only its user can open. The driver
never loads a pickle. Slurm tells it whether a job still runs, and the unit's own files tell it the rest.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spatial_game.files import no_link, refuse_link
from spatial_game.units.unit import FAREWELL, Place, Unit, UnitsFile, command_line, last_line, new_reports

_CHUNK = 1000  # units of an array job, at most
_EVERY = 5.0  # seconds between two questions to Slurm
_GRACE = 15.0  # seconds after which a job that Slurm does not list has ended: files may arrive late
_MINUTES = 60  # time of a job by default; a longer unit is stopped, saved and queued again


@dataclass(frozen=True)
class CommandLine:
    """A command line, which submitit pickles and the job calls."""

    words: list[str]
    log: str

    def __call__(self) -> None:
        """Run the command."""
        with open(self.log, "ab", opener=no_link) as log:
            status = subprocess.call(self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if status:
            sys.exit(status if status > 0 else 128 - status)

    def checkpoint(self) -> Any:
        """Wait until the command has saved its work, and return the job to queue again.

        submitit calls this at SIGUSR2, which all processes of a job receive before Slurm stops it.
        """
        from submitit.helpers import DelayedSubmission

        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        return DelayedSubmission(self)


class Jobs:
    """Units as jobs. They continue without the driver."""

    patience = 1.0
    """Seconds between two checks of the units."""

    def __init__(self, folder: Path, file: UnitsFile, place: Place) -> None:
        self.folder, self.file, self.jobs, self.options = folder, file, place.jobs, place.slurm_options
        self.running: dict[str, str] = {}
        self._chunk = largest_array()
        self._asked, self._seen = 0.0, dict[str, float]()  # when Slurm last listed each job

    @property
    def room(self) -> int:
        """The number of units that it can submit now."""
        return 0 if self.running else self._chunk

    def start(self, units: Sequence[Unit]) -> dict[str, str]:
        """Submit the units without a running job as an array job.

        Returns notes about the units, which may wait for a long time.
        """
        if not units:
            return {}
        jobs, listed = self.file.jobs, queue() or {}
        if missing := [unit for unit in units if jobs.get(unit.name) not in listed]:
            jobs |= self._submit(missing)
            self.file.write(self.folder)
        started = {unit.name: jobs[unit.name] for unit in units}
        self.running |= started
        self._seen |= dict.fromkeys(started.values(), time.monotonic())
        return {name: f"job {job}" for name, job in started.items()}

    def _submit(self, units: Sequence[Unit]) -> dict[str, str]:
        from submitit import SlurmExecutor
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        executor = SlurmExecutor(folder=_private(self.folder / "slurm"), max_num_timeout=1_000_000)
        executor.update_parameters(
            job_name=f"spatial-game {self.folder.parent.name}",
            time=_MINUTES,
            array_parallelism=self.jobs or self._chunk,
            signal_delay_s=int(2 * FAREWELL),
            additional_parameters=self.options,
        )
        try:
            with _own_options(self.options), contextlib.redirect_stderr(io.StringIO()), executor.batch():
                jobs = [executor.submit(self._command(unit)) for unit in units]
        except (FailedSubmissionError, FailedJobError) as error:  # the text is what sbatch said
            fault = str(error).split("\n")[0]
            raise ValueError(f"slurm must take the jobs and options; got {fault}") from None
        return {unit.name: str(job.job_id) for unit, job in zip(units, jobs, strict=True)}

    def _command(self, unit: Unit) -> CommandLine:
        variables = new_reports(self.folder, unit, self.file.token)
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), *command_line(unit)]
        return CommandLine(words, str(self.folder / f"{unit.name}.log"))

    def gone(self) -> dict[str, str]:
        """Return the units whose jobs Slurm no longer lists, with any known reason. Each is returned once."""
        now = time.monotonic()
        if now < self._asked + _EVERY or (listed := queue()) is None:  # None: Slurm is busy
            return {}
        self._asked = now
        self._seen |= dict.fromkeys(listed, now)
        gone = [name for name, job in self.running.items() if self._seen[job] + _GRACE < now]
        return {name: self._cause(name, self.running.pop(name)) for name in gone}

    def _cause(self, name: str, job: str) -> str:
        if (self.folder / f"{name}.log").exists():
            return f"its job {job} ended too early"
        logs = sorted((self.folder / "slurm").glob(f"{job}_*log.err"))
        said = next(filter(None, map(last_line, logs)), "")
        cause = said or f"that folder and {sys.executable} must be the same on all nodes"
        return f"its job {job} left no trace in {self.folder}: {cause}"

    def close(self) -> str:
        """Leave the jobs running, and return a note for the user."""
        return f"the jobs go on (spatial-game status {self.folder.parent})"


def queue() -> dict[str, str] | None:
    """Return the states of the user's jobs, and reasons, by number; None if Slurm does not answer."""
    try:
        asked = subprocess.run(
            ["squeue", "--me", "-h", "-r", "-o", "%i %T %r"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={name: value for name, value in os.environ.items() if not name.startswith("SQUEUE_")},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return dict(line.split(maxsplit=1) for line in asked.stdout.splitlines())


def largest_array() -> int:
    """Return the number of jobs that Slurm allows in one array, at most 1,000."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, timeout=60)
        if found := re.search(r"^MaxArraySize\s*=\s*(\d+)", said.stdout, re.MULTILINE):
            return min(max(int(found[1]) - 1, 1), _CHUNK)
    return _CHUNK


@contextlib.contextmanager
def _own_options(options: Mapping[str, Any]) -> Iterator[None]:
    """Hide environment variables that override these options of sbatch, or change how it submits."""
    names = {"ARRAY_INX", "WAIT", *({"time": "timelimit"}.get(name, name) for name in options)}
    variables = ["SBATCH_" + name.upper().replace("-", "_") for name in names]
    hidden = {name: os.environ.pop(name) for name in variables if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _private(folder: Path) -> Path:
    """Return a folder that only its user can open, because pickles in it are trusted.

    Raises `ValueError` for a name that submitit or Slurm would change.
    """
    if any(character in "%\\" or not character.isprintable() for character in str(folder)):
        raise ValueError(f"out must be a path without %, \\ and line ends on Slurm; got {str(folder)!r}")
    refuse_link(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)  # fails for a folder of another user
    return folder
