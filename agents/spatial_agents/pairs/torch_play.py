"""Networks of torch that play: in training, and on a GPU. Elsewhere pairs play in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spatial_agents.networks.pair import PairNetwork, new_pair
from spatial_agents.networks.symbols import greedy, one_hot
from spatial_agents.pairs.policy import BATCH, Pair, TrainedReceiver, TrainedSender
from spatial_agents.pairs.tensor_files import Weights, hash_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray

BATCH_ON_GPU = 16_384
"""Episodes that go through the networks of a GPU at a time, to limit memory."""


class _Playing:
    """A network that plays on its device."""

    def __init__(self, network: nn.Module) -> None:
        self.network = network
        self.device = next(network.parameters()).device
        self.batch = BATCH_ON_GPU if self.device.type == "cuda" else BATCH

    def __call__(self, *arrays: IntArray) -> np.ndarray[Any, Any]:
        """Return the logits (B, ...) for arrays of B rows each."""
        with torch.inference_mode():
            return self.logits(*(torch.from_numpy(array).to(self.device) for array in arrays)).cpu().numpy()

    def logits(self, *tensors: Tensor) -> Tensor:
        """Return the logits of the network."""
        raise NotImplementedError


class _Sender(_Playing):
    def logits(self, window: Tensor) -> Tensor:  # type: ignore[override]
        """Return the logits (B, T, V) of symbols, each after the most likely ones before it."""
        logits: list[Tensor] = []

        def most_likely(scores: Tensor) -> Tensor:
            logits.append(scores)
            return greedy(scores)

        self.network(window, most_likely)
        return torch.stack(logits, dim=1)


class _Receiver(_Playing):
    def __init__(self, network: nn.Module, vocab_size: int) -> None:
        super().__init__(network)
        self.vocab_size = vocab_size

    def logits(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:  # type: ignore[override]
        """Return the logits (B, C) of candidates."""
        logits: Tensor = self.network(one_hot(message, self.vocab_size), sequence, candidates)
        return logits


def pair_from_network(
    network: PairNetwork, game: GameConfig, agent: AgentConfig, card: dict[str, Any] | None = None
) -> Pair:
    """Return a network, in or after training, as a pair that plays."""
    sends, chooses = _Sender(network.sender), _Receiver(network.receiver, game.vocab_size)
    sender = TrainedSender(sends, game, agent, sends.batch)
    receiver = TrainedReceiver(chooses, game, agent, chooses.batch)
    return Pair(sender, receiver, game, agent, hash_weights(network.state_dict()), card or {})


def pair_from_weights(weights: Weights, card: dict[str, Any], device: str = "cpu") -> Pair:
    """Return a pair that plays in torch on a device."""
    network = new_pair(weights.game, weights.agent)
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
