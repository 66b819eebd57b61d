"""The finished pair in its folder: its weights, and its card: how it was trained, and how it plays."""

from __future__ import annotations

import dataclasses
import platform
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch

import spatial_game
from spatial_agents.pairs.pair import TrainedPair, load_pair
from spatial_agents.pairs.weights import Arrays, PairWeights, as_arrays, hash_weights, write_weights
from spatial_agents.torch_pair import load_torch_pair
from spatial_agents.training.trainer import Trainer, TrainingDiverged
from spatial_game.errors import UserError
from spatial_game.files import write_json
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.provenance import blas, commit, processor


def write_pairs(trainer: Trainer, folder: Path) -> None:
    """Write the finished pairs, each with its card: one pair, or each sender with each receiver.

    Raises `TrainingDiverged` if a weight is too large to be stored.
    """
    seconds = round(trainer.seconds, 1)
    for name, member in trainer.recipe.members.items():
        write_pair(trainer, folder / name, *member, seconds)


def write_pair(trainer: Trainer, folder: Path, sender: int, receiver: int, seconds: float) -> None:
    """Write a pair, evaluate it on fresh episodes, and write its card. Raises as `write_pairs` does."""
    options, recipe, own = trainer.options, trainer.recipe, trainer.own
    tensors = as_arrays(trainer.average.pair(sender, receiver).state_dict())
    pair = _stored(trainer, folder, tensors)
    card = {
        "name": name_of_pair(folder),
        **own.described(),
        "weights_hash": hash_weights(tensors),
        "parameters": sum(array.size for array in tensors.values()),
        "game": options.config.to_dict(),
        "recipe": {
            name: value for name, value in dataclasses.asdict(recipe).items() if name not in own.unused
        },
        **({"objective_options": options.objective_options} if own.objective else {}),
        "sender": sender,
        "receiver": receiver,
        "steps": recipe.steps,
        "episodes_seen": recipe.steps * trainer.episodes_in_step,
        "seconds": seconds,
        "seed": options.seed,
        "versions": versions(),
        "commit": commit(),
        "host": {"device": device_name(trainer.device), **host()},
        "evaluation": evaluate_agents(pair, options.evaluation_episodes, options.seed).to_dict(),
    }
    write_json(folder / "card.json", card)


def _stored(trainer: Trainer, folder: Path, tensors: Arrays) -> TrainedPair:
    """Write the weights of a pair, and return the pair that they make. Raises as `write_pairs` does."""
    options, own, path = trainer.options, trainer.own, folder / "pair.safetensors"
    network_config = None if own.networks else trainer.recipe.network_config
    trained = {"seed": options.seed, "steps": trainer.recipe.steps, "version": spatial_game.__version__}
    provenance = {**own.described(), **trained}
    folder.mkdir(exist_ok=True)
    try:
        write_weights(path, PairWeights(tensors, options.config, network_config, provenance))
    except UserError as fault:
        raise TrainingDiverged(str(fault)) from None
    (folder / "card.json").unlink(missing_ok=True)  # one that is there belongs to other weights
    return load_torch_pair(path, own.networks) if own.networks else load_pair(path)


def name_of_pair(folder: Path) -> str:
    """Return the name of a pair by its folder, after that of the run that it is one of several of."""
    folder = folder.resolve()
    one_of_several = (folder.parent / "config.json").is_file()
    return f"{name_of_pair(folder.parent)}/{folder.name}" if one_of_several else folder.name


def versions() -> dict[str, str]:
    """Return the versions of the software that the numbers depend on."""
    return {
        "spatial_game": spatial_game.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def host() -> dict[str, Any]:
    """Return what the last digits of the weights depend on, besides the versions."""
    torch_blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    return {
        "processor": processor(),
        "instruction_set": torch.backends.cpu.get_cpu_capability(),
        "blas": [*([f"{torch_blas[1]} in torch"] if torch_blas else []), *blas()],
    }


def device_name(device: torch.device) -> str:
    """Return the name of the device that a pair was trained on."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "1 CPU thread"
