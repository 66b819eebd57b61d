"""Where everything stands in the pictures of a game: panels, and cells in rows or as slices of a grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.rendering.canvas import Box, text_width

WIDTH = 960
"""Width of every picture, in pixels at scale 1."""
PADDING = 16
_MARGIN, _HEADER, _NOTE, _GAP, _SLICE_GAP = 20, 42, 26, 4, 10
_LEAST_FACTOR = 0.55  # how far the cells of a grid may shrink


@dataclass(frozen=True)
class Cells:
    """Cells of one size: a sequence in rows, or a grid as slices of rows and columns, side by side.

    Both are treated as a box (depth, slices, rows, columns). If it does not fit, only a part of it is shown.
    """

    number: int
    box: tuple[int, ...]
    kept: tuple[int, ...]  # the part that is shown
    across: int  # slices side by side
    width: float
    height: float
    text_size: float

    @classmethod
    def within(cls, room: float, shape: tuple[int, ...], values: range, *, small: bool = False) -> Cells:
        """Return cells of this shape, each wide enough for the longest of these integers."""
        least, height, text_size, most_rows = (40, 34, 17, 12) if small else (46, 46, 20, 6)
        width = max(least, 14 + text_width(str(values[-1]), text_size, bold=True))
        if len(shape) > 1:
            return cls._of_grid(room, 640 if small else 300, shape, (width, height, text_size))
        (number,) = shape
        fitting = max(1, int((room + _GAP) // (width + _GAP)))
        if fitting > 10:
            fitting -= fitting % 5  # rows that are easy to count
        if small and number >= fitting:  # full rows take all the room
            width = (room + _GAP) / fitting - _GAP
        columns = min(fitting, number)
        rows = -(-number // columns)
        kept = (1, 1, min(rows, most_rows), columns)
        return cls(number, (1, 1, rows, columns), kept, 1, width, height, text_size)

    @classmethod
    def _of_grid(
        cls, room: float, tall: float, shape: tuple[int, ...], sizes: tuple[float, float, float]
    ) -> Cells:
        """Return a grid whose cells shrink as long as they can still be read."""
        depth, slices, rows, columns = box = (1,) * (4 - len(shape)) + shape
        widest = ((room + _SLICE_GAP) / slices - _SLICE_GAP + _GAP) / columns - _GAP
        highest = ((tall + _SLICE_GAP) / depth - _SLICE_GAP + _GAP) / rows - _GAP
        factor = min(1, max(_LEAST_FACTOR, min(widest / sizes[0], highest / sizes[1])))
        width, height, text_size = (size * factor for size in sizes)
        columns = min(columns, int((room + _GAP + 0.01) // (width + _GAP)))
        of_slice = columns * (width + _GAP) - _GAP + _SLICE_GAP
        across = min(slices, max(1, int((room + _SLICE_GAP + 0.01) // of_slice)))
        rows = min(rows, int((tall + _GAP + 0.01) // (height + _GAP)))
        lines = max(1, int((tall + _SLICE_GAP + 0.01) // (rows * (height + _GAP) - _GAP + _SLICE_GAP)))
        slices = min(slices, across * lines)
        kept = (min(depth, max(1, lines // -(-slices // across))), slices, rows, columns)
        return cls(math.prod(shape), box, kept, across, width, height, text_size)

    @property
    def _lines(self) -> int:
        """Lines of slices for each step of the first axis."""
        return -(-self.kept[1] // self.across)

    @property
    def total_width(self) -> float:
        """Width of all visible cells."""
        return self.across * self._step(3, self.width) - _SLICE_GAP

    @property
    def total_height(self) -> float:
        """Height of all visible cells."""
        return self.kept[0] * self._lines * self._step(2, self.height) - _SLICE_GAP

    def _step(self, axis: int, size: float) -> float:
        """Return the distance between slices along an axis with cells of this size."""
        return self.kept[axis] * (size + _GAP) - _GAP + _SLICE_GAP

    def shown(self, around: int) -> dict[int, tuple[float, float]]:
        """Return the visible range of cells: all, or the part with this cell in the middle."""
        last = np.subtract(self.box, self.kept)
        first = np.clip(np.unravel_index(around, self.box) - np.floor_divide(self.kept, 2), 0, last)
        depth, piece, row, column = within = np.indices(self.kept).reshape(4, -1)
        number = np.ravel_multi_index(tuple(within + first[:, None]), self.box)
        line = depth * self._lines + piece // self.across
        x = piece % self.across * self._step(3, self.width) + column * (self.width + _GAP)
        y = line * self._step(2, self.height) + row * (self.height + _GAP)
        places = zip(number.tolist(), zip(x.tolist(), y.tolist(), strict=True), strict=True)
        return {place: at for place, at in places if place < self.number}  # a last row may be shorter


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
        if len(shown) == self.cells.number:
            return note
        if max(shown) - min(shown) < len(shown):
            return f"shown: {min(shown) + 1:,} to {max(shown) + 1:,} of {self.cells.number:,}"
        return f"shown: {len(shown):,} of {self.cells.number:,} cells"


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
    from_left = (wide - sequence.total_width) / 2 if len(config.shape) > 1 else 0

    highest = max(cells.total_height for cells in (window, message, candidates))
    middle = round(_MARGIN + _HEADER + sequence.total_height + PADDING + 14)
    below = round(middle + _HEADER + _NOTE + highest + PADDING + 28)
    bottom = below + (84 if with_reading else 56)

    def panel(start: float, end: float, cells: Cells) -> Panel:
        box = (start, middle, end, below - 14)
        return Panel(box, cells, (start + end - cells.total_width) / 2, middle + _HEADER + _NOTE)

    return Plan(
        Panel((left, _MARGIN, right, middle - 14), sequence, left + PADDING + from_left, _MARGIN + _HEADER),
        panel(left, left + side, window),
        panel(left + side, right - side, message),
        panel(right - side, right, candidates),
        (left, below, right, bottom),
        height=(bottom + _MARGIN + 1) // 2 * 2,  # video wants even numbers
    )
