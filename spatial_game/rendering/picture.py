"""Pictures of an episode, for `render_mode="rgb_array"`, windows and GIFs.

A picture depends only on a `Scene`, and on a lexicon if one is given. All pictures of a game have the same
size.
"""

from __future__ import annotations

import math
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.game.episodes import HIDDEN, MASK
from spatial_game.game.scene import Scene
from spatial_game.rendering.canvas import Box, Canvas, text_width
from spatial_game.rendering.text import in_words

if TYPE_CHECKING:
    from spatial_game.language.dictionary.lexicon import Lexicon

Strings: TypeAlias = Sequence[str] | npt.NDArray[np.str_]

WIDTH = 960
"""Width of every picture, in pixels at scale 1."""

# Colours that people with any kind of colour vision can tell apart (after Okabe and Ito), on a light ground.
# Colour never carries information alone.
_PAPER, _CARD, _EDGE = "#f4f4f1", "#ffffff", "#d3d3cd"
_INK, _QUIET, _CELL = "#1c1c1c", "#5c5c5c", "#efefeb"
_WINDOW, _WINDOW_EDGE = "#b9dbf5", "#0072b2"
_TARGET, _TARGET_EDGE = "#fbdc94", "#b26f00"
_SYMBOL, _SYMBOL_INK = "#33384a", "#ffffff"
_CANDIDATE = "#8a3d78"
_RIGHT, _WRONG = "#00795a", "#c24700"

_MARGIN, _PADDING, _HEADER, _NOTE, _GAP, _SLICE_GAP = 20, 16, 42, 26, 4, 10
_LEAST_FACTOR = 0.55  # how far the cells of a grid may shrink
_NOTE_SIZE, _TITLE_SIZE = 14, 17


def image(scene: Scene, *, lexicon: Lexicon | None = None, scale: int = 1, caption: str = "") -> Image.Image:
    """Draw the current state of an episode, `WIDTH * scale` pixels wide, with a caption in the last line.

    Before the choice, all candidates look alike. With a lexicon, a line shows the message in words once it
    has been sent. Raises `ValueError` for a lexicon of messages or windows of another shape.
    """
    if scale < 1:
        raise ValueError(f"scale must be at least 1; got {scale}")
    plan = _plan(scene.config, lexicon is not None)
    canvas = Canvas(WIDTH, plan.height, _PAPER, scale)
    _draw_sequence(canvas, plan.sequence, scene)
    _draw_sender(canvas, plan.sender, scene)
    _draw_message(canvas, plan.message, scene)
    _draw_receiver(canvas, plan.receiver, scene)
    _draw_outcome(canvas, plan.outcome, scene, lexicon)
    canvas.text(plan.outcome[2] - _PADDING, plan.outcome[1] + 28, caption, _NOTE_SIZE, _QUIET, anchor="rm")
    return canvas.finished()


def rgb_array(scene: Scene, *, lexicon: Lexicon | None = None, scale: int = 1) -> npt.NDArray[np.uint8]:
    """Return the picture of `image` as an array (height, width, 3)."""
    return np.array(image(scene, lexicon=lexicon, scale=scale))


def write_gif(
    path: str | os.PathLike[str], frames: Sequence[Image.Image], seconds: Sequence[float] | float = 2.0
) -> None:
    """Write pictures as a GIF that repeats for ever and shows each frame for its seconds.

    Raises `ValueError` for no frames or frames of several sizes.
    """
    sizes = {frame.size for frame in frames}
    if len(sizes) != 1:
        raise ValueError(f"frames must be pictures of one size; got {sorted(sizes) or 'none'}")
    each = [seconds] * len(frames) if isinstance(seconds, (int, float)) else seconds
    first, *others = frames
    times = [round(1000 * s) for s in each]
    with replacing(path) as temporary:  # Pillow chooses each frame's 256 colours
        first.save(temporary, "GIF", save_all=True, append_images=others, duration=times, loop=0)


# --- The layout -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cells:
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
    def within(cls, room: float, shape: tuple[int, ...], values: range, *, small: bool = False) -> _Cells:
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
    ) -> _Cells:
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
        return self.across * self._step(3, self.width) - _SLICE_GAP

    @property
    def total_height(self) -> float:
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


_Shown: TypeAlias = Mapping[int, tuple[float, float]]


