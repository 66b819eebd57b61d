"""The training of one pair in its folder: from its checkpoint, or from the start, to its card.

However a run is stopped, the same happens here: a signal arrives, the step ends, a checkpoint is written,
and `KeyboardInterrupt` is raised. `spatial_game.processes` sends SIGTERM to the processes of a run that was
stopped or killed; Slurm sends SIGUSR2 or SIGTERM to its jobs. A pair that is killed loses the steps since its
last checkpoint.
"""

from __future__ import annotations

import contextlib
import csv
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import rich.console
import rich.progress
import torch
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from spatial_agents.recipes import TrainOptions
from spatial_agents.training.card import write_pairs
from spatial_agents.training.objectives import Metrics
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.trainer import INTERVAL, Trainer, TrainingDiverged
from spatial_game.errors import Terminated, TrainingFailed, UserError
from spatial_game.files import locked, naming, read_rows, write_text
from spatial_game.text import printable

STOPPING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2")
"""Ctrl-C; kill, the end of the parent, or Slurm; a closed terminal; Slurm, before a time limit."""

SAY_EVERY = 20.0
"""Seconds after which metrics are a line without a validation, too."""


def train_pair(options: TrainOptions, folder: Path, name: str, own: OwnCode) -> TrainingFailed | None:
    """Train a pair in its run folder, from its checkpoint if there is one.

    Return why it was not trained to the end; None if it was. The lines about the pair begin with the name
    unless it is "".

    Raises `KeyboardInterrupt` after a signal to stop, once the checkpoint is written, and `OSError` when a
    file cannot be written.
    """
    checkpoint, shown = folder / "checkpoint.pt", ShownProgress(options.recipe.steps, name)
    in_use = f"{folder} must not be in use; got one that another process trains in"
    with stop_signals() as stopped, shown, contextlib.ExitStack() as opened:
        try:
            device = resolve_device(options.device)
            opened.enter_context(torch_settings(device))
            opened.enter_context(locked(folder / "lock", in_use))
            trainer = Trainer(options, device, own)
            if checkpoint.is_file():
                trainer.load(checkpoint)
            else:
                trainer.save(checkpoint)
            log = opened.enter_context(run_log(folder, options, trainer.step_number))
        except UserError as fault:  # others are bugs, and keep their traceback
            return TrainingFailed(str(fault))
        try:
            for metrics in train_steps(trainer, checkpoint, stopped):
                log(metrics)
                shown.show(metrics)
            write_pairs(trainer, folder)
            shown.say("finished")
        except TrainingDiverged as fault:
            saved = f"the last good checkpoint is of step {trainer.step_saved}, in {folder}"
            way = "repair your own code" if own.objective or own.networks else "change the options"
            return TrainingDiverged(f"{fault}; {saved} ({way}, and name another folder)")
        except UserError as fault:  # of code of one's own
            return TrainingFailed(str(fault))
    return None


class Stop(threading.Event):
    """Set by a signal."""

    number: int | None = None


def train_steps(trainer: Trainer, checkpoint: Path, stopped: Stop) -> Iterator[Metrics]:
    """Train to the last step; yield a row of metrics after each interval, and save a checkpoint now and then.

    Raises `KeyboardInterrupt` after the step in which `stopped` is set, `Terminated` if SIGTERM set it.
    """
    saved_at = time.monotonic()
    while not trainer.finished:
        trainer.step()
        if trainer.step_number % INTERVAL == 0 or trainer.finished:
            yield trainer.end_interval()
        due = time.monotonic() - saved_at >= trainer.options.checkpoint_seconds
        if due or trainer.finished or stopped.is_set():
            trainer.save(checkpoint)
            saved_at = time.monotonic()
        if stopped.is_set():
            kind = Terminated if stopped.number == signal.SIGTERM else KeyboardInterrupt
            raise kind(f"stopped at step {trainer.step_number}")


