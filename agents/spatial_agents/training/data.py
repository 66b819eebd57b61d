"""Episodes drawn by torch, on the device where the networks train.

For the same keys these are the episodes of `spatial_game.game.episodes`. torch sorts signed integers only, so
a key here is the unsigned key of `draw_keys` with its top bit flipped, which keeps the order.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK


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
    """Draw signed keys (B, num_integers + L + 1), uniform over int32 (over int64 beyond 256 integers)."""
    width = len(config.integers) + config.sequence_length + 1
    dtype = torch.int32 if len(config.integers) <= 256 else torch.int64
    keys = torch.empty((num_episodes, width), dtype=dtype, device=generator.device)
    return keys.random_(torch.iinfo(dtype).min, None, generator=generator)


def device_episodes_from_keys(config: GameConfig, keys: Tensor) -> DeviceEpisodes:
    """Return the episodes that keys from `draw_device_keys` stand for, one for each row."""
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
    """Return, for each row, the `count` columns with the lowest keys, in order; low bits hold the column."""
    columns = keys.shape[1]
    low_bits = (1 << max(columns - 1, 1).bit_length()) - 1
    tagged = (keys & ~low_bits) | torch.arange(columns, dtype=keys.dtype, device=keys.device)
    if count * 4 < columns:
        return (tagged.topk(count, dim=1, largest=False).values & low_bits).to(torch.int64)
    return (tagged.sort(dim=1).values[:, :count] & low_bits).to(torch.int64)


def _scaled(keys: Tensor, size: int) -> Tensor:
    """Return the upper 32 bits of the keys, scaled to 0..size-1."""
    upper = keys.to(torch.int64) >> (8 * keys.element_size() - 32)
    return ((upper + 2**31) * size) >> 32
