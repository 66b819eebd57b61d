"""What a run leaves on disk beside its weights: config, metrics, TensorBoard logs, model cards."""

from __future__ import annotations

import contextlib
import csv
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

import spatial_game
from spatial_agents.curves import draw_curves
from spatial_agents.display import Show
from spatial_agents.recipes import TrainOptions
from spatial_agents.trainer import STREAMS, torch_seed
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.seeds import stream

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


def card_as_markdown(card: dict[str, Any]) -> str:
    """A model card for people: what the pair is, how it was made, how well it plays."""
    result = card["evaluation"]
    config = GameConfig.from_dict(card["game"])
    parts = [
        f"| {name} | {part['n']:,} | {part['accuracy']:.2%} | {part['low']:.2%} to {part['high']:.2%} |"
        for name, part in [("all", result), *result["by_observation"].items()]
        if part["n"]
    ]
    fixed = card["recipe"].get("fixed_samples")
    episodes = f"episodes out of {fixed:,} fixed ones" if fixed else "fresh episodes"
    return "\n".join(
        [
            f"# {card['name']}",
            "",
            f"A sender and a receiver for the spatial referential game {config.signature} "
            f"(inputs: {card['recipe']['inputs']}; {card['parameters']:,} parameters).",
            "",
            f"    {card['command']}",
            "",
            f"- {card['steps']:,} steps, {card['episodes_seen']:,} {episodes}, "
            f"{card['seconds'] / 60:.1f} minutes on {card['machine']}",
            f"- weights {card['weights_hash']}",
            f"- {result['distinct_messages']:,} distinct messages in the evaluation; "
            f"chance is {result['chance']:.0%}",
            "",
            "| target at | fresh episodes | accuracy | 95% interval |",
            "|---|---|---|---|",
            *parts,
            "",
        ]
    )


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
