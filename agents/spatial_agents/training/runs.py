"""Training pairs in a run folder that can be stopped at any moment and resumed.

A run folder holds::

    config.json              the options, the seed of every stream, the versions
    checkpoint.safetensors   weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, curves.png, tensorboard/
    pair.safetensors, card.json, card.md   the finished pair

and, for several pairs, a sub-folder of that kind for each. Several pairs are trained side by side, each in a
process of its own, or one after another in this process (`--workers 1`), or in one step for all
(`--side-by-side batched`).
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
from pathlib import Path
from typing import Any

from spatial_agents.pairs.card import finished
from spatial_agents.pairs.policy import resolve_device
from spatial_agents.recipes import RECIPES, Recipe, TrainOptions
from spatial_agents.training.batched import train_batched
from spatial_agents.training.data import Allowed
from spatial_agents.training.display import Display
from spatial_agents.training.one_pair import PairRun, train_pair
from spatial_agents.training.processes import train_in_processes
from spatial_agents.training.run_folder import run_config, write_json
from spatial_agents.training.stopping import stop_signals
from spatial_agents.training.trainer import TrainingDiverged, TrainingFailed
from spatial_game.config import GameConfig
from spatial_game.game.held_out import held_out
from spatial_game.workers import usable_cores

__all__ = ["TrainingDiverged", "TrainingFailed", "resume", "train"]

Faults = dict[str, str]
"""Why pairs were not trained to the end, by their folders' names."""


def train(options: TrainOptions) -> list[Path]:
    """Train the pairs that the options ask for, or resume their run; the folders of the finished pairs.

    Raises `ValueError` when the folder holds something already, the device is not there or the options are
    not those of the run to resume; `TrainingFailed` (`TrainingDiverged` for one pair, not trained abreast,
    whose loss is not finite) when a pair could not be trained, once the other pairs of the run are; and
    `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the checkpoints are written.
    """
    if options.resume is not None:
        form = options.side_by_side if options.side_by_side != "auto" else None
        _require_no_others(options, options_of(options.resume))
        return resume(options.resume, options.workers, form)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    device = resolve_device(options.device)
    if options.recipe.hold_out:  # may be impossible, which shall be known before there is a folder
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
    """Continue a run to its end from its last checkpoints, with the options that it was started with.

    Pairs that are finished stay as they are. `workers` and `side_by_side`, if given, replace those of the
    run. On the same machine, on CPU and side by side in the same form, the finished weights are byte for byte
    those of an uninterrupted run.
    """
    options = options_of(Path(run))
    if side_by_side is not None:  # whose workers are not those of another form
        options = dataclasses.replace(options, side_by_side=side_by_side, workers=workers)
    return _train_run(dataclasses.replace(options, workers=workers or options.workers), Path(run))


def options_of(run: Path) -> TrainOptions:
    """The options that a run was started with. Raises `ValueError` where there is none."""
    config_path = Path(run) / "config.json"
    if not config_path.is_file():
        raise ValueError(f"resume must name a run folder, with a config.json; got {run}")
    try:
        return TrainOptions.from_dict(json.loads(config_path.read_text("utf-8"))["options"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{config_path}: must hold the options of a run; {error}") from None


def _require_no_others(given: TrainOptions, of_run: TrainOptions) -> None:
    """Raise `ValueError` for an option that was given and is another than the run's."""
    asked, stored, plain = (
        _flat(options) for options in (given, of_run, TrainOptions(GameConfig(), Recipe()))
    )
    for name, value in asked.items():
        if value not in (stored[name], plain[name]):
            raise ValueError(
                f"{name} must be left out with resume, which goes on with {stored[name]}; got {value}"
            )


def _flat(options: TrainOptions) -> dict[str, Any]:
    """All that is set for good when a run begins; last, what follows from the rest unless it is given."""
    fields = options.to_dict()
    flat = {**fields.pop("game"), **fields.pop("recipe"), **fields}
    del flat["workers"], flat["side_by_side"]
    return dict(sorted(flat.items(), key=lambda item: item[0] in RECIPES["curriculum"]))


def finished_folders(run: Path) -> list[Path]:
    """The folders of the finished pairs of a run, in order."""
    return [folder for folder in [Path(run), *sorted(Path(run).glob("[0-9]*"))] if finished(folder)]


def _train_run(options: TrainOptions, run: Path) -> list[Path]:
    pairs = _pairs_of(options, run)
    unfinished = [pair for pair in pairs if not pair.finished]
    if unfinished:
        try:
            with stop_signals() as stopped, Display(_names(unfinished), options.recipe.steps) as display:
                _train_unfinished(options, unfinished, display, stopped)
        except KeyboardInterrupt as stop:
            raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with --resume {run}") from None
        except OSError as fault:  # a full disk, say: what was saved before it is whole
            raise OSError(f"{fault}; continue from the last good checkpoint with --resume {run}") from fault
    return [pair.folder for pair in pairs]


def _pairs_of(options: TrainOptions, run: Path) -> list[PairRun]:
    """The pairs of a run; those of several have folders, and configs as if trained alone, of their own."""
    name = run.resolve().name
    if options.pairs == 1:
        return [PairRun(options, run, name)]
    pairs, digits = [], max(2, len(str(options.pairs - 1)))
    of_run = None
    if batched(options):  # pairs abreast may share a curriculum, and round otherwise than alone
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


def _train_unfinished(
    options: TrainOptions, pairs: list[PairRun], display: Display, stopped: threading.Event
) -> None:
    if options.pairs == 1 and not batched(options):
        [pair] = pairs
        return train_pair(pair, lambda row: display.show(pair.folder.name, row), stopped)
    workers = min(len(pairs), options.workers or max(1, usable_cores() // options.threads))
    form = _in_turn if workers == 1 else train_in_processes
    if batched(options):
        form = train_batched
    faults = form(pairs, display, stopped, workers)
    if faults:
        raise TrainingFailed("; ".join(f"pair {name}: {fault}" for name, fault in faults.items()))
    return None


def _in_turn(pairs: list[PairRun], display: Display, stopped: threading.Event, _: int) -> Faults:
    """One after another in this process."""
    faults = {}
    for pair in pairs:
        name = pair.folder.name
        try:
            train_pair(pair, lambda row, name=name: display.show(name, row), stopped)
            display.say(name, "finished")
        except (TrainingFailed, ValueError, OSError) as fault:
            faults[name] = str(fault)
            display.say(name, f"stopped: {fault}")
    return faults


def batched(options: TrainOptions) -> bool:
    """Whether the pairs are trained abreast, in one step for all."""
    if options.side_by_side != "auto":
        return options.side_by_side == "batched"
    cuda = resolve_device(options.device).type == "cuda"
    return cuda and options.recipe.cell == "gru" and options.workers is None


def _names(pairs: list[PairRun]) -> list[str]:
    return [pair.folder.name for pair in pairs]


def main() -> None:
    """`python -m spatial_agents.training.runs`: the training command on its own."""
    import tyro

    try:
        folders = train(tyro.cli(TrainOptions, description=__doc__))
    except (ValueError, OSError, TrainingFailed) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt as error:
        print(error or "stopped", file=sys.stderr)
        sys.exit(130)
    for folder in folders:
        print((folder / "card.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
