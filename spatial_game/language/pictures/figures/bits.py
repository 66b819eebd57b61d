"""The figure of how much messages tell: their symbols in turn, and about each offset."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.pictures.colours import BAR, DARK
from spatial_game.language.pictures.figures import paper
from spatial_game.language.pictures.maps import offsets_by_bits
from spatial_game.language.prefixes import Prefixes
from spatial_game.language.wording import variable_texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAST_NUMBERED = 0.03  # of the scale: a bar that is shorter has no room for the number of its slot


def bits_figure(prefixes: Prefixes, dictionary: Dictionary) -> Figure:
    """Return the figure of the bits of symbols in turn and of the bits by offset, as bars on one scale.

    The numbers in the first bar are those of slots.
    """
    bits, view = dictionary.bits, len(dictionary.config.offsets)
    variables = [*offsets_by_bits(dictionary), *([view] if view in dictionary.informative else [])]
    names = ["symbols, in turn", *(variable_texts(dictionary.config)[each] for each in variables)]
    possible = [bits.entropy, *(bits.possible_by_variable[each] for each in variables)]
    figure = paper.empty_figure(paper.COLUMN, 0.7 + 0.2 * len(names))
    axes = figure.subplots()
    ends = [0.0, *prefixes.bits]
    for number, (start, end) in enumerate(itertools.pairwise(ends)):
        colour = DARK[number % len(DARK)]
        bar = axes.barh(names[0], end - start, left=start, color=colour, edgecolor="white", linewidth=0.6)
        if end - start >= _LEAST_NUMBERED * max(possible):
            axes.bar_label(bar, [str(number + 1)], label_type="center", color="white", fontsize=paper.TEXT)
    told = [max(bits.messages_by_variable[each], 0.0) for each in variables]
    axes.barh(names[1:], told, color=BAR)
    axes.barh(names, possible, color="none", edgecolor="0.4", linewidth=0.6)
    axes.invert_yaxis()
    axes.tick_params(labelsize=paper.TEXT)
    axes.set_xlabel("bits an episode (outline: the most possible)", fontsize=paper.TEXT)
    return figure
