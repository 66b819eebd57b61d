"""Pictures of an episode, for `render_mode="rgb_array"`, windows and GIFs.

A picture depends only on a `Scene`, and on a dictionary if one is given. All pictures of a game have the same
size.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from spatial_game.checks import require, require_whole
from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.game.episodes import HIDDEN, MASK
from spatial_game.game.scene import Scene
from spatial_game.rendering.canvas import Box, Canvas, text_width
from spatial_game.rendering.layout import NOTE, PADDING, RESULT, TITLE, WIDTH, WORDS, Panel, plan
from spatial_game.rendering.text import message_text

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

Frame: TypeAlias = Image.Image | npt.NDArray[np.uint8]
Strings: TypeAlias = Sequence[str] | npt.NDArray[np.str_]

# Colours that people with any kind of colour vision can tell apart (after Okabe and Ito), on a light ground.
# Colour never carries information alone.
_PAPER, _GROUND, _EDGE = "#f4f4f1", "#ffffff", "#d3d3cd"
_INK, _QUIET, _CELL = "#1c1c1c", "#5c5c5c", "#efefeb"
_WINDOW, _WINDOW_EDGE = "#b9dbf5", "#0072b2"
_TARGET, _TARGET_EDGE = "#fbdc94", "#b26f00"
_SYMBOL, _SYMBOL_INK = "#33384a", "#ffffff"
_CANDIDATE = "#8a3d78"
_RIGHT, _WRONG = "#00795a", "#c24700"

_NOTE_SIZE, _TITLE_SIZE = 14, 17


def image(
    scene: Scene, *, dictionary: Dictionary | None = None, scale: int = 1, caption: str = ""
) -> Image.Image:
    """Draw the current state of an episode, `WIDTH * scale` pixels wide, with a caption in the last line.

    Before the choice, all candidates look alike. With a dictionary, a line shows the message in words once it
    has been sent. Raises `ValueError` for a dictionary of messages or windows of another shape.
    """
    scale = require_whole("scale", scale, 1)
    parts = plan(scene.config, dictionary is not None)
    canvas = Canvas(WIDTH, parts.height, _PAPER, scale)
    _draw_sequence(canvas, parts.sequence, scene)
    _draw_sender(canvas, parts.sender, scene)
    _draw_message(canvas, parts.message, scene)
    _draw_receiver(canvas, parts.receiver, scene)
    _draw_outcome(canvas, parts.outcome, scene, dictionary, caption)
    return canvas.finished()


def rgb_array(scene: Scene, *, dictionary: Dictionary | None = None) -> npt.NDArray[np.uint8]:
    """Return the picture of `image` as an array (height, width, 3)."""
    return np.array(image(scene, dictionary=dictionary))


def write_gif(path: str | os.PathLike[str], frames: Sequence[Frame], seconds: Sequence[float]) -> None:
    """Write pictures of one size as a GIF that repeats for ever and shows each frame for its seconds.

    A frame is a picture of `image`, or an array (height, width, 3) of `rgb_array` or `env.render()`. Raises
    `ValueError` without frames, for another number of seconds, and for a file that is not named `.gif`.
    """
    require(Path(path).suffix.lower() == ".gif", "path must end in .gif", path)
    require(len(frames) > 0, "there must be at least one frame", "none")
    require(len(seconds) == len(frames), f"seconds must be {len(frames)}, one for each frame", len(seconds))
    first, *others = (frame if isinstance(frame, Image.Image) else Image.fromarray(frame) for frame in frames)
    milliseconds = [round(1000 * s) for s in seconds]
    with replacing(path) as temporary:  # Pillow chooses each frame's 256 colours
        first.save(temporary, "GIF", save_all=True, append_images=others, duration=milliseconds, loop=0)


# --- The parts of the picture ---------------------------------------------------------------------------


def _draw_cells(canvas: Canvas, panel: Panel, kinds: Strings, texts: Strings, candidates: Any = ()) -> None:
    """Draw the cells of a panel, each with its kind and text, and mark the candidates."""
    for number, (box, kind, text) in enumerate(zip(panel.cells, kinds, texts, strict=True)):
        _cell(canvas, box, kind, text, panel.text_size, number in candidates)


def _draw_sequence(canvas: Canvas, panel: Panel, scene: Scene) -> None:
    """Draw the whole sequence and mark the window, the target and the candidates in it."""
    sequence = scene.episode.sequence[0]
    candidates = np.flatnonzero(np.isin(sequence, scene.episode.candidates[0]))
    sees = "part of the window" if scene.config.num_hidden else "only the window around it"
    note = f"one of them is the target; the sender sees {sees}"
    _frame(canvas, panel.box, _whole(scene.config).capitalize(), note, below=False)
    _legend(canvas, panel.box, scene.config)
    _draw_cells(canvas, panel, scene.sequence_kinds, sequence.astype(str), candidates)


def _draw_sender(canvas: Canvas, panel: Panel, scene: Scene) -> None:
    """Draw what the sender sees."""
    window, config = scene.episode.window[0].tolist(), scene.config
    note = "sees the window; the target is hidden"
    if config.num_hidden:
        note = f"sees {config.num_visible} of {config.window_size - 1} cells around the target"
    _frame(canvas, panel.box, "Sender", note, acting=not scene.sent)
    texts = [{MASK: "?", HIDDEN: ""}.get(cell, str(cell)) for cell in window]
    _draw_cells(canvas, panel, scene.window_kinds, texts)


def _whole(config: GameConfig) -> str:
    """Return the name of what the receiver sees besides the candidates."""
    return "sequence" if len(config.shape) == 1 else "grid"


def _draw_message(canvas: Canvas, panel: Panel, scene: Scene) -> None:
    """Draw the symbols of the message, between the sender and the receiver."""
    (left, top, right, _), is_sent = panel.box, scene.message >= 0
    begin, high = panel.cells[0][:2]
    end, low = np.max(panel.cells, axis=0)[2:].tolist()
    plural = "s" if scene.config.message_length > 1 else ""
    size = f"{scene.config.message_length:,} symbol{plural} out of {scene.config.vocab_size:,}"
    centre, middle = (left + right) / 2, (high + low) / 2
    canvas.text(centre, top + TITLE, "Message", _TITLE_SIZE, _INK, bold=True, anchor="mm")
    canvas.text(centre, top + NOTE, size, _NOTE_SIZE, _QUIET, anchor="mm")
    texts = np.where(is_sent, scene.message.astype(str), "")
    _draw_cells(canvas, panel, np.where(is_sent, "symbol", "empty"), texts)
    _arrow(canvas, left + 10, begin - 10, middle, bool(is_sent.any()))
    _arrow(canvas, end + 10, right - 10, middle, scene.sent)


def _draw_receiver(canvas: Canvas, panel: Panel, scene: Scene) -> None:
    """Draw the candidates and, once it is made, the choice; the target is marked only then."""
    candidates, choice = scene.episode.candidates[0], scene.choice
    note = f"sees the {_whole(scene.config)}; which one is meant?"
    _frame(canvas, panel.box, "Receiver", note, acting=scene.sent and choice is None)
    kinds = ["plain"] * len(candidates)
    if choice is not None:
        kinds[int(scene.episode.target_index[0])] = "target"
    _draw_cells(canvas, panel, kinds, candidates.astype(str), range(len(candidates)))
    if choice is not None:
        left, top, right, bottom = panel.cells[choice]
        colour = _RIGHT if scene.won else _WRONG
        canvas.box((left - 2, top - 2, right + 2, bottom + 2), outline=colour, line=3.5, radius=7)
        _badge(canvas, right, bottom + 2, scene.won, 11)


def _draw_outcome(
    canvas: Canvas, box: Box, scene: Scene, dictionary: Dictionary | None, caption: str
) -> None:
    """Write whose turn it is or how the episode ended, the caption, and with a dictionary the message."""
    left, top, right, _ = box
    canvas.box(box, fill=_GROUND, outline=_EDGE, radius=10)
    text, colour = _outcome(scene)
    x = left + PADDING
    if scene.won is not None:
        _badge(canvas, x + 13, top + RESULT, scene.won, 13)
        x += 36
    canvas.text(x, top + RESULT, text, 19, colour, bold=True)
    canvas.text(right - PADDING, top + RESULT, caption, _NOTE_SIZE, _QUIET, anchor="rm")
    if dictionary is not None:
        label, x = "In words", left + PADDING
        canvas.text(x, top + WORDS, label, 16, _QUIET)
        x += text_width(label, 16) + 14
        words = message_text(scene, dictionary) if scene.sent else "no message yet"
        words = _cut(words, 17, right - PADDING - x)
        canvas.text(x, top + WORDS, words, 17, _INK if scene.sent else _QUIET, bold=scene.sent)


def _outcome(scene: Scene) -> tuple[str, str]:
    """Return a sentence about the turn or the result, and its colour."""
    if scene.choice is None:
        if scene.sent:
            return "The receiver's turn: use the message to find the target.", _INK
        return "The sender's turn: say where the target is, without having seen it.", _INK
    chosen = scene.episode.candidates[0, scene.choice]
    colour = _RIGHT if scene.won else _WRONG
    return f"The receiver chooses {chosen}. {scene.verdict.capitalize()}.", colour


# --- Their elements -------------------------------------------------------------------------------------


def _frame(
    canvas: Canvas, box: Box, title: str, note: str, *, acting: bool = False, below: bool = True
) -> None:
    """Draw a frame, its title and a note below or next to it; mark it if it is its agent's turn."""
    left, top, right, _ = box
    canvas.box(box, fill=_GROUND, outline=_INK if acting else _EDGE, line=2.5 if acting else 1, radius=10)
    canvas.text(left + PADDING, top + TITLE, title, _TITLE_SIZE, _INK, bold=True)
    beside = left + PADDING + text_width(title, _TITLE_SIZE, bold=True) + 12
    x, y = (left + PADDING, top + NOTE) if below else (beside, top + TITLE)
    canvas.text(x, y, note, _NOTE_SIZE, _QUIET)
    if acting:
        canvas.text(right - PADDING, top + TITLE, "its turn", _NOTE_SIZE, _INK, bold=True, anchor="rm")


