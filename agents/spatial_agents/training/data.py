"""Episodes drawn by torch, on the device where the networks train.

For the same keys these are the episodes of `spatial_game.game.episodes`. torch sorts signed integers only, so
a key here is the unsigned key of `draw_keys` with its top bit flipped, which keeps the order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, key_counts
from spatial_game.game.windows import window_tables

UNUSED = -1
"""The target index of an episode that does not count."""


class DeviceEpisodes(NamedTuple):
    """The fields of `spatial_game.game.episodes.Episodes` as int64 tensors on one device.

    Several episodes may share a sequence and its candidates, which then have fewer rows.
    """

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
    """Draw signed keys (B, sum of `key_counts`), uniform over int32 (over int64 beyond 256 integers)."""
    return _draw(num_episodes, sum(key_counts(config)), config, generator)


def _draw(rows: int, columns: int, config: GameConfig, generator: torch.Generator) -> Tensor:
    dtype = torch.int32 if len(config.integers) <= 256 else torch.int64
    keys = torch.empty((rows, columns), dtype=dtype, device=generator.device)
    return keys.random_(torch.iinfo(dtype).min, None, generator=generator)


def device_episodes_from_keys(config: GameConfig, keys: Tensor) -> DeviceEpisodes:
    """Return the episodes that keys from `draw_device_keys` stand for, one for each row."""
    integers, cells, target, others = keys.split(key_counts(config), dim=1)
    sequence = _first(config.sequence_length, integers)
    positions = _first(config.num_candidates, cells)
    target_index = _scaled(target[:, 0], config.num_candidates)
    target_position = positions.gather(1, target_index[:, None])[:, 0]
    first_cell, places, mask_of_cell = _window_tables(config, keys.device)
    mask_column = mask_of_cell[target_position]
    window = sequence.gather(1, first_cell[target_position][:, None] + places)
    window.scatter_(1, mask_column[:, None], MASK)
    if config.num_hidden:
        _hide(window, mask_column, others, config)
    candidates = sequence.gather(1, positions)
    return DeviceEpisodes(sequence, target_position, window, mask_column, candidates, target_index)


def draw_every_target(config: GameConfig, num_sequences: int, generator: torch.Generator) -> DeviceEpisodes:
    """Draw sequences, each with an episode for every cell as the target; all cells are its candidates.

    The episodes of a sequence stand in a row. `sequence` and `candidates`, (num_sequences, L), are the same.
    """
    keys = _draw(num_sequences, len(config.integers), config, generator)
    sequence = _first(config.sequence_length, keys)
    first_cell, places, mask_of_cell = _window_tables(config, generator.device)
    target = torch.arange(config.sequence_length, device=generator.device).repeat(num_sequences)
    mask_column = mask_of_cell[target]
    window = sequence[:, first_cell[:, None] + places].flatten(0, 1)
    window.scatter_(1, mask_column[:, None], MASK)
    if config.num_hidden:
        _hide(window, mask_column, _draw(len(window), config.window_size - 1, config, generator), config)
    return DeviceEpisodes(sequence, target, window, mask_column, sequence, target)


def _hide(window: Tensor, mask_column: Tensor, keys: Tensor, config: GameConfig) -> None:
    hidden = _first(config.num_hidden, keys)
    window.scatter_(1, hidden + (hidden >= mask_column[:, None]), HIDDEN)


@lru_cache(maxsize=64)
def _window_tables(config: GameConfig, device: torch.device) -> list[Tensor]:
    return [torch.tensor(table, device=device) for table in window_tables(config)]


def _first(count: int, keys: Tensor) -> Tensor:
    """Return, for each row, the `count` columns with the lowest keys, in order; low bits hold the column."""
    columns = keys.shape[1]
    low_bits = (1 << (columns - 1).bit_length()) - 1
    tagged = (keys & ~low_bits) | torch.arange(columns, dtype=keys.dtype, device=keys.device)
    if count * 4 < columns:
        return (tagged.topk(count, dim=1, largest=False).values & low_bits).to(torch.int64)
    return (tagged.sort(dim=1).values[:, :count] & low_bits).to(torch.int64)


def _scaled(keys: Tensor, size: int) -> Tensor:
    """Return the upper 32 bits of the keys, scaled to 0..size-1."""
    upper = keys.to(torch.int64) >> (8 * keys.element_size() - 32)
    return ((upper + 2**31) * size) >> 32
