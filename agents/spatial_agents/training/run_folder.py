"""The files of a run: its config, its metrics, and the finished pair with its card."""

from __future__ import annotations

import contextlib
import csv
import platform
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

import spatial_game
from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.weights import PairWeights, as_arrays, write_weights
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.trainer import TrainingDiverged
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


def write_pair(
    options: TrainOptions, folder: Path, tensors: Mapping[str, torch.Tensor], seconds: float, machine: str
) -> None:
    """Write the finished pair, evaluate it on fresh episodes, and write its card.

    Raises `TrainingDiverged` if a weight is too large to be stored.
    """
    recipe, path, name = options.recipe, folder / "pair.safetensors", name_of(folder)
    provenance = {
        "command": options.command(name),
        "seed": options.seed,
        "steps": recipe.steps,
        "version": spatial_game.__version__,
    }
    try:
        write_weights(path, PairWeights(as_arrays(tensors), options.game, recipe.agent, provenance))
    except ValueError as fault:
        raise TrainingDiverged(str(fault)) from None
    (folder / "card.json").unlink(missing_ok=True)  # one that is there belongs to other weights
    pair = load_pair(path)
    card = {
        "name": name,
        "command": options.command(name),
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
    write_json(folder / "card.json", card)


def name_of(folder: Path) -> str:
    """Return the name of the pair in a folder: that of its run and, for one of several, its own."""
    folder = folder.resolve()
    one_of_several = (folder.parent / "config.json").is_file()
    return f"{folder.parent.name}/{folder.name}" if one_of_several else folder.name


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file, entirely or not at all."""
    write_text(path, to_json(content, indent=2) + "\n")


def write_config(folder: Path, options: TrainOptions) -> None:
    """Write the config of a run into its folder, which is made if needed."""
    content = {"format_version": 1, "kind": "run", "options": options.to_dict(), "versions": versions()}
    write_json(folder / "config.json", content)


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