@dataclass(frozen=True)
class _Panel:
    """A part of the picture, and cells that begin at (left, top)."""

    box: Box
    cells: _Cells
    left: float
    top: float

    def cell_box(self, place: int, shown: _Shown) -> Box:
        """The position of a visible cell."""
        x, y = self.left + shown[place][0], self.top + shown[place][1]
        return x, y, x + self.cells.width, y + self.cells.height

    def draw(
        self, canvas: Canvas, shown: _Shown, kinds: Strings, texts: Strings, candidates: Any = ()
    ) -> None:
        """Draw the visible cells, each with its kind and text, and mark the candidates."""
        for place in shown:
            box = self.cell_box(place, shown)
            _cell(canvas, box, kinds[place], texts[place], self.cells.text_size, place in candidates)

    def note(self, note: str, shown: _Shown) -> str:
        """Return the note, or which cells are visible if not all are."""
        if len(shown) == self.cells.number:
            return note
        if max(shown) - min(shown) < len(shown):
            return f"shown: {min(shown) + 1:,} to {max(shown) + 1:,} of {self.cells.number:,}"
        return f"shown: {len(shown):,} of {self.cells.number:,} cells"


class _Plan(NamedTuple):
    """The positions of everything in the pictures of a game."""

    sequence: _Panel
    sender: _Panel
    message: _Panel
    receiver: _Panel
    outcome: Box
    height: int


@lru_cache(maxsize=16)
def _plan(config: GameConfig, with_reading: bool) -> _Plan:
    """Return the plan of a game's pictures."""
    left, right, side, arrow = _MARGIN, WIDTH - _MARGIN, 306, 46
    room, wide = side - 2 * _PADDING, right - left - 2 * _PADDING
    between = wide - 2 * side - 2 * arrow
    sequence = _Cells.within(wide, config.shape, config.integers, small=True)
    window = _Cells.within(room, config.window_shape, config.integers)
    message = _Cells.within(between, (config.message_length,), range(config.vocab_size))
    candidates = _Cells.within(room, (config.num_candidates,), config.integers)
    from_left = (wide - sequence.total_width) / 2 if len(config.shape) > 1 else 0

    highest = max(cells.total_height for cells in (window, message, candidates))
    middle = round(_MARGIN + _HEADER + sequence.total_height + _PADDING + 14)
    below = round(middle + _HEADER + _NOTE + highest + _PADDING + 28)
    bottom = below + (84 if with_reading else 56)

    def panel(start: float, end: float, cells: _Cells) -> _Panel:
        box = (start, middle, end, below - 14)
        return _Panel(box, cells, (start + end - cells.total_width) / 2, middle + _HEADER + _NOTE)

    return _Plan(
        _Panel((left, _MARGIN, right, middle - 14), sequence, left + _PADDING + from_left, _MARGIN + _HEADER),
        panel(left, left + side, window),
        panel(left + side, right - side, message),
        panel(right - side, right, candidates),
        (left, below, right, bottom),
        height=(bottom + _MARGIN + 1) // 2 * 2,  # video wants even numbers
    )


# --- The parts of the picture ---------------------------------------------------------------------------


def _draw_sequence(canvas: Canvas, panel: _Panel, scene: Scene) -> None:
    """Draw the whole sequence and mark the window, the target and the candidates in it."""
    sequence, target = scene.episode.sequence[0], int(scene.episode.target_position[0])
    candidates = np.flatnonzero(np.isin(sequence, scene.episode.candidates[0]))
    kinds = ["plain"] * len(sequence)
    for cell, seen in zip(scene.window_cells, scene.episode.window[0].tolist(), strict=True):
        kinds[cell] = _kind(seen)
    shown = panel.cells.shown(target)
    sees = "part of the window" if scene.config.num_hidden else "only the window around it"
    note = panel.note(f"one of them is the target; the sender sees {sees}", shown)
    _card(canvas, panel.box, _whole(scene.config).capitalize(), note, below=False)
    _legend(canvas, panel.box, scene.config)
    panel.draw(canvas, shown, kinds, sequence.astype(str), candidates)


def _draw_sender(canvas: Canvas, panel: _Panel, scene: Scene) -> None:
    """Draw what the sender sees."""
    window, shown = scene.episode.window[0], panel.cells.shown(int(scene.episode.mask_column[0]))
    config = scene.config
    note = "sees the window; the target is hidden"
    if config.num_hidden:
        note = f"sees {config.num_visible} of {config.window_size - 1} cells around the target"
    _card(canvas, panel.box, "Sender", panel.note(note, shown), acting=not scene.sent)
    texts = [{MASK: "?", HIDDEN: ""}.get(cell, str(cell)) for cell in window.tolist()]
    panel.draw(canvas, shown, [_kind(cell) for cell in window.tolist()], texts)


