"""Pairs as jobs of a Slurm cluster, submitted with submitit.

Before Slurm stops a job, for its time limit or for another job, it sends SIGUSR2. The pair is then saved, and
submitit queues the job again, which continues. A job that is killed continues from its last checkpoint.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PREEMPTED = "SIGUSR2"
"""The signal that a job gets before it is stopped."""
MINUTES = 60
"""The time limit of a job by default. A longer training is stopped and queued again."""
FAREWELL = 60
"""Seconds between SIGUSR2 and the time limit."""
EVERY = 5.0
"""Seconds between two looks at the jobs."""
LATE = 15.0
"""Seconds that the result of a job may come after Slurm has forgotten the job."""


class Continued:
    """A call that submitit queues again with the same arguments when Slurm stops its job.

    The function takes the signal itself, saves its work, and raises `KeyboardInterrupt`. The signal is then
    sent again, for submitit.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.function, self.arguments = function, arguments

    def __call__(self) -> Any:
        """Return what the function returns."""
        try:
            return self.function(*self.arguments)
        except KeyboardInterrupt:
            signal.raise_signal(signal.Signals[PREEMPTED])
            raise

    def checkpoint(self) -> Any:
        """Return the job to queue again."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def require_slurm() -> None:
    """Raise `ValueError` or `ModuleNotFoundError` if this machine cannot submit jobs."""
    if shutil.which("sbatch") is None:
        raise ValueError("on must be local where Slurm's sbatch is missing; got slurm")
    import submitit  # noqa: F401  (its error names the extra to install)


def run_in_jobs(
    function: Callable[..., Exception | None],
    arguments: Sequence[tuple[Any, ...]],
    names: Sequence[str],
    folder: Path,
    jobs: int = 0,
    options: Sequence[str] = (),
) -> list[Exception | None]:
    """Return `function(*each)` for each tuple of arguments, in jobs, at most `jobs` at a time (0: all).

    `options` are Slurm's own, such as partition=gpu. submitit's files are in `folder`. A job that ends
    without a result gives a `ChildProcessError`. After Ctrl-C the jobs go on. Raises `ValueError` if Slurm
    takes no such jobs.
    """
    if not arguments:
        return []
    from submitit import SlurmExecutor
    from submitit.core.utils import FailedJobError, FailedSubmissionError

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds pickles, which can run code
    executor = SlurmExecutor(folder=folder, max_num_timeout=1_000_000)
    executor.update_parameters(
        job_name="spatial-game",
        time=MINUTES,
        array_parallelism=jobs or len(arguments),
        signal_delay_s=FAREWELL,
        additional_parameters=slurm_options(options),
    )
    try:
        with contextlib.redirect_stderr(io.StringIO()), executor.batch():
            submitted = [executor.submit(Continued(function, *each)) for each in arguments]
    except (FailedSubmissionError, FailedJobError) as error:  # the text is what sbatch said
        fault = str(error).split("\n")[0]
        raise ValueError(f"slurm must take the jobs and options; got {fault}") from None
    for name, job in zip(names, submitted, strict=True):
        print(f"{name}  job {job.job_id}", file=sys.stderr, flush=True)
    try:
        return _wait(submitted)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the jobs go on") from None


def slurm_options(words: Sequence[str]) -> dict[str, Any]:
    """Return Slurm's options by name; True for an option without a value. Raises `ValueError`."""
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (word.isprintable() and name.replace("-", "_").isidentifier()) or name == "array":
            raise ValueError(f"slurm must be options such as partition=gpu, but not array; got {word!r}")
        options[name.replace("_", "-")] = value if equals else True
    return options


def _wait(jobs: Sequence[Any]) -> list[Exception | None]:
    """Return the results of the jobs when all have ended."""
    results: list[Exception | None] = [None] * len(jobs)
    listed = dict.fromkeys(range(len(jobs)), time.monotonic())  # when Slurm last listed each job that runs
    while listed:
        time.sleep(EVERY)
        now, queued = time.monotonic(), _queued()
        for i in list(listed):
            job = jobs[i]
            if queued is None or job.job_id in queued:
                listed[i] = now
            ended = job.paths.result_pickle.exists()
            if ended or now - listed[i] > LATE:
                failed = not ended or job.exception() is not None
                fault = ChildProcessError(f"job {job.job_id} failed; see {job.paths.stderr}")
                results[i] = fault if failed else job.result()
                del listed[i]
    return results


def _queued() -> set[str] | None:
    """Return the numbers of the user's jobs that wait or run; None if Slurm does not answer."""
    asked = subprocess.run(["squeue", "--me", "-h", "-r", "-o", "%i"], capture_output=True, text=True)
    return set(asked.stdout.split()) if asked.returncode == 0 else None
