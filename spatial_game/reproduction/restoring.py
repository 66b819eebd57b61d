"""The values that JSON files of a reproduction hold, restored by their types."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.proportions import Proportion


def restored(kind: Any, value: Any) -> Any:
    """Return the value of a type that `json_text.plain` and JSON have made this of."""
    inner = typing.get_args(kind)
    if kind is GameConfig:
        return GameConfig.from_dict(value)
    if kind is Proportion:
        return Proportion(value["num_correct"], value["n"])
    if dataclasses.is_dataclass(kind):
        types = typing.get_type_hints(kind)
        return kind(**{name: restored(types[name], value[name]) for name in types})  # type: ignore[operator]
    if typing.get_origin(kind) is dict:
        return {inner[0](name): restored(inner[1], each) for name, each in value.items()}
    if typing.get_origin(kind) is list:
        return [restored(inner[0], each) for each in value]
    return tuple(value) if typing.get_origin(kind) is tuple else value
