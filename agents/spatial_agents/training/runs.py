"""Training pairs in a run folder, which can be stopped at any moment and resumed.

A run folder holds::

    config.json              the options, the seed of every stream, the versions
    checkpoint.safetensors   weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, curves.png, tensorboard/
    pair.safetensors, card.json, card.md   the finished pair

A run of several pairs has such a sub-folder for each pair. They are trained in worker processes, one after
another in this process (`--workers 1`), or batched, in one step for all (`--side-by-side batched`).
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spatial_agents.pairs.card import finished, read_json
from spatial_agents.pairs.torch_play import resolve_device
from spatial_agents.recipes import RECIPES, Recipe, TrainOptions
from spatial_agents.training.display import Display, Tell
from spatial_agents.training.loop import Faults, train_pairs
from spatial_agents.training.run_folder import PairRun, run_config, write_json
from spatial_agents.training.samplers import Allowed
from spatial_agents.training.state import TrainingDiverged, TrainingFailed
from spatial_agents.training.stopping import stop_signals
from spatial_game.config import GameConfig
from spatial_game.game.held_out import held_out
from spatial_game.workers import run_tasks, usable_cores

__all__ = ["TrainingDiverged", "TrainingFailed", "resume", "train"]


def train(options: TrainOptions) -> list[Path]:
    """Train the pairs that the options ask for, or resume their run, and return the pairs' folders.

    Raises `ValueError` if the folder is not empty, the device is missing, or the options differ from those of
    the run to resume; `TrainingFailed` if a pair was not trained to the end, once the other pairs are
    (`TrainingDiverged` if the only pair diverged); and `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the
    checkpoints are written.
    """
    if options.resume is not None:
        form = options.side_by_side if options.side_by_side != "auto" else None
        _require_same(options, options_of(options.resume))
        return resume(options.resume, options.workers, form)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    device = resolve_device(options.device)
    if options.recipe.hold_out:  # refuse an impossible share before there is a folder
        Allowed(held_out(options.game, options.recipe.hold_out, options.seed), device)
    out = options.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(
            f"out must be a new or empty folder; got {out}, which is not empty "
            f"(continue that run with --resume {out}, or name another folder)"
        )
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "config.json", run_config(options))
    return _train_run(options, out)


def resume(run: Path, workers: int | None = None, side_by_side: str | None = None) -> list[Path]:
    """Continue a run from its last checkpoints, with its own options, and return the pairs' folders.

    Finished pairs stay as they are. `workers` and `side_by_side`, if given, replace those of the run. On the
    same machine, on CPU and in the same form, the finished weights are byte for byte those of a run without
    a stop.
    """
    options = options_of(Path(run))
    if side_by_side is not None:  # the workers of another form do not count
        options = dataclasses.replace(options, side_by_side=side_by_side, workers=workers)
    return _train_run(dataclasses.replace(options, workers=workers or options.workers), Path(run))


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


def _require_same(given: TrainOptions, of_run: TrainOptions) -> None:
    """Raise `ValueError` for an option that is neither the default nor that of the run."""
    asked, stored, default = (
        _flat(options) for options in (given, of_run, TrainOptions(GameConfig(), Recipe()))
    )
    for name, value in asked.items():
        if value not in (stored[name], default[name]):
            raise ValueError(
                f"{name} must be left out with resume, which goes on with {stored[name]}; got {value}"
            )


def _flat(options: TrainOptions) -> dict[str, Any]:
    """Return the options that are fixed when a run begins; last, those that follow from the recipe's name."""
    fields = options.to_dict()
    flat = {**fields.pop("game"), **fields.pop("recipe"), **fields}
    del flat["workers"], flat["side_by_side"]
    return dict(sorted(flat.items(), key=lambda item: item[0] in RECIPES["curriculum"]))


def _train_run(options: TrainOptions, run: Path) -> list[Path]:
    batched = _is_batched(options)
    pairs = _pairs_of(options, run, batched)
    unfinished = [pair for pair in pairs if not finished(pair.folder)]
    try:
        faults = _train_pairs(options, unfinished, batched) if unfinished else Faults()
        if options.pairs == 1 and faults:
            raise next(iter(faults.values()))
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with --resume {run}") from None
    except OSError as fault:  # for example, when the disk is full: what was saved before is whole
        raise OSError(f"{fault}; continue from the last good checkpoint with --resume {run}") from fault
    if faults:
        raise TrainingFailed("; ".join(f"pair {name}: {fault}" for name, fault in sorted(faults.items())))
    return [pair.folder for pair in pairs]


def _train_pairs(options: TrainOptions, pairs: list[PairRun], batched: bool) -> Faults:
    """Train the pairs batched, in worker processes, or one after another, and return the faults."""
    workers, faults = min(len(pairs), options.workers or usable_cores() // options.threads), Faults()
    with stop_signals() as stopped, Display([p.label for p in pairs], options.recipe.steps) as display:
        if workers > 1 and not batched:
            return _train_in_processes(pairs, workers, display.tell, stopped)
        for group in [pairs] if batched else [[pair] for pair in pairs]:
            faults |= train_pairs(group, display.tell, stopped, batched=batched)
    return faults


def _is_batched(options: TrainOptions) -> bool:
    if options.side_by_side != "auto":
        return options.side_by_side == "batched"
    cuda = resolve_device(options.device).type == "cuda"
    return cuda and options.recipe.cell == "gru" and options.workers is None


def _pairs_of(options: TrainOptions, run: Path, batched: bool) -> list[PairRun]:
    """Return the pairs of a run. Each of several has a folder, with the config of a run of its own."""
    name = run.resolve().name
    if options.pairs == 1:
        return [PairRun(options, run, name, options.command(name))]
    pairs, digits = [], max(2, len(str(options.pairs - 1)))
    for index in range(options.pairs):
        folder = run / f"{index:0{digits}d}"
        own = dataclasses.replace(
            options, pairs=1, seed=options.seed + index, workers=None, side_by_side="auto"
        )
        folder.mkdir(exist_ok=True)
        if not (folder / "config.json").is_file():
            write_json(folder / "config.json", run_config(own))
        full_name = f"{name}/{folder.name}"
        command = own.command(full_name)
        if batched:  # such pairs may share a curriculum, and round otherwise than alone
            command = dataclasses.replace(options, side_by_side="batched").command(name)
        pairs.append(PairRun(own, folder, full_name, command))
    return pairs


def _train_in_processes(pairs: list[PairRun], workers: int, tell: Tell, stopped: threading.Event) -> Faults:
    """Train the pairs in worker processes, each as it would be trained alone."""
    faults, by_label = Faults(), {pair.label: pair for pair in pairs}
    tasks, threads = {label: (pair,) for label, pair in by_label.items()}, pairs[0].options.threads
    for done in run_tasks(_work, tasks, workers, hear=tell, stopped=stopped, threads=threads):
        if done.error is None:
            faults |= done.value
        elif not isinstance(done.error, KeyboardInterrupt):
            faults[done.name] = TrainingFailed(f"{done.error}; {by_label[done.name].last_checkpoint}")
            tell(done.name, f"stopped: {faults[done.name]}")
    if stopped.is_set():
        raise KeyboardInterrupt("stopped")
    return faults


def _work(run: PairRun, say: Callable[[dict[str, Any] | str], None]) -> Faults:
    """Train a pair in a worker process, which tells the process that started it what to show."""
    with stop_signals() as stopped:
        return train_pairs([run], lambda _, what: say(what), stopped)
