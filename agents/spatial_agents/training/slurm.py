"""Calls of a function as jobs of a Slurm cluster, submitted with submitit.

A job that receives SIGUSR2 or SIGTERM is saved and ends. Slurm sends these before a time limit, and when it
queues the job again or cancels it. A job that is killed continues from its last checkpoint.
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
"""Seconds to wait for the result of a job that Slurm no longer runs: files may arrive late."""
ENDED = {
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED"),
    *("NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"),
}
"""The states of a job that Slurm does not queue again. Every other state is followed by one of these."""


def call_in_job(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what the function returns; if it raises `KeyboardInterrupt`, queue this job again and end it.

    The function saves its work before it raises. Only a running job asks to be queued again, as before its
    time limit: Slurm has itself queued one that was preempted, and a cancelled one would come back.
    """
    from submitit import JobEnvironment

    signal.signal(signal.SIGUSR2, signal.SIG_IGN)  # submitit's handler would queue even a cancelled job again
    try:
        return function(*arguments)
    except KeyboardInterrupt as stop:
        number = JobEnvironment().job_id
        state = subprocess.run(["squeue", "-h", "-j", number, "-o", "%T"], capture_output=True, text=True)
        if state.stdout.strip() == "RUNNING":
            subprocess.run(["scontrol", "requeue", number])
        sys.exit(str(stop))  # submitit writes no result for this


def require_slurm() -> None:
    """Raise `ValueError` or `ModuleNotFoundError` if this machine cannot submit jobs."""
    for program in ("sbatch", "srun", "squeue", "scontrol"):
        if shutil.which(program) is None:
            raise UserError(f"on must be local where Slurm's {program} is missing; got slurm")
    import submitit  # noqa: F401  (its error names the extra to install)


def run_in_jobs(
    function: Callable[..., Exception | None],
    arguments: Sequence[tuple[Any, ...]],
    folder: Path,
    jobs: int,
    options: Sequence[str],
    detach: bool = False,
) -> list[Exception | None]:
    """Return `function(*each)` for each tuple of arguments, in jobs, at most `jobs` at a time (0: all).

    `options` are Slurm's own, such as partition=gpu. submitit's files are in `folder`. Jobs that Slurm queues
    again are waited for. One that ends without a result gives a `ChildProcessError`. After Ctrl-C the jobs go
    on. With `detach`, the results are not waited for: they are None. Raises `ValueError` if Slurm takes no
    such jobs.
    """
    if not arguments:
        return []
    submitted = _submit(function, arguments, folder, jobs, options)
    number = submitted[0].job_id.partition("_")[0]
    print(f"jobs: {len(submitted)}, with number {number}; logs in {folder}", file=sys.stderr, flush=True)
    if detach:
        return [None] * len(submitted)
    try:
        results = _watch(submitted)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the jobs go on") from None
    return [results[job.job_id] for job in submitted]


def _submit(
    function: Callable[..., Exception | None],
    arguments: Sequence[tuple[Any, ...]],
    folder: Path,
    jobs: int,
    options: Sequence[str],
) -> list[Any]:
    """Return the jobs of `run_in_jobs`, which Slurm has taken."""
    from submitit import SlurmExecutor
    from submitit.core.utils import FailedJobError, FailedSubmissionError

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds pickles, which can run code
    executor = SlurmExecutor(folder=folder)
    words = [option.partition("=") for option in ("requeue", *options)]
    executor.update_parameters(
        job_name="spatial-game",
        time=MINUTES,
        array_parallelism=jobs or len(arguments),
        signal_delay_s=SECONDS_TO_SAVE,
        additional_parameters={name.replace("_", "-"): value if eq else True for name, eq, value in words},
    )
    try:
        with contextlib.redirect_stderr(io.StringIO()), executor.batch():
            return [executor.submit(call_in_job, function, *each) for each in arguments]
    except (FailedSubmissionError, FailedJobError) as error:  # the text is what sbatch said
        fault = str(error).partition("\n")[0]
        raise UserError(f"slurm must take the jobs and options; got {fault}") from None


def _watch(jobs: Sequence[Any]) -> dict[str, Exception | None]:
    """Wait until all jobs have ended, and return their results by their numbers."""
    results: dict[str, Exception | None] = {}
    active_at = dict.fromkeys([job.job_id for job in jobs], time.monotonic())
    while waiting := [job for job in jobs if job.job_id not in results]:
        time.sleep(POLL_SECONDS)
        states = _states()
        for job in waiting:
            number, has_result = job.job_id, job.paths.result_pickle.exists()
            state = "unknown" if states is None else states.get(number, "not listed")
            if has_result and job.exception() is None:
                results[number] = job.result()
                continue
            if state not in {*ENDED, "not listed"}:
                active_at[number] = time.monotonic()
                continue
            late = time.monotonic() - active_at[number] > PATIENCE_SECONDS
            if has_result or late or state == "CANCELLED":
                fault = f"job {number} failed (Slurm's state: {state}); see {job.paths.stderr}"
                results[number] = ChildProcessError(fault)
                if len(waiting) > 1:
                    print(fault, file=sys.stderr, flush=True)
    return results


def _states() -> dict[str, str] | None:
    """Return the states of this user's jobs by their numbers, or None if Slurm does not answer."""
    words = ["squeue", "--me", "-h", "-r", "-t", "all", "-o", "%i %T"]
    queue = subprocess.run(words, capture_output=True, text=True)
    if queue.returncode != 0:
        return None
    return dict(line.split() for line in queue.stdout.splitlines())
