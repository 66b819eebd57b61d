"""Referents, the meanings of forms: an edge, an integer, an integer at an offset, or an offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from spatial_game.config import GameConfig
from spatial_game.language.lexicon.fields import shortened, whole


@dataclass(frozen=True, order=True)
class Edge:
    """The target stands at an edge of the sequence: `begin`, `begin+1`, ..., `end-1`, `end`."""

    name: str

    def __str__(self) -> str:
        return self.name

    def to_dict(self) -> dict[str, Any]:
        """Return the referent as JSON holds it."""
        return {"kind": "edge", "value": self.name}


@dataclass(frozen=True, order=True)
class Integer:
    """One of these integers is visible in the window; several only if polysemy is allowed."""

    values: tuple[int, ...]

    def __str__(self) -> str:
        return f"integer {_alternatives(self.values)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the referent as JSON holds it."""
        return {"kind": "integer", "value": _plain(self.values)}


@dataclass(frozen=True, order=True)
class IntegerAt:
    """One of these integers stands at `offset` from the target, negative to the left."""

    values: tuple[int, ...]
    offset: int

    def __str__(self) -> str:
        return f"{_alternatives(self.values)} is {place(self.offset)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the referent as JSON holds it."""
        return {"kind": "integer_at", "value": _plain(self.values), "offset": self.offset}


@dataclass(frozen=True, order=True)
class Offset:
    """The integer that the rest of the message names stands at offset `value` from the target."""

    value: int

    def __str__(self) -> str:
        return f"? is {place(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the referent as JSON holds it."""
        return {"kind": "offset", "value": self.value}


Referent: TypeAlias = Edge | Integer | IntegerAt | Offset
"""What a form may mean."""
KINDS = ("edge", "integer_at", "integer", "offset")
"""The kinds of referents, as JSON names them."""


def kind_of(referent: Referent) -> str:
    """Return the kind of a referent, one of `KINDS`."""
    return {Edge: "edge", Integer: "integer", IntegerAt: "integer_at", Offset: "offset"}[type(referent)]


def referent_from_dict(content: Mapping[str, Any], config: GameConfig) -> Referent:
    """Return the referent that `to_dict` described. Raises `ValueError` unless it is one of this game."""
    kind, value = content.get("kind"), content.get("value")
    if kind == "edge":
        if value not in config.edges:
            raise ValueError(f"an edge must be among {', '.join(config.edges)}; got {shortened(value)}")
        return Edge(str(value))
    if kind == "offset":
        return Offset(_offset(value, config))
    if kind not in KINDS:
        raise ValueError(f"the kind of a referent must be among {', '.join(KINDS)}; got {shortened(kind)}")
    largest = len(config.integers) - 1
    values = tuple(whole("integer", v, 0, largest) for v in (value if isinstance(value, list) else [value]))
    if not values:
        raise ValueError("a referent must have at least one integer; got none")
    return Integer(values) if kind == "integer" else IntegerAt(values, _offset(content.get("offset"), config))


def _offset(value: Any, config: GameConfig) -> int:
    if type(value) is not int or value not in config.offsets:
        raise ValueError(f"offset must be in {config.offsets}; got {shortened(value)}")
    return value


def place(offset: int) -> str:
    """Return an offset in the words of the paper's table 3: -2 is "2 left of target"."""
    return f"{abs(offset)} {'left' if offset < 0 else 'right'} of target"


def _alternatives(values: tuple[int, ...]) -> str:
    return " or ".join(str(value) for value in values)


def _plain(values: tuple[int, ...]) -> int | list[int]:
    return values[0] if len(values) == 1 else list(values)
