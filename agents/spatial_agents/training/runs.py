"""Training pairs in a run folder, which can be stopped at any moment and resumed.

A run folder holds::

    config.json              the options and the versions
    checkpoint.pt            weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, tensorboard/
    pair.safetensors, card.json   the finished pair

A run of several pairs has such a sub-folder for each pair. They are trained in processes of this machine,
or as jobs of a Slurm cluster.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import torch

from spatial_agents.pairs.loading import finished, read_json
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.episodes import Allowed
from spatial_agents.training.loop import resolve_device, train_pair
from spatial_agents.training.run_folder import PairRun, run_config, write_json
from spatial_agents.training.slurm import PREEMPTED, require_slurm, run_in_jobs
from spatial_agents.training.stopping import STOPPING
from spatial_agents.training.trainer import TrainingDiverged, TrainingFailed
from spatial_game.files import fault_of_file, in_words, refuse_link
from spatial_game.game.held_out import held_out
from spatial_game.processes import run_in_processes

__all__ = ["TrainingDiverged", "TrainingFailed", "resume", "train"]

On = Literal["local", "slurm"]


def train(options: TrainOptions, *, jobs: int = 0, on: On = "local", slurm: Sequence[str] = ()) -> list[Path]:
    """Train the pairs that the options ask for, or continue their run, and return the pairs' folders.

    `jobs` pairs are trained at the same time (0: one on each core; on Slurm, as many as it allows). `on` is
    "local", in processes of this machine, or "slurm", with Slurm's own options such as ["partition=gpu"] in
    `slurm`. In a script, processes need the usual line `if __name__ == "__main__":`.

    Raises `ValueError` if the folder holds anything but this run, the device is missing, or the options
    differ from those of the run to resume; `TrainingFailed` if a pair was not trained to the end, once the
    other pairs are (`TrainingDiverged` if the only pair diverged); and `KeyboardInterrupt` after Ctrl-C or
    SIGTERM, once the checkpoints are written.
    """
    if options.resume is not None:
        different = _difference(options, options_of(options.resume), allowed=TrainOptions())
        if different is not None:
            name, value, there = different
            raise ValueError(f"{name} must be left out with resume, which goes on with {there}; got {value}")
        return resume(options.resume, jobs=jobs, on=on, slurm=slurm)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    _require_place(jobs, on, slurm)
    _begin_run(options, options.out, on)
    return _trained(options, options.out, jobs, on, slurm)


def resume(run: Path, *, jobs: int = 0, on: On = "local", slurm: Sequence[str] = ()) -> list[Path]:
    """Continue a run from its last checkpoints, with its own options, and return the pairs' folders.

    Finished pairs stay as they are. On the same kind of machine, on CPU, the finished weights are byte for
    byte those of a run without a stop.
    """
    _require_place(jobs, on, slurm)
    return _trained(options_of(Path(run)), Path(run), jobs, on, slurm)


def _require_place(jobs: int, on: On, slurm: Sequence[str]) -> None:
    """Raise `ValueError` for options that contradict each other, and for Slurm where it is missing."""
    if jobs < 0:
        raise ValueError(f"jobs must be at least 0; got {jobs}")
    if slurm and on != "slurm":
        raise ValueError(f"slurm must be left out without --on slurm; got {' '.join(slurm)}")
    if on == "slurm":
        require_slurm()


def _begin_run(options: TrainOptions, out: Path, on: On) -> None:
    """Make the folder of a run that is new, with its config.

    Raises `ValueError` for a folder of something else, for a device that is missing, for an impossible share
    of combinations to hold out, and for a run that was begun with other options.
    """
    config = out / "config.json"
    if not config.is_file():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ValueError(
                f"out must be a new or empty folder, or that of a run to continue; got {out}, which holds "
                "something else"
            )
        device = resolve_device(options.device) if on == "local" else torch.device("cpu")
        if options.recipe.hold_out:  # refuse an impossible share before there is a folder
            Allowed(held_out(options.game, options.recipe.hold_out, options.seed), device)
        out.mkdir(parents=True, exist_ok=True)
        write_json(config, run_config(options))
        return
    different = _difference(options, options_of(out))
    if different is not None:
        name, value, there = different
        raise ValueError(
            f"{out} must hold a run with the same {name}, {value}; got {there} (or name another folder)"
        )


def options_of(run: Path) -> TrainOptions:
    """Return the options that a run was started with. Raises `ValueError` if the folder holds no run."""
    config_path = Path(run) / "config.json"
    if not config_path.is_file():
        raise ValueError(f"resume must name a run folder, with a config.json; got {run}")
    try:
        return TrainOptions.from_dict(read_json(config_path)["options"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{config_path}: must hold the options of a run; {error}") from None


def finished_folders(run: Path) -> list[Path]:
    """Return the folders of the finished pairs of a run, in order."""
    return [folder for folder in [Path(run), *sorted(Path(run).glob("[0-9]*"))] if finished(folder)]


def _difference(
    options: TrainOptions, of_run: TrainOptions, allowed: TrainOptions | None = None
) -> tuple[str, Any, Any] | None:
    """Return the first option that differs from that of a run and from the allowed one, with both values."""
    asked, there, others = _flat(options), _flat(of_run), _flat(allowed or of_run)
    found = (name for name, value in asked.items() if value not in (there[name], others[name]))
    return next(((name, asked[name], there[name]) for name in found), None)


def _flat(options: TrainOptions) -> dict[str, Any]:
    """Return the options that are fixed when a run begins; last, those that follow from recipe and inputs."""
    fields = options.to_dict()
    flat = {**fields.pop("game"), **fields.pop("recipe"), **fields}
    following = vars(options.recipe.settings).keys() - {"inputs"}
    return dict(sorted(flat.items(), key=lambda item: item[0] in following))


def _trained(options: TrainOptions, run: Path, jobs: int, on: On, slurm: Sequence[str]) -> list[Path]:
    """Train the pairs of a run that are missing, and return the folders of all."""
    pairs = _pairs_of(options, run)
    signals = STOPPING if on == "local" else (PREEMPTED,)
    missing = [pair for pair in pairs if not pair.finished]
    names = [pair.folder.name for pair in missing]
    calls = [(pair, signals, pair.folder.name if len(pairs) > 1 else "") for pair in missing]
    with _advising(f"--resume {run}" + (" --on slurm" if on == "slurm" else "")):
        if on == "slurm":
            faults = run_in_jobs(train_pair, calls, names, run / "slurm", jobs, slurm)
        else:
            faults = run_in_processes(train_pair, calls, jobs)
    failed = {name: fault for name, fault in zip(names, faults, strict=True) if fault is not None}
    if failed and len(pairs) == 1:
        raise next(iter(failed.values()))
    if failed:
        said = (f"pair {name}: {in_words(fault)}" for name, fault in sorted(failed.items()))
        raise TrainingFailed("; ".join(said))
    return [pair.folder for pair in pairs]


@contextlib.contextmanager
def _advising(how: str) -> Iterator[None]:
    """Add to an interruption in the block, and to a full disk, how the run is continued."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with {how}") from None
    except OSError as fault:  # what was saved before is whole
        raise OSError(f"{in_words(fault)}; continue from the last good checkpoint with {how}") from fault


def _pairs_of(options: TrainOptions, run: Path) -> list[PairRun]:
    """Return the pairs of a run. Each of several has a folder, with the config of a run of its own.

    Raises `ValueError` for a pipe, a device or a link to a file in the folder of the run.
    """
    for path in run.rglob("*"):
        if not path.is_dir() and run / "slurm" not in path.parents:  # submitit has links there
            refuse_link(path)  # its target would be replaced
            if path.exists() and (fault := fault_of_file(path)):  # a pipe would be waited for
                raise ValueError(f"{path}: {fault}")
    whole, above = run.resolve().name, run.resolve().parent
    if options.pairs == 1:
        name = f"{above.name}/{whole}" if (above / "config.json").is_file() else whole
        return [PairRun(options, run, name)]
    pairs = []
    digits = max(2, len(str(options.pairs - 1)))
    for index in range(options.pairs):
        number = f"{index:0{digits}d}"
        folder, name = run / number, f"{whole}/{number}"
        own = dataclasses.replace(options, pairs=1, seed=options.seed + index)
        folder.mkdir(exist_ok=True)
        if not (folder / "config.json").is_file():
            write_json(folder / "config.json", run_config(own))
        pairs.append(PairRun(own, folder, name))
    return pairs
