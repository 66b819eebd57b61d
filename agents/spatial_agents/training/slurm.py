"""Calls of a function as jobs of a Slurm cluster, submitted with submitit.

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

from spatial_game.errors import UserError

MINUTES = 60
"""The time limit of a job by default. A longer training is stopped and queued again."""
SECONDS_TO_SAVE = 60
"""Seconds between SIGUSR2 and the time limit."""
POLL_SECONDS = 5.0
"""Seconds between two looks at the jobs."""
PATIENCE_SECONDS = 15.0
"""Seconds to wait for results once Slurm no longer lists the jobs."""


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
            signal.raise_signal(signal.SIGUSR2)
            raise

    def checkpoint(self) -> Any:
        """Return the job to queue again."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def require_slurm() -> None:
    """Raise `ValueError` or `ModuleNotFoundError` if this machine cannot submit jobs."""
    for program in ("sbatch", "srun", "squeue"):
        if shutil.which(program) is None:
            raise UserError(f"on must be local where Slurm's {program} is missing; got slurm")
    import submitit  # noqa: F401  (its error names the extra to install)


def run_in_jobs(
    function: Callable[..., Exception | None],
    arguments: Sequence[tuple[Any, ...]],
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
    words = [option.partition("=") for option in options]
    executor.update_parameters(
        job_name="spatial-game",
        time=MINUTES,
        array_parallelism=jobs or len(arguments),
        signal_delay_s=SECONDS_TO_SAVE,
        additional_parameters={name.replace("_", "-"): value if eq else True for name, eq, value in words},
    )
    try:
        with contextlib.redirect_stderr(io.StringIO()), executor.batch():
            submitted = [executor.submit(Continued(function, *each)) for each in arguments]
    except (FailedSubmissionError, FailedJobError) as error:  # the text is what sbatch said
        fault = str(error).partition("\n")[0]
        raise UserError(f"slurm must take the jobs and options; got {fault}") from None
    number = submitted[0].job_id.partition("_")[0]
    print(f"jobs: {len(submitted)}, with number {number}; logs in {folder}", file=sys.stderr, flush=True)
    try:
        _wait([job.paths.result_pickle for job in submitted], number)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the jobs go on") from None
    return [_result_of(job) for job in submitted]


def _wait(results: Sequence[Path], number: str) -> None:
    """Wait until all results are there, or Slurm has not listed the jobs with this number for some time."""
    listed_at = time.monotonic()
    while not all(path.exists() for path in results) and time.monotonic() - listed_at < PATIENCE_SECONDS:
        time.sleep(POLL_SECONDS)
        queue = subprocess.run(["squeue", "--me", "-h", "-o", "%F"], capture_output=True, text=True)
        if queue.returncode != 0 or number in queue.stdout.split():  # it does not answer, or lists them
            listed_at = time.monotonic()


def _result_of(job: Any) -> Exception | None:
    """Return the result of a job that has ended, or an error that names its log."""
    if job.paths.result_pickle.exists() and job.exception() is None:
        return job.result()
    return ChildProcessError(f"job {job.job_id} failed; see {job.paths.stderr}")
