"""Pictures of an episode, for people.

A picture is a function of a `Scene` and of nothing else, so that every kind of picture shows the same state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, Episodes, IntArray

_LABEL_WIDTH = 12
# Select Graphic Rendition codes of ECMA-48, which terminals understand.
_COLOURS = {"label": "2", "window": "36", "target": "1;33", "right": "1;32", "wrong": "1;31"}


@dataclass(frozen=True)
class Scene:
    """An episode as it stands: what there is to see, and what has been done so far."""

    config: GameConfig
    episode: Episodes  # a batch of one
    message: IntArray  # (T,), -1 in the slots that are still to come
    choice: int | None = None  # None until the receiver has chosen

    @property
    def won(self) -> bool | None:
        """Whether the choice is the target; None until the receiver has chosen."""
        return None if self.choice is None else self.choice == int(self.episode.target_index[0])


def ansi(scene: Scene, *, colour: bool = False, width: int = 100) -> str:
    """The episode as lines of text of at most `width` columns (but always one integer a line).

    Plain characters unless `colour`, which adds a terminal's colour codes.
    """
    paint = _painter(colour)
    blocks = {
        "sequence": _sequence(scene, paint, width),
        "window": _rows(_window_cells(scene), paint, width, style="window"),
        "message": _rows(_message_cells(scene), paint, width),
        "candidates": _rows(_candidate_cells(scene), paint, width),
        "choice": [_choice(scene, paint)],
    }
    lines = []
    for label, block in blocks.items():
        lines.append(paint("label", f"{label:<{_LABEL_WIDTH}}") + block[0])
        lines.extend(" " * _LABEL_WIDTH + row for row in block[1:])
    return "\n".join(line.rstrip() for line in lines)


def _painter(colour: bool) -> Callable[[str, str], str]:
    """How to give text a style: with a terminal's codes, or not at all."""
    if not colour:
        return lambda _, text: text
    return lambda style, text: f"\x1b[{_COLOURS[style]}m{text}\x1b[0m"


def _sequence(scene: Scene, paint: Callable[[str, str], str], width: int) -> list[str]:
    """The whole sequence: the sender's window in brackets, the target underlined."""
    target = int(scene.episode.target_position[0])
    first = target - int(scene.episode.mask_column[0])
    last = first + scene.config.window_size - 1
    cells = _bracketed([str(integer) for integer in scene.episode.sequence[0]], first, last)
    per_row = _cells_per_row(len(cells[0]), width)
    rows = []
    for start in range(0, len(cells), per_row):
        styles = dict.fromkeys(range(first, last + 1), "window") | {target: "target"}
        row = range(start, min(start + per_row, len(cells)))
        rows.append("".join(paint(styles[i], cells[i]) if i in styles else cells[i] for i in row))
        if target in row:
            underline = " " * ((target - start) * len(cells[0]) + 1) + "^" * (len(cells[0]) - 2)
            rows.append(paint("target", f"{underline} target"))
    return rows


def _window_cells(scene: Scene) -> list[str]:
    blank = "_" * len(str(scene.episode.sequence[0].max()))
    window = scene.episode.window[0]
    return _bracketed([blank if cell == MASK else str(cell) for cell in window], 0, len(window) - 1)


def _message_cells(scene: Scene) -> list[str]:
    symbols = ["." if symbol < 0 else str(symbol) for symbol in scene.message]
    return _bracketed(symbols, 0, len(symbols) - 1)


def _candidate_cells(scene: Scene) -> list[str]:
    return [f" {index}: {integer}  " for index, integer in enumerate(scene.episode.candidates[0])]


def _choice(scene: Scene, paint: Callable[[str, str], str]) -> str:
    if scene.choice is None:
        return " -"
    chosen, target = scene.episode.candidates[0, scene.choice], scene.episode.target[0]
    if scene.won:
        verdict = paint("right", "right: both agents earn 1")
    else:
        verdict = paint("wrong", f"wrong, the target is {target}: both agents earn 0")
    return f" {scene.choice}: {chosen}   {verdict}"


def _rows(cells: list[str], paint: Callable[[str, str], str], width: int, style: str = "") -> list[str]:
    """Cells in as many rows as they need."""
    size = max(len(cell) for cell in cells)
    per_row = _cells_per_row(size, width)
    rows = ["".join(cells[start : start + per_row]) for start in range(0, len(cells), per_row)]
    return [paint(style, row) for row in rows] if style else rows


def _cells_per_row(size: int, width: int) -> int:
    """How many cells of this size to a row; whole tens where that is possible."""
    fitting = max(1, (width - _LABEL_WIDTH) // size)
    return fitting - fitting % 10 if fitting > 10 else fitting


def _bracketed(texts: list[str], first: int, last: int) -> list[str]:
    """Cells of equal width, those from `first` to `last` in brackets."""
    size = max(len(text) for text in texts)
    return [
        f"{'[' if place == first else ' '}{text:>{size}}{']' if place == last else ' '}"
        for place, text in enumerate(texts)
    ]
