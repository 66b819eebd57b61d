"""Greedy play of several trained pairs abreast, on the same episodes or each on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spatial_agents.networks.gru import PairNetwork, empty_pair, greedy, one_hot
from spatial_agents.networks.stacked import stack_pairs
from spatial_agents.pairs.policy import CHUNK, Pair, nothing_after_end
from spatial_game.game.episodes import IntArray


class ManyPairs:
    """Pairs of one config with GRUs, which play in one batched step; numpy in, numpy out.

    Arrays have a row of pairs first, (P, B, ...); those that all pairs share may leave it out, (B, ...).
    Raises `ValueError` for pairs of different configs or with other cells.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        first = pairs[0]
        for pair in pairs:
            if (pair.config, pair.agent) != (first.config, first.agent):
                raise ValueError(f"pairs must have one config; got {first.config.signature} and others")
        self.config, self.agent, self._first, self.count = first.config, first.agent, first, len(pairs)
        both = [_both(pair) for pair in pairs]
        self.network = stack_pairs(both, self.config, self.agent).eval()
        self.device = next(self.network.parameters()).device

    def send(self, window: IntArray) -> IntArray:
        """Windows (P, B, W) or (B, W) to messages (P, B, T)."""
        [window] = self._checked(self._first.sender.checked, window)
        return self._in_chunks(lambda seen: self.network.sender(seen, greedy).argmax(dim=-1), window)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Messages (P, B, T), sequences and candidates, (P, B, ...) or (B, ...), to choices (P, B)."""

        def choose(said: Tensor, *seen: Tensor) -> Tensor:
            said = nothing_after_end(said) if self.agent.end_symbol else said
            return self.network.receiver(one_hot(said, self.config.vocab_size), *seen).argmax(dim=-1)

        return self._in_chunks(
            choose, *self._checked(self._first.receiver.checked, messages, sequence, candidates)
        )

    def _checked(self, check: Callable[..., Any], *arrays: IntArray) -> list[IntArray]:
        """The arrays, each (P, B, ...), checked as those of one pair with P * B episodes."""
        shared = [np.asarray(array) for array in arrays]
        own = [np.broadcast_to(array, (self.count, *array.shape[-2:])) for array in shared]
        found = check(*(array.reshape(-1, array.shape[2]) for array in own))
        rows = found if isinstance(found, tuple) else (found,)
        return [array.reshape(self.count, -1, array.shape[1]) for array in rows]

    def _in_chunks(self, function: Callable[..., Tensor], *arrays: IntArray) -> IntArray:
        size = max(1, CHUNK[self.device.type] // self.count)
        choices = []
        with torch.inference_mode():
            for start in range(0, max(arrays[0].shape[1], 1), size):
                rows = [torch.from_numpy(array[:, start : start + size]).to(self.device) for array in arrays]
                choices.append(function(*rows).to(torch.int16).cpu().numpy())
        return np.concatenate(choices, axis=1)


def _both(pair: Pair) -> PairNetwork:
    """The networks of a pair as one."""
    network = empty_pair(pair.config, pair.agent)
    network.sender, network.receiver = pair.sender.network, pair.receiver.network
    return network
