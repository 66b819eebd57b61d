"""Rows that many games take one by one, such as episodes or random actions: drawn in advance, or as needed.

Each game draws from the random stream of its own seed, so it plays the same alone and in a batch. Rows are
drawn for many games at once, and several for each game: one row takes nearly as long as hundreds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.envs.states import ALL, GameIndex
from spatial_game.game.episodes import Episodes, IntArray, episodes_from_keys, key_layout, rows_at_once
from spatial_game.game.seeds import random_stream

Generators = Sequence[np.random.PCG64]
Drawn = npt.NDArray[Any]
"""What is drawn: rows (n, ...), each the state of a game or some integers."""

# Rows of a game in a block: few after seeding, then twice as many each time.
_FEWEST_AHEAD, _MOST_AHEAD = 8, 512
_NUMBERS_AHEAD = 1 << 24  # the most random numbers of all games in a block
_NUMBERS_AT_ONCE = 1 << 18  # drawn at a time, so that they stay in a processor's second-level cache


class Buffer:
    """The next rows of B games, each from its own stream of random numbers.

    They are drawn in blocks, (rows ahead, B, ...). While all games take their rows together, they are in
    step: all take the same row of the block, as a view. From the first time that only some take one, each
    game has a row of its own to go on with, and what is taken is a copy. Nobody else knows of this.

    A game whose next row is the end of the block has used its rows up: games in step then take a new block,
    and any other one gets new rows of its own. `seed` of all games empties the block: they are in step again.
    `seed` of some uses their rows up.
    """

    def __init__(
        self,
        draw: Callable[[Generators, int], Drawn],
        num_games: int,
        dtype: npt.DTypeLike,
        row_numbers: int,
        stream: str = "",
    ) -> None:
        """`draw(generators, n)` returns the next n rows of each generator, (generators * n, ...).

        How a stream is divided into calls must not matter. `dtype` is the type of a row, and `row_numbers` is
        how many random numbers make one. `stream` names the random stream of the games' seeds; that of
        episodes has no name, as `draw_episodes` needs.
        """
        self._draw, self._num_games, self._stream = draw, num_games, stream
        self._complete: Callable[[Drawn, GameIndex], None] | None = None
        self._dtype, self._row_numbers = dtype, row_numbers
        most = rows_at_once(num_games * row_numbers, _MOST_AHEAD, _NUMBERS_AHEAD)
        self._largest = max(2 * (most // 2), 2)  # even, so that no generator stops within a 64-bit word
        self._block: Drawn = np.empty((0, num_games), dtype)
        self._next: int | IntArray = 0
        """The row of the block that all games take next while they are in step; else that of each, (B,)."""
        # Unseeded until `seed` is called.
        self._generators = [np.random.PCG64(child) for child in np.random.SeedSequence().spawn(num_games)]

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Restart the streams of these games; with seed None, a stream continues."""
        chosen = np.arange(self._num_games)[games].tolist()
        given = {game: seed for game, seed in zip(chosen, seeds, strict=True) if seed is not None}
        for game, seed in given.items():
            self._generators[game] = np.random.PCG64(random_stream(seed, self._stream))
        if len(given) == self._num_games:
            self._block, self._next = self._block[:0], 0
        elif given and len(self._block):
            self._next = np.full(self._num_games, self._next)
            self._next[list(given)] = len(self._block)  # that is, none is left

    def take(self, games: GameIndex = ALL) -> Drawn:
        """Return the next row of each of these games, (n, ...).

        It is the caller's, to write into as well, until these games take their next row.
        """
        if isinstance(self._next, int):
            if self._next == len(self._block):
                size = min(2 * len(self._block) or _FEWEST_AHEAD, self._largest)
                self._block, self._next = self._drawn(range(self._num_games), size), 0
            if games is ALL:
                row: Drawn = self._block[self._next]
                self._next += 1
                return row
            self._next = np.full(self._num_games, self._next)
        chosen = np.arange(self._num_games)[games]
        used_up = chosen[self._next[chosen] == len(self._block)]
        if len(used_up):
            self._block[:, used_up] = self._drawn(used_up, len(self._block))
            self._next[used_up] = 0
        taken: Drawn = self._block[self._next[chosen], chosen]
        self._next[chosen] += 1
        return taken

    def complete_with(self, complete: Callable[[Drawn, GameIndex], None]) -> None:
        """Let a function write into rows that are drawn, also into those of the block.

        It gets the next rows of each of some games, (rows * games,), and these games. If it fails for those
        of the block, nothing has changed.
        """
        if len(self._block):
            block = self._block.copy()
            complete(block.ravel(), ALL)
            self._block = block
        self._complete = complete

    def _drawn(self, games: Sequence[int] | IntArray, size: int) -> Drawn:
        """Return the next rows of each of these games, (size, games, ...)."""
        generators = [self._generators[game] for game in games]
        block = np.empty((size, len(games)), self._dtype)
        at_once = max(_NUMBERS_AT_ONCE // (size * self._row_numbers), 1)
        with _restored_after_failure(generators):
            for start in range(0, len(games), at_once):
                group = generators[start : start + at_once]
                rows = self._draw(group, size)
                by_game = rows.reshape(len(group), size, *rows.shape[1:])
                block[:, start : start + at_once] = by_game.swapaxes(0, 1)
            if self._complete:
                self._complete(block.ravel(), ALL if len(games) == self._num_games else np.asarray(games))
        return block


class OneStream:
    """Rows that are drawn when they are needed, for B games from one stream of random numbers."""

    def __init__(self, draw: Callable[[int, np.random.Generator], Drawn], num_games: int) -> None:
        """`draw(n, rng)` returns the next n rows."""
        self._draw, self._num_games, self._rng = draw, num_games, np.random.default_rng()

    def seed(self, seeds: Sequence[int | None], games: GameIndex = ALL) -> None:
        """Restart the stream with the first of these seeds; if all are None, it continues."""
        first = next((seed for seed in seeds if seed is not None), None)
        if first is not None:
            self._rng = np.random.default_rng(random_stream(first, "sampler"))

    def take(self, games: GameIndex = ALL) -> Drawn:
        """Return a new row for each of these games, (n, ...)."""
        return self._draw(len(np.arange(self._num_games)[games]), self._rng)

    def complete_with(self, complete: Callable[[Drawn, GameIndex], None]) -> None:
        """Do nothing: no row is drawn in advance."""


@contextlib.contextmanager
def _restored_after_failure(generators: Generators) -> Iterator[None]:
    """If the block fails, let these generators draw again what they have drawn in it."""
    states = [generator.state for generator in generators]
    try:
        yield
    except BaseException:
        for generator, state in zip(generators, states, strict=True):
            generator.state = state
        raise


def draw_ahead(config: GameConfig, generators: Generators, number: int) -> Episodes:
    """Return the next episodes of each of these generators, those of `draw_episodes`, but faster.

    The keys are the words of the generators in order, low half first.
    """
    numbers = key_layout(config).numbers
    num_words = number * numbers.nbytes // 8  # of 64 bits
    words = np.array([generator.random_raw(num_words) for generator in generators], dtype="<u8")
    return episodes_from_keys(config, words.view(numbers.dtype).reshape(-1, len(numbers)))


def integer_buffer(bound: int, width: int, num_games: int, stream: str = "") -> Buffer:
    """Return a buffer of rows (n, width) of integers, uniform in 0..bound-1."""
    draw, dtype = partial(_draw_integers, bound, width), np.dtype((np.int16, (width,)))
    return Buffer(draw, num_games, dtype, width, stream)


def _draw_integers(bound: int, width: int, generators: Generators, number: int) -> IntArray:
    # As int32: as int16, the numbers would depend on how the drawing is divided.
    drawn = [np.random.Generator(g).integers(0, bound, (number, width), dtype=np.int32) for g in generators]
    return np.concatenate(drawn).astype(np.int16)
