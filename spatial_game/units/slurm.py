"""Units as jobs of a Slurm cluster, submitted with submitit.

submitit pickles what it submits: here a list of words, in a folder that only its user can open. The driver
never loads a pickle. It learns from Slurm whether a job still runs, and all else from the unit's own files.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spatial_game.files import write_text
from spatial_game.units.unit import FAREWELL, Place, Unit, command_line, environment, say

_CHUNK = 1000  # units of an array job, of which Slurm allows 1,001 by default
_EVERY = 5.0  # seconds between two questions to Slurm
_GRACE = 15.0  # seconds after which a job that Slurm does not list has ended: files may arrive late
_MINUTES = 60  # time of a job by default; a longer unit is stopped, saved and queued again


class CommandLine:
    """A command line, which is what submitit pickles and calls in the job."""

    def __init__(self, words: Sequence[str], log: str) -> None:
        self.words, self.log = list(words), log

    def __call__(self) -> None:
        """Run it to its end. SIGTERM reaches it from Slurm itself, as it does every process of a job."""
        self.told = False
        signal.signal(signal.SIGTERM, self._note)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_deaf
            )
        status = self.process.wait()
        if status:
            sys.exit(status if status > 0 else 128 - status)

    def _note(self, *_: object) -> None:
        self.told = True

    def checkpoint(self) -> Any:
        """Before Slurm stops the job: let the command save its work, and return what to queue again."""
        from submitit.helpers import DelayedSubmission

        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            if not self.told:  # a second signal would not let it save
                os.kill(self.process.pid, signal.SIGTERM)
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        return DelayedSubmission(CommandLine(self.words, self.log))


def _deaf() -> None:
    """Ignore the signal to submitit, which Slurm sends to every process of a job."""
    signal.signal(getattr(signal, "SIG" + os.environ.get("SUBMITIT_PREEMPT_SIGNAL", "USR2")), signal.SIG_IGN)


class Jobs:
    """Units as jobs. They go on without the driver."""

    def __init__(self, folder: Path, token: str, place: Place) -> None:
        require_slurm()
        self.folder, self.token, self.jobs, self.options = folder, token, place.jobs, options_of(place.slurm)
        self.running: dict[str, str] = {}
        self._asked, self._seen = 0.0, dict[str, float]()

    @property
    def room(self) -> int:
        """How many more units it takes now."""
        return _CHUNK if not self.running else 0

    def start(self, units: Sequence[Unit]) -> set[str]:
        """Submit these units as an array job, and return the names of those whose jobs are still there."""
        known, listed = read_jobs(self.folder), (queue() or {}) if units else {}
        there = {unit.name: known[unit.name] for unit in units if known.get(unit.name) in listed}
        missing = [unit for unit in units if unit.name not in there]
        if missing:
            submitted = self._submit(missing)
            write_text(self.folder / "jobs.json", json.dumps({**known, **submitted}, indent=1) + "\n")
            self.running |= submitted
        self.running |= there
        self._seen |= {unit.name: time.monotonic() for unit in units}
        return set(there)

    def _submit(self, units: Sequence[Unit]) -> dict[str, str]:
        from submitit import SlurmExecutor
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        executor = SlurmExecutor(folder=_private(self.folder / "slurm"), max_num_timeout=1_000_000)
        executor.update_parameters(
            job_name=f"spatial-game {self.folder.parent.name}",
            time=_MINUTES,
            array_parallelism=self.jobs or _CHUNK,
            signal_delay_s=int(2 * FAREWELL),
            additional_parameters=self.options,
        )
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), executor.batch():
                jobs = [executor.submit(self._command(unit)) for unit in units]
        except (FailedSubmissionError, FailedJobError, subprocess.CalledProcessError) as error:
            lines = said.getvalue() or str(error)
            fault = next(line for line in lines.strip().splitlines() if not line.startswith("["))
            raise ValueError(f"slurm must be options that sbatch accepts; got {fault}") from None
        found = {unit.name: str(job.job_id) for unit, job in zip(units, jobs, strict=True)}
        for name, job in found.items():
            say({"job": job}, [self.folder / f"{name}.jsonl"])
        return found

    def _command(self, unit: Unit) -> CommandLine:
        variables = [f"{name}={value}" for name, value in environment(self.folder, unit, self.token).items()]
        return CommandLine(["env", *variables, *command_line(unit)], str(self.folder / f"{unit.name}.log"))

    def gone(self, ended: set[str]) -> dict[str, str]:
        """Return the units that say they ended or whose jobs Slurm no longer lists, and what is known."""
        gone = self._unlisted() | ended
        return {name: self._cause(name, self.running.pop(name)) for name in gone}

    def _unlisted(self) -> set[str]:
        if time.monotonic() < self._asked + _EVERY:
            return set()
        self._asked, listed = time.monotonic(), queue()
        if listed is None:  # Slurm is busy
            return set()
        self._seen |= {name: self._asked for name, job in self.running.items() if job in listed}
        return {name for name in self.running if self._seen[name] + _GRACE < self._asked}

    def _cause(self, name: str, job: str) -> str:
        if (self.folder / f"{name}.log").exists():
            return f"its job {job} ended without a word"
        return (
            f"its job {job} left no trace in {self.folder}, which must be on a file system that all nodes "
            f"share (scontrol show job {job})"
        )

    def close(self) -> str:
        """Leave the jobs alone, and return what the user should know."""
        return f"{len(self.running)} jobs go on (spatial-game status {self.folder.parent})"


def require_slurm() -> None:
    """Raise `ValueError` or `ModuleNotFoundError` if this machine cannot submit jobs."""
    if sys.platform == "win32":
        raise ValueError("on must be local on Windows; got slurm")
    if shutil.which("sbatch") is None:
        raise ValueError("on must be local where Slurm's sbatch is missing; got slurm")
    import submitit  # noqa: F401  (its error names the extra to install)


def options_of(words: Sequence[str]) -> dict[str, Any]:
    """Return Slurm's options from words such as partition=gpu, or exclusive for one without a value."""
    pairs = [word.partition("=") for word in words]
    for word, (name, _, _) in zip(words, pairs, strict=True):
        if not name.replace("-", "_").isidentifier():
            raise ValueError(f"slurm must be options such as partition=gpu or exclusive; got {word}")
    return {name.replace("_", "-"): value if equals else True for name, equals, value in pairs}


def read_jobs(folder: Path) -> dict[str, str]:
    """Return the jobs that units were submitted as, by the names of the units."""
    try:
        return dict(json.loads((folder / "jobs.json").read_text("utf-8")))
    except (OSError, ValueError):
        return {}


def queue() -> dict[str, str] | None:
    """Return the states of the user's jobs that wait or run, and why, by number; None if Slurm is silent."""
    try:
        asked = subprocess.run(
            ["squeue", "--me", "-h", "-r", "-o", "%i %T %r"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return dict(line.split(maxsplit=1) for line in asked.stdout.splitlines())


def _private(folder: Path) -> Path:
    """Return a folder that only its user can open: a pickle in it is trusted."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)  # fails for a folder of another user
    return folder
