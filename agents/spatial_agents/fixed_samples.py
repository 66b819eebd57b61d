"""A fixed set of episodes to train on, as the paper has it, instead of fresh ones in every step."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from spatial_agents.device_episodes import DeviceEpisodes, draw_device_episodes
from spatial_game.config import GameConfig
from spatial_game.seeds import stream

_CHUNK = 4096  # drawn at a time


class FixedSamples:
    """Episodes drawn once from the stream "samples" of a seed; each pass goes through all, shuffled anew.

    Which episodes a step has follows from the seed and the step, so nothing of it needs to be stored.
    """

    def __init__(self, config: GameConfig, count: int, seed: int, device: torch.device) -> None:
        self.count, self.seed, self.device = count, seed, device
        generator = self._generator()
        parts = [
            draw_device_episodes(config, min(_CHUNK, count - start), generator)
            for start in range(0, count, _CHUNK)
        ]
        small = torch.int16 if len(config.integers) < 2**15 else torch.int32
        self.columns = [torch.cat(column).to(small) for column in zip(*parts, strict=True)]
        self._order: tuple[int, Tensor] | None = None

    def batch(self, step: int, size: int) -> DeviceEpisodes:
        """The episodes of a step, counted from 0."""
        rows, start, end = [], step * size, (step + 1) * size
        while start < end:
            round_, place = divmod(start, self.count)
            rows.append(self._shuffled(round_)[place : place + end - start])
            start += len(rows[-1])
        chosen = torch.cat(rows)
        return DeviceEpisodes(*(column[chosen].to(torch.int64) for column in self.columns))

    def _shuffled(self, round_: int) -> Tensor:
        """The order of a pass through all."""
        if self._order is None or self._order[0] != round_:
            order = torch.randperm(self.count, generator=self._generator(round_), device=self.device)
            self._order = round_, order
        return self._order[1]

    def _generator(self, *key: int) -> torch.Generator:
        seeds = stream(self.seed, "samples")
        seeds = np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *key))
        return torch.Generator(self.device).manual_seed(
            int(seeds.generate_state(1, np.uint64)[0] >> np.uint64(1))
        )
