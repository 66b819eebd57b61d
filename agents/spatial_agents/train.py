"""Training pairs in a run folder that can be stopped at any moment and resumed.

A run folder holds::

    config.json              the options, the seed of every stream, the versions
    checkpoint.safetensors   weights, optimiser, generators, counters: everything that the next step needs
    metrics.csv, tensorboard/
    pair.safetensors, card.json, card.md   the finished pair

and, for several pairs, a sub-folder of that kind for each.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import torch

import spatial_game
from spatial_agents.checkpoint import Weights, write_weights
from spatial_agents.policy import load_pair, resolve_device
from spatial_agents.recipes import TrainOptions
from spatial_agents.run_folder import (
    RunLog,
    card_as_markdown,
    machine,
    run_config,
    stream_seeds,
    versions,
    write_json,
)
from spatial_agents.trainer import Trainer, TrainingDiverged
from spatial_game.evaluation import evaluate
from spatial_game.files import write_text

__all__ = ["TrainingDiverged", "resume", "train"]


def train(options: TrainOptions) -> list[Path]:
    """Train the pairs that the options ask for, or resume their run; the folders of the finished pairs.

    Raises `ValueError` when the folder holds something already or the device is not there,
    `TrainingDiverged` when a loss is not finite (the other pairs of the run are trained first), and
    `KeyboardInterrupt` after Ctrl-C or SIGTERM, once the checkpoint is written.
    """
    if options.resume is not None:
        return resume(options.resume)
    if options.out is None:
        raise ValueError("out must name a folder for the run; got none")
    resolve_device(options.device)
    out = options.out
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(
            f"out must be a new or empty folder; got {out}, which is not empty "
            f"(continue that run with --resume {out}, or name another folder)"
        )
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "config.json", run_config(options))
    return _train_pairs(options, out)


def resume(run: Path) -> list[Path]:
    """Continue a run to its end from its last checkpoints, with the options that it was started with.

    On the same machine, and on CPU, the finished weights are byte for byte those of an uninterrupted run.
    """
    config_path = Path(run) / "config.json"
    if not config_path.is_file():
        raise ValueError(f"resume must name a run folder, with a config.json; got {run}")
    try:
        options = TrainOptions.from_dict(json.loads(config_path.read_text("utf-8"))["options"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{config_path}: must hold the options of a run; {error}") from None
    return _train_pairs(options, Path(run))


def _train_pairs(options: TrainOptions, run: Path) -> list[Path]:
    try:
        return _train_each(options, run)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'stopped'}; continue with --resume {run}") from None


def _train_each(options: TrainOptions, run: Path) -> list[Path]:
    if options.pairs == 1:
        return [_train_pair(options, run, run.resolve().name)]
    folders = [run / f"{index:02d}" for index in range(options.pairs)]
    faults = []
    for index, folder in enumerate(folders):
        own = dataclasses.replace(options, pairs=1, seed=options.seed + index)
        folder.mkdir(exist_ok=True)
        write_json(folder / "config.json", run_config(own))
        try:
            _train_pair(own, folder, f"{run.resolve().name}/{folder.name}")
        except TrainingDiverged as fault:
            faults.append(str(fault))
    if faults:
        raise TrainingDiverged("; ".join(faults))
    return folders


def _train_pair(options: TrainOptions, folder: Path, name: str) -> Path:
    """Train one pair to the end in its folder, from its checkpoint if there is one."""
    if (folder / "card.json").is_file():
        return folder
    with _cpu_threads(options.threads), _stop_signals() as stopped:
        trainer = Trainer(options, resolve_device(options.device))
        if (folder / "checkpoint.safetensors").is_file():
            trainer.restore(folder / "checkpoint.safetensors")
        else:
            trainer.save(folder / "checkpoint.safetensors")
        try:
            run_steps(trainer, folder, stopped)
        except TrainingDiverged as fault:
            raise TrainingDiverged(f"{fault}; the last good checkpoint is in {folder}") from None
        _finish(trainer, folder, name)
        if stopped.is_set():
            raise KeyboardInterrupt(f"stopped after {folder} was finished")
    return folder


def run_steps(trainer: Trainer, folder: Path, stopped: threading.Event) -> None:
    """Step to the end; log, validate, report and save on the way."""
    checkpoint, options = folder / "checkpoint.safetensors", trainer.options
    saved_at = time.monotonic()
    with RunLog(folder, trainer.step_number, trainer.recipe.steps) as log:
        while trainer.step_number < trainer.recipe.steps:
            trainer.step()
            if trainer.step_number % trainer.recipe.grow_every == 0 or trainer.finished:
                log.write(trainer.close_stretch())
            if time.monotonic() - saved_at >= options.checkpoint_seconds or stopped.is_set():
                trainer.save(checkpoint)
                saved_at = time.monotonic()
            if stopped.is_set():
                raise KeyboardInterrupt(f"stopped at step {trainer.step_number}")
    trainer.save(checkpoint)


def _finish(trainer: Trainer, folder: Path, name: str) -> None:
    """Write the finished pair, judge it on fresh episodes, write its card."""
    options = trainer.options
    command = options.command(name)
    provenance = {
        "command": command,
        "seed": options.seed,
        "steps": trainer.step_number,
        "version": spatial_game.__version__,
    }
    tensors = {key: value.cpu() for key, value in trainer.network.state_dict().items()}
    weights = Weights(tensors, options.game, options.recipe.agent, provenance)
    write_weights(folder / "pair.safetensors", weights)
    pair = load_pair(folder / "pair.safetensors")
    card = {
        "name": name,
        "command": command,
        "weights_hash": pair.weights_hash,
        "parameters": sum(tensor.numel() for tensor in tensors.values()),
        "game": options.game.to_dict(),
        "recipe": dataclasses.asdict(options.recipe),
        "steps": trainer.step_number,
        "episodes_seen": trainer.step_number * options.recipe.batch_size,
        "seconds": round(trainer.seconds, 1),
        "machine": machine(trainer.device, options.threads),
        "streams": stream_seeds(options.seed),
        "versions": versions(),
        "evaluation": evaluate(pair, options.evaluation_episodes, options.seed).to_dict(),
    }
    write_text(folder / "card.md", card_as_markdown(card))
    write_json(folder / "card.json", card)


@contextlib.contextmanager
def _cpu_threads(threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _stop_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set, so that the step is finished and saved. A second one kills."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _: object) -> None:
        stopped.set()
        signal.signal(number, before[number])

    for number in before:
        signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main() -> None:
    """`python -m spatial_agents.train`: the training command on its own."""
    import tyro

    try:
        folders = train(tyro.cli(TrainOptions, description=__doc__))
    except (ValueError, OSError, TrainingDiverged) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt as error:
        print(error or "stopped", file=sys.stderr)
        sys.exit(130)
    for folder in folders:
        print((folder / "card.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
