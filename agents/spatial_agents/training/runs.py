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
from spatial_agents.pairs.policy import resolve_device
from spatial_agents.recipes import RECIPES, Recipe, TrainOptions
from spatial_agents.training.display import Display
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
    pairs = _pairs_of(options, run)
    unfinished = [pair for pair in pairs if not pair.finished]
    labels, faults = [pair.label for pair in unfinished], Faults()
    try:
        with stop_signals() as stopped, Display(labels, options.recipe.steps) as display:
            if unfinished:
                faults = _form(options)(options, unfinished, display, stopped)
            if options.pairs == 1 and faults:
                raise next(iter(faults.values()))
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with --resume {run}") from None
    except OSError as fault:  # for example, when the disk is full: what was saved before is whole
        raise OSError(f"{fault}; continue from the last good checkpoint with --resume {run}") from fault
    if faults:
        raise TrainingFailed("; ".join(f"pair {name}: {fault}" for name, fault in sorted(faults.items())))
    return [pair.folder for pair in pairs]


def _pairs_of(options: TrainOptions, run: Path) -> list[PairRun]:
    """Return the pairs of a run. Each of several has a folder, with the config of a run of its own."""
    name = run.resolve().name
    if options.pairs == 1:
        return [PairRun(options, run, name)]
    pairs, digits = [], max(2, len(str(options.pairs - 1)))
    of_run = None
    if _is_batched(options):  # batched pairs may share a curriculum, and round otherwise than alone
        of_run = dataclasses.replace(options, side_by_side="batched").command(name)
    for index in range(options.pairs):
        folder = run / f"{index:0{digits}d}"
        own = dataclasses.replace(
            options, pairs=1, seed=options.seed + index, workers=None, side_by_side="auto"
        )
        folder.mkdir(exist_ok=True)
        if not (folder / "config.json").is_file():
            write_json(folder / "config.json", run_config(own))
        pairs.append(PairRun(own, folder, f"{name}/{folder.name}", of_run))
    return pairs


def _form(options: TrainOptions) -> Callable[..., Faults]:
    """Return the function that trains the pairs of a run."""
    if _is_batched(options):
        return _batched
    return _in_turn if options.pairs == 1 or _workers(options) == 1 else _in_processes


def _is_batched(options: TrainOptions) -> bool:
    if options.side_by_side != "auto":
        return options.side_by_side == "batched"
    cuda = resolve_device(options.device).type == "cuda"
    return cuda and options.recipe.cell == "gru" and options.workers is None


def _workers(options: TrainOptions) -> int:
    return options.workers or max(1, usable_cores() // options.threads)


def _batched(_: TrainOptions, pairs: list[PairRun], display: Display, stopped: threading.Event) -> Faults:
    return train_pairs(pairs, display, stopped, batched=True)


def _in_turn(
    options: TrainOptions, pairs: list[PairRun], display: Display, stopped: threading.Event
) -> Faults:
    """Train the pairs one after another in this process."""
    faults = Faults()
    for pair in pairs:
        try:
            faults |= train_pairs([pair], display, stopped)
        except (ValueError, OSError) as fault:
            faults[pair.label] = fault
            display.say(pair.label, f"stopped: {fault}")
    return faults


def _in_processes(
    options: TrainOptions, pairs: list[PairRun], display: Display, stopped: threading.Event
) -> Faults:
    """Train the pairs in worker processes, each as it would be trained alone."""
    faults, runs = Faults(), {pair.label: pair for pair in pairs}
    for done in run_tasks(
        _train_in_worker,
        {label: (run,) for label, run in runs.items()},
        _workers(options),
        hear=lambda label, heard: getattr(display, heard[0])(label, heard[1]),
        stopped=stopped,
        threads=options.threads,
    ):
        if done.error is None:
            faults |= done.value
        elif not isinstance(done.error, KeyboardInterrupt):
            faults[done.name] = TrainingFailed(f"{done.error}; {runs[done.name].last_checkpoint}")
            display.say(done.name, f"stopped: {faults[done.name]}")
    if stopped.is_set():
        raise KeyboardInterrupt("stopped")
    return faults


def _train_in_worker(run: PairRun, say: Callable[[tuple[str, Any]], None]) -> Faults:
    with stop_signals() as stopped:
        return train_pairs([run], _Forwarding(say), stopped)


class _Forwarding:
    """The display of a worker process: sends what it is given to the process that started it."""

    def __init__(self, say: Callable[[tuple[str, Any]], None]) -> None:
        self._say = say

    def show(self, _: str, row: dict[str, Any]) -> None:
        """Send a row of metrics."""
        self._say(("show", row))

    def say(self, _: str, text: str) -> None:
        """Send a line of text."""
        self._say(("say", text))
