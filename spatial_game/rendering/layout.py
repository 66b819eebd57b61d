"""Where everything stands when a game is shown: cells in rows and columns, and the panels of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.rendering.canvas import Box, text_width
from spatial_game.rendering.cells import GAP, cell_table

WIDTH = 960
"""Width of every picture, in pixels at scale 1."""
PADDING = 16
_MARGIN, _HEADER, _NOTE, _SPACE, _SLICE_SPACE = 20, 42, 26, 4, 6
_LEAST_FACTOR = 0.55  # how far the cells of a grid may shrink


class Axis(NamedTuple):
    """Where the rows or the columns of a table begin, and where the last one ends."""

    starts: list[float]
    fitting: int
    """The number of them that are shown at once."""

    @classmethod
    def of(cls, gaps: Mask, size: float, room: float) -> Axis:
        """Return rows or columns of this size; those without a cell are narrow."""
        starts = np.cumsum([0.0, *np.where(gaps, _SLICE_SPACE, size + _SPACE)])
        fitting = np.count_nonzero(starts[1:] - _SPACE <= room + 0.01)
        return cls(starts.tolist(), max(1, int(fitting)))

    @property
    def length(self) -> float:
        """The length of what is shown."""
        return self.starts[self.fitting] - _SPACE

    def shown(self, around: int) -> slice:
        """Return the ones that are shown: all, or a part with this one in the middle."""
        first = min(max(around - self.fitting // 2, 0), len(self.starts) - 1 - self.fitting)
        return slice(first, first + self.fitting)


@dataclass(frozen=True)
class Cells:
    """Cells of one size in rows and columns. If they do not fit, only a part of them is shown."""

    table: IntArray
    columns: Axis
    rows: Axis
    width: float
    height: float
    text_size: float

    @classmethod
    def within(cls, room: float, shape: tuple[int, ...], values: range, *, small: bool = False) -> Cells:
        """Return cells of this shape, each wide enough for the longest of these integers."""
        least, height, text_size, tall = (40.0, 34.0, 17.0, 600) if small else (46.0, 46.0, 20.0, 300)
        width = max(least, 14 + text_width(str(values[-1]), text_size, bold=True))
        if len(shape) == 1:
            across = max(1, int((room + _SPACE) // (width + _SPACE)))
            if across > 10:
                across -= across % 5  # rows that are easy to count
            if small and shape[0] >= across:  # full rows take all the room
                width = (room + _SPACE) / across - _SPACE
        else:  # cells shrink as long as they can still be read, so that slices stand side by side
            of_slice = shape[-1] * (_LEAST_FACTOR * width + _SPACE) + _SLICE_SPACE
            across = max(1, int((room + _SPACE + _SLICE_SPACE) // of_slice))
        table = cell_table(shape, across)
        gaps = [(table == GAP).all(axis=axis) for axis in (0, 1)]
        if len(shape) > 1:
            wanted = _largest(gaps[0], room) / width, _largest(gaps[1], tall) / height
            factor = min(1, max(_LEAST_FACTOR, min(wanted)))
            width, height, text_size = width * factor, height * factor, text_size * factor
        columns, rows = Axis.of(gaps[0], width, room), Axis.of(gaps[1], height, tall)
        return cls(table, columns, rows, width, height, text_size)

    def shown(self, around: int) -> dict[int, tuple[float, float]]:
        """Return where the visible cells stand: all, or the part with this cell in the middle."""
        row, column = np.argwhere(self.table == around)[0].tolist()
        rows, columns = self.rows.shown(row), self.columns.shown(column)
        return {
            number: (x - self.columns.starts[columns.start], y - self.rows.starts[rows.start])
            for numbers, y in zip(self.table[rows, columns].tolist(), self.rows.starts[rows], strict=True)
            for number, x in zip(numbers, self.columns.starts[columns], strict=True)
            if number != GAP
        }


def _largest(gaps: Mask, room: float) -> float:
    """Return the greatest size of cells with which all rows or columns fit."""
    spaces = np.count_nonzero(gaps)
    return float((room + _SPACE - spaces * _SLICE_SPACE) / (len(gaps) - spaces) - _SPACE)


Shown: TypeAlias = Mapping[int, tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """A part of the picture, and cells that begin at (left, top)."""

    box: Box
    cells: Cells
    left: float
    top: float

    def cell_box(self, place: int, shown: Shown) -> Box:
        """The position of a visible cell."""
        x, y = self.left + shown[place][0], self.top + shown[place][1]
        return x, y, x + self.cells.width, y + self.cells.height

    def note(self, note: str, shown: Shown) -> str:
        """Return the note, or which cells are visible if not all are."""
        number = self.cells.table.max() + 1
        if len(shown) == number:
            return note
        if max(shown) - min(shown) < len(shown):
            return f"shown: {min(shown) + 1:,} to {max(shown) + 1:,} of {number:,}"
        return f"shown: {len(shown):,} of {number:,} cells"


class Plan(NamedTuple):
    """The positions of everything in the pictures of a game."""

    sequence: Panel
    sender: Panel
    message: Panel
    receiver: Panel
    outcome: Box
    height: int


@lru_cache(maxsize=16)
def plan(config: GameConfig, with_reading: bool) -> Plan:
    """Return the plan of a game's pictures."""
    left, right, side, arrow = _MARGIN, WIDTH - _MARGIN, 306, 46
    room, wide = side - 2 * PADDING, right - left - 2 * PADDING
    between = wide - 2 * side - 2 * arrow
    sequence = Cells.within(wide, config.shape, config.integers, small=True)
    window = Cells.within(room, config.window_shape, config.integers)
    message = Cells.within(between, (config.message_length,), range(config.vocab_size))
    candidates = Cells.within(room, (config.num_candidates,), config.integers)
    from_left = (wide - sequence.columns.length) / 2 if len(config.shape) > 1 else 0

    highest = max(cells.rows.length for cells in (window, message, candidates))
    middle = round(_MARGIN + _HEADER + sequence.rows.length + PADDING + 14)
    below = round(middle + _HEADER + _NOTE + highest + PADDING + 28)
    bottom = below + (84 if with_reading else 56)

    def panel(start: float, end: float, cells: Cells) -> Panel:
        box = (start, middle, end, below - 14)
        return Panel(box, cells, (start + end - cells.columns.length) / 2, middle + _HEADER + _NOTE)

    return Plan(
        Panel((left, _MARGIN, right, middle - 14), sequence, left + PADDING + from_left, _MARGIN + _HEADER),
        panel(left, left + side, window),
        panel(left + side, right - side, message),
        panel(right - side, right, candidates),
        (left, below, right, bottom),
        height=(bottom + _MARGIN + 1) // 2 * 2,  # video wants even numbers
    )
