"""Samplers, which yield the episodes of training, one batch for each step."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import torch

from spatial_agents.pairs.policy import Pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.data import UNUSED, DeviceEpisodes, draw_device_episodes, draw_every_target
from spatial_agents.training.near import nearer
from spatial_agents.training.schedules import one_factor_share
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, Episodes
from spatial_game.game.held_out import HeldOut, held_out

_CHUNK = 4096  # fixed samples drawn at a time
_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows from which a share is estimated; fewer with very many integers


class TrainingSampler:
    """Yields the episodes of a training: fresh, fixed, or fresh without held-out combinations."""

    def __init__(self, options: TrainOptions, device: torch.device) -> None:
        recipe = options.recipe
        self.batch_size, self.every_target = recipe.batch_size, recipe.targets == "all"
        self.sequences = recipe.sequences(options.game)
        self.generator = torch_generator(options.seed, "training", device=device)
        self.recipe = recipe
        count, share = recipe.fixed_samples, recipe.hold_out
        self.fixed = FixedSamples(options.game, count, options.seed, device) if count else None
        self.allowed = Allowed(held_out(options.game, share, options.seed), device) if share else None

    def draw(self, game: GameConfig, step: int) -> DeviceEpisodes:
        """Return the episodes of a step, counted from 0, in the game of that step."""
        if self.fixed is not None:
            return self.fixed.batch(step, self.batch_size)
        if self.every_target:
            episodes = draw_every_target(game, self.sequences, self.generator)
            return episodes if self.allowed is None else self.allowed.without_the_others(episodes)
        if self.allowed is not None:
            episodes = self.allowed.draw(game, self.batch_size, self.generator)
        else:
            episodes = draw_device_episodes(game, self.batch_size, self.generator)
        share = one_factor_share(self.recipe, step)
        return nearer(episodes, game, share, self.generator) if share else episodes


def training_episodes(pair: Pair, number: int) -> Iterator[Episodes]:
    """Draw the first `number` episodes of a pair's training again, in batches, on the CPU.

    The seed and the recipe are those on the pair's card. If the pair was trained on a CPU without a
    curriculum, these are exactly its episodes. With a curriculum, its first sequences were shorter, or its
    first windows showed less; here all are those of the game.

    Raises `ValueError` if the card does not say how the pair was trained.
    """
    try:
        recipe = Recipe.from_dict(pair.card["recipe"])
        seed = int(pair.card["streams"]["training"]["entropy"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"card must say how the pair was trained, recipe and streams; {error!r}") from None
    whole = dataclasses.replace(recipe, start_length=0, start_visible=0)
    sampler = TrainingSampler(TrainOptions(pair.config, whole, seed=seed), torch.device("cpu"))
    size = recipe.episodes(pair.config)
    for step in range(math.ceil(number / size)):
        batch = sampler.draw(pair.config, step)
        fields = (field.repeat_interleave(size // len(field), dim=0) for field in batch)
        yield Episodes(*(field.to(torch.int16).numpy() for field in fields))[: number - step * size]


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
        small = torch.int16 if len(config.integers) < 2**15 else torch.int32
        self.columns = [torch.cat(column).to(small) for column in zip(*parts, strict=True)]
        self._order: tuple[int, torch.Tensor] | None = None

    def batch(self, step: int, size: int) -> DeviceEpisodes:
        """Return the episodes of a step, counted from 0."""
        rows, start, end = [], step * size, (step + 1) * size
        while start < end:
            number, place = divmod(start, self.count)
            rows.append(self._order_of_pass(number)[place : place + end - start])
            start += len(rows[-1])
        chosen = torch.cat(rows)
        return DeviceEpisodes(*(column[chosen].to(torch.int64) for column in self.columns))

    def _order_of_pass(self, number: int) -> torch.Tensor:
        if self._order is None or self._order[0] != number:
            generator = torch_generator(self.seed, "samples", number, device=self.device)
            self._order = number, torch.randperm(self.count, generator=generator, device=self.device)
        return self._order[1]


class Allowed:
    """Draws episodes whose windows show no held-out combination.

    It draws more episodes than needed and takes the allowed ones first, so a step never waits for a number
    from the device. The probability that too few are allowed is below 1e-9.

    Raises `ValueError` when less than 1 in 50 windows is allowed.
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
        """Draw episodes of `config`, whose integers and windows are those of the held-out game."""
        episodes = draw_device_episodes(config, self.number_to_draw(num_episodes), generator)
        order = self.shows(episodes).to(torch.int8).argsort(stable=True)[:num_episodes]
        return DeviceEpisodes(*(field[order] for field in episodes))

    def without_the_others(self, episodes: DeviceEpisodes) -> DeviceEpisodes:
        """Return the episodes; held-out ones get UNUSED targets and windows without integers."""
        shows = self.shows(episodes)
        window = episodes.window.masked_fill(shows.unsqueeze(1), MASK)
        return episodes._replace(window=window, target_index=episodes.target_index.masked_fill(shows, UNUSED))

    def shows(self, episodes: DeviceEpisodes) -> torch.Tensor:
        """Return whether each window shows a held-out combination, (B,)."""
        cells = torch.arange(episodes.window.shape[1], device=episodes.window.device)
        shown = self.table[episodes.mask_column[:, None], cells, episodes.window.clamp(min=0)]
        return (shown & (episodes.window >= 0)).any(dim=1)

    def number_to_draw(self, num_episodes: int) -> int:
        """Return the number to draw for `num_episodes` allowed ones, including seven standard deviations."""
        wanted = num_episodes + 7 * math.sqrt(num_episodes) + 49
        return math.ceil(wanted / self.share)


def least_share(held: HeldOut) -> float:
    """Return a lower bound on the share of windows without held-out combinations, at the worst mask column.

    The bound lies seven standard deviations below the estimate from random windows. Integers in a window
    differ, so its cells depend on each other, the more the fewer integers there are.
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
