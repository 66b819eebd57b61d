"""Maps of the languages of all pairs of two families, side by side: a figure of *Findings*.

    OMP_NUM_THREADS=1 python experiments/maps.py --out docs/_static/findings/maps.png

Each small map has the integers at the two offsets that messages tell most of. A cell has the colour of the
first symbol of the best message there, by a dictionary of 100,000 episodes (that of `translations.py`).
Integers are in the order of their size (`paper-60`), or such that those with like rows are neighbours
(`embed-60`). Colours tell the symbols of one map apart, and mean nothing else. White cells have the same
integer twice, which never occurs.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rows import pairs_of, parser_of
from scipy.cluster.hierarchy import leaves_list, linkage
from translations import side

from spatial_game.language.wording import offset_text

ROWS = 4
APART = 7 / 16  # by which the colours of symbols that follow each other differ


def main():
    parser = parser_of(__doc__)
    options = parser.parse_args()
    names = pairs_of("paper-60", "embed-60")
    figure = Figure(figsize=(9.6, 5.8), layout="constrained")
    for name, axis in zip(names, figure.subplots(ROWS, len(names) // ROWS).flat, strict=True):
        draw(name, axis)
    figure.savefig(options.out or Path("maps.png"), dpi=120)


def draw(name, axis):
    """Draw the map of a pair."""
    dictionary = side(name).dictionary
    config, bits = dictionary.config, dictionary.bits.messages_by_variable[:-1]
    left, right = np.sort(np.argsort(bits)[-2:])
    first = first_symbols(dictionary, left, right)
    rank = np.unique(first, return_inverse=True)[1].reshape(first.shape)
    colour = np.arange(rank.max() + 1)[rank] * APART % 1
    np.fill_diagonal(colour, np.nan)  # an integer stands in one cell alone
    if not name.startswith("paper"):
        colour = colour[np.ix_(alike(first), alike(first.T))]
    axis.imshow(colour, cmap="viridis", interpolation="nearest", vmin=0, vmax=1)
    axis.set_title(name, fontsize=7, pad=2)
    axis.set_ylabel(offset_text(config.offsets[left]), fontsize=6, labelpad=1)
    axis.set_xlabel(offset_text(config.offsets[right]), fontsize=6, labelpad=1)
    axis.set_xticks([])
    axis.set_yticks([])


def first_symbols(dictionary, left, right):
    """Return (N, N), the first symbol of the best message for integers at two offsets."""
    score = np.log2(dictionary.episodes / dictionary.episodes.sum())[:, None]
    cells = (dictionary.columns.about(offset) for offset in (left, right))
    rows, columns = (dictionary.of_messages[:, cell] for cell in cells)
    best = [(rows[:, [integer]] + columns + score).argmax(axis=0) for integer in range(rows.shape[1])]
    return dictionary.messages[np.array(best), 0]


def alike(first):
    """Return the order of the rows in which like ones are neighbours."""
    return leaves_list(linkage(first, "average", "hamming", optimal_ordering=True))


if __name__ == "__main__":
    main()
