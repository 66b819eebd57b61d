"""Change episodes so that given integers stand in given places; everything else stays as random as before."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, derive, hidden_places

KEEP = -1
"""In place of an integer: do not move anything."""


def arrange(
    config: GameConfig,
    episodes: Episodes,
    places: IntArray,
    values: IntArray,
    target_position: IntArray | None = None,
) -> Episodes:
    """Return the episodes with integers `values` (B, K) at the positions `places` (B, K) of the sequences.

    Column by column, each integer changes places with the one that stands there; KEEP moves nothing.
    With `target_position` (B,), the target moves there, and a candidate that stands there takes its place.
    Otherwise the candidates keep their positions and their order. The windows hide the same places as before.
    """
    sequence = episodes.sequence.copy()
    for place, value in zip(places.T, values.T, strict=True):
        _swap_in(sequence, np.flatnonzero(value != KEEP), place, value)
    found = episodes.sequence[:, None, :] == episodes.candidates[:, :, None]
    positions = found.argmax(axis=2)
    if target_position is not None:
        taken = positions == target_position[:, None]
        positions[taken] = np.broadcast_to(episodes.target_position[:, None], positions.shape)[taken]
        positions[np.arange(len(episodes)), episodes.target_index] = target_position
    return derive(config, sequence, positions, episodes.target_index, hidden_places(episodes))


def _swap_in(
    sequence: npt.NDArray[np.integer], rows: npt.NDArray[np.intp], place: IntArray, value: IntArray
) -> None:
    """Bring `value` (B,) to `place` (B,) in these rows."""
    place, value = place[rows], value[rows]
    there = sequence[rows] == value[:, None]
    present = there.any(axis=1)  # a sequence shorter than num_integers may lack the integer
    sequence[rows[present], there[present].argmax(axis=1)] = sequence[rows[present], place[present]]
    sequence[rows, place] = value
