"""Offsets and windows of a grid on paper, in rows and columns (`spatial_game.game.cells`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.cells import cell_places
from spatial_game.language.counting.rows import Numbers


def board_of_offsets(config: GameConfig) -> Numbers:
    """Return (O, 2), the rows and columns of the offsets of a game, around the target."""
    shape = (4 * config.window_radius + 1,) * len(config.shape)
    return np.delete(cell_places(shape), math.prod(shape) // 2, axis=0)


def around_target(config: GameConfig, offsets: Sequence[int]) -> Numbers:
    """Return (n + 1, 2), rows and columns of some offsets, by their numbers, and last of the target, on a
    board without empty rows and columns."""
    every = board_of_offsets(config)
    places = np.concatenate([every[list(offsets)], [every.max(axis=0) // 2]])
    return np.stack([np.unique(axis, return_inverse=True)[1] for axis in places.T], axis=1)


def window_lines(config: GameConfig, window: Sequence[int]) -> list[str]:
    """Return a window as a person writes it, row by row: "?" is the target, "*" a hidden cell."""
    [lines] = lines_of_windows(config, [window])
    return lines


def lines_of_windows(config: GameConfig, windows: Iterable[Sequence[int]]) -> Iterator[list[str]]:
    """Yield the `window_lines` of each of the windows."""
    places = cell_places(config.window_shape).tolist()
    for window in windows:
        yield _lines(config, window, places)


def _lines(config: GameConfig, window: Sequence[int], places: Sequence[tuple[int, int]]) -> list[str]:
    texts = [{-1: "?", -2: "*"}.get(cell, str(cell)) for cell in window]
    width = max(map(len, texts)) if len(config.shape) > 1 else 0
    lines: dict[int, list[str]] = {}
    for (row, column), text in zip(places, texts, strict=True):
        line = lines.setdefault(row, [])
        line += [""] * (column - len(line)) + [text.rjust(width)]
    return [" ".join(cell or " " for cell in line) for line in lines.values()]
