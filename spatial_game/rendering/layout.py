"""Where everything stands in the pictures of a game: panels, and the cells in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.cells import GAP, cell_table
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.rendering.canvas import Box, text_width

WIDTH = 960
"""Width of every picture, in pixels at scale 1."""
PADDING = 16
TITLE, NOTE = 20, 42
"""How far the middle of a panel's title is from its top, and that of the note below the title."""
RESULT, WORDS = 28, 59
"""The same for the lines of the last panel: the result, and the message in words."""
_MARGIN, _BETWEEN, _HEADER, _NOTE_HEIGHT, _SPACE, _SLICE_SPACE = 20, 14, 42, 26, 4, 6
_READABLE = 0.55  # the scale to which the cells of a grid shrink, so that its slices stand side by side

Floats: TypeAlias = npt.NDArray[np.float64]


class Cells(NamedTuple):
    """Cells in rows and columns, all of one size."""

    boxes: Floats
    """The box of each cell, (n, 4)."""
    text_size: float

    @classmethod
    def within(
        cls, room: float, tall: float, shape: tuple[int, ...], values: range, *, small: bool = False
    ) -> Cells:
        """Return cells of this shape, wide enough for the longest of these integers.

        If they do not fit into `room` x `tall`, all of them shrink.
        """
        least, height, text_size = (40.0, 34.0, 17.0) if small else (46.0, 46.0, 20.0)
        width = max(least, 14 + text_width(str(values[-1]), text_size, bold=True))
        if small and len(shape) == 1:  # full rows take all the room
            across = int((room + _SPACE) // (width + _SPACE))
            width = (room + _SPACE) / (across - across % 5) - _SPACE

        def scaled(across: int) -> tuple[float, IntArray, Floats, Floats]:
            """Return a scale at which the cells fit, their table, and where its columns and rows begin."""
            table = cell_table(shape, across)
            columns = _starts((table == GAP).all(axis=0), width)
            rows = _starts((table == GAP).all(axis=1), height)
            scale = min(1.0, room / (columns[-1] - _SPACE), tall / (rows[-1] - _SPACE))
            return round(scale, 9), table, columns, rows  # 1, if the cells fit but for a rounding error

        enough = 1.0 if len(shape) == 1 else _READABLE
        best = max(_numbers_across(shape), key=lambda across: (min(scaled(across)[0], enough), across))
        scale, table, columns, rows = scaled(best)
        row, column = np.nonzero(table != GAP)
        left, top = columns[column], rows[row]
        boxes = np.stack([left, top, left + width, top + height], axis=1) * scale
        return cls(boxes[np.argsort(table[row, column])], text_size * scale)

    @property
    def length(self) -> float:
        """The length of the longest row."""
        return float(self.boxes[:, 2].max())

    @property
    def height(self) -> float:
        """The height of all rows together."""
        return float(self.boxes[:, 3].max())


def _numbers_across(shape: tuple[int, ...]) -> Sequence[int]:
    """Return how many cells of a sequence, or slices of a grid, may stand side by side."""
    if len(shape) == 1:
        most = shape[0]
        return [n for n in range(1, most + 1) if n <= 10 or n % 5 == 0 or n == most]  # easy to count
    return range(1, (shape[-3] if len(shape) > 2 else 1) + 1)


def _starts(gaps: Mask, size: float) -> Floats:
    """Return where rows or columns of this size begin, and the end; those without a cell are narrow."""
    return np.cumsum([0.0, *np.where(gaps, _SLICE_SPACE, size + _SPACE)])


class Panel(NamedTuple):
    """A part of the picture, and the boxes of its cells."""

    box: Box
    cells: list[Box]
    text_size: float

    @classmethod
    def of(cls, box: Box, cells: Cells, left: float, top: float) -> Panel:
        """Return a panel whose cells begin at (left, top)."""
        boxes = np.add(cells.boxes, [left, top, left, top]).tolist()
        return cls(box, [tuple(cell) for cell in boxes], cells.text_size)


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
    sequence = Cells.within(wide, 600, config.shape, config.integers, small=True)
    window = Cells.within(room, 300, config.window_shape, config.integers)
    message = Cells.within(between, 300, (config.message_length,), range(config.vocab_size))
    candidates = Cells.within(room, 300, (config.num_candidates,), config.integers)
    from_left = (wide - sequence.length) / 2 if len(config.shape) > 1 else 0

    highest = max(cells.height for cells in (window, message, candidates))
    middle = round(_MARGIN + _HEADER + sequence.height + PADDING + _BETWEEN)
    below = round(middle + _HEADER + _NOTE_HEIGHT + highest + PADDING + 2 * _BETWEEN)
    bottom = below + (WORDS + 25 if with_reading else 2 * RESULT)

    def panel(start: float, end: float, cells: Cells) -> Panel:
        box = (start, middle, end, below - _BETWEEN)
        return Panel.of(box, cells, (start + end - cells.length) / 2, middle + _HEADER + _NOTE_HEIGHT)

    box = (left, _MARGIN, right, middle - _BETWEEN)
    return Plan(
        Panel.of(box, sequence, left + PADDING + from_left, _MARGIN + _HEADER),
        panel(left, left + side, window),
        panel(left + side, right - side, message),
        panel(right - side, right, candidates),
        (left, below, right, bottom),
        height=(bottom + _MARGIN + 1) // 2 * 2,  # video wants even numbers
    )
