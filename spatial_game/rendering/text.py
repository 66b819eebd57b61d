"""Pictures of an episode, for people.

A picture is a function of a `Scene` and of nothing else, so that every kind of picture shows the same state.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spatial_game.game.episodes import MASK
from spatial_game.game.scene import Scene

if TYPE_CHECKING:
    from spatial_game.language.lexicon.lexicon import Lexicon

_LABEL_WIDTH = 12
# Select Graphic Rendition codes of ECMA-48, which terminals understand.
_COLOURS = {"quiet": "2", "window": "36", "target": "1;33", "right": "1;32", "wrong": "1;31"}


def ansi(scene: Scene, *, colour: bool = False, width: int = 100, lexicon: Lexicon | None = None) -> str:
    """The episode as lines of text of at most `width` columns, if that is 70 or more.

    Plain characters unless `colour`, which adds a terminal's colour codes. With a lexicon, a line reads the
    message in words, once it has been sent.
    """
    lines = [
        *_labelled("sequence", _sequence(scene, width)),
        *_labelled("window", _window(scene, width)),
        *_labelled("message", _message(scene, width)),
        *_labelled("in words", _in_words(scene, lexicon, width)),
        *_labelled("candidates", _candidates(scene, width)),
        *_labelled("choice", [_choice(scene)]),
    ]
    return "\n".join(_text(line, colour) for line in lines)


# A line is made of pieces of text, each with a style or with "" for none.
_Piece = tuple[str, str]
_Line = list[_Piece]


def _text(line: _Line, colour: bool) -> str:
    if not colour:
        return "".join(text for _, text in line).rstrip()
    return "".join(f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if style else text for style, text in line)


def _labelled(label: str, lines: list[_Line]) -> list[_Line]:
    names = [label, *[""] * (len(lines) - 1)][: len(lines)]
    return [[("quiet", f"{name:<{_LABEL_WIDTH}}"), *line] for name, line in zip(names, lines, strict=True)]


def _sequence(scene: Scene, width: int) -> list[_Line]:
    """The whole sequence: the sender's window in brackets, the target underlined."""
    target = int(scene.episode.target_position[0])
    start = target - int(scene.episode.mask_column[0])
    window = range(start, start + scene.config.window_size)
    cells = _bracketed([str(integer) for integer in scene.episode.sequence[0]], window)
    styles = ["window" if place in window else "" for place in range(len(cells))]
    styles[target] = "target"
    size, per_row = len(cells[0]), _cells_per_row(len(cells[0]), width)
    lines = _rows(cells, styles, per_row)
    row, column = divmod(target, per_row)
    indent, underline, name = column * size + 1, "^" * (size - 2), "the target"
    if _LABEL_WIDTH + indent + size + len(name) <= width:
        pointer = " " * indent + f"{underline} {name}"
    else:  # no room to its right
        pointer = f"{name} {underline}".rjust(indent + len(underline))
    lines.insert(row + 1, [("target", pointer)])
    return lines


def _window(scene: Scene, width: int) -> list[_Line]:
    blank = "_" * len(str(scene.episode.sequence[0].max()))
    shown = scene.episode.window[0]
    cells = _bracketed([blank if cell == MASK else str(cell) for cell in shown], range(len(shown)))
    styles = ["target" if cell == MASK else "window" for cell in shown]
    lines = _rows(cells, styles, _cells_per_row(len(cells[0]), width))
    return _noted(lines, "all that the sender sees", width)


def _message(scene: Scene, width: int) -> list[_Line]:
    symbols = [int(symbol) for symbol in scene.message]
    texts = ["." if symbol < 0 else str(symbol) for symbol in symbols]
    cells = _bracketed(texts, range(len(texts)))
    lines = _rows(cells, [""] * len(cells), _cells_per_row(len(cells[0]), width))
    note = "all that the receiver hears" if min(symbols) >= 0 else "the sender is to speak"
    return _noted(lines, note, width)


def _in_words(scene: Scene, lexicon: Lexicon | None, width: int) -> list[_Line]:
    if lexicon is None or (scene.message < 0).any():
        return []
    from spatial_game.language.speaking.reading import (
        in_words,  # loads more than a picture without words needs
    )

    words = in_words(lexicon, scene.message, scene.episode.window[0])
    return [[("", f" {line}")] for line in textwrap.wrap(words, width - _LABEL_WIDTH - 1)]


def _candidates(scene: Scene, width: int) -> list[_Line]:
    texts = [f" {index}: {integer} " for index, integer in enumerate(scene.episode.candidates[0])]
    size = max(map(len, texts)) + 1
    cells = [f"{text:<{size}}" for text in texts]
    lines = _rows(cells, [""] * len(cells), _cells_per_row(size, width))
    return _noted(lines, "the receiver sees these and the sequence", width)


def _choice(scene: Scene) -> _Line:
    if scene.choice is None:
        return [("quiet", " the receiver is to choose")]
    chosen, target = scene.episode.candidates[0, scene.choice], scene.episode.target[0]
    if scene.won:
        verdict = ("right", "right: both agents earn 1")
    else:
        verdict = ("wrong", f"wrong, it is {target}: both agents earn 0")
    return [("", f" {scene.choice}: {chosen}   "), verdict]


def _noted(lines: list[_Line], note: str, width: int) -> list[_Line]:
    """The lines with a note after the last, where there is room."""
    used = _LABEL_WIDTH + sum(len(text) for _, text in lines[-1])
    if used + 2 + len(note) <= width:
        lines[-1].append(("quiet", f"  {note}"))
    return lines


def _rows(cells: Sequence[str], styles: Sequence[str], per_row: int) -> list[_Line]:
    pieces = list(zip(styles, cells, strict=True))
    return [pieces[start : start + per_row] for start in range(0, len(pieces), per_row)]


def _cells_per_row(size: int, width: int) -> int:
    """How many cells of this size to a row; whole tens where that is possible."""
    fitting = max(1, (width - _LABEL_WIDTH) // size)
    return fitting - fitting % 10 if fitting > 10 else fitting


def _bracketed(texts: list[str], inside: range) -> list[str]:
    """Cells of equal width, with brackets around those inside."""
    size = max(map(len, texts))
    return [
        f"{'[' if place == inside[0] else ' '}{text:>{size}}{']' if place == inside[-1] else ' '}"
        for place, text in enumerate(texts)
    ]
