"""The film of a language as an animated picture: the map of each frame, and the accuracy so far."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PIL import Image

from spatial_game.language.dictionary.words import place_in_words
from spatial_game.language.film.film import Film
from spatial_game.language.sketch.colours import PALETTE
from spatial_game.rendering.canvas import Canvas
from spatial_game.rendering.picture import write_gif

MOST_SENDERS = 4
"""Senders whose maps are drawn, one below another."""
SECONDS, LAST_SECONDS = 0.6, 2.5
_PAPER, _INK, _QUIET, _EMPTY, _LINE = "#f4f4f1", "#1c1c1c", "#5c5c5c", "#dfdfda", "#0072b2"
_LEFT, _RIGHT, _TOP, _GAP, _CURVE = 110, 20, 62, 26, 60
_WIDTH, _COLOURS = 720, 64


def film_gif(path: str | os.PathLike[str], film: Film) -> None:
    """Write the frames of a film as a GIF that repeats for ever, with the maps of at most four senders."""
    frames = (picture(film, frame) for frame in range(len(film.times)))
    # Flat colours need no dithering, which would make the file several times as large.
    flat = [frame.quantize(_COLOURS, dither=Image.Dither.NONE) for frame in frames]
    seconds = [SECONDS] * (len(film.times) - 1) + [LAST_SECONDS]
    write_gif(path, flat, seconds)


def picture(film: Film, frame: int) -> Image.Image:
    """Draw a frame: its number, the map of each sender, and the accuracy up to it."""
    senders = range(min(len(film.senders), MOST_SENDERS))
    rows, columns = _shape(film)
    width = (_WIDTH - _LEFT - _RIGHT) / columns
    high = width if film.maps.kind == "square" else 20.0
    tall = rows * high + _GAP
    canvas = Canvas(_WIDTH, round(_TOP + len(senders) * tall + _CURVE + 20), _PAPER)
    right = sum(film.figures[sender][frame].accuracy for sender in senders) / len(senders)
    canvas.text(_LEFT, 24, f"{film.unit.capitalize()} {film.times[frame]:,}", 20, _INK, bold=True)
    canvas.text(_WIDTH - _RIGHT, 24, f"right in {right:.1%} of the episodes", 15, _INK, anchor="rm")
    for sender in senders:
        top = _TOP + sender * tall
        if len(film.senders) > 1:
            canvas.text(8, top - 10, f"sender {film.senders[sender]}", 12, _INK, bold=True)
        _draw_map(canvas, film, sender, frame, (top, width, high))
    _draw_curve(canvas, film, senders, frame, _TOP + len(senders) * tall)
    return canvas.finished()


def _shape(film: Film) -> tuple[int, int]:
    """Return the rows and columns of cells: integers go across, but in a square also down."""
    integers, columns = film.maps.message.shape[2:]
    return (integers, columns) if film.maps.kind == "square" else (columns, integers)


def _draw_map(canvas: Canvas, film: Film, sender: int, frame: int, place: tuple[float, float, float]) -> None:
    """Draw a map at (top, width of a cell, height of a cell)."""
    top, width, high = place
    square, colours = film.maps.kind == "square", film.maps.colour[sender, frame]
    colours = colours if square else colours.T
    gap = 0.0 if square else 1.0
    for (row, column), colour in ((cell, int(colours[cell])) for cell in _cells(colours.shape)):
        left, above = _LEFT + column * width, top + row * high
        fill = PALETTE[colour] if colour >= 0 else _EMPTY
        canvas.box((left, above, left + width - gap / 2, above + high - gap), fill=fill)
    names = [place_in_words(offset) for offset in film.maps.offsets]
    if square:
        canvas.text(_LEFT - 8, top + 10, f"{names[0]} (down)", 12, _QUIET, anchor="rm")
        canvas.text(_LEFT - 8, top + 26, f"{names[1]} (across)", 12, _QUIET, anchor="rm")
    else:
        for row, name in enumerate(names):
            canvas.text(_LEFT - 8, top + (row + 0.5) * high, name, 13, _QUIET, anchor="rm")
    step = 10 if colours.shape[1] > 30 else 5
    for column in range(0, colours.shape[1], step):
        canvas.text(_LEFT + (column + 0.5) * width, top - 9, str(column), 11, _QUIET, anchor="mm")


def _cells(shape: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(row, column) for row in range(shape[0]) for column in range(shape[1])]


def _draw_curve(canvas: Canvas, film: Film, senders: Sequence[int], frame: int, top: float) -> None:
    """Draw the accuracy of each sender's pair over the frames so far."""
    span = _WIDTH - _LEFT - _RIGHT
    first, last = film.times[0], film.times[-1]
    for share in (0.0, 1.0):
        y = top + _CURVE * (1 - share)
        canvas.line(_LEFT, y, _WIDTH - _RIGHT, y, colour=_EMPTY, width=1)
        canvas.text(_LEFT - 8, y, f"{share:.0%}", 11, _QUIET, anchor="rm")
    canvas.text(8, top + _CURVE / 2, "right", 12, _QUIET)
    for sender in senders:
        points = [
            (_LEFT + span * (time - first) / (last - first), top + _CURVE * (1 - figures.accuracy))
            for time, figures in zip(film.times, film.figures[sender], strict=True)
        ][: frame + 1]
        canvas.line(*(number for point in points for number in point), colour=_LINE, width=2)
        canvas.circle(*points[-1], 4, _LINE)
