"""Observations as a Dict of fields."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from spatial_game.game.episodes import IntArray
from spatial_game.game.rules import Float32Array
from spatial_game.observations.format import ObservationFormat, Space


class DictFormat(ObservationFormat):
    """A Dict of int64 fields.

    The sender's: `window` (W,) and, one symbol per turn, its own `message` (T,). The receiver's: `message`,
    `sequence` (L,) and `candidates` (C,).
    """

    def _spaces(self) -> dict[str, Space]:
        self._ends = {
            agent: np.cumsum([box.shape[0] for box in boxes.values()])[:-1]
            for agent, boxes in self.fields.items()
        }
        return {agent: spaces.Dict({**boxes}) for agent, boxes in self.fields.items()}

    def observation(self, agent: str, flat: Float32Array) -> dict[str, IntArray]:
        """Return the fields of the agent's observations."""
        parts = np.split(flat.astype(np.int64), self._ends[agent], axis=-1)
        return dict(zip(self.fields[agent], parts, strict=True))
