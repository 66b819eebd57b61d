"""Many seeded streams side by side: what the environments of a batch draw, each from its own generator.

Game i under seed s yields exactly what a single environment seeded s + i draws. To keep that promise fast, a
game draws some episodes ahead (drawing does not depend on how it is divided, see `episodes`), and the keys of
many games become episodes at once.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, KeyArray, episodes_from_keys

BoolArray = npt.NDArray[np.bool_]

# Bytes of what all games together hold ahead: enough episodes a game to pay for the call that draws them.
_HELD_AHEAD = 1 << 24
_MOST_AHEAD = 64
# Bytes of keys that become episodes at a time: they stay in a processor's second-level cache.
_KEYS_AT_ONCE = 1 << 20


class Sampler(ABC):
    """B streams, each with its own generator and drawn in blocks; a row of all games is one step of each.

    A subclass says how blocks are drawn. Arrays come out as (B, ...), or (n, ...) of the n games asked for.
    """

    def __init__(self, num_games: int, row_bytes: int) -> None:
        self.num_games = num_games
        ahead = min(_HELD_AHEAD // (num_games * row_bytes), _MOST_AHEAD)
        self.block = max(2 * (ahead // 2), 2)  # even, so that no generator is left within a 64-bit word
        # As from nowhere, until they are seeded.
        self._generators = [np.random.PCG64(child) for child in np.random.SeedSequence().spawn(num_games)]
        self._cache: list[IntArray] = []  # each (block, B, ...)
        self._cursor = np.full(num_games, self.block)
        self._level: int | None = self.block  # the cursor of all games, while they are in step

    @abstractmethod
    def _draw(self, generators: Sequence[np.random.PCG64]) -> list[IntArray]:
        """The next block of each of these generators: arrays (block, n, ...)."""

    def seed(self, seeds: Sequence[int | None], games: IntArray | None = None) -> None:
        """Start the streams of these games (default: all) afresh; where the seed is None, let them go on."""
        chosen = np.arange(self.num_games) if games is None else games
        given = [(game, seed) for game, seed in zip(chosen, seeds, strict=True) if seed is not None]
        if not given:
            return
        for game, seed in given:
            self._generators[game] = self._generator(seed)
        if len(given) == self.num_games:
            self._level = self.block
        else:
            self._part()
        self._cursor[[game for game, _ in given]] = self.block

    def _part(self) -> None:
        """Let games go on one by one. Rows that were handed out while they were in step stay as they are."""
        if self._level is not None:
            self._cache, self._level = [held.copy() for held in self._cache], None

    def _generator(self, seed: int) -> np.random.PCG64:
        """The bits of `np.random.default_rng(seed)`."""
        return np.random.PCG64(seed)

    def next(self, games: IntArray | None = None) -> list[IntArray]:
        """The next row of these games (ascending; default: all), which must not be written to."""
        if games is not None and len(games) == self.num_games:
            games = None
        if games is None and self._level is not None:
            return self._next_in_step()
        chosen = np.arange(self.num_games) if games is None else games
        self._part()
        exhausted = chosen[self._cursor[chosen] == self.block]
        if len(exhausted):
            self._refill(exhausted)
        rows = [held[self._cursor[chosen], chosen] for held in self._cache]
        self._cursor[chosen] += 1
        return rows

    def _next_in_step(self) -> list[IntArray]:
        assert self._level is not None
        if self._level == self.block:
            self._cache = []  # new arrays: rows that were handed out stay as they are
            self._refill(np.arange(self.num_games))
            self._level = 0
        rows = [held[self._level] for held in self._cache]
        self._level += 1
        self._cursor[:] = self._level
        return rows

    def _refill(self, games: IntArray) -> None:
        for start in range(0, len(games), self._games_at_once):
            group = games[start : start + self._games_at_once]
            drawn = self._draw([self._generators[game] for game in group])
            if not self._cache:
                self._cache = [
                    np.empty((self.block, self.num_games, *new.shape[2:]), new.dtype) for new in drawn
                ]
            whole = group[-1] - group[0] + 1 == len(group)
            into = slice(int(group[0]), int(group[-1]) + 1) if whole else group
            for held, new in zip(self._cache, drawn, strict=True):
                held[:, into] = new
        self._cursor[games] = 0

    @property
    def _games_at_once(self) -> int:
        return self.num_games


class EpisodeSampler(Sampler):
    """B endless streams of episodes: game i yields those of `draw_episodes` with its own generator."""

    def __init__(self, config: GameConfig, num_games: int) -> None:
        length, num_integers = config.sequence_length, len(config.integers)
        super().__init__(num_games, 2 * (length + config.window_size + config.num_candidates + 3))
        self.config = config
        self._key_type = np.uint32 if num_integers <= 256 else np.uint64  # as `draw_keys` has it
        self._width = num_integers + length + 1

    def next_episodes(self, games: IntArray | None = None) -> Episodes:
        """The next episode of each of these games (default: all)."""
        return Episodes(*self.next(games))

    @property
    def _games_at_once(self) -> int:
        return max(_KEYS_AT_ONCE // (self.block * self._width * np.dtype(self._key_type).itemsize), 1)

    def _draw(self, generators: Sequence[np.random.PCG64]) -> list[IntArray]:
        keys = self._keys(generators)
        rows = episodes_from_keys(self.config, keys.swapaxes(0, 1))
        shape = (self.block, len(generators))
        return [
            getattr(rows, field.name).reshape(*shape, *getattr(rows, field.name).shape[1:])
            for field in dataclasses.fields(Episodes)
        ]

    def _keys(self, generators: Sequence[np.random.PCG64]) -> KeyArray:
        """What `draw_keys` draws from each, (n, block, width), but faster.

        These are the generators' words as they come, the low half first.
        """
        itemsize = np.dtype(self._key_type).itemsize
        words = np.empty((len(generators), self.block * self._width * itemsize // 8), dtype="<u8")
        for row, generator in zip(words, generators, strict=True):
            row[:] = generator.random_raw(len(row))
        keys: KeyArray = words.view(f"<u{itemsize}").reshape(-1, self.block, self._width)
        return keys


class ActionSampler(Sampler):
    """B endless streams of rows of `width` integers, uniform in 0..bound-1: actions of random agents.

    A game's generator is the first child of its seed, so it never meets that of the game's episodes.
    """

    def __init__(self, bound: int, width: int, num_games: int) -> None:
        super().__init__(num_games, 2 * width)
        self._bound, self._width = bound, width

    def _generator(self, seed: int) -> np.random.PCG64:
        return np.random.PCG64(np.random.SeedSequence(seed).spawn(1)[0])

    def _draw(self, generators: Sequence[np.random.PCG64]) -> list[IntArray]:
        shape = (self.block, self._width)
        # As int32: what a generator yields as int16 would depend on how the drawing is divided.
        drawn = [np.random.Generator(g).integers(0, self._bound, shape, dtype=np.int32) for g in generators]
        return [np.stack(drawn, axis=1).astype(np.int16)]


def checked_seeds(seed: Any, num_games: int) -> list[int | None]:
    """The seed of each game: seed, seed+1, ... of one whole number, or as a list gives them.

    Raises `ValueError` for a list of another length and for what is not a whole number of at least 0.
    """
    if isinstance(seed, (list, tuple, np.ndarray)):
        if len(seed) != num_games:
            raise ValueError(f"seed must be one number or a list of {num_games}; got {len(seed)}")
        return [checked_seed(each) for each in seed]
    first = checked_seed(seed)
    return [None if first is None else first + game for game in range(num_games)]


def checked_seed(seed: Any) -> int | None:
    """The seed as an `int`, or None. Raises `ValueError` for what is not a whole number of at least 0."""
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if seed is not None and not (whole and seed >= 0):
        raise ValueError(f"seed must be a whole number of at least 0; got {seed!r}")
    return seed if seed is None else int(seed)
