"""Factors: the things that the sender knows, each a column of values that a message may tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, IntArray, mask_columns
from spatial_game.language.counting.columns import ABSENT, integers_at, places_at_offsets
from spatial_game.language.dictionary.referents import signed


@dataclass(frozen=True)
class Factor:
    """One thing that the sender knows of each episode."""

    name: str
    codes: IntArray  # (B,), in 0..size-1
    size: int


def factors(config: GameConfig, window: IntArray) -> Iterator[Factor]:
    """Yield the factors of windows (B, W): the edge (mask column), and the value at each offset.

    The value is an integer, none, or hidden (in games with hidden cells).
    """
    yield Factor("edge", mask_columns(window), config.window_size)
    hidden, places = len(config.integers), places_at_offsets(config)
    size = hidden + 1 + bool(config.num_hidden)
    for number, offset in enumerate(config.offsets):
        cells = integers_at(places[:, [number]], window)[:, 0]
        yield Factor(f"integer at {signed(offset)}", np.where(cells == HIDDEN, hidden, cells) - ABSENT, size)
