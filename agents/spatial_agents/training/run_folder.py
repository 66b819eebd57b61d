"""The files of a run: its config, its metrics, and the finished pair with its card."""

from __future__ import annotations

import contextlib
import csv
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

import spatial_game
from spatial_agents.pairs.loading import finished, load_pair
from spatial_agents.pairs.weights import PairWeights, write_weights
from spatial_agents.recipes import TrainOptions
from spatial_game.files import write_text
from spatial_game.game.evaluation import evaluate
from spatial_game.json_text import to_json

METRICS = (
    "step",
    "episodes",
    "seconds",
    "sequence_length",
    "learning_rate",
    "loss",
    "training_accuracy",
    "validation_accuracy",
)
"""The columns of metrics.csv; a cell without a value is empty."""


@dataclass(frozen=True)
class PairRun:
    """A pair to train."""

    options: TrainOptions
    folder: Path
    name: str
    """The name of the run, then its own."""

    @property
    def command(self) -> str:
        """The command line that trains it."""
        return self.options.command(self.name)

    @property
    def finished(self) -> bool:
        """Whether the pair is trained."""
        return finished(self.folder)

    @property
    def checkpoint(self) -> Path:
        """The file of its checkpoint."""
        return self.folder / "checkpoint.pt"


@contextlib.contextmanager
def run_log(folder: Path, first_step: int) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that adds a row of METRICS to the table of a run and to TensorBoard's logs.

    Rows that a killed run wrote after its last checkpoint are dropped first: they will be written again.
    """
    path, rows = folder / "metrics.csv", []
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if len(row) == len(METRICS) and row[0].isdigit()]
    lines = [METRICS, *(row for row in rows if int(row[0]) <= first_step)]
    write_text(path, "".join(",".join(line) + "\n" for line in lines))
    with (
        path.open("a", encoding="utf-8", newline="") as table,
        SummaryWriter(str(folder / "tensorboard"), purge_step=first_step + 1) as board,
    ):

        def write(row: dict[str, Any]) -> None:
            known = {name: row[name] for name in METRICS if row[name] is not None}
            csv.DictWriter(table, METRICS, lineterminator="\n").writerow(known)
            table.flush()
            for name in METRICS[3:]:
                if name in known:
                    board.add_scalar(name, known[name], row["step"])

        yield write


def write_pair(run: PairRun, tensors: Mapping[str, torch.Tensor], seconds: float, machine: str) -> None:
    """Write the finished pair, evaluate it on fresh episodes, and write its card."""
    options, recipe, path = run.options, run.options.recipe, run.folder / "pair.safetensors"
    provenance = {
        "command": run.command,
        "seed": options.seed,
        "steps": recipe.steps,
        "version": spatial_game.__version__,
    }
    write_weights(path, PairWeights(tensors, options.game, recipe.agent, provenance))
    (run.folder / "card.json").unlink(missing_ok=True)  # one that is there belongs to other weights
    pair = load_pair(path)
    card = {
        "name": run.name,
        "command": run.command,
        "weights_hash": pair.weights_hash,
        "parameters": sum(tensor.numel() for tensor in tensors.values()),
        "game": options.game.to_dict(),
        "recipe": recipe.every_setting(),
        "steps": recipe.steps,
        "episodes_seen": recipe.steps * recipe.episodes(options.game),
        "seconds": round(seconds, 1),
        "machine": machine,
        "seed": options.seed,
        "versions": versions(),
        "evaluation": evaluate(pair, options.evaluation_episodes, options.seed).to_dict(),
    }
    write_json(run.folder / "card.json", card)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file, entirely or not at all."""
    write_text(path, to_json(content, indent=2) + "\n")


def run_config(options: TrainOptions) -> dict[str, Any]:
    """Return the content of config.json."""
    return {
        "format_version": 1,
        "kind": "run",
        "options": options.to_dict(),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Return the versions of the software that the numbers depend on."""
    return {
        "spatial_game": spatial_game.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def machine(device: torch.device) -> str:
    """Return the name of what a run was trained on."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"1 CPU thread ({platform.machine()})"
