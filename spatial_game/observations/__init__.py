"""What agents see: the formats of observations, each in a file of its own.

`observations=` and `mask_in_observation=` of an environment choose the format:

| `observations` | Observation | Action |
|---|---|---|
| `"flat"` | one float32 array of exact integers: the agent's fields in a row | unchanged |
| `"dict"` | a Dict of int64 fields: `window`, `message`, `sequence`, `candidates` | unchanged |
| `"one_hot"` | a flat float32 Box of ones and zeros: one number for each value of each cell | unchanged |
| `"equal"` | flat, and padded with -1 to the longer of the two agents' | one Discrete for both |

`"equal"` needs both agents and Discrete actions (`referential_symbol_v0`). `mask_in_observation=True` makes
every observation a Dict of `observation` and `action_mask`, the mask in the infos.

A mask holds 1 for each action that an agent may take: every one on its turn, only action 0 at other times. It
has the shape with which `space.sample(mask)` works, in many games with an axis for the games in front: an
array (..., n) for `Discrete`, a tuple of them, one for each slot, for `MultiDiscrete`.

To add a format, write a subclass of `ObservationFormat` in a file of its own, and enter it in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spatial_game.checks import require_one_of
from spatial_game.config import GameConfig
from spatial_game.observations.dict_of_fields import DictFormat
from spatial_game.observations.equal import EqualFormat
from spatial_game.observations.flat import FlatFormat
from spatial_game.observations.format import ObservationFormat
from spatial_game.observations.one_hot import OneHotFormat

FORMATS: dict[str, type[ObservationFormat]] = {
    "flat": FlatFormat,
    "dict": DictFormat,
    "one_hot": OneHotFormat,
    "equal": EqualFormat,
}
"""The formats by name."""

ROLE_FORMATS = [name for name, kind in FORMATS.items() if kind.suits_one_role]
"""The names of the formats for an environment of one role."""


def make_format(
    observations: str, config: GameConfig, names: Iterable[str] = FORMATS, **options: Any
) -> ObservationFormat:
    """Return the format with this name, one of `names`; `options` are those of `ObservationFormat`."""
    require_one_of("observations", observations, tuple(names))
    return FORMATS[observations](config, **options)