def _whole(config: GameConfig) -> str:
    """Return the name of what the receiver sees besides the candidates."""
    return "sequence" if len(config.shape) == 1 else "grid"


def _kind(seen: int) -> str:
    """Return the kind of a cell of the window with this value."""
    return {MASK: "target", HIDDEN: "hidden"}.get(seen, "window")


def _draw_message(canvas: Canvas, panel: _Panel, scene: Scene) -> None:
    """Draw the symbols of the message, between the sender and the receiver."""
    (left, top, right, _), cells, said = panel.box, panel.cells, scene.message >= 0
    shown = cells.shown(0)
    plural = "s" if scene.config.message_length > 1 else ""
    size = f"{scene.config.message_length:,} symbol{plural} out of {scene.config.vocab_size:,}"
    centre, middle = (left + right) / 2, panel.top + cells.total_height / 2
    canvas.text(centre, top + 20, "Message", _TITLE_SIZE, _INK, bold=True, anchor="mm")
    canvas.text(centre, top + 42, panel.note(size, shown), _NOTE_SIZE, _QUIET, anchor="mm")
    texts = np.where(said, scene.message.astype(str), "")
    panel.draw(canvas, shown, np.where(said, "symbol", "empty"), texts)
    _arrow(canvas, left + 10, panel.left - 10, middle, bool(said.any()))
    _arrow(canvas, panel.left + cells.total_width + 10, right - 10, middle, scene.sent)


def _draw_receiver(canvas: Canvas, panel: _Panel, scene: Scene) -> None:
    """Draw the candidates and, once it is made, the choice; the target is marked only then."""
    candidates, choice = scene.episode.candidates[0], scene.choice
    shown = panel.cells.shown(choice or 0)
    note = panel.note(f"sees the {_whole(scene.config)}; which one is meant?", shown)
    _card(canvas, panel.box, "Receiver", note, acting=scene.sent and choice is None)
    kinds = ["plain"] * len(candidates)
    if choice is not None:
        kinds[int(scene.episode.target_index[0])] = "target"
    panel.draw(canvas, shown, kinds, candidates.astype(str), range(len(candidates)))
    if choice is not None:
        left, top, right, bottom = panel.cell_box(choice, shown)
        colour = _RIGHT if scene.won else _WRONG
        canvas.box((left - 2, top - 2, right + 2, bottom + 2), outline=colour, line=3.5, radius=7)
        _badge(canvas, right, bottom + 2, scene.won, 11)


def _draw_outcome(canvas: Canvas, card: Box, scene: Scene, lexicon: Lexicon | None) -> None:
    """Write whose turn it is or how the episode ended, and with a lexicon the message in words."""
    left, top, right, _ = card
    canvas.box(card, fill=_CARD, outline=_EDGE, radius=10)
    text, colour = _outcome(scene)
    x = left + _PADDING
    if scene.won is not None:
        _badge(canvas, x + 13, top + 28, scene.won, 13)
        x += 36
    canvas.text(x, top + 28, text, 19, colour, bold=True)
    if lexicon is not None:
        label, x = "In words", left + _PADDING
        canvas.text(x, top + 59, label, 16, _QUIET)
        x += text_width(label, 16) + 14
        words, known = "no message yet", False
        if scene.sent:
            words, known = in_words(scene, lexicon)
        words = _cut(words, 17, right - _PADDING - x)
        canvas.text(x, top + 59, words, 17, _INK if known else _QUIET, bold=known)


def _outcome(scene: Scene) -> tuple[str, str]:
    """Return a sentence about the turn or the result, and its colour."""
    if scene.choice is None:
        if scene.sent:
            return "The receiver's turn: use the message to find the target.", _INK
        return "The sender's turn: say where the target is, without having seen it.", _INK
    chosen, target = scene.episode.candidates[0, scene.choice], scene.episode.target[0]
    if scene.won:
        return f"The receiver chooses {chosen}. Right: both agents earn 1.", _RIGHT
    return f"The receiver chooses {chosen}. Wrong, it is {target}: both agents earn 0.", _WRONG


# --- Their elements -------------------------------------------------------------------------------------


