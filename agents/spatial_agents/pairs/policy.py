"""A trained pair as a sender and a receiver that play greedily, with NumPy arrays in and out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks.gru import PairNetwork, ReceiverNetwork, SenderNetwork, empty_pair
from spatial_agents.networks.symbols import greedy, nothing_after_end, one_hot
from spatial_agents.pairs.card import read_json
from spatial_agents.pairs.names import weights_path
from spatial_agents.pairs.tensor_files import hash_weights, read_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray

CHUNK = {"cpu": 512, "cuda": 16384}
"""Episodes that go through the networks at a time. It bounds memory, and fits into the cache of a CPU."""


class TrainedSender:
    """A sender network that always sends the most likely symbol."""

    def __init__(self, network: SenderNetwork, game: GameConfig, agent: AgentConfig) -> None:
        self.network, self.config, self.agent = network, game, agent

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W). Raises `ValueError` for what is not of the game."""
        window = _checked("window", window, self.config.window_size)
        _check_integers("window", window, MASK, self.config, self.agent)
        return _in_chunks(self._send, self.network, window)

    def _send(self, window: Tensor) -> Tensor:
        return self.network(window, greedy).argmax(dim=2)


class TrainedReceiver:
    """A receiver network that always chooses the most likely candidate."""

    def __init__(self, network: ReceiverNetwork, game: GameConfig, agent: AgentConfig) -> None:
        self.network, self.config, self.agent = network, game, agent

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, any) and candidates (B, any).

        Raises `ValueError` for arrays that cannot be of the game.
        """
        messages = _checked("messages", messages, self.config.message_length)
        _check_range("messages", messages, 0, self.config.vocab_size - 1)
        sequence, candidates = _checked("sequence", sequence), _checked("candidates", candidates)
        for name, array in (("sequence", sequence), ("candidates", candidates)):
            if len(array) != len(messages):
                raise ValueError(f"{name} must have a row a message, {len(messages)}; got {len(array)}")
            _check_integers(name, array, 0, self.config, self.agent)
        return _in_chunks(self._choose, self.network, messages, sequence, candidates)

    def _choose(self, messages: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        if self.agent.end_symbol:
            messages = nothing_after_end(messages)
        said = one_hot(messages, self.config.vocab_size)
        return self.network(said, sequence, candidates).argmax(dim=1)


@dataclass(frozen=True)
class Pair:
    """A sender and a receiver that were trained together."""

    sender: TrainedSender
    receiver: TrainedReceiver
    config: GameConfig
    agent: AgentConfig
    weights_hash: str
    card: dict[str, Any] = field(default_factory=dict)

    def require_playable(self, config: GameConfig) -> None:
        """Raise `ValueError` unless the pair can play this game. The sequence length is free."""
        fault = self.config.incompatibility(config, embedding=self.agent.inputs != "scalars")
        if fault is not None:
            raise ValueError(f"config must suit the pair: {fault}")


def pair_from_network(
    network: PairNetwork, game: GameConfig, agent: AgentConfig, card: dict[str, Any] | None = None
) -> Pair:
    """Return a network, in or after training, as a pair that plays."""
    sender = TrainedSender(network.sender, game, agent)
    receiver = TrainedReceiver(network.receiver, game, agent)
    return Pair(sender, receiver, game, agent, hash_weights(network.state_dict()), card or {})


def load_pair(name_or_path: str | Path, index: int = 0, device: str = "cpu") -> Pair:
    """Return a trained pair by its bundled name, its run folder or its weights file.

    `index` chooses one of several pairs of a name or run; "embed-60/3" is index 3 of that name. Raises
    `ValueError` for an unknown name, with the known names, and for a file that is not whole and consistent.
    """
    on = resolve_device(device)
    path = weights_path(str(name_or_path), index)
    weights = read_weights(path)
    card_path = path.parent / "card.json" if path.name == "pair.safetensors" else path.with_suffix(".json")
    card = read_json(card_path) if card_path.is_file() else {"provenance": weights.provenance}
    network = empty_pair(weights.game, weights.agent).to_empty(device="cpu")
    network.load_state_dict(weights.tensors)
    return pair_from_network(network.eval().to(on), weights.game, weights.agent, card)


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


def _in_chunks(function: Any, network: torch.nn.Module, *arrays: IntArray) -> IntArray:
    device = next(network.parameters()).device
    choices = []
    with torch.inference_mode():
        size = CHUNK[device.type]
        for start in range(0, max(len(arrays[0]), 1), size):
            rows = [torch.from_numpy(array[start : start + size]).to(device) for array in arrays]
            choices.append(function(*rows).to(torch.int16).cpu().numpy())
    return np.concatenate(choices)


def _checked(name: str, array: Any, columns: int | None = None) -> IntArray:
    array = np.asarray(array)
    if array.ndim != 2 or (columns is not None and array.shape[1] != columns):
        raise ValueError(f"{name} must have shape (B, {columns or 'any'}); got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers; got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _check_integers(name: str, array: IntArray, lowest: int, game: GameConfig, agent: AgentConfig) -> None:
    """Require integers that are looked up to be in the table; scalars can be any integer."""
    if agent.inputs != "scalars":
        _check_range(name, array, lowest, len(game.integers) - 1)


def _check_range(name: str, array: IntArray, lowest: int, highest: int) -> None:
    if array.size and (array.min() < lowest or array.max() > highest):
        value = array.min() if array.min() < lowest else array.max()
        raise ValueError(f"{name} must be in {lowest}..{highest}; got {value}")
