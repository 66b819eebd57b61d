"""Shapes and text on an image, drawn with the fonts in this package.

The same calls give the same pixels with the same FreeType in Pillow; another FreeType draws the edges of
letters slightly differently. Everything is drawn at twice its size and then reduced, which smooths edges.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

_OVERSAMPLING = 2

Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom, in units of the picture."""


class Canvas:
    """A picture of `width` x `height` units, each `scale` pixels wide. Colours are `#rrggbb`."""

    def __init__(self, width: int, height: int, background: str, scale: int = 1) -> None:
        self._unit = scale * _OVERSAMPLING
        self._image = Image.new("RGB", (width * self._unit, height * self._unit), background)
        self._draw = ImageDraw.Draw(self._image)

    def finished(self) -> Image.Image:
        """Return the drawing at its final size."""
        return self._image.reduce(_OVERSAMPLING)

    def box(
        self,
        box: Box,
        *,
        fill: str | None = None,
        outline: str | None = None,
        line: float = 1,
        radius: float = 0,
    ) -> None:
        """Draw a rectangle with corners of this radius. Its outline is `line` units wide, and inside."""
        left, top, right, bottom = self._pixels(*box)
        corners, width = (left, top, right - 1, bottom - 1), max(1, *self._pixels(line))
        self._draw.rounded_rectangle(corners, radius * self._unit, fill, outline, width)

    def line(self, *points: float, colour: str, width: float) -> None:
        """Draw a line through points: x, y, x, y, ..."""
        self._draw.line(self._pixels(*points), colour, max(1, *self._pixels(width)), joint="curve")

    def polygon(self, *points: float, colour: str) -> None:
        """Draw a filled polygon through points: x, y, x, y, ..."""
        self._draw.polygon(self._pixels(*points), colour)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        self._draw.ellipse(self._pixels(x - radius, y - radius, x + radius, y + radius), colour)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str,
        *,
        bold: bool = False,
        anchor: str = "lm",
    ) -> None:
        """Draw a line of text with the given anchor at (x, y), as in Pillow ("lm": left, middle).

        The middle is the middle of digits and capitals, so it does not depend on the text.
        """
        font = _font(round(size * self._unit), bold)
        left, base = self._pixels(x, y)
        if anchor[1] == "m":
            base += round(_capital_height(font) / 2)
        self._draw.text((left, base), text, colour, font, anchor=anchor[0] + "s")

    def _pixels(self, *units: float) -> list[int]:
        return [round(unit * self._unit) for unit in units]


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text, in units."""
    # Measured large, so that the width does not depend on the scale of a canvas.
    return _font(round(size * 8), bold).getlength(text) / 8


@lru_cache(maxsize=64)
def _font(pixels: int, bold: bool) -> ImageFont.FreeTypeFont:
    name = f"NotoSans-{'Bold' if bold else 'Regular'}.ttf"
    with as_file(files("spatial_game.rendering") / "fonts" / name) as path:
        # Not every machine has the other layout engine.
        return ImageFont.truetype(str(path), pixels, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=64)
def _capital_height(font: ImageFont.FreeTypeFont) -> int:
    return -round(font.getbbox("0", anchor="ls")[1])
