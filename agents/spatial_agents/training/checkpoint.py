"""A checkpoint: everything that the next step of a training depends on."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import torch

from spatial_agents.recipes import TrainOptions
from spatial_agents.training.trainer import Trainer, TrainingDiverged
from spatial_game.files import write_bytes
from spatial_game.json_text import printable


def save(trainer: Trainer, path: Path) -> None:
    """Write a checkpoint, entirely or not at all. Raises `TrainingDiverged` if a weight is not finite."""
    for name, weight in trainer.pair.named_parameters():
        if not torch.isfinite(weight).all():
            raise TrainingDiverged(
                f"{name} must stay finite; got nan or infinity at step {trainer.step_number}"
            )
    content = {
        "run": identity(trainer.options, trainer.device),
        "step": trainer.step_number,
        "length": trainer.length,
        "seconds": trainer.seconds,
        "pair": trainer.pair.state_dict(),
        "average": trainer.average.state_dict(),
        "optimiser": trainer.optimiser.state_dict(),
        "training": trainer.episodes.generator.get_state(),
        "noise": trainer.noise.get_state(),
        "sums": trainer.sums,
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getbuffer())


def load(trainer: Trainer, path: Path) -> None:
    """Continue from a checkpoint.

    Raises `ValueError` if the file is not whole, or is the checkpoint of a run with other options.
    """
    try:
        content = _read(path, trainer.device)
        own, stored = identity(trainer.options, trainer.device), content["run"]
        different = next((name for name in own if own[name] != stored[name]), None)
        if different is None:
            _restore(trainer, content)
    except Exception as error:  # torch raises many kinds for a damaged file
        message = f"{path}: must be a whole checkpoint of these networks; {type(error).__name__}: {error}"
        raise ValueError(printable(message)) from None
    if different is not None:
        rule = f"{different} must stay {stored[different]}, with which the run began"
        raise ValueError(printable(f"{path}: {rule}; got {own[different]}"))


def _restore(trainer: Trainer, content: dict[str, Any]) -> None:
    trainer.pair.load_state_dict(content["pair"])
    trainer.average.load_state_dict(content["average"])
    trainer.optimiser.load_state_dict(content["optimiser"])
    for weight, moments in trainer.optimiser.state.items():
        # torch's fused Adam would write beyond the ends of smaller moments.
        if any(moments[name].shape != weight.shape for name in ("exp_avg", "exp_avg_sq")):
            raise ValueError("Adam's moments must have the shapes of the weights")
    trainer.episodes.generator.set_state(content["training"].cpu())
    trainer.noise.set_state(content["noise"].cpu())
    trainer.sums.copy_(content["sums"])
    trainer.step_number, trainer.length = int(content["step"]), int(content["length"])
    trainer.seconds_before = float(content["seconds"])


def _read(path: Path, device: torch.device) -> dict[str, Any]:
    with zipfile.ZipFile(path) as file:
        damaged = file.testzip()  # torch itself does not check the sums
    if damaged:
        raise ValueError(f"{damaged} is damaged")
    content: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    return content


def identity(options: TrainOptions, device: torch.device) -> dict[str, Any]:
    """Return what a run must keep: its checkpoints continue with nothing else."""
    return {
        "seed": options.seed,
        "device": device.type,
        **options.game.to_dict(),
        **options.recipe.every_setting(),
    }
