"""How many left-out combinations windows show, counted cell by cell."""

import numpy as np

from spatial_game.game.episodes import MASK


def number_shown(held, windows):
    """Return the number for each window (B, W), (B,)."""
    config = held.config
    row_of = {tuple(np.atleast_1d(offset).tolist()): row for row, offset in enumerate(config.offsets)}
    places = list(np.ndindex(config.window_shape))
    numbers = []
    for window in windows.tolist():
        mask = places[window.index(MASK)]
        steps = [tuple(there - here for there, here in zip(place, mask, strict=True)) for place in places]
        seen = [(row_of[step], value) for step, value in zip(steps, window, strict=True) if value >= 0]
        numbers.append(sum(held.cells[combination] for combination in seen))
    return np.array(numbers)
