"""The training loop: pairs from their checkpoints, or from the start, to their cards.

One pair and batched pairs go through the same loop. Batched pairs are at the same step. If a run was killed
between the checkpoints of two pairs, its pairs are at different steps: those at the same step then form a
batch, and one batch is trained after another.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import torch

from spatial_agents.pairs.torch_play import resolve_device
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.display import Tell
from spatial_agents.training.population import PopulationTrainer
from spatial_agents.training.run_folder import (
    PairRun,
    RunLog,
    alone,
    keep_weights,
    machine,
    write_pair,
)
from spatial_agents.training.state import (
    PairState,
    TrainingDiverged,
    fresh_state,
    read_state,
    write_state,
)
from spatial_agents.training.trainer import Trainer
from spatial_game.files import in_words

Faults = dict[str, Exception]
"""Why pairs were not trained to the end, by the names of their folders."""


def train_pairs(
    runs: Sequence[PairRun], tell: Tell, stopped: threading.Event, *, batched: bool = False
) -> Faults:
    """Train one pair or batched pairs to the end, each into its own folder, and return the faults.

    Raises `KeyboardInterrupt` when `stopped` is set, once all checkpoints are written, and `OSError` when a
    file cannot be written.
    """
    faults = Faults()
    if not runs:
        return faults
    options = runs[0].options
    device = resolve_device(options.device)
    with torch_settings(options, device), contextlib.ExitStack() as locks:
        begun = []
        for run in runs:
            try:
                locks.enter_context(alone(run.folder))
                begun.append((run, _begin(run, device)))
            except (ValueError, OSError) as fault:
                faults[run.label] = fault
                tell(run.label, f"stopped: {in_words(fault)}")
        begun.sort(key=_place)
        for _, group in itertools.groupby(begun, key=_place):
            members, states = zip(*group, strict=True)
            trainer = _trainer(members, device, states, batched)
            _Loop(list(members), trainer, tell, faults).train(stopped)
    return faults


def _begin(run: PairRun, device: torch.device) -> PairState:
    """Return the state in a pair's checkpoint; without one, write that before the first step.

    Raises `ValueError` if the checkpoint is not of this run, or missing although the run has begun.
    """
    if run.checkpoint.is_file():
        return read_state(run.checkpoint, run.options, device)
    begun = next((name for name in ("pair.safetensors", "metrics.csv") if (run.folder / name).exists()), None)
    if begun is not None:
        raise ValueError(f"{run.checkpoint} must be there to continue the run, which has a {begun}; got none")
    state = fresh_state(run.options, device)
    write_state(run.checkpoint, state, run.options, device)
    return state


def _trainer(
    runs: Sequence[PairRun], device: torch.device, states: Sequence[PairState], batched: bool
) -> Trainer:
    """Return the trainer of one pair, of batched pairs, of a population or of a generation."""
    options = [run.options for run in runs]
    if options[0].recipe.population:
        return PopulationTrainer(options, device, states)
    return Trainer(options, device, states, batched=batched)


def _place(begun: tuple[PairRun, PairState]) -> tuple[int, int]:
    return begun[1].place


class _Loop:
    """The pairs of one trainer, their folders, and what is shown of them."""

    def __init__(self, runs: list[PairRun], trainer: Trainer, tell: Tell, faults: Faults) -> None:
        self.runs, self.trainer, self.tell, self.faults = runs, trainer, tell, faults
        self.options, self.logs = runs[0].options, dict[PairRun, RunLog]()

    def train(self, stopped: threading.Event) -> None:
        """Do all steps, then write and evaluate the finished pairs."""
        with contextlib.ExitStack() as stack:
            for run in self.runs:
                self.logs[run] = stack.enter_context(RunLog(run.folder, self.trainer.step_number))
            self._do_steps(stopped)
            where = machine(self.trainer.device, self.options.threads)
            where += f", {len(self.runs)} batched pairs" if self.trainer.batched else ""
            for i, run in enumerate(self.runs):
                for k, pair in enumerate(run.pairs):
                    write_pair(pair, self.trainer.weights(i + k), self.trainer.seconds(i), where)
                self.tell(run.label, "finished")
        if stopped.is_set():
            raise KeyboardInterrupt("stopped after the last step")

    def _keep(self, i: int, run: PairRun) -> None:
        """Keep the pairs of a run as they are at this step."""
        for k, pair in enumerate(run.pairs):
            keep_weights(pair, self.trainer.weights(i + k), self.trainer.step_number)

    def _do_steps(self, stopped: threading.Event) -> None:
        saved_at, every = time.monotonic(), self.options.keep_every
        if every and self.trainer.step_number == 0:
            self._for_each(self._keep)
        while self.runs and not self.trainer.finished:
            self.trainer.step()
            at_end = self.trainer.finished
            if every and (self.trainer.step_number % every == 0 or at_end):
                self._for_each(self._keep)
            if self.trainer.step_number % self.trainer.recipe.grow_every == 0 or at_end:
                self._log()
            due = time.monotonic() - saved_at >= self.options.checkpoint_seconds
            if due or at_end or stopped.is_set():
                self._for_each(self._save)
                saved_at = time.monotonic()
            if stopped.is_set() and not at_end:
                raise KeyboardInterrupt(f"stopped at step {self.trainer.step_number}")

    def _log(self) -> None:
        """Write a row of metrics for each pair. Batched pairs share a curriculum, by their mean accuracy."""
        accuracies = []

        def log(i: int, run: PairRun) -> None:
            row = self.trainer.row(i)
            self.logs[run].write(row)
            self.tell(run.label, {"steps": self.trainer.recipe.steps, **row})
            accuracies.append(row["training_accuracy"])

        self._for_each(log)
        if accuracies:
            self.trainer.begin_interval(sum(accuracies) / len(accuracies))

    def _save(self, i: int, run: PairRun) -> None:
        write_state(run.checkpoint, self.trainer.state(i), run.options, self.trainer.device)

    def _for_each(self, call: Callable[[int, PairRun], None]) -> None:
        """Call for each pair. Pairs that diverge stop here, and the others continue without them."""
        going_on = []
        for i, run in enumerate(self.runs):
            try:
                call(i, run)
                going_on.append(i)
            except TrainingDiverged as fault:
                self.faults[run.label] = TrainingDiverged(f"{fault}; {run.last_checkpoint}")
                self.tell(run.label, f"stopped: {self.faults[run.label]}")
        if len(going_on) < len(self.runs):
            states = [self.trainer.state(i) for i in going_on]
            self.runs = [self.runs[i] for i in going_on]
            if self.runs:
                options = [run.options for run in self.runs]
                self.trainer = Trainer(options, self.trainer.device, states, batched=self.trainer.batched)


@contextlib.contextmanager
def torch_settings(options: TrainOptions, device: torch.device) -> Iterator[None]:
    """Set torch's threads, the precision of its products and its GPU, if any, within the block."""
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(options.threads)
    torch.set_float32_matmul_precision({"tf32": "high", "float32": "highest"}[options.matmul])
    # Soft symbols that are nearly certain hold numbers below 1e-38, with which a processor is very slow.
    torch.set_flush_denormal(True)
    try:
        # CUDA's streams and graphs belong to the current GPU.
        with torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext():
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)
