"""The training of one pair in a folder of its own, from its checkpoint if there is one, to its card."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

import spatial_game
from spatial_agents.pairs.card import card_as_markdown, finished
from spatial_agents.pairs.checkpoint import Weights, write_weights
from spatial_agents.pairs.policy import load_pair, resolve_device
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.display import Show
from spatial_agents.training.run_folder import (
    RunLog,
    alone,
    machine,
    stream_seeds,
    versions,
    write_json,
)
from spatial_agents.training.trainer import Trainer, TrainingDiverged
from spatial_game.files import write_text
from spatial_game.game.evaluation import evaluate


@dataclass(frozen=True)
class PairRun:
    """A pair that is to be trained: how, where, and under what name (that of the run, then its own)."""

    options: TrainOptions
    folder: Path
    name: str
    of_run: str | None = None
    """The command of the whole run, where the pair alone would become another."""

    @property
    def command(self) -> str:
        """The command line that trains this pair, for its card."""
        return self.of_run or self.options.command(self.name)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return finished(self.folder)

    @property
    def last_checkpoint(self) -> str:
        """Where a pair that stopped can be taken up."""
        return f"the last good checkpoint is in {self.folder}"


def train_pair(run: PairRun, show: Show, stopped: threading.Event) -> None:
    """Train to the end; every row of metrics is given to `show`.

    Raises `TrainingDiverged` when a number is not finite, and `KeyboardInterrupt` once the checkpoint is
    written after `stopped` was set.
    """
    options, folder = run.options, run.folder
    with torch_settings(options), alone(folder):
        trainer = begin(run)
        try:
            run_steps(trainer, folder, show, stopped)
        except TrainingDiverged as fault:
            raise TrainingDiverged(f"{fault}; {run.last_checkpoint}") from None
        finish(run, trainer.weights(), trainer.seconds, machine(trainer.device, options.threads))
        if stopped.is_set():
            raise KeyboardInterrupt(f"stopped after {folder} was finished")


def begin(run: PairRun) -> Trainer:
    """The trainer of a pair, where its checkpoint left it; without one, before the first step.

    Raises `ValueError` for a checkpoint that is not of this run, or not there although the run has begun.
    """
    trainer = Trainer(run.options, resolve_device(run.options.device))
    checkpoint = run.folder / "checkpoint.safetensors"
    if checkpoint.is_file():
        trainer.restore(checkpoint)
        return trainer
    begun = next((name for name in ("pair.safetensors", "metrics.csv") if (run.folder / name).exists()), None)
    if begun is not None:
        raise ValueError(f"{checkpoint} must be there to continue the run, which has a {begun}; got none")
    trainer.save(checkpoint)
    return trainer


def run_steps(trainer: Trainer, folder: Path, show: Show, stopped: threading.Event) -> None:
    """Step to the end; log, validate, report and save on the way."""
    checkpoint, options = folder / "checkpoint.safetensors", trainer.options
    saved_at = time.monotonic()
    with RunLog(folder, trainer.step_number, show) as log:
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


def finish(run: PairRun, tensors: dict[str, torch.Tensor], seconds: float, machine: str) -> None:
    """Write the finished pair, judge it on fresh episodes, write its card."""
    options, folder = run.options, run.folder
    provenance = {
        "command": run.command,
        "seed": options.seed,
        "steps": options.recipe.steps,
        "version": spatial_game.__version__,
    }
    write_weights(
        folder / "pair.safetensors", Weights(tensors, options.game, options.recipe.agent, provenance)
    )
    (folder / "card.json").unlink(missing_ok=True)  # if there is one, it is of other weights, or spoilt
    pair = load_pair(folder / "pair.safetensors")
    card = {
        "name": run.name,
        "command": run.command,
        "weights_hash": pair.weights_hash,
        "parameters": sum(tensor.numel() for tensor in tensors.values()),
        "game": options.game.to_dict(),
        "recipe": dataclasses.asdict(options.recipe),
        "steps": options.recipe.steps,
        "episodes_seen": options.recipe.steps * options.recipe.batch_size,
        "seconds": round(seconds, 1),
        "machine": machine,
        "streams": stream_seeds(options.seed),
        "versions": versions(),
        "evaluation": evaluate(pair, options.evaluation_episodes, options.seed).to_dict(),
    }
    write_text(folder / "card.md", card_as_markdown(card))
    write_json(folder / "card.json", card)


@contextlib.contextmanager
def torch_settings(options: TrainOptions) -> Iterator[None]:
    """Let torch use the threads, the precision of products and the GPU, if any, of a run within the block."""
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    device = resolve_device(options.device)
    torch.set_num_threads(options.threads)
    torch.set_float32_matmul_precision({"tf32": "high", "float32": "highest"}[options.matmul])
    try:
        # Streams and graphs are of the current GPU unless they are told otherwise.
        with torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext():
            yield
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)
