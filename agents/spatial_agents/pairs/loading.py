"""Loading a trained pair, which plays in NumPy, or in torch on a GPU."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from spatial_agents.pairs.card import read_json
from spatial_agents.pairs.names import weights_path
from spatial_agents.pairs.policy import Pair, TrainedReceiver, TrainedSender
from spatial_agents.pairs.tensor_files import Arrays, Weights, hash_weights, read_weights
from spatial_agents.players import gru, landmark, local
from spatial_game.files import keep

_PLAYERS: dict[str, Any] = {"sequential": gru, "local": local, "landmark": landmark}


def load_pair(name_or_path: str | Path, index: int = 0, device: str = "cpu") -> Pair:
    """Return a trained pair by its bundled name, its run folder or its weights file.

    `index` chooses one of several pairs of a name or run; "embed-60/3" is index 3 of that name. `device` is
    "cpu", or, with PyTorch, "cuda", "cuda:N" or "auto". Raises `ValueError` for an unknown name, with the
    known names, and for a file that is not whole and consistent.
    """
    on_gpu = device != "cpu" and _on_gpu(device)
    path = weights_path(str(name_or_path), index)
    weights = read_weights(path)
    card_path = path.parent / "card.json" if path.name == "pair.safetensors" else path.with_suffix(".json")
    for read in (path, card_path):
        keep(read)
    card = read_json(card_path) if card_path.is_file() else {"provenance": weights.provenance}
    if on_gpu:
        from spatial_agents.pairs.torch_play import pair_from_weights

        return pair_from_weights(weights, card, device)
    return _played_on_cpu(weights, card)


def load_untrained(name: str, seed: int) -> Pair:
    """Return a pair of GRUs as before training: of the shapes of a bundled pair, with weights of a seed.

    The distributions are those of torch's modules, but NumPy draws. Raises `ValueError` for other networks.
    """
    weights = read_weights(weights_path(name, 0))
    if weights.agent.kind != "gru":
        raise ValueError(f"an untrained pair must have the shapes of a pair of GRUs; got {name}")
    rng = np.random.default_rng(seed)
    drawn = {key: _first_weights(key, weights.tensors, rng) for key in weights.tensors}
    return _played_on_cpu(weights._replace(tensors=drawn), {"untrained": {"like": name, "seed": seed}})


def _first_weights(key: str, tensors: Arrays, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return the weights that training begins with."""
    tensor = tensors[key]
    if key == "sender.start":
        return np.zeros_like(tensor)
    if key.endswith("inputs.table.weight"):
        return np.asarray(rng.standard_normal(tensor.shape), dtype=tensor.dtype)
    of_gru = "gru" in key or "cell" in key
    fan = len(tensor) // 3 if of_gru else tensors[key.replace("bias", "weight")].shape[1]
    return np.asarray(rng.uniform(-1, 1, tensor.shape) / np.sqrt(fan), dtype=tensor.dtype)


def _played_on_cpu(weights: Weights, card: dict[str, Any]) -> Pair:
    game, agent = weights.game, weights.agent
    module = _PLAYERS[agent.network]
    sender = TrainedSender(module.Sender(game, agent, _of_role("sender", weights)), game, agent)
    receiver = TrainedReceiver(module.Receiver(game, agent, _of_role("receiver", weights)), game, agent)
    return Pair(sender, receiver, game, agent, hash_weights(weights.tensors), card)


def _of_role(role: str, weights: Weights) -> Arrays:
    """Return the weights of the sender or of the receiver, by their names in its network."""
    own = (name for name in weights.tensors if name.startswith(f"{role}."))
    return {name.removeprefix(f"{role}."): weights.tensors[name] for name in own}


def _on_gpu(device: str) -> bool:
    """Return whether torch is to play. Raises `ValueError` for a device that is missing."""
    if find_spec("torch") is None:
        if device == "auto":
            return False
        raise ModuleNotFoundError(
            f"device {device} needs torch; install it in the clone with: pip install -e '.[agents]'",
            name="torch",
        )
    from spatial_agents.pairs.torch_play import resolve_device

    return resolve_device(device).type == "cuda"
