"""The episodes of training, one batch for each step."""

from __future__ import annotations

import torch

from spatial_agents.recipes import TrainOptions
from spatial_agents.seeding import torch_generator
from spatial_agents.training.data import UNUSED, DeviceEpisodes, draw_device_episodes, draw_every_target
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK
from spatial_game.game.held_out import HeldOut, held_out

_CHUNK = 4096  # fixed samples drawn at a time
_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows from which a share is estimated


class Sampler:
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

    def shows(self, episodes: DeviceEpisodes) -> torch.Tensor:
        """Return whether each window shows a held-out combination, (B,)."""
        cells = torch.arange(episodes.window.shape[1], device=episodes.window.device)
        shown = self.table[episodes.mask_column[:, None], cells, episodes.window.clamp(min=0)]
        return (shown & (episodes.window >= 0)).any(dim=1)
