"""Samplers, which draw for the games of a batch, each game from the random stream of its seed.

Under seed s, game i gets exactly the episodes of a single environment with seed s + i. To make this fast,
each game draws some episodes in advance (drawing does not depend on how it is divided, see `game.episodes`),
and the keys of many games are sorted at once. The rest is derived when an episode begins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.checks import require_whole
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import (
    Episodes,
    IntArray,
    KeyArray,
    draws_from_keys,
    episodes_from_draws,
    row_layout,
)

Games = IntArray | slice
"""Some of many games: their indices, or `ALL`."""
ALL = slice(None)

# Rows drawn in advance in each game: few after seeding, then twice as many each time, up to these bytes of
# all games' rows and of one game's keys.
_FEWEST_AHEAD, _MOST_AHEAD, _BYTES_AHEAD = 8, 512, 1 << 24
# Bytes of keys that become episodes at a time: they stay in a processor's second-level cache.
_KEYS_AT_ONCE = 1 << 20


class Sampler(ABC):
    """B random streams, each with its own generator and drawn in blocks.

    A row of numbers is one step of a stream. A subclass says how blocks of rows are drawn.
    """

    def __init__(self, num_games: int, row_bytes: int, key_bytes: int) -> None:
        self.num_games = num_games
        self._key_bytes = key_bytes  # from which a row is made
        ahead = min(_BYTES_AHEAD // max(num_games * row_bytes, key_bytes), _MOST_AHEAD)
        # Even, so that no generator is left within a 64-bit word.
        self._largest = max(2 * (ahead // 2), 2)
        self.block = 0  # rows drawn at a time
        self._ahead: IntArray = np.empty((0, num_games, 0), dtype=np.int16)  # (block, B, width)
        self._left = np.zeros(num_games, dtype=np.intp)  # rows of the block that are left, for each game
        # Unseeded until `seed` is called.
        self._generators = [np.random.PCG64(child) for child in np.random.SeedSequence().spawn(num_games)]

    @abstractmethod
    def _draw(self, generators: Sequence[np.random.PCG64]) -> IntArray:
        """Draw the next block of each of these generators, (n, block, width)."""

    def _generator(self, seed: int) -> np.random.PCG64:
        """Return the bit generator of `np.random.default_rng(seed)`."""
        return np.random.PCG64(seed)

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Restart the streams of these games; with seed None, a stream continues."""
        chosen = np.arange(self.num_games)[games].tolist()
        given = {game: seed for game, seed in zip(chosen, seeds, strict=True) if seed is not None}
        for game, seed in given.items():
            self._generators[game] = self._generator(seed)
        self._left[list(given)] = 0
        if len(given) == self.num_games:
            self.block = 0

    def next(self, games: Games = ALL) -> IntArray:
        """Return the next row (n, width) of these games (ascending)."""
        if isinstance(games, slice):
            first = int(self._left[0])
            if first and (self._left == first).all():  # all in step: a block's row
                self._left -= 1
                row: IntArray = self._ahead[self.block - first].copy()
                return row
            games = np.arange(self.num_games)[games]
        self._refill(games[self._left[games] == 0])
        rows: IntArray = self._ahead[self.block - self._left[games], games]
        self._left[games] -= 1
        return rows

    def _refill(self, games: IntArray) -> None:
        """Draw the next block of these games. If they are all, the blocks become larger."""
        if len(games) == self.num_games or not self.block:
            self.block = min(2 * self.block or _FEWEST_AHEAD, self._largest)
            self._ahead = self._ahead[:0]
        at_once = max(_KEYS_AT_ONCE // (self.block * self._key_bytes), 1)
        for start in range(0, len(games), at_once):
            group = games[start : start + at_once]
            drawn = self._draw([self._generators[game] for game in group]).swapaxes(0, 1)
            if not len(self._ahead):
                self._ahead = np.empty((self.block, self.num_games, drawn.shape[2]), drawn.dtype)
            whole = group[-1] - group[0] + 1 == len(group)
            self._ahead[:, slice(group[0], group[-1] + 1) if whole else group] = drawn
        self._left[games] = self.block


class EpisodeSampler(Sampler):
    """B endless streams of episodes: game i yields those of `draw_episodes` with its own generator."""

    def __init__(self, config: GameConfig, num_games: int) -> None:
        layout = row_layout(config)
        self._key_type, self._width = layout.key_type, sum(layout.key_counts)
        super().__init__(num_games, layout.low_bits.nbytes, self._width * self._key_type.itemsize)
        self.config = config

    def next_episodes(self, games: Games = ALL) -> Episodes:
        """Return the next episode of each of these games."""
        return episodes_from_draws(self.config, self.next(games))

    def _draw(self, generators: Sequence[np.random.PCG64]) -> IntArray:
        draws = draws_from_keys(self.config, self._keys(generators))
        return draws.reshape(len(generators), self.block, -1)

    def _keys(self, generators: Sequence[np.random.PCG64]) -> KeyArray:
        """Draw the same as `draw_keys` from each generator, (n, block, width), but faster.

        These are the words of the generators in order, low half first.
        """
        num_words = self.block * self._key_bytes // 8
        words = np.array([generator.random_raw(num_words) for generator in generators], dtype="<u8")
        keys: KeyArray = words.view(self._key_type).reshape(-1, self.block, self._width)
        return keys


class ActionSampler(Sampler):
    """B endless streams of rows of `width` integers, uniform in 0..bound-1: actions of random agents.

    A game's generator is the first child of its seed, so it is independent of the game's episodes.
    """

    def __init__(self, bound: int, width: int, num_games: int) -> None:
        super().__init__(num_games, 2 * width, 4 * width)
        self._bound, self._width = bound, width

    def _generator(self, seed: int) -> np.random.PCG64:
        return np.random.PCG64(np.random.SeedSequence(seed).spawn(1)[0])

    def _draw(self, generators: Sequence[np.random.PCG64]) -> IntArray:
        shape = (self.block, self._width)
        # As int32: as int16, the numbers would depend on how the drawing is divided.
        drawn = [np.random.Generator(g).integers(0, self._bound, shape, dtype=np.int32) for g in generators]
        return np.stack(drawn).astype(np.int16)


def checked_seeds(seed: Any, num_games: int) -> list[int | None]:
    """Return the seed of each game: seed, seed+1, ... for one whole number, or the seeds in a list.

    Raises `ValueError` for a list of another length, and as `checked_seed` does for each.
    """
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_games:
            raise UserError(f"seed must be one number or a list of {num_games}; got {len(seed)}")
        return [checked_seed(each) for each in seed]
    first = checked_seed(seed)
    return [None if first is None else first + game for game in range(num_games)]


def checked_seed(seed: Any) -> int | None:
    """Return the seed as an `int`, or None.

    Raises `TypeError` or `ValueError` unless it is a whole number of at least 0.
    """
    return None if seed is None else require_whole("seed", seed, 0)
