"""Observations as ones and zeros."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from spatial_game.game.episodes import IntArray
from spatial_game.game.rules import Float32Array
from spatial_game.observations.format import ObservationFormat, Space


class OneHotFormat(ObservationFormat):
    """A flat float32 Box of ones and zeros, with one number for each value of each cell.

    A cell of the window has num_integers + 1 numbers, the first for the mask (if cells can be hidden, one
    more before it). A slot of the message has vocab_size + 1, the first for a symbol that is not sent yet. A
    cell of the sequence or of the candidates has num_integers.
    """

    def _spaces(self) -> dict[str, Space]:
        self._widths: dict[str, int] = {}
        self._zeros: dict[str, IntArray] = {}  # of each agent, for each cell: the column of the value 0
        for agent, box in self.flat.items():
            low, sizes = box.low.astype(np.int64), (box.high - box.low + 1).astype(np.int64)
            self._zeros[agent] = np.cumsum(sizes) - sizes - low
            self._widths[agent] = int(sizes.sum())
        return {agent: spaces.Box(0, 1, (width,), np.float32) for agent, width in self._widths.items()}

    def observation(self, agent: str, flat: Float32Array) -> Float32Array:
        """Return the agent's observations as ones and zeros."""
        ones = np.zeros((*flat.shape[:-1], self._widths[agent]), dtype=np.float32)
        np.put_along_axis(ones, flat.astype(np.int64) + self._zeros[agent], 1, axis=-1)
        return ones
