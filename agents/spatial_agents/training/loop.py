"""The training loop of one pair, from its checkpoint, or from the start, to its card."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from spatial_agents.recipes import TrainOptions
from spatial_agents.training import checkpoint
from spatial_agents.training.display import Display
from spatial_agents.training.run_folder import machine, run_log, write_pair
from spatial_agents.training.trainer import INTERVAL, Trainer, TrainingDiverged
from spatial_game.files import locked

STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2")
"""Ctrl-C; kill, or the end of the parent; a closed terminal; Slurm, before it stops a job."""


def train_pair(options: TrainOptions, folder: Path, name: str = "") -> Exception | None:
    """Train a pair in its run folder. Return None, or the error that stopped it.

    It goes on from its checkpoint, if there is one. If there is a name, the lines about the pair begin with
    it. Raises `KeyboardInterrupt` after a signal to stop, once the checkpoint is written, and `OSError` when
    a file cannot be written.
    """
    device = resolve_device(options.device)
    in_use = f"{folder} must not be in use; got one that another process trains in"
    display = Display(options.recipe.steps, name)
    with stop_signals() as stopped, display, torch_settings(device), contextlib.ExitStack() as files:
        try:
            files.enter_context(locked(folder / "config.json", in_use))
            trainer = _begin(options, folder, device)
            log = files.enter_context(run_log(folder, trainer.step_number))
        except (ValueError, FileNotFoundError) as fault:  # later ones are bugs, and keep their traceback
            return fault
        try:
            for row in _steps(trainer, folder / "checkpoint.pt", stopped):
                log(row)
                display.show(row)
            write_pair(options, folder, trainer.average.state_dict(), trainer.seconds, machine(device))
        except TrainingDiverged as fault:
            return TrainingDiverged(f"{fault}; the last good checkpoint is in {folder}")
        display.say("finished")
    return None


def _begin(options: TrainOptions, folder: Path, device: torch.device) -> Trainer:
    """Return the trainer of a pair, at its checkpoint; without one, write that before the first step."""
    trainer, path = Trainer(options, device), folder / "checkpoint.pt"
    if path.is_file():
        checkpoint.load(trainer, path)
        return trainer
    begun = next((name for name in ("pair.safetensors", "metrics.csv") if (folder / name).exists()), None)
    if begun is not None:
        raise ValueError(f"{path} must be there to continue the run, which has a {begun}; got none")
    checkpoint.save(trainer, path)
    return trainer


def _steps(trainer: Trainer, path: Path, stopped: threading.Event) -> Iterator[dict[str, Any]]:
    """Train to the last step, yield the rows of metrics, and write checkpoints."""
    saved_at = time.monotonic()
    while not trainer.finished:
        trainer.step()
        if trainer.step_number % INTERVAL == 0 or trainer.finished:
            yield trainer.end_interval()
        due = time.monotonic() - saved_at >= trainer.options.checkpoint_seconds
        if due or trainer.finished or stopped.is_set():
            checkpoint.save(trainer, path)
            saved_at = time.monotonic()
        if stopped.is_set():
            raise KeyboardInterrupt(f"stopped at step {trainer.step_number}")


@contextlib.contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Yield an event that the signals STOPPING set. A second signal has its usual effect.

    An exception in the middle of a step could leave the locks of torch's and TensorBoard's threads taken.
    """
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():  # no other thread may set handlers
        yield stopped
        return
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}

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


def resolve_device(name: str) -> torch.device:
    """Return the torch device of "auto", "cpu" or "cuda". Raises `ValueError` if it is missing."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise ValueError("device must be one that is there; got cuda without a CUDA device")
    return torch.device("cuda" if there and name != "cpu" else "cpu")


@contextlib.contextmanager
def torch_settings(device: torch.device) -> Iterator[None]:
    """Set torch's threads, the precision of its products and its GPU, if any, within the block."""
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(1)  # for these networks one is best; other cores are for other pairs
    torch.set_float32_matmul_precision("high")
    # Soft symbols that are nearly certain hold numbers below 1e-38, with which a processor is very slow.
    torch.set_flush_denormal(True)
    try:
        with torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext():
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)
