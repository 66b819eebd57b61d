"""A grammar sketch: what a language tells, how its messages are built, its words, and where it is silent."""

from spatial_game.language.page.sketch import Sketch, sketch

__all__ = ["Sketch", "sketch"]