@contextlib.contextmanager
def stop_signals() -> Iterator[Stop]:
    """Yield an event that the signals STOPPING set. A second signal has its usual effect.

    An exception in the middle of a step could leave the locks of torch's and TensorBoard's threads taken.
    """
    stopped = Stop()
    if threading.current_thread() is not threading.main_thread():  # no other thread may set handlers
        yield stopped
        return
    numbers = [getattr(signal, name) for name in STOPPING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}

    def stop(number: int, _: object) -> None:
        stopped.number = number
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
    has_gpu = torch.cuda.is_available()
    if name == "cuda" and not has_gpu:
        raise UserError("device must be one that is there; got cuda without a CUDA device")
    return torch.device("cuda" if has_gpu and name != "cpu" else "cpu")


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


@contextlib.contextmanager
def run_log(folder: Path, options: TrainOptions, first_step: int) -> Iterator[Callable[[Metrics], None]]:
    """Yield a function that adds a row to metrics.csv and to TensorBoard's logs.

    Rows that a killed run wrote after its last checkpoint are dropped first: they will be written again.
    """
    path = folder / "metrics.csv"
    header, *rows = [row for row in (read_rows(path) if path.is_file() else []) if row] or [[]]
    whole = [row for row in rows if len(row) == len(header) and re.fullmatch("[0-9]{1,18}", row[0])]
    kept = [row for row in whole if int(row[0]) <= first_step]
    write_text(path, "".join(",".join(row) + "\n" for row in [header, *kept] if kept))
    with (
        naming(folder),  # outside, as files that are closed may write, too
        path.open("a", encoding="utf-8", newline="") as table,
        SummaryWriter(str(folder / "tensorboard"), purge_step=first_step + 1) as board,
    ):
        writer = csv.writer(table, lineterminator="\n")
        if not kept:
            setting = {name: _for_tensorboard(value) for name, value in options.setting.items()}
            for summary in hparams(setting, {"validation_accuracy": 0}):
                board._get_file_writer().add_summary(summary)

        def write(metrics: Metrics) -> None:
            columns = metrics.columns
            if table.tell() == 0:
                header[:] = columns
                writer.writerow(header)
            writer.writerow([columns.get(name) for name in header])  # None is an empty cell
            table.flush()
            for name, value in list(columns.items())[3:]:
                if value is not None:
                    board.add_scalar(name, value, metrics.step)

        yield write


def _for_tensorboard(value: Any) -> float | str:
    """Return the value of an option as TensorBoard's table of hyperparameters takes it."""
    return value if isinstance(value, (int, float)) else str(value)


class ShownProgress:
    """Shows on stderr, within a `with` block, how far a training is.

    In a terminal, metrics move a bar, and there are no lines. Elsewhere, and for the pairs of a run of
    several, whose lines begin with their name, metrics with a validation are a line, and others now and then.
    """

    def __init__(self, steps: int, name: str) -> None:
        console = rich.console.Console(stderr=True)
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}", markup=False),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=console,
            disable=bool(name)
            or not console.is_terminal
            or not console.file.isatty(),  # FORCE_COLOR in a pipe
        )
        self._task = self._bar.add_task("", total=steps)
        self._steps, self._name = steps, name
        self._validation, self._said_at = "", time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        """Write a line of text, unless there is a bar."""
        if self._bar.disable:
            line = f"{self._name}  {text}" if self._name else text
            print(printable(line), file=sys.stderr, flush=True)

    def show(self, row: Metrics) -> None:
        """Show a row of metrics."""
        if row.validation_accuracy is not None:
            self._validation = f"  validation {row.validation_accuracy:.1%}"
        text = f"length {row.sequence_length}  training {row.training_accuracy:.1%}{self._validation}"
        self._bar.update(self._task, completed=row.step, description=text)
        if row.validation_accuracy is not None or time.monotonic() - self._said_at > SAY_EVERY:
            self.say(f"step {row.step}/{self._steps}  {row.seconds:.0f} s  {text}")
            self._said_at = time.monotonic()
