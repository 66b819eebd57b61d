"""Flat observations: one array of exact integers."""

from __future__ import annotations

from spatial_game.game.rules import Float32Array
from spatial_game.observations.format import ObservationFormat, Space


class FlatFormat(ObservationFormat):
    """One float32 array of exact integers: the agent's fields in a row."""

    def _spaces(self) -> dict[str, Space]:
        return {**self.flat}

    def observation(self, agent: str, flat: Float32Array) -> Float32Array:
        """Return the observations as they are."""
        return flat
