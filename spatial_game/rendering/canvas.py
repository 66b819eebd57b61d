"""Shapes and text on an image, drawn with the fonts that the package ships.

The same calls give the same pixels on every machine whose Pillow has the same FreeType; another one draws the
edges of letters a little differently.

Everything is drawn larger and then made smaller, which smooths shapes and text alike.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        """What has been drawn, at its final size."""
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
        """A rectangle, with round corners if `radius`; its outline is `line` units wide, and inside."""
        left, top, right, bottom = (round(end * self._unit) for end in box)
        self._draw.rounded_rectangle(
            (left, top, right - 1, bottom - 1),
            radius=radius * self._unit,
            fill=fill,
            outline=outline,
            width=max(1, round(line * self._unit)),
        )

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: float) -> None:
        """A line through points."""
        ends = [(round(x * self._unit), round(y * self._unit)) for x, y in points]
        self._draw.line(ends, fill=colour, width=max(1, round(width * self._unit)), joint="curve")

    def polygon(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """A filled polygon."""
        self._draw.polygon([(round(x * self._unit), round(y * self._unit)) for x, y in points], fill=colour)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """A filled circle."""
        ends = (x - radius, y - radius, x + radius, y + radius)
        self._draw.ellipse([round(end * self._unit) for end in ends], fill=colour)

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
        """A line of text; `anchor` says which of its points (x, y) is, as in Pillow ("lm": left, middle).

        Vertically the middle is that of digits and capitals, so that it does not depend on the text.
        """
        font = _font(round(size * self._unit), bold)
        x, y = round(x * self._unit), round(y * self._unit)
        if anchor[1] == "m":
            y += round(_capital_height(font) / 2)
        self._draw.text((x, y), text, colour, font, anchor=anchor[0] + "s")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Units that a line of text takes."""
    # Measured large, so that the width does not depend on the scale of a canvas.
    return _font(round(size * 8), bold).getlength(text) / 8


@lru_cache(maxsize=64)
def _font(pixels: int, bold: bool) -> ImageFont.FreeTypeFont:
    name = f"NotoSans-{'Bold' if bold else 'Regular'}.ttf"
    with as_file(files("spatial_game.rendering") / "fonts" / name) as path:
        # The other layout engine is not there on every machine.
        return ImageFont.truetype(str(path), pixels, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=64)
def _capital_height(font: ImageFont.FreeTypeFont) -> int:
    return -round(font.getbbox("0", anchor="ls")[1])
