"""What a run leaves on disk beside its weights and their card: config, metrics, TensorBoard logs."""

from __future__ import annotations

import contextlib
import csv
import json
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

import spatial_game
from spatial_agents.recipes import TrainOptions
from spatial_agents.training.curves import draw_curves
from spatial_agents.training.display import Show
from spatial_agents.training.trainer import STREAMS, torch_seed
from spatial_game.files import write_text
from spatial_game.game.seeds import stream

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


class RunLog:
    """Metrics of a run: the table, TensorBoard's logs, at its end a picture; each row is given to `show`."""

    def __init__(self, folder: Path, first_step: int, show: Show) -> None:
        self.folder, self.show, self._start = folder, show, first_step
        self._keep_rows_until(first_step)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> RunLog:
        self._table = self._stack.enter_context(
            (self.folder / "metrics.csv").open("a", encoding="utf-8", newline="")
        )
        self._board = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self._start + 1)
        self._stack.callback(self._board.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        with contextlib.suppress(OSError):  # a full disk, say, of which there is another word
            draw_curves(self.folder)

    def write(self, row: dict[str, Any]) -> None:
        """Add a row of METRICS; empty cells are None."""
        csv.writer(self._table, lineterminator="\n").writerow(
            ["" if row[name] is None else row[name] for name in METRICS]
        )
        self._table.flush()
        for name in METRICS[3:]:
            if row[name] is not None:
                self._board.add_scalar(name, row[name], row["step"])
        self.show(row)

    def _keep_rows_until(self, step: int) -> None:
        """Drop the rows that a killed run wrote after its last checkpoint: they will be written again."""
        path, rows = self.folder / "metrics.csv", []
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.reader(file) if len(row) == len(METRICS) and row[0].isdigit()]
        lines = [METRICS, *(row for row in rows if int(row[0]) <= step)]
        write_text(path, "".join(",".join(line) + "\n" for line in lines))


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other process train in this folder within the block.

    It is a lock of the system on the folder's config.json, which goes when the process does, however that
    ends. (Windows has none of that kind: there, nothing is locked.) Raises `ValueError` if another has it.
    """
    try:
        import fcntl
    except ModuleNotFoundError:
        yield
        return
    with (folder / "config.json").open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{folder} must not be in use; got one that another process trains in") from None
        yield


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file, entirely or not at all."""
    write_text(path, json.dumps(content, indent=2) + "\n")


def run_config(options: TrainOptions) -> dict[str, Any]:
    """The content of config.json."""
    return {
        "format_version": 1,
        "kind": "run",
        "options": options.to_dict(),
        "streams": stream_seeds(options.seed),
        "versions": versions(),
    }


def stream_seeds(seed: int) -> dict[str, Any]:
    """The seed of every stream; those of torch as the number that seeds its generator."""
    return {
        name: {
            "entropy": seed,
            "spawn_key": list(stream(seed, name).spawn_key),
            "torch_seed": torch_seed(seed, name) if name in STREAMS[:4] else None,
        }
        for name in STREAMS
    }


def versions() -> dict[str, str]:
    """The versions that the numbers depend on."""
    return {
        "spatial_game": spatial_game.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def machine(device: torch.device, threads: int) -> str:
    """What a run was trained on, in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{threads} CPU thread{'s' if threads > 1 else ''} ({platform.machine()})"
