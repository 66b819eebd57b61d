"""Loading a trained pair, which plays in ONNX Runtime, or in torch on a GPU."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from spatial_agents.graphs.session import Session
from spatial_agents.pairs.card import read_json
from spatial_agents.pairs.names import weights_path
from spatial_agents.pairs.policy import Pair, TrainedReceiver, TrainedSender
from spatial_agents.pairs.tensor_files import hash_weights, read_weights


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
    card = read_json(card_path) if card_path.is_file() else {"provenance": weights.provenance}
    if on_gpu:
        from spatial_agents.pairs.torch_play import pair_from_weights

        return pair_from_weights(weights, card, device)
    tensors, game, agent = weights.tensors, weights.game, weights.agent
    sender = TrainedSender(Session("sender", game, agent, tensors), game, agent)
    receiver = TrainedReceiver(Session("receiver", game, agent, tensors), game, agent)
    return Pair(sender, receiver, game, agent, hash_weights(tensors), card)


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
