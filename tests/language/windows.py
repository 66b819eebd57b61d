"""All windows of small games, one by one, for slow twins."""

import itertools

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK
from spatial_game.language.counting.places import edge_values

SMALL = GameConfig(sequence_length=5, num_integers=6, window_radius=1, num_distractors=1)
WIDE = GameConfig(sequence_length=6, num_integers=7, window_radius=2, num_distractors=1)


def all_windows(config):
    """Yield every window of a game, with its probability."""
    radius, cells = config.window_radius, config.window_size - 1
    choices = list(itertools.permutations(range(config.num_integers), cells))
    for column in range(config.window_size):
        share = 1 if column != radius else config.sequence_length - 2 * radius
        for integers in choices:
            window = [*integers[:column], MASK, *integers[column:]]
            yield window, share / config.sequence_length / len(choices)


def categories(config, window):
    """Return what stands at each place of a window."""
    column, none = window.index(MASK), config.num_integers
    cells = (column + offset for offset in config.offsets)
    shown = [window[cell] if 0 <= cell < len(window) else none for cell in cells]
    return [*shown, edge_values(config)[column]]
