"""A buffer of what many games take row by row, episodes or random actions, drawn in blocks in advance.

Each game draws from the random stream of its own seed, so it plays the same alone and in a batch. Rows are
drawn for many games at once, and several for each game: one row takes nearly as long as hundreds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask, episodes_from_keys, key_layout, rows_at_once
from spatial_game.game.seeds import random_stream

Games = IntArray | slice
"""Some of many games: their indices in ascending order, or `ALL`."""
ALL = slice(None)

Columns = dict[str, npt.NDArray[Any]]
"""Arrays by name. Row i of each belongs to the same episode, or the same action."""
Generators = Sequence[np.random.PCG64]

# Rows of a game in a block: few after seeding, then twice as many each time. Then the numbers of all games.
_FEWEST_AHEAD, _MOST_AHEAD, _NUMBERS_AHEAD = 8, 512, 1 << 24
# Numbers that are drawn at a time: they stay in a processor's second-level cache.
_NUMBERS_AT_ONCE = 1 << 18


class Buffer:
    """The next rows of B games, each from its own stream of random numbers."""

    def __init__(
        self,
        draw: Callable[[Generators, int], Columns],
        num_games: int,
        numbers: int,
        stream: str = "",
    ) -> None:
        """`draw(generators, n)` returns the next n rows of each generator, (generators * n, ...).

        How a stream is divided into calls must not matter. `numbers` is how many numbers make a row. `stream`
        names the random stream of the games' seeds; that of episodes has no name, as `draw_episodes` needs.
        """
        self._draw, self._num_games, self._numbers, self._stream = draw, num_games, numbers, stream
        most = rows_at_once(num_games * numbers, _MOST_AHEAD, _NUMBERS_AHEAD)
        self._largest = max(2 * (most // 2), 2)  # even, so that no generator stops within a 64-bit word
        self._block: Columns = {}  # (size, B, ...)
        self._size = 0
        self._next: int | IntArray = 0
        """The row of the block that each game takes next. One integer while all games are in step."""
        self._lent = False  # whether others hold views of this block
        # Unseeded until `seed` is called.
        self._generators = [np.random.PCG64(child) for child in np.random.SeedSequence().spawn(num_games)]

    def seed(self, seeds: Sequence[int | None], games: Games = ALL) -> None:
        """Restart the streams of these games; with seed None, a stream continues."""
        chosen = np.arange(self._num_games)[games].tolist()
        given = {game: seed for game, seed in zip(chosen, seeds, strict=True) if seed is not None}
        for game, seed in given.items():
            self._generators[game] = np.random.PCG64(random_stream(seed, self._stream))
        if len(given) == self._num_games:
            self._size = self._next = 0
        elif given:
            self._next = put(self._next, np.array(list(given)), self._size, self._num_games)

    def take(self, games: Games = ALL) -> tuple[Columns, Any]:
        """Return columns and an index into each: the next row of each of these games, (n, ...).

        These rows stay as they are. While all games are in step, they are views of the block.
        """
        row = self._next
        if not isinstance(row, int) or row == self._size:
            row = self._refill()
        if games is ALL and isinstance(row, int):
            self._next, self._lent = row + 1, True
            return self._block, row
        games = np.arange(self._num_games)[games]
        row = np.broadcast_to(row, self._num_games)[games]
        self._next = put(self._next, games, row + 1, self._num_games)
        return {name: column[row, games] for name, column in self._block.items()}, ALL

    def change(self, change: Callable[[Columns], Columns]) -> None:
        """Replace the rows of the block by what `change` makes of them, (n, ...)."""
        flat = {name: column.reshape(-1, *column.shape[2:]) for name, column in self._block.items()}
        shape = self._size, self._num_games
        changed = change(flat).items() if self._size else ()
        self._block = {name: rows.reshape(*shape, *rows.shape[1:]) for name, rows in changed}

    def _refill(self) -> int | IntArray:
        """Draw the next block of the games that have used theirs up, and return the next row of each game.

        If all have used theirs up, blocks become larger.
        """
        used_up = np.full(self._num_games, self._next) == self._size
        size, block = self._size, self._block
        if not used_up.any():
            return self._next
        if used_up.all():
            size, block = min(2 * size or _FEWEST_AHEAD, self._largest), {}
        elif self._lent:
            block = {name: column.copy() for name, column in block.items()}
        games = np.flatnonzero(used_up)
        with _restored_after_failure([self._generators[game] for game in games]):
            self._draw_into(block, games, size)
        # Only now, so that a failure of `draw` leaves the rows that are there.
        self._block, self._size, self._lent = block, size, False
        self._next = put(self._next, games_in(used_up), 0, self._num_games)
        return self._next

    def _draw_into(self, block: Columns, games: IntArray, size: int) -> None:
        """Draw this number of rows for each of these games, and put them into the block."""
        at_once = max(_NUMBERS_AT_ONCE // (size * self._numbers), 1)
        for start in range(0, len(games), at_once):
            group = games[start : start + at_once]
            without_gaps = group[-1] - group[0] < len(group)
            where = slice(group[0], group[-1] + 1) if without_gaps else group  # a slice is faster
            for name, rows in self._draw([self._generators[game] for game in group], size).items():
                if name not in block:
                    block[name] = np.empty((size, self._num_games, *rows.shape[1:]), rows.dtype)
                block[name][:, where] = rows.reshape(len(group), size, *rows.shape[1:]).swapaxes(0, 1)


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


def draw_actions(bound: int, width: int, generators: Generators, number: int) -> IntArray:
    """Return rows (generators * number, width) of integers, uniform in 0..bound-1."""
    # As int32: as int16, the numbers would depend on how the drawing is divided.
    drawn = [np.random.Generator(g).integers(0, bound, (number, width), dtype=np.int32) for g in generators]
    return np.concatenate(drawn).astype(np.int16)


def put(old: Any, games: Games, new: Any, num_games: int) -> Any:
    """Return what `old` (B, ...) is after these games got `new`; `old` itself stays as it is.

    A number may stand for an array of B equal ones.
    """
    if games is ALL:
        return new
    array = np.array(np.broadcast_to(old, (num_games, *np.shape(old)[1:])))
    array[games] = new
    return array


def games_in(mask: Mask) -> Games:
    """Return the games in a mask."""
    return ALL if mask.all() else np.flatnonzero(mask)
