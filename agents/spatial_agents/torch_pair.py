"""Pairs that play in torch: those with networks of one's own, and those in training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks import Networks, PairNetwork, greedy, new_networks, one_hot
from spatial_agents.pairs.names import find_pair
from spatial_agents.pairs.pair import BATCH, TrainedPair
from spatial_agents.pairs.weights import hash_weights, read_card, read_weights
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray
from spatial_game.game.policies import Agents


def load_torch_pair(path: str | Path, networks: Networks) -> TrainedPair:
    """Load a pair from its run folder, or its weights file, into new networks of these classes.

    Files name the classes for people only: no code is imported because a file names it. Raises `ValueError`
    for a file that is not whole, and for networks that the weights do not fit.
    """
    files = find_pair(str(path), "path")
    weights = read_weights(files.weights)
    network = new_networks(weights.config, networks)
    try:
        network.load_state_dict({name: torch.from_numpy(a) for name, a in weights.tensors.items()})
    except RuntimeError as error:
        rule = "networks must be those that were trained"
        raise UserError(f"{files.weights}: {rule}; {' '.join(str(error).split())}") from None
    weights_hash = hash_weights(weights.tensors)
    card = read_card(files.card, weights_hash) if files.card.is_file() else {}
    policy = TorchPolicy(network.eval(), weights.config)
    return TrainedPair(policy, policy, weights.config, card=card, weights_hash=weights_hash, files=files)


def torch_pair(network: PairNetwork, config: GameConfig) -> Agents:
    """Return the agents whose networks these are, as they are now: training goes on to change them."""
    policy = TorchPolicy(network, config)
    return Agents(policy, policy, config)


class TorchPolicy:
    """Plays both roles: it sends the likeliest symbols, and chooses the likeliest candidates."""

    def __init__(self, network: PairNetwork, config: GameConfig) -> None:
        self.network, self.config = network, config

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        with torch.no_grad():
            sent = [self.network.sender(rows, greedy).argmax(dim=2) for (rows,) in self._blocks(window)]
        return torch.cat(sent).cpu().numpy()

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        size = self.config.vocab_size
        with torch.no_grad():
            chosen = [
                self.network.receiver(one_hot(heard, size), *others).argmax(dim=1)
                for heard, *others in self._blocks(messages, sequence, candidates)
            ]
        return torch.cat(chosen).cpu().numpy()

    def _blocks(self, *arrays: IntArray) -> Iterator[tuple[Tensor, ...]]:
        """Return the rows of arrays, a number at a time, where the networks are."""
        device = next(self.network.parameters()).device
        columns = (torch.from_numpy(np.asarray(array, np.int64)).to(device) for array in arrays)
        return zip(*(column.split(BATCH) for column in columns), strict=True)
