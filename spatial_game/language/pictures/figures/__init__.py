"""The pictures of a language as figures of Matplotlib, for papers and notebooks.

They are as wide as a page of two columns (7 inches), or as one column where that is enough, at most 9 inches
high, and have letters of 5.5 points at least.
"""

from spatial_game.language.pictures.figures.bits import bits_figure
from spatial_game.language.pictures.figures.heat import heat_figures
from spatial_game.language.pictures.figures.maps import map_figure
from spatial_game.language.pictures.figures.writing import write_figures

__all__ = ["bits_figure", "heat_figures", "map_figure", "write_figures"]