def _legend(canvas: Canvas, box: Box, config: GameConfig) -> None:
    """Explain the colours in the sequence, from the right end of its header."""
    x, y = box[2] - PADDING, box[1] + TITLE
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
    "hidden": _Look(_GROUND, _WINDOW_EDGE, bold=False),  # of the window, but the sender does not see it
    "target": _Look(_TARGET, _TARGET_EDGE, line=2.5),
    "symbol": _Look(_SYMBOL, radius=8, ink=_SYMBOL_INK),
    "empty": _Look(None, _EDGE, line=2, radius=8),  # a slot whose symbol is not sent yet
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
    canvas.circle(x, y, radius + 1.5, _GROUND)
    canvas.circle(x, y, radius, _RIGHT if good else _WRONG)
    r, width = 0.42 * radius, 0.22 * radius
    tick = (x - 1.15 * r, y, x - 0.3 * r, y + 0.9 * r, x + 1.2 * r, y - 0.9 * r)
    cross = (x - r, y - r, x + r, y + r), (x - r, y + r, x + r, y - r)
    for points in [tick] if good else cross:
        canvas.line(*points, colour=_GROUND, width=width)


def _cut(text: str, size: float, room: float) -> str:
    """Return the text, cut if it does not fit."""
    cut = text
    while text_width(cut, size, bold=True) > room:
        text = text[:-1]
        cut = f"{text.rstrip(' ,')}…"
    return cut
