"""The files of a run: its config, its metrics, and the finished pair with its card."""

from __future__ import annotations

import contextlib
import csv
import platform
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
from spatial_game.files import locked, write_text
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
    command: str
    """The command line that trains it."""

    @property
    def finished(self) -> bool:
        """Whether the pair is trained."""
        return finished(self.folder)

    @property
    def label(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def checkpoint(self) -> Path:
        """The file of its checkpoint."""
        return self.folder / "checkpoint.pt"


class RunLog:
    """The metrics of a run: a table, and TensorBoard's logs. A context manager."""

    def __init__(self, folder: Path, first_step: int) -> None:
        self.folder, self._start = folder, first_step
        self._keep_rows_until(first_step)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> RunLog:
        table = (self.folder / "metrics.csv").open("a", encoding="utf-8", newline="")
        self._table = self._stack.enter_context(table)
        self._board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self._start + 1)
        self._stack.callback(self._board.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, row: dict[str, Any]) -> None:
        """Add a row of METRICS; cells without a value are None."""
        csv.writer(self._table, lineterminator="\n").writerow(
            ["" if row[name] is None else row[name] for name in METRICS]
        )
        self._table.flush()
        for name in METRICS[3:]:
            if row[name] is not None:
                self._board.add_scalar(name, row[name], row["step"])

    def _keep_rows_until(self, step: int) -> None:
        """Drop the rows that a killed run wrote after its last checkpoint: they will be written again."""
        path, rows = self.folder / "metrics.csv", []
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.reader(file) if len(row) == len(METRICS) and row[0].isdigit()]
        lines = [METRICS, *(row for row in rows if int(row[0]) <= step)]
        write_text(path, "".join(",".join(line) + "\n" for line in lines))


def numbered(count: int) -> list[str]:
    """Return the names of this many sub-folders, in order."""
    digits = max(2, len(str(count - 1)))
    return [f"{i:0{digits}d}" for i in range(count)]


def write_pair(run: PairRun, tensors: dict[str, torch.nn.Parameter], seconds: float, machine: str) -> None:
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


def alone(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Keep other processes from training in this folder within a block. Raises `ValueError` if one does."""
    fault = f"{folder} must not be in use; got one that another process trains in"
    return locked(folder / "config.json", fault)


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