def _card(
    canvas: Canvas, card: Box, title: str, note: str, *, acting: bool = False, below: bool = True
) -> None:
    """Draw a card with its title and a note below it or next to it; mark it if it is its agent's turn."""
    left, top, right, _ = card
    canvas.box(card, fill=_CARD, outline=_INK if acting else _EDGE, line=2.5 if acting else 1, radius=10)
    canvas.text(left + _PADDING, top + 20, title, _TITLE_SIZE, _INK, bold=True)
    beside = left + _PADDING + text_width(title, _TITLE_SIZE, bold=True) + 12
    x, y = (left + _PADDING, top + 42) if below else (beside, top + 20)
    canvas.text(x, y, note, _NOTE_SIZE, _QUIET)
    if acting:
        canvas.text(right - _PADDING, top + 20, "its turn", _NOTE_SIZE, _INK, bold=True, anchor="rm")


def _legend(canvas: Canvas, card: Box, config: GameConfig) -> None:
    """Explain the colours in the sequence, from the right end of its header."""
    x, y = card[2] - _PADDING, card[1] + 20
    for name in ("candidate", "target", *(["hidden"] if config.num_hidden else []), "window"):
        x -= text_width(name, _NOTE_SIZE)
        canvas.text(x, y, name, _NOTE_SIZE, _QUIET)
        kind = "plain" if name == "candidate" else name
        _cell(canvas, (x - 24, y - 8, x - 6, y + 8), kind, candidate=name == "candidate")
        x -= 24 + 18


class _Look(NamedTuple):
    """The look of cells of a kind."""

    fill: str | None
    outline: str | None = None
    line: float = 1.5
    radius: float = 5
    ink: str = _INK
    bold: bool = True


_LOOKS = {
    "plain": _Look(_CELL, bold=False),
    "window": _Look(_WINDOW, _WINDOW_EDGE),
    "hidden": _Look(_CARD, _WINDOW_EDGE, bold=False),  # of the window, but the sender does not see it
    "target": _Look(_TARGET, _TARGET_EDGE, line=2.5),
    "symbol": _Look(_SYMBOL, radius=8, ink=_SYMBOL_INK),
    "empty": _Look(None, _EDGE, line=2, radius=8),  # the place of a symbol that is not sent yet
}


def _cell(
    canvas: Canvas, box: Box, kind: str, text: str = "", size: float = 0, candidate: bool = False
) -> None:
    """Draw a cell with its text; a candidate is underlined."""
    left, top, right, bottom = box
    fill, outline, line, radius, ink, bold = _LOOKS[kind]
    canvas.box(box, fill=fill, outline=outline, line=line, radius=radius)
    if text:
        canvas.text((left + right) / 2, (top + bottom) / 2, text, size, ink, bold=bold, anchor="mm")
    if candidate:
        inset, y = (right - left) / 4, bottom - 5.5
        canvas.box((left + inset, y - 1.5, right - inset, y + 1.5), fill=_CANDIDATE)


def _arrow(canvas: Canvas, start: float, end: float, y: float, passed: bool) -> None:
    """Draw an arrow to the right, which is dark once it has been used."""
    colour = _SYMBOL if passed else _EDGE
    canvas.line(start, y, end - 8, y, colour=colour, width=2.5)
    canvas.polygon(end, y, end - 11, y - 7, end - 11, y + 7, colour=colour)


def _badge(canvas: Canvas, x: float, y: float, good: bool | None, radius: float) -> None:
    """Draw a round badge with a tick or a cross."""
    canvas.circle(x, y, radius + 1.5, _CARD)
    canvas.circle(x, y, radius, _RIGHT if good else _WRONG)
    r, width = 0.42 * radius, 0.22 * radius
    tick = (x - 1.15 * r, y, x - 0.3 * r, y + 0.9 * r, x + 1.2 * r, y - 0.9 * r)
    cross = (x - r, y - r, x + r, y + r), (x - r, y + r, x + r, y - r)
    for points in [tick] if good else cross:
        canvas.line(*points, colour=_CARD, width=width)


def _cut(text: str, size: float, room: float) -> str:
    """Return the text, cut if it does not fit."""
    if text_width(text, size, bold=True) <= room:
        return text
    too_long = bisect_right(range(len(text)), room, key=lambda n: text_width(f"{text[:n]}…", size, bold=True))
    return f"{text[: max(too_long - 1, 0)].rstrip(' ,')}…"
