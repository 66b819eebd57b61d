"""Pairs as jobs of a Slurm cluster: each job runs `spatial-game train --resume` on the folder of a pair.

A minute before its time limit a job gets SIGUSR2, which ends the training. The job then queues itself again,
and continues from the last checkpoint of its pair.
"""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from spatial_agents.pairs.loading import finished

OPTIONS = ("job-name=spatial-game", "time=60", "signal=USR2@60", "requeue", "output=/dev/null")
"""Options of `sbatch` unless the user says otherwise; the time limit is in minutes."""

SCRIPT = """#!/bin/sh
set -- {folders}
shift $SLURM_ARRAY_TASK_ID
exec >>"$1/slurm.log" 2>&1
srun {python} -m spatial_game.cli train --resume "$1"
status=$?
[ $status -ne {stopped} ] || scontrol requeue $SLURM_JOB_ID
exit $status
"""
"""What a job of the array does; `srun` passes the signal on."""


def require_slurm() -> None:
    """Raise `ValueError` if this machine cannot submit jobs."""
    if shutil.which("sbatch") is None:
        raise ValueError("on must be local where Slurm's sbatch is missing; got slurm")


def train_in_jobs(
    folders: Sequence[Path], jobs: int = 0, options: Sequence[str] = ()
) -> list[Exception | None]:
    """Train the pairs of these run folders in jobs, at most `jobs` at a time (0: all), and wait for them.

    `options` are Slurm's own, such as partition=gpu. Returns None for each pair that is finished, and an
    error for others. After Ctrl-C the jobs go on. Raises `ValueError` if Slurm takes no such jobs.
    """
    if not folders:
        return []
    quoted = " ".join(shlex.quote(str(folder.resolve())) for folder in folders)
    stopped = 128 + signal.SIGUSR2
    script = SCRIPT.format(folders=quoted, python=shlex.quote(sys.executable), stopped=stopped)
    array = f"array=0-{len(folders) - 1}%{jobs or len(folders)}"
    words = ["sbatch", "--wait", *(f"--{option}" for option in (*OPTIONS, array, *options))]
    print(
        f"jobs: {len(folders)}; each writes slurm.log in the folder of its pair", file=sys.stderr, flush=True
    )
    try:
        done = subprocess.run(words, input=script, capture_output=True, text=True, start_new_session=True)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the jobs go on") from None
    if not done.stdout:  # the number of the jobs
        fault = done.stderr.partition("\n")[0]
        raise ValueError(f"slurm must take the jobs and options; got {fault}")
    return [
        None if finished(folder) else ChildProcessError(f"its job failed; see {folder / 'slurm.log'}")
        for folder in folders
    ]
