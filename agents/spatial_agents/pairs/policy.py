"""A trained pair as an ordinary sender and receiver: numpy in, numpy out, greedy, in batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks.gru import PairNetwork, ReceiverNetwork, SenderNetwork, empty_pair
from spatial_agents.networks.symbols import greedy, nothing_after_end, one_hot
from spatial_agents.pairs.bundled import PRETRAINED, pair_names
from spatial_agents.pairs.card import numbered_pairs, read_card
from spatial_agents.pairs.checkpoint import Weights, hash_weights, read_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray

CHUNK = {"cpu": 512, "cuda": 16384}
"""Episodes that go through the networks at a time: bounds memory, and on a CPU stays in its cache."""


class TrainedSender:
    """A sender network that always says the most likely symbol."""

    def __init__(self, network: SenderNetwork, game: GameConfig, agent: AgentConfig) -> None:
        self.network, self.config, self.agent = network, game, agent

    def send(self, window: IntArray) -> IntArray:
        """Windows (B, W) to messages (B, T)."""
        return _in_chunks(self._send, self.network, self.checked(window))

    def checked(self, window: IntArray) -> IntArray:
        """The windows as int64. Raises `ValueError` if they cannot be of the game."""
        window = _checked("window", window, self.config.window_size)
        _check_integers("window", window, MASK, self.config, self.agent)
        return window

    def _send(self, window: Tensor) -> Tensor:
        return self.network(window, greedy).argmax(dim=2)


class TrainedReceiver:
    """A receiver network that always picks the candidate it thinks most likely."""

    def __init__(self, network: ReceiverNetwork, game: GameConfig, agent: AgentConfig) -> None:
        self.network, self.config, self.agent = network, game, agent

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Messages (B, T), sequences (B, any length) and candidates (B, any number) to choices (B,)."""
        return _in_chunks(self._choose, self.network, *self.checked(messages, sequence, candidates))

    def checked(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> tuple[IntArray, ...]:
        """The arrays as int64. Raises `ValueError` if they cannot be of the game."""
        messages = _checked("messages", messages, self.config.message_length)
        _check_range("messages", messages, 0, self.config.vocab_size - 1)
        sequence, candidates = _checked("sequence", sequence), _checked("candidates", candidates)
        for name, array in (("sequence", sequence), ("candidates", candidates)):
            if len(array) != len(messages):
                raise ValueError(f"{name} must have a row a message, {len(messages)}; got {len(array)}")
            _check_integers(name, array, 0, self.config, self.agent)
        return messages, sequence, candidates

    def _choose(self, messages: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        if self.agent.end_symbol:
            messages = nothing_after_end(messages)
        said = one_hot(messages, self.config.vocab_size)
        return self.network(said, sequence, candidates).argmax(dim=1)


@dataclass(frozen=True)
class Pair:
    """A sender and a receiver that learned to speak to each other."""

    sender: TrainedSender
    receiver: TrainedReceiver
    config: GameConfig
    agent: AgentConfig
    weights_hash: str
    card: dict[str, Any] = field(default_factory=dict)

    def require_playable(self, config: GameConfig) -> None:
        """Raise `ValueError` unless the pair can play this game; other sequence lengths it can."""
        fault = self.config.incompatibility(config, embedding=self.agent.inputs != "scalars")
        if fault is not None:
            raise ValueError(f"config must suit the pair: {fault}")


def pair_from_network(network: PairNetwork, game: GameConfig, agent: AgentConfig) -> Pair:
    """A network, in or after training, as a pair that plays."""
    return Pair(
        TrainedSender(network.sender, game, agent),
        TrainedReceiver(network.receiver, game, agent),
        game,
        agent,
        hash_weights(network.state_dict()),
    )


def load_pair(name_or_path: str | Path, index: int = 0, device: str = "cpu") -> Pair:
    """A trained pair by its bundled name, its run folder or its weights file.

    `index` tells which, where a name or a run has several; "embed-60/3" is index 3 of that name.
    Raises `ValueError` for an unknown name, listing the names, and for a file that is not whole and
    consistent.
    """
    on = resolve_device(device)
    path = _weights_path(str(name_or_path), index)
    weights = read_weights(path)
    network = network_from_weights(weights).to(on)
    card = path.parent / "card.json" if path.name == "pair.safetensors" else path.with_suffix(".json")
    return Pair(
        TrainedSender(network.sender, weights.game, weights.agent),
        TrainedReceiver(network.receiver, weights.game, weights.agent),
        weights.game,
        weights.agent,
        hash_weights(weights.tensors),
        read_card(card) if card.is_file() else {"provenance": weights.provenance},
    )


def network_from_weights(weights: Weights) -> PairNetwork:
    """The networks that hold these weights, on the CPU."""
    network = empty_pair(weights.game, weights.agent).to_empty(device="cpu")
    network.load_state_dict(weights.tensors)
    return network.eval()


def resolve_device(device: str) -> torch.device:
    """The torch device of "auto", "cpu", "cuda" or "cuda:N". Raises `ValueError` if it is not there."""
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


def _weights_path(name: str, index: int) -> Path:
    if index < 0:
        raise ValueError(f"index must be at least 0; got {index}")
    base, _, number = name.rpartition("/")
    if base in pair_names() and number.isdigit() and not Path(name).exists():
        name, index = base, int(number)
    bundled = name in pair_names()
    folder = PRETRAINED / name if bundled else Path(name)
    if folder.is_file():
        return folder
    if not folder.is_dir():
        names = ", ".join(pair_names()) or "none"
        raise ValueError(f"pair must be a bundled name ({names}), a run folder or a weights file; got {name}")
    return _weights_in(folder, index, bundled)


def _weights_in(folder: Path, index: int, bundled: bool) -> Path:
    by_number = {0: folder / "pair.safetensors"}
    if bundled or not by_number[0].is_file():
        by_number = numbered_pairs(folder)
    own = folder / f"{index:02d}"
    begun, waiting = (own, index not in by_number) if own.is_dir() else (folder, not by_number)
    if waiting and (begun / "config.json").is_file():
        raise ValueError(f"{begun}: the run must be finished; continue it with --resume {folder}")
    if not by_number:
        raise ValueError(f"{folder}: a run folder must hold pair.safetensors; got none")
    if index > max(by_number):
        number = max(by_number) + 1
        raise ValueError(f"index must be less than {number}, the pairs of {folder.name}; got {index}")
    if index not in by_number:
        there = ", ".join(str(number) for number in by_number)
        raise ValueError(f"index must be that of a pair of {folder.name}, {there}; got {index}")
    return by_number[index]


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
    """Looked-up integers must be in the table; as scalars any will do."""
    if agent.inputs != "scalars":
        _check_range(name, array, lowest, len(game.integers) - 1)


def _check_range(name: str, array: IntArray, lowest: int, highest: int) -> None:
    if array.size and (array.min() < lowest or array.max() > highest):
        value = array.min() if array.min() < lowest else array.max()
        raise ValueError(f"{name} must be in {lowest}..{highest}; got {value}")
