"""Networks of torch that play: in training, and on a GPU. Elsewhere pairs play in ONNX Runtime."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spatial_agents.networks.gru import PairNetwork, empty_pair
from spatial_agents.networks.symbols import greedy, one_hot
from spatial_agents.pairs.policy import Pair, TrainedReceiver, TrainedSender
from spatial_agents.pairs.tensor_files import Weights, hash_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray

CHUNK = {"cpu": 512, "cuda": 16384}
"""Episodes that go through the networks at a time, to limit memory and fit into the cache of a CPU."""


class Running:
    """A network that plays on its device. `outputs` returns its outputs by name."""

    def __init__(self, network: nn.Module, outputs: Callable[..., dict[str, Tensor]]) -> None:
        self.network, self.outputs = network, outputs

    def __call__(self, *outputs: str, **inputs: IntArray) -> list[np.ndarray[Any, Any]]:
        """Return some of the outputs for inputs of B rows each."""
        device, arrays = next(self.network.parameters()).device, list(inputs.values())
        size = CHUNK[device.type]
        found = []
        with torch.inference_mode():
            for start in range(0, max(len(arrays[0]), 1), size):
                rows = [torch.from_numpy(array[start : start + size]).to(device) for array in arrays]
                by_name = self.outputs(self.network, *rows)
                found.append([by_name[output].cpu().numpy() for output in outputs])
        return [np.concatenate(each) for each in zip(*found, strict=True)]


def _sender_outputs(network: nn.Module, window: Tensor) -> dict[str, Tensor]:
    logits: list[Tensor] = []

    def most_likely(scores: Tensor) -> Tensor:
        logits.append(scores)
        return greedy(scores)

    message = network(window, most_likely).argmax(dim=2)
    return {"message": message, "logits": torch.stack(logits, dim=1)}


def _receiver_outputs(
    network: nn.Module, message: Tensor, sequence: Tensor, candidates: Tensor, *, size: int
) -> dict[str, Tensor]:
    logits = network(one_hot(message, size), sequence, candidates)
    return {"choice": logits.argmax(dim=1), "logits": logits}


def pair_from_network(
    network: PairNetwork, game: GameConfig, agent: AgentConfig, card: dict[str, Any] | None = None
) -> Pair:
    """Return a network, in or after training, as a pair that plays."""
    choose = functools.partial(_receiver_outputs, size=game.vocab_size)
    sender = TrainedSender(Running(network.sender, _sender_outputs), game, agent)
    receiver = TrainedReceiver(Running(network.receiver, choose), game, agent)
    return Pair(sender, receiver, game, agent, hash_weights(network.state_dict()), card or {})


def pair_from_weights(weights: Weights, card: dict[str, Any], device: str = "cpu") -> Pair:
    """Return a pair that plays in torch on a device."""
    network = empty_pair(weights.game, weights.agent).to_empty(device="cpu")
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.tensors.items()})
    return pair_from_network(network.eval().to(resolve_device(device)), weights.game, weights.agent, card)


def resolve_device(device: str) -> torch.device:
    """Return the torch device of "auto", "cpu", "cuda" or "cuda:N". Raises `ValueError` if it is missing."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda") or not (number == "" or number.isdigit()):
        raise ValueError(f"device must be auto, cpu or cuda; got {device}")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device must be one that is there ({torch.cuda.device_count()} CUDA devices); got {device}"
        )
    return torch.device(device)
