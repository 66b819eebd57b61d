"""The same spaces for both agents."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from spatial_game.checks import require
from spatial_game.game.rules import Float32Array
from spatial_game.observations.format import Actions, ObservationFormat, Space


class EqualFormat(ObservationFormat):
    """The same spaces for both agents, for libraries with one policy or one kind of agent.

    Observations are padded with -1 to the longer of the two. The action is a Discrete of the larger size;
    masks have this size, too, and an action beyond the agent's own actions starts again at 0. Raises
    `ValueError` unless both actions are Discrete.
    """

    suits_one_role = False

    def _spaces(self) -> dict[str, Space]:
        boxes = self.flat.values()
        low, high = min(float(box.low.min()) for box in boxes), max(float(box.high.max()) for box in boxes)
        self._width = max(box.shape[0] for box in boxes)
        return dict.fromkeys(self.flat, spaces.Box(min(low, -1.0), high, (self._width,), np.float32))

    def _actions(self, actions: Actions) -> Actions:
        rule = 'observations="equal" needs Discrete actions (referential_symbol_v0)'
        for action in actions.values():
            require(not action.shape, rule, action.space)
        size = max(action.bound for action in actions.values())
        return {agent: action._replace(size=size) for agent, action in actions.items()}

    def observation(self, agent: str, flat: Float32Array) -> Float32Array:
        """Return the agent's observations, padded with -1."""
        padded = np.full((*flat.shape[:-1], self._width), -1, dtype=np.float32)
        padded[..., : flat.shape[-1]] = flat
        return padded
