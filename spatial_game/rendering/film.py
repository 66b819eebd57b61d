"""The film of a language as an animated picture: the map of each frame, and the accuracy so far."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from PIL import Image

from spatial_game.language.dictionary.words import place_in_words
from spatial_game.language.film.film import Film
from spatial_game.language.sketch.colours import PALETTE
from spatial_game.rendering.canvas import Canvas, text_width
from spatial_game.rendering.picture import write_gif

MOST_SENDERS = 4
"""Senders whose maps are drawn, one below another."""
SECONDS, LAST_SECONDS = 0.6, 2.5
_PAPER, _INK, _QUIET, _EMPTY, _LINE = "#f4f4f1", "#1c1c1c", "#5c5c5c", "#dfdfda", "#0072b2"
_WIDTH, _RIGHT, _TOP, _GAP, _CURVE = 720, 20, 62, 26, 60
_COLOURS = 64


def film_gif(path: str | os.PathLike[str], film: Film) -> None:
    """Write the frames of a film as a GIF that repeats for ever, with the maps of at most four senders."""
    frames = (picture(film, frame) for frame in range(len(film.times)))
    # Flat colours need no dithering, which would make the file several times as large.
    flat = [frame.quantize(_COLOURS, dither=Image.Dither.NONE) for frame in frames]
    write_gif(path, flat, [SECONDS] * (len(flat) - 1) + [LAST_SECONDS])


def picture(film: Film, frame: int) -> Image.Image:
    """Draw a frame: its number, the map of each sender, and the accuracy of their pairs up to it."""
    layout, shown = _layout(film), film.senders[:MOST_SENDERS]
    below = _TOP + len(shown) * layout.tall
    canvas = Canvas(_WIDTH, round(below + _CURVE + 20), _PAPER)
    canvas.text(layout.left, 24, f"{film.unit.capitalize()} {film.times[frame]:,}", 20, _INK, bold=True)
    right = np.mean([figures[frame].accuracy for figures in film.figures[:MOST_SENDERS]])
    canvas.text(_WIDTH - _RIGHT, 24, f"right in {right:.1%} of the episodes", 15, _INK, anchor="rm")
    for sender, name in enumerate(shown):
        top = _TOP + sender * layout.tall
        if len(shown) > 1:
            canvas.text(8, top - 10, f"sender {name}", 12, _INK, bold=True)
        _draw_map(canvas, film, (sender, frame), layout, top)
    _draw_curves(canvas, film, frame, layout.left, below)
    return canvas.finished()


class _Layout(NamedTuple):
    """Where the cells of a map are, in units of the picture."""

    left: float
    width: float
    high: float
    tall: float
    """From one map to the next."""
    names: tuple[str, ...]
    """The rows; in a square, the axes."""


def _layout(film: Film) -> _Layout:
    integers = film.maps.message.shape[2]
    names = tuple(place_in_words(offset) for offset in film.maps.offsets)
    square = film.maps.kind == "square"
    if square:
        names = tuple(f"{name} ({way})" for name, way in zip(names, ("down", "across"), strict=True))
    left = 24 + max(text_width(name, 13) for name in names)
    width = (_WIDTH - left - _RIGHT) / integers
    high = width if square else 20.0
    return _Layout(left, width, high, _GAP + high * (integers if square else len(names)), names)


def _draw_map(canvas: Canvas, film: Film, place: tuple[int, int], layout: _Layout, top: float) -> None:
    """Draw the map of a sender in a frame, with the integers across."""
    left, width, high, _, names = layout
    square, colours = film.maps.kind == "square", film.maps.colour[place]
    gap = 0.0 if square else 1.0
    for (row, column), colour in np.ndenumerate(colours if square else colours.T):
        x, y = left + column * width, top + row * high
        fill = PALETTE[colour] if colour >= 0 else _EMPTY
        canvas.box((x, y, x + width - gap / 2, y + high - gap), fill=fill)
    for row, name in enumerate(names):
        canvas.text(
            left - 8, top + (16 * row + 8 if square else (row + 0.5) * high), name, 13, _QUIET, anchor="rm"
        )
    for integer in range(0, len(colours), 10 if len(colours) > 30 else 5):
        canvas.text(left + (integer + 0.5) * width, top - 9, str(integer), 11, _QUIET, anchor="mm")


def _draw_curves(canvas: Canvas, film: Film, frame: int, left: float, top: float) -> None:
    """Draw the accuracy of each sender's pair over the frames so far."""
    for share in (0.0, 1.0):
        y = top + _CURVE * (1 - share)
        canvas.line(left, y, _WIDTH - _RIGHT, y, colour=_EMPTY, width=1)
        canvas.text(left - 8, y, f"{share:.0%}", 11, _QUIET, anchor="rm")
    canvas.text(left - 8, top + _CURVE / 2, "right", 12, _QUIET, anchor="rm")
    times = np.array(film.times[: frame + 1])
    across = left + (_WIDTH - _RIGHT - left) * (times - times[0]) / (film.times[-1] - times[0])
    for figures in film.figures[:MOST_SENDERS]:
        down = [top + _CURVE * (1 - each.accuracy) for each in figures[: frame + 1]]
        canvas.line(*np.column_stack([across, down]).ravel().tolist(), colour=_LINE, width=2)
        canvas.circle(across[-1], down[-1], 4, _LINE)
