"""What the sender knows, as factors: each a column of values that a message may tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, IntArray, mask_columns
from spatial_game.language.counting.columns import ABSENT, blocks, integers_at, places_at_offsets
from spatial_game.language.dictionary.referents import signed


@dataclass(frozen=True)
class Factor:
    """One thing that the sender knows of each episode."""

    name: str
    codes: IntArray  # (B,), in 0..size-1; unsigned, in few bytes
    size: int


def factors(config: GameConfig, window: IntArray) -> Iterator[Factor]:
    """Yield the factors of windows (B, W): the edge (mask column), and what stands at each offset.

    That is an integer, none, or in games with hidden cells something that is not seen.
    """
    codes = np.empty(len(window), dtype=np.min_scalar_type(config.window_size))
    for rows in blocks(len(window)):
        codes[rows] = mask_columns(window[rows])
    yield Factor("edge", codes, config.window_size)
    hidden, places = len(config.integers), places_at_offsets(config)
    for number, offset in enumerate(config.offsets):
        size = len(config.integers) + 1 + bool(config.num_hidden)
        codes = np.empty(len(window), dtype=np.min_scalar_type(size))
        for rows in blocks(len(window)):
            cells = integers_at(places[:, [number]], window[rows])[:, 0]
            codes[rows] = np.where(cells == HIDDEN, hidden, cells) - ABSENT
        yield Factor(f"integer at {signed(offset)}", codes, size)
