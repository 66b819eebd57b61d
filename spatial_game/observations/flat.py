"""Flat observations: one array of exact integers."""

from __future__ import annotations

from spatial_game.game.rules import FloatArray
from spatial_game.observations.format import ObservationFormat, Space


class FlatFormat(ObservationFormat):
    """One float32 array of exact integers: the agent's fields in a row."""

    def _spaces(self) -> dict[str, Space]:
        return {**self.flat}

    def observation(self, agent: str, flat: FloatArray) -> FloatArray:
        """Return the observations as they are."""
        return flat
