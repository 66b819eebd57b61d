"""Training pairs in run folders, which can be stopped at any moment and continued by the same call.

The pairs are trained in processes of this machine, or as jobs of a Slurm cluster. Module
`spatial_agents.training.folders` says what a run folder holds.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from spatial_agents.networks import Networks
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.episodes import AllowedWindows
from spatial_agents.training.folders import (
    finished,
    holds_pair,
    is_run,
    members_of,
    pairs_of,
    require_same_code,
    require_same_options,
    write_config,
)
from spatial_agents.training.loop import resolve_device, train_pair
from spatial_agents.training.objectives import Objective
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.slurm import require_slurm, run_in_jobs
from spatial_game.checks import require, require_kind, require_whole
from spatial_game.errors import TrainingFailed, UserError
from spatial_game.files import error_text
from spatial_game.game.combinations import draw_combinations
from spatial_game.game.episodes import Sampler
from spatial_game.processes import run_in_processes, usable_cores
from spatial_game.text import counted

On = Literal["local", "slurm"]


def train(
    options: TrainOptions | Sequence[TrainOptions],
    networks: Networks | None = None,
    objective: Objective | None = None,
    sampler: Sampler | None = None,
    *,
    jobs: int = 0,
    on: On = "local",
    slurm: Sequence[str] = (),
    detach: bool = False,
) -> list[Path]:
    """Train the pairs that the options ask for into their folders, and return the finished pairs' folders.

    If a folder holds the same run, it continues: finished pairs stay as they are, others go on from their
    last checkpoints. On a CPU, with the same versions and the same instruction set (AVX2, AVX-512 ...), the
    finished weights are byte for byte those of a run without a stop. `train(options_of(folder))` continues a
    run by its folder alone. Several options (`spatial_agents.recipes.sweep`) are several runs, whose pairs
    wait in one queue.

    `networks` are two classes of torch modules of your own, the sender's and the receiver's, in place of the
    package's. Each is called with the `GameConfig` (docs/own_networks.md). `objective` is a function of your
    own in place of the package's (`spatial_agents.training.objectives`), to whose keyword-only parameters
    `TrainOptions.objective_options` gives values. `sampler` draws the episodes: `sampler(n, rng)` returns
    `Episodes`, n of them, of the game.

    `jobs` pairs or populations are trained at the same time (0: one on each core; on Slurm, as many as it
    allows). `on` is "local", in processes of this machine, or "slurm", with Slurm's own options such as
    ["partition=gpu"] in `slurm`; with `detach`, this does not wait for the jobs. In a script, processes need
    the usual line `if __name__ == "__main__":`.

    Raises `ValueError` if the folder holds anything but this run, or the device is missing; `TrainingFailed`
    (of `spatial_game.errors`) if a pair was not trained to the end, once the other pairs are
    (`TrainingDiverged` if the only pair diverged); and `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the
    checkpoints are written.
    """
    _require_arguments(jobs, on, slurm, detach)
    own = OwnCode(networks, objective, sampler)
    by_folder = _by_folder(options)
    for run in by_folder:
        if is_run(run):
            require_same_code(run, own)
    runs = {run: own.completed(each) for run, each in by_folder.items()}
    _begin_runs(runs, on, own)
    root = Path(os.path.commonpath(runs))
    pairs = {folder: each for run, of_run in runs.items() for folder, each in pairs_of(of_run, run).items()}
    missing = {folder: each for folder, each in pairs.items() if not finished(folder, each)}
    _say_finished(pairs, missing)
    names = {folder: "" if len(pairs) == 1 else folder.relative_to(root).as_posix() for folder in missing}
    calls = [(each, folder, names[folder], own) for folder, each in missing.items()]
    command = _command_to_continue(root, on, own)
    with _telling_how_to_continue(command, list(missing)):
        if on == "slurm":
            faults = run_in_jobs(begin_pair, calls, root / "slurm", jobs, slurm, detach)
        else:
            faults = _train_in_processes(calls, jobs)
    if detach and missing:
        print(f"the jobs go on; once they have ended, show the results with {command}", file=sys.stderr)
    _raise_faults(dict(zip(names.values(), faults, strict=True)))
    return [path for folder, each in pairs.items() for path in members_of(each, folder) if holds_pair(path)]


def _require_arguments(jobs: int, on: On, slurm: Sequence[str], detach: bool) -> None:
    """Raise `ValueError` for arguments of `train` that do not fit, and where Slurm is missing."""
    require_whole("jobs", jobs, 0)
    require(on == "slurm" or not slurm, "slurm must be left out without --on slurm", " ".join(slurm))
    require(on == "slurm" or not detach, "detach must be left out without --on slurm", detach)
    if on == "slurm":
        require_slurm()


def _by_folder(options: TrainOptions | Sequence[TrainOptions]) -> dict[Path, TrainOptions]:
    """Return the options of each run by its folder. Raises `ValueError` without one, or if two share one."""
    runs: list[Any] = list(options) if isinstance(options, (list, tuple)) else [options]
    for each in runs:
        require_kind("options", each, TrainOptions, "sweep() or options_of(folder)")
    by_folder = {each.out: each for each in runs if each.out is not None}
    require(len(runs) > 0, "options must be of one run or several", runs)
    require(None not in [each.out for each in runs], "out must name a folder for the run", "none")
    folders = [str(each.out) for each in runs]
    require(len(by_folder) == len(runs), "out must be another folder for each run", folders)
    return by_folder


def _begin_runs(runs: dict[Path, TrainOptions], on: On, own: OwnCode) -> None:
    """Write the configs of runs that are new, and check the options of the others. Raises as `train`."""
    new = [run for run in runs if not is_run(run)]
    for run, options in runs.items():
        if run in new:
            _require_possible(options, run, on, own)
        else:
            require_same_options(options, run)
    for run in new:  # once all are checked
        write_config(run, runs[run], own)


def _say_finished(trainings: dict[Path, TrainOptions], missing: dict[Path, TrainOptions]) -> None:
    """Say which pairs, if any, were trained to the end before: those of trainings that are not missing."""
    if len(missing) < len(trainings):
        number = _num_pairs(trainings.values())
        some = f"{number - _num_pairs(missing.values())} of {counted(number, 'pair')}"
        which = some if len(trainings) > 1 else next(iter(trainings))
        print(f"already finished: {which}", file=sys.stderr, flush=True)


def _num_pairs(trainings: Iterable[TrainOptions]) -> int:
    """Return the number of pairs of these trainings; a population is one training."""
    return sum(len(options.recipe.members) for options in trainings)


def _raise_faults(faults: dict[str, Exception | None]) -> None:
    """Raise what ended the training of pairs with these names, if anything did."""
    failed = {name: fault for name, fault in faults.items() if fault}
    if "" in failed:  # the only pair
        raise failed[""]
    if failed:
        raise TrainingFailed("; ".join(f"pair {name}: {error_text(fault)}" for name, fault in failed.items()))


def _train_in_processes(calls: Sequence[tuple[Any, ...]], jobs: int) -> list[Exception | None]:
    """Train pairs in processes of this machine, and return why each was not trained to the end."""
    at_once = min(jobs or usable_cores(), len(calls))
    if len(calls) > 1:
        number = _num_pairs(options for options, *_ in calls)
        trainings = "" if number == len(calls) else f", in {len(calls)} trainings"
        print(f"pairs: {number}{trainings}, {at_once} at a time (--jobs)", file=sys.stderr, flush=True)
    return run_in_processes(begin_pair, calls, at_once)


def _command_to_continue(root: Path, on: On, own: OwnCode) -> str:
    """Return what continues the runs in a folder."""
    if own.networks:
        return "the same call"
    words = [f"--resume {root}", *(f"--{part} {code['name']}" for part, code in own.described().items())]
    return " ".join([*words, *(["--on slurm"] if on == "slurm" else [])])


@contextlib.contextmanager
def _telling_how_to_continue(command: str, folders: Sequence[Path]) -> Iterator[None]:
    """Let Ctrl-C and a failure to write, in the block, name the command that continues these pairs."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise type(stop)(f"{str(stop) or 'stopped'}; continue with {command}") from None
    except OSError as fault:  # what was saved before is whole
        saved = any((folder / "checkpoint.pt").is_file() for folder in folders)
        way = "continue from the last good checkpoint" if saved else "no step is saved yet; begin again"
        raise OSError(f"{error_text(fault)}; {way} with {command}") from fault


def _require_possible(options: TrainOptions, run: Path, on: On, own: OwnCode) -> None:
    """Raise `ValueError` for a run that cannot begin, before anything is written.

    That is one in a folder of something else, without the device, with an impossible share of combinations to
    leave out, or with code of one's own that cannot be trained.
    """
    if run.exists() and (not run.is_dir() or any(run.iterdir())):
        raise UserError(
            f"out must be a new or empty folder, or that of a run to continue; got {run}, which holds "
            "something else"
        )
    require(not (run.parent / "config.json").is_file(), "out must not be within another run", run)
    if on == "local":
        resolve_device(options.device)
    if options.recipe.unseen:
        AllowedWindows(draw_combinations(options.config, options.recipe.unseen, options.seed))
    if any(own):
        own.require_trainable(options)


def begin_pair(options: TrainOptions, folder: Path, name: str, own: OwnCode) -> TrainingFailed | None:
    """Make the folder of a pair unless it is there, and train the pair, as `train_pair` does."""
    if not is_run(folder):
        write_config(folder, options, own)
    return train_pair(options, folder, name, own)
