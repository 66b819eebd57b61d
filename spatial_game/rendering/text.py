"""Episodes as lines of text, for terminals and `render_mode="ansi"`."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spatial_game.game.cells import GAP, cell_table
from spatial_game.game.episodes import HIDDEN, MASK
from spatial_game.game.scene import Scene

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

_LABEL_WIDTH = 12
_NARROWEST = 20  # columns for words, even where there is less room
_BETWEEN = "   "  # two slices of a grid
# Select Graphic Rendition codes of ECMA-48, which terminals understand.
_COLOURS = {
    "window": "36",
    "hidden": "2",
    "target": "1;33",
    "candidate": "1;33",
    "right": "1;32",
    "wrong": "1;31",
    "quiet": "2",
}

# A line consists of pieces of text, each with a style: a colour, or any other text for none.
_Line = list[tuple[str, str]]


def ansi(
    scene: Scene, *, colour: bool = False, width: int = 100, dictionary: Dictionary | None = None
) -> str:
    """Return the episode as lines of text of at most `width` columns, if cells and words have room in them.

    `colour` adds a terminal's colour codes. With a dictionary, a line shows the message in words once it has
    been sent.
    """
    return _page(
        {
            "sequence": _sequence(scene, width),
            "window": _window(scene, width),
            "message": _message(scene, width),
            "in words": _in_words(scene, dictionary, width),
            "candidates": _candidates(scene, width),
            "choice": [_choice(scene)],
        },
        colour,
    )


def sender_ansi(scene: Scene, *, colour: bool = False, width: int = 100) -> str:
    """Return what the sender sees before it speaks, in lines like those of `ansi`."""
    return _page({"window": _window(scene, width)}, colour)


def receiver_ansi(
    scene: Scene, *, colour: bool = False, width: int = 100, dictionary: Dictionary | None = None
) -> str:
    """Return what the receiver sees before it chooses, in lines like those of `ansi`.

    The candidates stand in brackets in the sequence, with their numbers below.
    """
    return _page(
        {
            "sequence": _sequence_with_candidates(scene, width),
            "message": _message(scene, width),
            "in words": _in_words(scene, dictionary, width, judged=False),
            "candidates": _candidates(scene, width),
        },
        colour,
    )


def message_text(scene: Scene, dictionary: Dictionary, *, judged: bool = True) -> str:
    """Return a sent message in words. With `judged`, they say so if they are not true of the window."""
    from spatial_game.language.dictionary.interpreter import interpreter  # only pictures with words need it

    return interpreter(dictionary).text(scene.message, scene.episode.window[0] if judged else None)


def _page(parts: Mapping[str, Sequence[_Line]], colour: bool) -> str:
    """Return the lines of each part, with its label before the first."""
    lines = [
        [("quiet", f"{'' if number else label:<{_LABEL_WIDTH}}"), *line]
        for label, part in parts.items()
        for number, line in enumerate(part)
    ]
    return "\n".join(_text(line, colour) for line in lines)


def _text(line: _Line, colour: bool) -> str:
    if not colour:
        return "".join(text for _, text in line).rstrip()
    return "".join(
        f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if style in _COLOURS else text for style, text in line
    )


def _sequence(scene: Scene, width: int) -> list[_Line]:
    """Return the whole sequence or grid, with the sender's window in brackets and the target underlined."""
    sequence, side = scene.episode.sequence[0].tolist(), scene.config.window_shape[-1]
    cells = _bracketed(sequence, scene.window_cells, side)
    lines = _laid_out(cells, scene.sequence_kinds, scene.config.shape, width)
    row = next(row for row, line in enumerate(lines) if any(style == "target" for style, _ in line))
    before = list(itertools.takewhile(lambda piece: piece[0] != "target", lines[row]))
    size = len(cells[0])
    indent, underline, name = sum(len(text) for _, text in before) + 1, "^" * (size - 2), "the target"
    if _LABEL_WIDTH + indent + size + len(name) <= width:
        pointer = " " * indent + f"{underline} {name}"
    else:  # no room to its right
        pointer = f"{name} {underline}".rjust(indent + len(underline))
    lines.insert(row + 1, [("target", pointer)])
    return lines


def _sequence_with_candidates(scene: Scene, width: int) -> list[_Line]:
    """Return the whole sequence or grid, with the candidates in brackets and their numbers below."""
    sequence = scene.episode.sequence[0].tolist()
    number = {integer: index for index, integer in enumerate(scene.episode.candidates[0].tolist())}
    size = max(len(str(integer)) for integer in sequence)
    cells = [f"[{k:>{size}}]" if k in number else f" {k:>{size}} " for k in sequence]
    below = [f" {number.get(k, ''):>{size}} " for k in sequence]
    styles = ["candidate" if k in number else "plain" for k in sequence]
    rows, under = (_laid_out(texts, styles, scene.config.shape, width) for texts in (cells, below))
    lines: list[_Line] = []
    for row, numbers in zip(rows, under, strict=True):
        lines += [row, numbers] if any(style == "candidate" for style, _ in row) else [row]
    return lines


