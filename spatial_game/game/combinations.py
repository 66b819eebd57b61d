"""Combinations of integers and offsets, such as *22 at -1*, some of which a training may leave out.

It then uses only episodes whose window shows none of them, but it still sees every integer and every
offset. `spatial_game.studies.unseen` measures how well a pair speaks about them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.checks import require_number
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import Mask
from spatial_game.game.seeds import random_stream
from spatial_game.game.windows import offset_numbers


@dataclass(frozen=True, eq=False)
class Combinations:
    """Some of a game's combinations of integers and offsets."""

    config: GameConfig
    cells: Mask  # (offsets, integers), whether integer k at config.offsets[o] is one of them

    @property
    def by_mask_column(self) -> Mask:
        """(W, W, integers), whether an integer in a cell of the window is one of them, by the mask's column.

        The mask's own cell is always False. Training looks combinations up in this form.
        """
        number = offset_numbers(self.config)
        return np.asarray(self.cells[number] & (number >= 0)[..., None])


def draw_combinations(
    config: GameConfig, fraction: float, seed: int, apart_from: Combinations | None = None
) -> Combinations:
    """Choose this share of the integers at random, separately for each offset, from a stream of the seed.

    `apart_from`: choose none of these (for a control). Raises `ValueError` unless the share chooses an
    integer, and leaves as many others and at least a window of integers, at each offset.
    """
    require_number("unseen", fraction, 0, 1, above=True, below=True)
    number = config.num_integers
    chosen, most = round(fraction * number), min(number // 2, number - config.window_size)
    if not 1 <= chosen <= most:
        allowed = f"be from {1 / number:.3g} to {most / number:.3g}" if most > 0 else "be 0"
        raise UserError(
            f"unseen must {allowed} with {number} integers, so that training leaves out at least one "
            f"integer at each offset, and shows as many others for the control; got {fraction}"
        )
    rng = np.random.default_rng(
        random_stream(seed, "held out" if apart_from is None else "held out: control")
    )
    keys = rng.random((len(config.offsets), number))
    if apart_from is not None:
        keys = np.where(apart_from.cells, np.inf, keys)
    cells = np.zeros(keys.shape, dtype=bool)
    np.put_along_axis(cells, np.argsort(keys, axis=1)[:, :chosen], True, axis=1)
    return Combinations(config, cells)
