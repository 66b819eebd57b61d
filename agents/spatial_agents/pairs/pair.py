"""A trained pair, loaded by its name: a sender and a receiver that play greedily, with NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from spatial_agents.network_config import NetworkConfig
from spatial_agents.numpy_networks import Array, networks_of
from spatial_agents.pairs.names import PairFiles, find_pair
from spatial_agents.pairs.weights import as_arrays, hash_weights, read_card, read_weights
from spatial_game.checks import check_integers, within
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import SCRIPTED, Agents
from spatial_game.game.rules import lowest_in_window
from spatial_game.threads import one_thread

BATCH = 512
"""Episodes that go through a network at a time, so that they fit into the cache of a CPU."""


@dataclass(frozen=True)
class TrainedPair(Agents):
    """A sender and a receiver that were trained together, with networks of any kind."""

    weights_hash: str = field(kw_only=True)
    files: PairFiles | None = field(default=None, kw_only=True)
    """The files that it was loaded from."""

    @property
    def identity(self) -> dict[str, Any]:
        """The name, the index and the hash of the pair, for the provenance of recordings."""
        if self.files is None:
            return super().identity
        named = {"name": self.files.name, "index": self.files.index}
        return {"policy": "pair", **named, "weights_hash": self.weights_hash}

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the pair, which nobody may overwrite."""
        return (self.files.weights, self.files.card) if self.files else ()

    @property
    def dictionary_file(self) -> Path | None:
        """The dictionary of the pair, if it has one."""
        return self.files.dictionary if self.files else None


@dataclass(frozen=True)
class Pair(TrainedPair):
    """A trained pair of the package's own networks, which plays in NumPy."""

    sender: TrainedSender
    receiver: TrainedReceiver
    network_config: NetworkConfig

    def incompatibility(self, config: GameConfig) -> str | None:
        """Return why the pair cannot play this game; None if it can. The sequence length is free."""
        return self.sender.incompatibility(config)


def load_pair(name_or_path: str | Path) -> Pair:
    """Return a trained pair by its bundled name, its run folder or its weights file.

    "embed-60/3" is the pair with index 3 of that name or run; without a number, it is index 0. Raises
    `ValueError` for an unknown name, with the known names, and for a file that is not whole and consistent.
    """
    if name_or_path in SCRIPTED:
        raise UserError(f'load_pair loads trained pairs; call load_agents("{name_or_path}")')
    return read_pair(find_pair(str(name_or_path), "name_or_path"))


def read_pair(files: PairFiles) -> Pair:
    """Return the trained pair in these files. Raises `ValueError` unless they are whole and consistent."""
    weights = read_weights(files.weights)
    if weights.network_config is None:
        raise UserError(
            f"{files.weights}: networks of your own must be loaded with spatial_agents.torch_pair."
            "load_torch_pair, in Python or in a function that you name as module:function"
        )
    with within(str(files.weights)):
        pair = pair_from_weights(weights.tensors, weights.config, weights.network_config)
    has_card = files.card.is_file()
    card = read_card(files.card, pair.weights_hash) if has_card else {"provenance": weights.provenance}
    return replace(pair, card=card, files=files)


def pair_from_weights(tensors: Mapping[str, Any], config: GameConfig, network_config: NetworkConfig) -> Pair:
    """Return the pair with these weights: NumPy arrays, or the `state_dict` of a `PairNetwork`.

    Raises `ValueError` for weights of other networks.
    """
    arrays = as_arrays(tensors)
    new_sender, new_receiver = networks_of(network_config)
    sender_weights, receiver_weights = (
        {name.removeprefix(f"{role}."): array for name, array in arrays.items() if name.startswith(role)}
        for role in ("sender", "receiver")
    )
    try:
        configs = config, network_config
        sender = TrainedSender(new_sender(*configs, sender_weights), *configs)
        receiver = TrainedReceiver(new_receiver(*configs, receiver_weights), *configs)
    except (KeyError, ValueError) as error:  # a name that is not there, or shapes that do not fit
        fault = f"{error} is missing" if isinstance(error, KeyError) else error
        raise UserError(f"weights must be those of the networks of both configs; {fault}") from None
    return Pair(sender, receiver, config, network_config, weights_hash=hash_weights(arrays))


# --- The two agents -----------------------------------------------------------------------------------------


class TrainedPolicy:
    """What the sender and the receiver of a trained pair have in common: a network, and its configs."""

    def __init__(
        self, network: Callable[..., Array], config: GameConfig, network_config: NetworkConfig
    ) -> None:
        """Take a network of `spatial_agents.numpy_networks`, and the configs that it was made with."""
        self.network, self.config, self.network_config = network, config, network_config

    def incompatibility(self, config: GameConfig) -> str | None:
        """Return why it cannot play this game; None if it can."""
        return self.config.incompatibility(config, embedding=self.network_config.inputs != "scalars")

    def _play(self, *arrays: IntArray) -> Array:
        """Return the logits of the network, a batch at a time."""
        starts = range(0, max(len(arrays[0]), 1), BATCH)
        with one_thread():
            return np.concatenate([self.network(*(array[i : i + BATCH] for array in arrays)) for i in starts])

    def _checked(self, name: str, array: Any, shape: tuple[int | None, ...], lowest: int = 0) -> IntArray:
        """Return integers of sequences as int64. Raises `ValueError` for those that no table has."""
        bound = 1 << 63 if self.network_config.inputs == "scalars" else self.config.num_integers
        return _as_int64(check_integers(name, array, shape, bound, low=lowest))


class TrainedSender(TrainedPolicy):
    """A sender that always sends the most likely symbol."""

    fixed = True

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self.logits(window).argmax(axis=2).astype(np.int16)

    def logits(self, window: IntArray) -> Array:
        """Return logits (B, T, V) of the symbols, each after the most likely ones before it.

        Raises `ValueError` if the windows cannot be of the game.
        """
        shape = (None, self.config.window_size)
        return self._play(self._checked("window", window, shape, lowest_in_window(self.config)))


class TrainedReceiver(TrainedPolicy):
    """A receiver that always chooses the most likely candidate."""

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, any) and candidates (B, any)."""
        return self.logits(messages, sequence, candidates).argmax(axis=1).astype(np.int16)

    def logits(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return logits (B, any) of the candidates.

        Raises `ValueError` if the arrays cannot be of the game.
        """
        shape = (None, self.config.message_length)
        messages = _as_int64(check_integers("messages", messages, shape, self.config.vocab_size))
        sequence = self._checked("sequence", sequence, (len(messages), None))
        candidates = self._checked("candidates", candidates, (len(messages), None))
        if self.network_config.network != "sequential":
            self._require_standing(sequence, candidates)
        return self._play(messages, sequence, candidates)

    def _require_standing(self, sequence: IntArray, candidates: IntArray) -> None:
        """Raise `ValueError` unless sequences fill the grid, and candidates stand in them."""
        length = self.config.sequence_length
        if len(self.config.shape) > 1 and sequence.shape[1] != length:
            raise UserError(f"sequence must have shape (B, {length}); got {sequence.shape}")
        outside = candidates[(candidates[:, :, None] != sequence[:, None]).all(axis=2)]
        if outside.size:
            raise UserError(f"candidates must be integers of the sequence; got {outside[0]}")


def _as_int64(array: IntArray) -> IntArray:
    return np.ascontiguousarray(array, dtype=np.int64)
