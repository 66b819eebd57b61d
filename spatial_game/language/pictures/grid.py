"""Offsets and windows on paper, in rows and columns. A sequence has one row."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.cells import rows_and_columns
from spatial_game.language.counting.rows import Numbers


def offset_coordinates(config: GameConfig) -> Numbers:
    """Return (O, 2), the row and the column of each offset of a game, around the target."""
    shape = (4 * config.window_radius + 1,) * len(config.shape)
    return np.delete(rows_and_columns(shape), math.prod(shape) // 2, axis=0)


def coordinates_around_target(config: GameConfig, offsets: Sequence[int]) -> Numbers:
    """Return (n + 1, 2), the rows and columns of some offsets, by their numbers, and last of the target.

    There are no empty rows and columns between them.
    """
    every = offset_coordinates(config)
    shown = np.concatenate([every[list(offsets)], [every.max(axis=0) // 2]])
    return np.stack([np.unique(axis, return_inverse=True)[1] for axis in shown.T], axis=1)


def window_lines(config: GameConfig, window: Sequence[int]) -> list[str]:
    """Return a window as a person writes it, row by row: "?" is the target, "*" a hidden cell."""
    texts = [{-1: "?", -2: "*"}.get(integer, str(integer)) for integer in window]
    width = max(map(len, texts)) if len(config.shape) > 1 else 0
    lines: dict[int, list[str]] = {}
    for (row, column), text in zip(_coordinates(config.window_shape), texts, strict=True):
        line = lines.setdefault(row, [])
        line += [""] * (column - len(line)) + [text.rjust(width)]
    return [" ".join(text or " " for text in line) for line in lines.values()]


@functools.lru_cache(maxsize=64)
def _coordinates(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(row, column) for row, column in rows_and_columns(shape).tolist()]
