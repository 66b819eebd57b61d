"""The episodes of training, drawn by torch on the device where the networks train.

For the same keys these are the episodes of `spatial_game.game.episodes`. torch sorts signed integers only, so
a key here is the unsigned key of `draw_keys` with its top bit flipped, which keeps the order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from spatial_agents.recipes import TrainOptions
from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, row_layout
from spatial_game.game.held_out import HeldOut, held_out
from spatial_game.game.seeds import stream
from spatial_game.game.windows import window_tables

UNUSED = -1
"""The target index of an episode that does not count."""

_CHUNK = 4096  # fixed samples drawn at a time
_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows from which a share is estimated


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


def torch_seed(seed: int, name: str, *key: int) -> int:
    """Return the number that seeds torch for a random stream of a root seed (`spatial_game.game.seeds`)."""
    return int(stream(seed, name, *key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def torch_generator(seed: int, name: str, *key: int, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a generator on a device, seeded by a stream of a root seed."""
    return torch.Generator(device).manual_seed(torch_seed(seed, name, *key))


# --- What a step trains on ----------------------------------------------------------------------------------


class TrainingEpisodes:
    """Draws the episodes of a training: fresh, fixed, or fresh without held-out combinations."""

    def __init__(self, options: TrainOptions, device: torch.device) -> None:
        recipe, game = options.recipe, options.game
        self.every_target, self.sequences = recipe.settings.every_target, recipe.sequences(game)
        self.generator = torch_generator(options.seed, "training", device=device)
        count = recipe.fixed_samples
        self.fixed = FixedSamples(game, count, options.seed, device) if count else None
        held = held_out(game, recipe.hold_out, options.seed) if recipe.hold_out else None
        self.allowed = Allowed(held, device) if held else None

    def draw(self, game: GameConfig, step: int) -> DeviceEpisodes:
        """Return the episodes of a step, counted from 0, in the game of that step."""
        if self.fixed is not None:
            return self.fixed.batch(step, self.sequences)
        if self.every_target:
            episodes = draw_every_target(game, self.sequences, self.generator)
            return episodes if self.allowed is None else self.allowed.without_the_others(episodes)
        if self.allowed is not None:
            return self.allowed.draw(game, self.sequences, self.generator)
        return draw_device_episodes(game, self.sequences, self.generator)


class FixedSamples:
    """Episodes drawn once from the stream "samples" of a seed; each pass goes through all in a new order.

    The seed and the step determine the episodes of a step, so a checkpoint does not store them.
    """

    def __init__(self, config: GameConfig, count: int, seed: int, device: torch.device) -> None:
        self.count, self.seed, self.device = count, seed, device
        generator = torch_generator(seed, "samples", device=device)
        parts = [
            draw_device_episodes(config, min(_CHUNK, count - start), generator)
            for start in range(0, count, _CHUNK)
        ]
        small = torch.int16 if config.num_integers < 2**15 else torch.int32
        self.columns = [torch.cat(column).to(small) for column in zip(*parts, strict=True)]
        self._order: tuple[int, Tensor] | None = None

    def batch(self, step: int, size: int) -> DeviceEpisodes:
        """Return the episodes of a step, counted from 0."""
        rows, start, end = [], step * size, (step + 1) * size
        while start < end:
            number, place = divmod(start, self.count)
            rows.append(self._order_of_pass(number)[place : place + end - start])
            start += len(rows[-1])
        chosen = torch.cat(rows)
        return DeviceEpisodes(*(column[chosen].to(torch.int64) for column in self.columns))

    def _order_of_pass(self, number: int) -> Tensor:
        if self._order is None or self._order[0] != number:
            generator = torch_generator(self.seed, "samples", number, device=self.device)
            self._order = number, torch.randperm(self.count, generator=generator, device=self.device)
        return self._order[1]


class Allowed:
    """Draws episodes whose windows show no held-out combination.

    Raises `ValueError` when less than 1 in 50 windows is allowed.
    """

    def __init__(self, held: HeldOut, device: torch.device) -> None:
        self.table = torch.from_numpy(held.by_mask_column).to(device)  # (W, W, integers)
        sampled = draw_device_episodes(held.config, _SAMPLED, torch.Generator(device).manual_seed(0))
        self.share = 1 - float(self.shows(sampled).double().mean())
        if self.share < _LEAST_SHARE:
            raise ValueError(
                f"hold_out must leave at least {_LEAST_SHARE:.0%} of the windows for training; got one that "
                f"leaves {self.share:.2%}"
            )

    def draw(self, config: GameConfig, num_episodes: int, generator: torch.Generator) -> DeviceEpisodes:
        """Draw episodes of `config`, whose integers and windows are those of the held-out game."""
        batches, missing = list[DeviceEpisodes](), num_episodes
        while missing > 0:
            episodes = draw_device_episodes(config, int(missing / self.share) + 64, generator)
            rows = (~self.shows(episodes)).nonzero()[:missing, 0]
            batches.append(DeviceEpisodes(*(field[rows] for field in episodes)))
            missing -= len(rows)
        return DeviceEpisodes(*(torch.cat(fields) for fields in zip(*batches, strict=True)))

    def without_the_others(self, episodes: DeviceEpisodes) -> DeviceEpisodes:
        """Return the episodes; held-out ones get UNUSED targets and windows without integers."""
        shows = self.shows(episodes)
        window = episodes.window.masked_fill(shows.unsqueeze(1), MASK)
        return episodes._replace(window=window, target_index=episodes.target_index.masked_fill(shows, UNUSED))

    def shows(self, episodes: DeviceEpisodes) -> Tensor:
        """Return whether each window shows a held-out combination, (B,)."""
        cells = torch.arange(episodes.window.shape[1], device=episodes.window.device)
        shown = self.table[episodes.mask_column[:, None], cells, episodes.window.clamp(min=0)]
        return (shown & (episodes.window >= 0)).any(dim=1)


# --- Drawing ------------------------------------------------------------------------------------------------


def draw_device_episodes(config: GameConfig, num_episodes: int, generator: torch.Generator) -> DeviceEpisodes:
    """Draw independent episodes on the generator's device."""
    return device_episodes_from_keys(config, draw_device_keys(config, num_episodes, generator))


def draw_device_keys(config: GameConfig, num_episodes: int, generator: torch.Generator) -> Tensor:
    """Draw signed keys (B, keys of `row_layout`), uniform over the signed type of the same size."""
    return _draw(num_episodes, sum(row_layout(config).key_counts), config, generator)


def _draw(rows: int, columns: int, config: GameConfig, generator: torch.Generator) -> Tensor:
    dtype = torch.int32 if row_layout(config).key_type.itemsize == 4 else torch.int64
    keys = torch.empty((rows, columns), dtype=dtype, device=generator.device)
    return keys.random_(torch.iinfo(dtype).min, None, generator=generator)


def device_episodes_from_keys(config: GameConfig, keys: Tensor) -> DeviceEpisodes:
    """Return the episodes that keys from `draw_device_keys` stand for, one for each row."""
    integers, cells, target, others = keys.split(row_layout(config).key_counts, dim=1)
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
    keys = _draw(num_sequences, config.num_integers, config, generator)
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
