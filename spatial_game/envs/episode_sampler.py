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

from spatial_game.config import GameConfig
from spatial_game.game.episodes import (
    Episodes,
    IntArray,
    KeyArray,
    draw_counts,
    draws_from_keys,
    episodes_from_draws,
    key_counts,
)

# Rows drawn in advance in each game: few after seeding, then twice as many each time, up to these bytes.
_FEWEST_AHEAD, _MOST_AHEAD, _BYTES_AHEAD = 8, 512, 1 << 24
# Bytes of keys that become episodes at a time: they stay in a processor's second-level cache.
_KEYS_AT_ONCE = 1 << 20


class Sampler(ABC):
    """B random streams, each with its own generator and drawn in blocks.

    A row of numbers is one step of a stream. A subclass says how blocks of rows are drawn.
    """

    def __init__(self, num_games: int, row_bytes: int) -> None:
        self.num_games = num_games
        ahead = min(_BYTES_AHEAD // (num_games * row_bytes), _MOST_AHEAD)
        # Even, so that no generator is left within a 64-bit word.
        self._largest = max(2 * (ahead // 2), 2)
        # Unseeded until `seed` is called.
        self._generators = [np.random.PCG64(child) for child in np.random.SeedSequence().spawn(num_games)]
        self._cursor = np.empty(num_games, dtype=np.intp)  # of each game in its block, once games have parted
        self._start()

    def _start(self) -> None:
        """Put all games in step, with nothing drawn in advance."""
        self.block = min(_FEWEST_AHEAD, self._largest)
        self._ahead: IntArray | None = None  # (block * B, width): a row of all games after another
        self._level: int | None = self.block  # the cursor of all games, while they are in step

    @abstractmethod
    def _draw(self, generators: Sequence[np.random.PCG64]) -> IntArray:
        """Draw the next block of each of these generators, (n, block, width)."""

    def _generator(self, seed: int) -> np.random.PCG64:
        """Return the bit generator of `np.random.default_rng(seed)`."""
        return np.random.PCG64(seed)

    def seed(self, seeds: Sequence[int | None], games: IntArray | None = None) -> None:
        """Restart the streams of these games (default: all); with seed None, a stream continues."""
        chosen = range(self.num_games) if games is None else games.tolist()
        given = {game: seed for game, seed in zip(chosen, seeds, strict=True) if seed is not None}
        for game, seed in given.items():
            self._generators[game] = self._generator(seed)
        if len(given) == self.num_games:
            self._start()
        elif given:
            self._part()
            self._cursor[list(given)] = self.block

    def next(self, games: IntArray | None = None) -> IntArray:
        """Return the next row (n, width) of these games (ascending; default: all); do not write to it."""
        rows: Any
        if games is None and self._level is not None:
            rows = self._advance(self._level)
        else:
            rows = self._next_of(np.arange(self.num_games) if games is None else games)
        assert self._ahead is not None
        drawn: IntArray = self._ahead[rows]
        return drawn

    def _advance(self, level: int) -> slice:
        """Return the index of the next row of all games in step; it starts at 0 in a new block."""
        if level == self.block:
            if self._ahead is not None:
                self.block = min(2 * self.block, self._largest)
            self._ahead = None  # a new array: rows that were handed out stay as they are
            self._refill(np.arange(self.num_games))
            level = 0
        self._level = level + 1
        return slice(level * self.num_games, (level + 1) * self.num_games)

    def _next_of(self, games: IntArray) -> IntArray:
        """Return the indices of the next rows of these games, which then continue one by one."""
        self._part()
        exhausted = games[self._cursor[games] == self.block]
        if len(exhausted):
            self._refill(exhausted)
        rows: IntArray = self._cursor[games] * self.num_games + games
        self._cursor[games] += 1
        return rows

    def _part(self) -> None:
        """Let games continue one by one. Rows that were returned while they were in step do not change."""
        if self._level is not None:
            self._cursor[:] = self._level
            self._ahead, self._level = None if self._ahead is None else self._ahead.copy(), None

    def _refill(self, games: IntArray) -> None:
        for start in range(0, len(games), self._games_at_once):
            group = games[start : start + self._games_at_once]
            drawn = self._draw([self._generators[game] for game in group])
            if self._ahead is None:
                self._ahead = np.empty((self.block * self.num_games, drawn.shape[2]), drawn.dtype)
            whole = group[-1] - group[0] + 1 == len(group)
            into = slice(int(group[0]), int(group[-1]) + 1) if whole else group
            self._ahead.reshape(self.block, self.num_games, -1)[:, into] = drawn.swapaxes(0, 1)
        self._cursor[games] = 0

    @property
    def _games_at_once(self) -> int:
        return self.num_games


class EpisodeSampler(Sampler):
    """B endless streams of episodes: game i yields those of `draw_episodes` with its own generator."""

    def __init__(self, config: GameConfig, num_games: int) -> None:
        few_integers = len(config.integers) <= 256
        super().__init__(num_games, sum(draw_counts(config)) * (1 if few_integers else 2))
        self.config = config
        self._key_type = np.dtype("<u4" if few_integers else "<u8")  # as `draw_keys` has it
        self._width = sum(key_counts(config))
        self._words = np.empty((0, 0), dtype="<u8")  # reused: new memory would cost a tenth of the drawing

    def next_episodes(self, games: IntArray | None = None) -> Episodes:
        """Return the next episode of each of these games (default: all)."""
        return episodes_from_draws(self.config, self.next(games))

    def next_rows(self) -> tuple[Episodes, slice]:
        """Return a block of episodes, and the rows of it that are the next episodes of all games.

        While all games are in step, it is always the whole block that was drawn in advance.
        """
        if self._level is None:
            return self.next_episodes(), slice(None)
        rows = self._advance(self._level)
        if rows.start == 0:
            assert self._ahead is not None
            self._block = episodes_from_draws(self.config, self._ahead)
        return self._block, rows

    @property
    def _games_at_once(self) -> int:
        return max(_KEYS_AT_ONCE // (self.block * self._width * self._key_type.itemsize), 1)

    def _draw(self, generators: Sequence[np.random.PCG64]) -> IntArray:
        draws = draws_from_keys(self.config, self._keys(generators))
        return draws.reshape(len(generators), self.block, -1)

    def _keys(self, generators: Sequence[np.random.PCG64]) -> KeyArray:
        """Draw the same as `draw_keys` from each generator, (n, block, width), but faster.

        These are the words of the generators in order, low half first.
        """
        num_words = self.block * self._width * self._key_type.itemsize // 8
        if self._words.shape[1] != num_words or len(self._words) < len(generators):
            self._words = np.empty((len(generators), num_words), dtype="<u8")
        words = self._words[: len(generators)]
        for row, generator in zip(words, generators, strict=True):
            row[:] = generator.random_raw(num_words)
        keys: KeyArray = words.view(self._key_type).reshape(-1, self.block, self._width)
        return keys


class ActionSampler(Sampler):
    """B endless streams of rows of `width` integers, uniform in 0..bound-1: actions of random agents.

    A game's generator is the first child of its seed, so it is independent of the game's episodes.
    """

    def __init__(self, bound: int, width: int, num_games: int) -> None:
        super().__init__(num_games, 2 * width)
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

    Raises `ValueError` for a list of another length, and unless each seed is a whole number of at least 0.
    """
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_games:
            raise ValueError(f"seed must be one number or a list of {num_games}; got {len(seed)}")
        return [checked_seed(each) for each in seed]
    first = checked_seed(seed)
    return [None if first is None else first + game for game in range(num_games)]


def checked_seed(seed: Any) -> int | None:
    """Return the seed as an `int`, or None. Raises `ValueError` unless it is a whole number of at least 0."""
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if seed is not None and not (whole and seed >= 0):
        raise ValueError(f"seed must be a whole number of at least 0; got {seed!r}")
    return seed if seed is None else int(seed)
