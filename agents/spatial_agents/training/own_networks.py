"""Networks of one's own in the trainer: what they must do, and what a card says about them."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spatial_agents.network_config import NetworkConfig
from spatial_agents.networks import Networks, greedy, new_networks, seeded_torch
from spatial_agents.pairs.weights import as_arrays, require_storable
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.episodes import Batch
from spatial_agents.training.schedules import first_length, played_game
from spatial_game.checks import require, shortened
from spatial_game.game.episodes import draw_episodes

OF_NETWORKS = tuple(each.name for each in fields(NetworkConfig))
"""The settings of a recipe that are the bundled networks', and have no effect on others."""


def described(networks: Networks) -> dict[str, dict[str, Any]]:
    """Return the names of the classes, and the SHA-256 of their source; None where it is not known."""
    return {role: _described(network) for role, network in zip(("sender", "receiver"), networks, strict=True)}


def _described(network: Any) -> dict[str, Any]:
    try:
        source = hashlib.sha256(inspect.getsource(network).encode()).hexdigest()
    except (OSError, TypeError):  # such as a class of a notebook
        source = None
    rule = "networks must be classes or functions with a name, by which their run and card know them"
    require(hasattr(network, "__qualname__"), rule, shortened(network))
    module = network.__module__
    if module in ("__main__", "__mp_main__") and source is not None:  # a script, also in its processes
        module = Path(inspect.getfile(network)).stem
    return {"class": f"{module}.{network.__qualname__}", "source": source}


@seeded_torch(0)  # new weights and dropout take nothing from torch's global generator
def require_trainable(options: TrainOptions, networks: Networks) -> None:
    """Let new networks play two episodes of the first step's game, and two of the full one.

    Raises `ValueError` for networks that return something else than messages and scores, for weights that
    cannot be stored, and for options that have no effect on them.
    """
    recipe, config = options.recipe, options.config
    usual = Recipe(recipe.recipe)
    for name in ("hidden_size", "embedding_size", "inputs"):
        value = getattr(recipe, name)
        require(value == getattr(usual, name), f"{name} must be left out with networks of your own", value)
    pair = new_networks(config, networks)
    require_storable(as_arrays(pair.state_dict()))
    for length in (first_length(recipe, config), config.sequence_length):
        played = played_game(config, length, config.num_shown)
        batch = Batch.of(draw_episodes(played, 2, np.random.default_rng(0)))
        with torch.no_grad():
            message = pair.sender(batch.window, greedy)
            _require_shape("sender", message, (2, config.message_length, config.vocab_size))
            one_hot = bool((message.sum(dim=2) == 1).all() and (message.max(dim=2).values == 1).all())
            require(one_hot, "sender must return the symbols of choose_symbol", message.tolist())
            scores = pair.receiver(message, batch.sequence, batch.candidates)
            _require_shape("receiver", scores, tuple(batch.candidates.shape))


def _require_shape(role: str, returned: Any, shape: tuple[int, ...]) -> None:
    got = type(returned).__name__
    if isinstance(returned, torch.Tensor):
        got = f"{returned.dtype} {tuple(returned.shape)}"
    rule = f"{role} must return a tensor of torch.float32 with shape {shape}"
    require(got == f"torch.float32 {shape}", rule, got)
