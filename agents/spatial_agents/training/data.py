"""Fresh episodes drawn where the networks train: the torch form of `spatial_game.game.episodes`.

Given the same keys it makes the same episodes. torch sorts signed integers only, so a key here is the
unsigned key of `draw_keys` with its top bit flipped, which keeps the order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK
from spatial_game.game.held_out import HeldOut
from spatial_game.game.seeds import stream

_CHUNK = 4096  # fixed samples drawn at a time

_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows by which a share is estimated; fewer, where they are made of very many integers


class DeviceEpisodes(NamedTuple):
    """The fields of `spatial_game.game.episodes.Episodes` as int64 tensors on one device."""

    sequence: Tensor  # (B, L)
    target_position: Tensor  # (B,)
    window: Tensor  # (B, W)
    mask_column: Tensor  # (B,)
    candidates: Tensor  # (B, C)
    target_index: Tensor  # (B,)


def draw_device_episodes(config: GameConfig, num_episodes: int, generator: torch.Generator) -> DeviceEpisodes:
    """Draw independent episodes on the generator's device."""
    return device_episodes_from_keys(config, draw_device_keys(config, num_episodes, generator))


def draw_device_keys(config: GameConfig, num_episodes: int, generator: torch.Generator) -> Tensor:
    """Signed keys (B, num_integers + L + 1), uniform over int32 (int64 beyond 256 integers)."""
    width = len(config.integers) + config.sequence_length + 1
    dtype = torch.int32 if len(config.integers) <= 256 else torch.int64
    keys = torch.empty((num_episodes, width), dtype=dtype, device=generator.device)
    return keys.random_(torch.iinfo(dtype).min, None, generator=generator)


def device_episodes_from_keys(config: GameConfig, keys: Tensor) -> DeviceEpisodes:
    """The episodes that the rows of `draw_device_keys` stand for."""
    num_integers, length, radius = len(config.integers), config.sequence_length, config.window_radius
    sequence = _first(length, keys[:, :num_integers])
    positions = _first(config.num_candidates, keys[:, num_integers:-1])
    target_index = _scaled(keys[:, -1], config.num_candidates)
    target_position = positions.gather(1, target_index[:, None])[:, 0]
    start = (target_position - radius).clamp(0, length - config.window_size)
    mask_column = target_position - start
    columns = start[:, None] + torch.arange(config.window_size, device=keys.device)
    window = sequence.gather(1, columns).scatter(1, mask_column[:, None], MASK)
    candidates = sequence.gather(1, positions)
    return DeviceEpisodes(sequence, target_position, window, mask_column, candidates, target_index)


def _first(count: int, keys: Tensor) -> Tensor:
    """For each row, the first `count` columns in the order of their keys; the low bits hold the column."""
    columns = keys.shape[1]
    low_bits = (1 << max(columns - 1, 1).bit_length()) - 1
    tagged = (keys & ~low_bits) | torch.arange(columns, dtype=keys.dtype, device=keys.device)
    if count * 4 < columns:
        return (tagged.topk(count, dim=1, largest=False).values & low_bits).to(torch.int64)
    return (tagged.sort(dim=1).values[:, :count] & low_bits).to(torch.int64)


def _scaled(keys: Tensor, size: int) -> Tensor:
    """The keys' upper 32 bits scaled to 0..size-1."""
    upper = keys.to(torch.int64) >> (8 * keys.element_size() - 32)
    return ((upper + 2**31) * size) >> 32


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


class Allowed:
    """Draws episodes whose windows show nothing that is held out.

    More are drawn than are needed, and those that may be used come first: no episode is waited for, so a
    step needs no word from the device. How many more leaves a chance below 1e-9 that too few may be used.

    Raises `ValueError` when less than 1 in 50 windows may be used.
    """

    def __init__(self, held: HeldOut, device: torch.device) -> None:
        self.table = torch.from_numpy(held.by_mask_column).to(device)  # (W, W, integers)
        self.share = least_share(held)
        if self.share < _LEAST_SHARE:
            raise ValueError(
                f"hold_out must leave at least {_LEAST_SHARE:.0%} of the windows for training; got one that "
                f"leaves {self.share:.2%}"
            )

    def draw(self, config: GameConfig, num_episodes: int, generator: torch.Generator) -> DeviceEpisodes:
        """So many episodes of `config`, whose integers and window are those of the held-out game."""
        episodes = draw_device_episodes(config, self.number_to_draw(num_episodes), generator)
        order = self.shows(episodes).to(torch.int8).argsort(stable=True)[:num_episodes]
        return DeviceEpisodes(*(field[order] for field in episodes))

    def shows(self, episodes: DeviceEpisodes) -> Tensor:
        """(B,), whether a window shows any of what is held out."""
        cells = torch.arange(episodes.window.shape[1], device=episodes.window.device)
        shown = self.table[episodes.mask_column[:, None], cells, episodes.window.clamp(min=0)]
        return shown.any(dim=1)

    def number_to_draw(self, num_episodes: int) -> int:
        """As many as leave `num_episodes` allowed ones, but for a chance below 1e-9 (seven deviations)."""
        wanted = num_episodes + 7 * math.sqrt(num_episodes) + 49
        return math.ceil(wanted / self.share)


def least_share(held: HeldOut) -> float:
    """The share of windows that show nothing held out, where the target stands at its worst place for that.

    A lower limit, seven deviations below the estimate from windows of random integers, of which none comes
    twice: so the cells of a window depend on each other, the more the fewer integers there are.
    """
    width, number = held.config.window_size, len(held.config.integers)
    rng = np.random.default_rng(0)
    size = min(_SAMPLED, 4_000_000 // number)
    integers = np.argpartition(rng.random((size, number)), width - 1, axis=1)[:, :width]
    integers = rng.permuted(integers, axis=1)
    shares = []
    for of_mask in held.by_mask_column:  # (W, integers)
        share = 1 - of_mask[np.arange(width), integers].any(axis=1).mean()
        shares.append(share - 7 * math.sqrt(share * (1 - share) / size))
    return max(0.0, float(min(shares)))