def _window(scene: Scene, width: int) -> list[_Line]:
    """Return the window, with signs for the mask and for hidden cells."""
    config, size = scene.config, len(str(scene.episode.sequence[0].max()))
    window, signs = scene.episode.window[0].tolist(), {MASK: "_" * size, HIDDEN: "#" * size}
    texts = [signs.get(cell, cell) for cell in window]
    cells = _bracketed(texts, range(len(window)), config.window_shape[-1])
    note = f"all that the sender sees{f'; {signs[HIDDEN]} is hidden' if config.num_hidden else ''}"
    return _noted(_laid_out(cells, scene.window_kinds, config.window_shape, width), note, width)


def _message(scene: Scene, width: int) -> list[_Line]:
    """Return the symbols of the message, with a point in the slots that are not sent yet."""
    symbols = ["." if symbol < 0 else symbol for symbol in scene.message.tolist()]
    cells = _bracketed(symbols, range(len(symbols)), len(symbols))
    note = "all that the receiver hears" if scene.sent else "the sender is to speak"
    return _noted(_laid_out(cells, [""] * len(cells), (len(cells),), width), note, width)


def _in_words(scene: Scene, dictionary: Dictionary | None, width: int, judged: bool = True) -> list[_Line]:
    """Return a sent message in words, and what these words mean, in lines that fit."""
    if dictionary is None or not scene.sent:
        return []
    from spatial_game.language.dictionary.interpreter import interpreter

    words = message_text(scene, dictionary, judged=judged)
    texts = [("", words), *(("quiet", line) for line in interpreter(dictionary).legend(words))]
    room = max(width - _LABEL_WIDTH - 1, _NARROWEST)
    return [[(style, f" {line}")] for style, text in texts for line in textwrap.wrap(text, room)]


def _candidates(scene: Scene, width: int) -> list[_Line]:
    """Return the candidates, each with its index."""
    texts = [f" {index}: {integer} " for index, integer in enumerate(scene.episode.candidates[0])]
    size = max(map(len, texts)) + 1
    cells = [f"{text:<{size}}" for text in texts]
    lines = _laid_out(cells, [""] * len(cells), (len(cells),), width)
    return _noted(lines, "the receiver sees these and the sequence", width)


def _choice(scene: Scene) -> _Line:
    """Return the choice and whether it is right, or that it is still to come."""
    if scene.choice is None:
        return [("quiet", " the receiver is to choose")]
    chosen = scene.episode.candidates[0, scene.choice]
    return [("", f" {scene.choice}: {chosen}   "), ("right" if scene.won else "wrong", scene.verdict)]


def _noted(lines: list[_Line], note: str, width: int) -> list[_Line]:
    """Return the lines with a note after the last one, if there is room."""
    used = _LABEL_WIDTH + sum(len(text) for _, text in lines[-1])
    if used + 2 + len(note) <= width:
        lines[-1].append(("quiet", f"  {note}"))
    return lines


def _laid_out(cells: Sequence[str], styles: Sequence[str], shape: tuple[int, ...], width: int) -> list[_Line]:
    """Return a sequence in rows, in tens if possible, or a grid as slices side by side if there is room."""
    room = width - _LABEL_WIDTH
    if len(shape) == 1:
        across = room // len(cells[0])
        across -= across % 10 if across > 10 else 0
    else:
        across = (room + len(_BETWEEN)) // (shape[-1] * len(cells[0]) + len(_BETWEEN))
    lines: list[_Line] = []
    for row in cell_table(shape, max(1, across)):
        last = np.flatnonzero(row != GAP).max(initial=-1)
        lines.append(
            [("", _BETWEEN) if n == GAP else (styles[n], cells[n]) for n in row[: last + 1].tolist()]
        )
    return lines


def _bracketed(contents: Sequence[object], inside: Sequence[int], length: int) -> list[str]:
    """Return cells of equal width. Those inside are rows of this length, with brackets around each row."""
    texts = [str(content) for content in contents]
    size = max(map(len, texts))
    opened, closed = set(inside[::length]), set(inside[length - 1 :: length])
    return [
        f"{'[' if cell in opened else ' '}{text:>{size}}{']' if cell in closed else ' '}"
        for cell, text in enumerate(texts)
    ]
