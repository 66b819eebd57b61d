"""Pictures of an episode in pixels, for people: what `render_mode="rgb_array"`, windows and GIFs show.

A picture is a function of a `Scene`, and of a lexicon where there is one to read the message with: the same
state gives the same pixels (see `canvas`). All pictures of a game have the same size, whatever its numbers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.game.episodes import MASK
from spatial_game.game.scene import Scene
from spatial_game.rendering.canvas import Box, Canvas, text_width

if TYPE_CHECKING:
    from spatial_game.language.lexicon.lexicon import Lexicon

WIDTH = 960
"""Width of every picture, in pixels at scale 1."""

# Colours that people with any kind of colour vision can tell apart (after Okabe and Ito), on light ground.
# What matters is never said by colour alone.
_PAPER, _CARD, _EDGE = "#f4f4f1", "#ffffff", "#d3d3cd"
_INK, _QUIET, _CELL = "#1c1c1c", "#5c5c5c", "#efefeb"
_WINDOW, _WINDOW_EDGE = "#b9dbf5", "#0072b2"
_TARGET, _TARGET_EDGE = "#fbdc94", "#b26f00"
_SYMBOL, _SYMBOL_INK = "#33384a", "#ffffff"
_CANDIDATE = "#8a3d78"
_RIGHT, _WRONG = "#00795a", "#c24700"

_MARGIN, _PADDING, _HEADER = 20, 16, 42
_NOTE_SIZE, _TITLE_SIZE = 14, 17
_ARROW = 46


@dataclass(frozen=True)
class _Style:
    """How cells look, whatever is in them."""

    least_width: float
    height: float
    text_size: float
    most_rows: int
    filling: bool = False
    """Whether full rows take all the room there is."""


_SMALL = _Style(40, 34, 17, 12, filling=True)
_LARGE = _Style(46, 46, 20, 6)


@dataclass(frozen=True)
class _Cells:
    """Cells of one size in rows; of more cells than fit into the rows, a part is shown."""

    number: int
    width: float
    height: float
    gap: float
    per_row: int
    most_rows: int

    @classmethod
    def within(cls, room: float, values: range, number: int, style: _Style) -> _Cells:
        """As many to a row as there is room for, each wide enough for the longest of these integers."""
        gap = 4
        width = max(style.least_width, 14 + text_width(str(values[-1]), style.text_size, bold=True))
        fitting = max(1, int((room + gap) // (width + gap)))
        if fitting > 10:
            fitting -= fitting % 5  # rows that are easy to count
        if style.filling and number >= fitting:
            width = (room + gap) / fitting - gap
        return cls(number, width, style.height, gap, min(fitting, number), style.most_rows)

    @property
    def rows(self) -> int:
        return min(-(-self.number // self.per_row), self.most_rows)

    @property
    def total_width(self) -> float:
        return self.per_row * (self.width + self.gap) - self.gap

    @property
    def total_height(self) -> float:
        return self.rows * (self.height + self.gap) - self.gap

    def shown(self, around: int) -> range:
        """The cells that are shown: all, or whole rows with this cell in the middle one."""
        last_start = -(-self.number // self.per_row) - self.rows
        row = min(max(around // self.per_row - self.rows // 2, 0), last_start)
        start = row * self.per_row
        return range(start, min(start + self.rows * self.per_row, self.number))

    def unless_cut(self, note: str, shown: range) -> str:
        """The note, or which cells are shown where that is not all of them."""
        if len(shown) == self.number:
            return note
        return f"shown: {shown.start + 1:,} to {shown.stop:,} of {self.number:,}"

    def box(self, place: int, shown: range, left: float, top: float) -> Box:
        """Where a cell stands, of those that are shown from (left, top) on."""
        row, column = divmod(place - shown.start, self.per_row)
        x, y = left + column * (self.width + self.gap), top + row * (self.height + self.gap)
        return x, y, x + self.width, y + self.height


@dataclass(frozen=True)
class _Plan:
    """Where everything stands in the pictures of a game."""

    sequence: _Cells
    window: _Cells
    message: _Cells
    candidates: _Cells
    sequence_card: Box
    sender_card: Box
    receiver_card: Box
    outcome_card: Box
    height: int


@lru_cache(maxsize=16)
def _plan(config: GameConfig, with_reading: bool) -> _Plan:
    inner, side = WIDTH - 2 * _MARGIN, 306
    room = side - 2 * _PADDING
    between = inner - 2 * side - 2 * _ARROW - 2 * _PADDING
    sequence = _Cells.within(inner - 2 * _PADDING, config.integers, config.sequence_length, _SMALL)
    window = _Cells.within(room, config.integers, config.window_size, _LARGE)
    candidates = _Cells.within(room, config.integers, config.num_candidates, _LARGE)
    message = _Cells.within(between, range(config.vocab_size), config.message_length, _LARGE)

    middle = max(window.total_height, candidates.total_height, message.total_height)
    tops = [_MARGIN]
    for height in (_HEADER + sequence.total_height + _PADDING, _HEADER + 26 + middle + _PADDING + 14):
        tops.append(round(tops[-1] + height + 14))
    bottom = tops[2] + (84 if with_reading else 56)
    left, right = _MARGIN, WIDTH - _MARGIN
    return _Plan(
        sequence,
        window,
        message,
        candidates,
        sequence_card=(left, tops[0], right, tops[1] - 14),
        sender_card=(left, tops[1], left + side, tops[2] - 14),
        receiver_card=(right - side, tops[1], right, tops[2] - 14),
        outcome_card=(left, tops[2], right, bottom),
        height=(bottom + _MARGIN + 1) // 2 * 2,  # video wants even numbers
    )


def image(scene: Scene, *, lexicon: Lexicon | None = None, scale: int = 1) -> Image.Image:
    """The episode as it stands, `WIDTH * scale` pixels wide.

    With a lexicon there is a line that reads the message in words, once it has been sent. Raises `ValueError`
    for a lexicon of messages or windows of another shape.
    """
    if scale < 1:
        raise ValueError(f"scale must be at least 1; got {scale}")
    plan = _plan(scene.config, lexicon is not None)
    canvas = Canvas(WIDTH, plan.height, _PAPER, scale)
    _draw_sequence(canvas, plan, scene)
    _draw_sender(canvas, plan, scene)
    _draw_message(canvas, plan, scene)
    _draw_receiver(canvas, plan, scene)
    _draw_outcome(canvas, plan, scene, lexicon)
    return canvas.finished()


def rgb_array(scene: Scene, *, lexicon: Lexicon | None = None, scale: int = 1) -> npt.NDArray[np.uint8]:
    """The picture of `image` as an array (height, width, 3)."""
    return np.array(image(scene, lexicon=lexicon, scale=scale))


def write_gif(
    path: str | os.PathLike[str], frames: Sequence[Image.Image], seconds: Sequence[float] | float = 2.0
) -> None:
    """Write pictures as a GIF that runs for ever, each frame for its seconds, by way of a temporary file.

    Raises `ValueError` for no frames or frames of several sizes.
    """
    sizes = {frame.size for frame in frames}
    if len(sizes) != 1:
        raise ValueError(f"frames must be pictures of one size; got {sorted(sizes) or 'none'}")
    each = [seconds] * len(frames) if isinstance(seconds, (int, float)) else seconds
    first, *others = _in_256_colours(frames)
    with replacing(path) as temporary:
        first.save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=others,
            duration=[round(1000 * s) for s in each],
            loop=0,
            optimize=False,
            disposal=1,
        )


def _in_256_colours(frames: Sequence[Image.Image]) -> list[Image.Image]:
    """The frames in their 256 most frequent colours; other colours, of which there are few, in the nearest.

    Pillow's own way is faster and changes every colour a little.
    """
    weights = np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
    numbered = [np.asarray(frame).astype(np.int32) @ weights for frame in frames]
    counts: Counter[int] = Counter()
    for frame in numbered:
        counts.update(
            dict(zip(*(part.tolist() for part in np.unique(frame, return_counts=True)), strict=True))
        )
    colours = np.array(sorted(counts, key=lambda colour: (-counts[colour], colour)))
    channels = np.stack((colours >> 16, colours >> 8 & 255, colours & 255), axis=1)
    kept = channels[:256]
    index_of = np.zeros(1 << 24, dtype=np.uint8)
    index_of[colours] = [np.argmin(((kept - colour) ** 2).sum(axis=1)) for colour in channels]
    reduced = []
    for frame in numbered:
        picture = Image.fromarray(index_of[frame])
        picture.putpalette(kept.astype(np.uint8).tobytes())
        reduced.append(picture)
    return reduced


# --- The parts of the picture ---------------------------------------------------------------------------


def _draw_sequence(canvas: Canvas, plan: _Plan, scene: Scene) -> None:
    """The whole sequence, with the window, the target and the candidates in it."""
    card, cells = plan.sequence_card, plan.sequence
    sequence, target = scene.episode.sequence[0], int(scene.episode.target_position[0])
    shown = cells.shown(target)
    note = "one of them is the target; the sender sees only the window around it"
    _card(canvas, card, "Sequence", cells.unless_cut(note, shown))
    _legend(canvas, card)
    start = target - int(scene.episode.mask_column[0])
    window = range(start, start + scene.config.window_size)
    candidates = {int(candidate) for candidate in scene.episode.candidates[0]}
    for place in shown:
        box = cells.box(place, shown, card[0] + _PADDING, card[1] + _HEADER)
        kind = "target" if place == target else "window" if place in window else "plain"
        _cell(canvas, box, str(sequence[place]), kind, 17)
        if int(sequence[place]) in candidates:
            _underline(canvas, box)


def _draw_sender(canvas: Canvas, plan: _Plan, scene: Scene) -> None:
    """What the sender sees."""
    card, cells = plan.sender_card, plan.window
    acting = bool((scene.message < 0).any())
    shown = cells.shown(int(scene.episode.mask_column[0]))
    note = cells.unless_cut("sees the window; the target is hidden", shown)
    _card(canvas, card, "Sender", note, acting=acting, below=True)
    left = _centred(card, cells)
    for place in shown:
        value = int(scene.episode.window[0, place])
        box = cells.box(place, shown, left, card[1] + _HEADER + 26)
        _cell(canvas, box, "?" if value == MASK else str(value), "target" if value == MASK else "window", 20)


def _draw_message(canvas: Canvas, plan: _Plan, scene: Scene) -> None:
    """The symbols on their way from the sender to the receiver."""
    cells = plan.message
    area = (plan.sender_card[2], plan.sender_card[1], plan.receiver_card[0], plan.sender_card[3])
    centre = (area[0] + area[2]) / 2
    shown = cells.shown(0)
    plural = "s" if scene.config.message_length > 1 else ""
    size = f"{scene.config.message_length:,} symbol{plural} out of {scene.config.vocab_size:,}"
    canvas.text(centre, area[1] + 20, "Message", _TITLE_SIZE, _INK, bold=True, anchor="mm")
    canvas.text(centre, area[1] + 42, cells.unless_cut(size, shown), _NOTE_SIZE, _QUIET, anchor="mm")
    left, top = _centred(area, cells), area[1] + _HEADER + 26
    for slot in shown:
        _symbol(canvas, cells.box(slot, shown, left, top), int(scene.message[slot]))
    sent = not (scene.message < 0).any()
    middle = top + cells.total_height / 2
    _arrow(canvas, area[0] + 10, left - 10, middle, bool((scene.message >= 0).any()))
    _arrow(canvas, left + cells.total_width + 10, area[2] - 10, middle, sent)


def _draw_receiver(canvas: Canvas, plan: _Plan, scene: Scene) -> None:
    """The candidates and, once there is one, the choice."""
    card, cells, episode = plan.receiver_card, plan.candidates, scene.episode
    acting = scene.choice is None and not (scene.message < 0).any()
    target = int(episode.target_index[0])
    shown = cells.shown(target if scene.choice is None else scene.choice)
    note = cells.unless_cut("sees the sequence; which one is meant?", shown)
    _card(canvas, card, "Receiver", note, acting=acting, below=True)
    boxes = {index: cells.box(index, shown, _centred(card, cells), card[1] + _HEADER + 26) for index in shown}
    for index, box in boxes.items():
        _cell(canvas, box, str(episode.candidates[0, index]), "target" if index == target else "plain", 20)
        _underline(canvas, box)
    if scene.choice is not None:
        left, top, right, bottom = boxes[scene.choice]
        colour = _RIGHT if scene.won else _WRONG
        canvas.box((left - 2, top - 2, right + 2, bottom + 2), outline=colour, line=3.5, radius=7)
        _badge(canvas, right, bottom + 2, scene.won, 11)


def _draw_outcome(canvas: Canvas, plan: _Plan, scene: Scene, lexicon: Lexicon | None) -> None:
    """What is to happen next or has come of it and, with a lexicon, the message in words."""
    card = plan.outcome_card
    left, top, right, _ = card
    canvas.box(card, fill=_CARD, outline=_EDGE, radius=10)
    says, colour = _outcome(scene)
    x = left + _PADDING
    if scene.won is not None:
        _badge(canvas, x + 13, top + 28, scene.won, 13)
        x += 36
    canvas.text(x, top + 28, says, 19, colour, bold=True)
    if lexicon is not None:
        label = "In words"
        canvas.text(left + _PADDING, top + 59, label, 16, _QUIET)
        x = left + _PADDING + text_width(label, 16) + 14
        words, colour = _reading(scene, lexicon)
        canvas.text(x, top + 59, _cut(words, 17, right - _PADDING - x), 17, colour, bold=colour == _INK)


def _outcome(scene: Scene) -> tuple[str, str]:
    """What is to be said of the turn or of the result, and its colour."""
    if scene.choice is not None:
        chosen = int(scene.episode.candidates[0, scene.choice])
        if scene.won:
            return f"The receiver chooses {chosen}. Right: both agents earn 1.", _RIGHT
        target = int(scene.episode.target[0])
        return f"The receiver chooses {chosen}. Wrong, it is {target}: both agents earn 0.", _WRONG
    if (scene.message < 0).any():
        return "The sender's turn: say where the target is, without having seen it.", _INK
    return "The receiver's turn: find the target by what the sender said.", _INK


def _reading(scene: Scene, lexicon: Lexicon) -> tuple[str, str]:
    """The message in words, and their colour."""
    from spatial_game.language.speaking import reading  # loads more than a picture without words needs

    if (scene.message < 0).any():
        return "the message is still to come", _QUIET
    words = reading.in_words(lexicon, scene.message, scene.episode.window[0])
    return words, _QUIET if words == reading.UNREAD else _INK


# --- Their elements -------------------------------------------------------------------------------------


def _card(
    canvas: Canvas, card: Box, title: str, note: str, *, acting: bool = False, below: bool = False
) -> None:
    """A card with its title and a note beside or below it; marked if it is that of the agent to act."""
    left, top, right, _ = card
    canvas.box(card, fill=_CARD, outline=_INK if acting else _EDGE, line=2.5 if acting else 1, radius=10)
    canvas.text(left + _PADDING, top + 20, title, _TITLE_SIZE, _INK, bold=True)
    beside = left + _PADDING + text_width(title, _TITLE_SIZE, bold=True) + 12
    x, y = (left + _PADDING, top + 42) if below else (beside, top + 20)
    canvas.text(x, y, note, _NOTE_SIZE, _QUIET)
    if acting:
        canvas.text(right - _PADDING, top + 20, "its turn", _NOTE_SIZE, _INK, bold=True, anchor="rm")


def _legend(canvas: Canvas, card: Box) -> None:
    """What the colours in the sequence mean, from the right end of its header."""
    x, y = card[2] - _PADDING, card[1] + 20
    for name, kind in (("candidate", "plain"), ("target", "target"), ("window", "window")):
        x -= text_width(name, _NOTE_SIZE)
        canvas.text(x, y, name, _NOTE_SIZE, _QUIET)
        box = (x - 24, y - 8, x - 6, y + 8)
        _cell(canvas, box, "", kind, 0)
        if name == "candidate":
            _underline(canvas, box)
        x -= 24 + 18


_CELL_COLOURS = {
    "plain": (_CELL, None),
    "window": (_WINDOW, _WINDOW_EDGE),
    "target": (_TARGET, _TARGET_EDGE),
}


def _cell(canvas: Canvas, box: Box, text: str, kind: str, size: float) -> None:
    """A cell with an integer, or with what stands for one."""
    fill, outline = _CELL_COLOURS[kind]
    canvas.box(box, fill=fill, outline=outline, line=2.5 if kind == "target" else 1.5, radius=5)
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if text:
        canvas.text(x, y, text, size, _INK, bold=kind != "plain", anchor="mm")


def _underline(canvas: Canvas, box: Box) -> None:
    """The mark of a candidate."""
    width = box[2] - box[0]
    y = box[3] - 5.5
    canvas.box((box[0] + 0.25 * width, y - 1.5, box[2] - 0.25 * width, y + 1.5), fill=_CANDIDATE)


def _symbol(canvas: Canvas, box: Box, symbol: int) -> None:
    """A symbol, or the place of one that is still to come."""
    if symbol < 0:
        canvas.box(box, outline=_EDGE, line=2, radius=8)
        return
    canvas.box(box, fill=_SYMBOL, radius=8)
    canvas.text(
        (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, str(symbol), 20, _SYMBOL_INK, bold=True, anchor="mm"
    )


def _arrow(canvas: Canvas, start: float, end: float, y: float, passed: bool) -> None:
    """An arrow to the right, dark once something has passed along it."""
    colour = _SYMBOL if passed else _EDGE
    canvas.line([(start, y), (end - 8, y)], colour, 2.5)
    canvas.polygon([(end, y), (end - 11, y - 7), (end - 11, y + 7)], colour)


def _badge(canvas: Canvas, x: float, y: float, good: bool | None, radius: float) -> None:
    """A round badge with a tick or a cross."""
    canvas.circle(x, y, radius + 1.5, _CARD)
    canvas.circle(x, y, radius, _RIGHT if good else _WRONG)
    r = 0.42 * radius
    if good:
        canvas.line(
            [(x - 1.15 * r, y), (x - 0.3 * r, y + 0.9 * r), (x + 1.2 * r, y - 0.9 * r)], _CARD, 0.22 * radius
        )
    else:
        canvas.line([(x - r, y - r), (x + r, y + r)], _CARD, 0.22 * radius)
        canvas.line([(x - r, y + r), (x + r, y - r)], _CARD, 0.22 * radius)


def _centred(area: Box, cells: _Cells) -> float:
    """The left end of cells that stand in the middle of an area."""
    return (area[0] + area[2] - cells.total_width) / 2


def _cut(text: str, size: float, room: float) -> str:
    """The text, or as much of it as there is room for."""
    if text_width(text, size, bold=True) <= room:
        return text
    while text and text_width(f"{text}…", size, bold=True) > room:
        text = text[:-1]
    return f"{text.rstrip(' ,')}…"
