"""What n-grams may refer to: a referent as a value, and a class of arrays for each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.wording import offset_of_table_3

NO_INTEGER = -1
"""In tables of several integers for each n-gram, where an n-gram has no more."""


@dataclass(frozen=True)
class Referent:
    """What an n-gram refers to: an edge, integers at an offset or at any offset, or an offset alone."""

    edge: str | None = None
    """The name of an edge: see `GameConfig.edges`."""
    integers: tuple[int, ...] = ()
    """One of them is there; the most frequent first."""
    offset: Offset | None = None
    """Signed distance from the target, negative to the left; in a grid, a step on each axis."""
    label: str | None = None
    """What a function of the user's own says of the window."""

    def __str__(self) -> str:
        """Return the referent in the words of the paper's table 3."""
        named = self.edge if self.label is None else self.label
        if named is not None:
            return named
        integers = " or ".join(map(str, self.integers))
        if self.offset is None:
            return f"integer {integers}"
        return f"{integers or '?'} is {offset_of_table_3(self.offset)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that the referent has, for JSON."""
        return {name: value for name, value in vars(self).items() if value not in (None, ())}


@dataclass(frozen=True, eq=False)
class Referents(ABC):
    """E referents of one kind: each kind is a class, and its arrays have E rows."""

    kind: ClassVar[str]
    title: ClassVar[str]
    """The name that the paper's table 3 gives to n-grams with such referents."""

    @abstractmethod
    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""

    @property
    def numbers(self) -> Numbers:
        """(E, n), the arrays side by side: rows are equal for equal referents, and sort as they do."""
        return np.column_stack([*self._arrays.values()])

    def take(self, which: npt.NDArray[Any]) -> Self:
        """Return those of a mask or of row numbers."""
        return replace(self, **{name: array[which] for name, array in self._arrays.items()})

    @property
    def _arrays(self) -> dict[str, Numbers]:
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True, eq=False)
class Edges(Referents):
    """The edge on which the target is."""

    kind, title = "edge", "Non-Compositional Positional"
    edge: Numbers  # (E,), its number among `Columns.edges`

    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""
        return (Referent(edge=columns_of(config).edges[edge]) for edge in self.edge.tolist())


@dataclass(frozen=True, eq=False)
class IntegersAtOffsets(Referents):
    """An integer at an offset, or one of several at this offset."""

    kind, title = "integer_at", "Non-Compositional Integer"
    offset: Numbers  # (E,), its number among `config.offsets`
    integers: Numbers  # (E, n), the most frequent first, padded with NO_INTEGER

    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""
        rows = zip(self.offset.tolist(), _without_padding(self.integers), strict=True)
        return (Referent(offset=config.offsets[offset], integers=integers) for offset, integers in rows)


@dataclass(frozen=True, eq=False)
class Integers(Referents):
    """An integer anywhere in the window, or one of several."""

    kind, title = "integer", "Compositional Integer"
    integers: Numbers  # (E, n), the most frequent first, padded with NO_INTEGER

    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""
        return (Referent(integers=integers) for integers in _without_padding(self.integers))


@dataclass(frozen=True, eq=False)
class Offsets(Referents):
    """The offset of the integer that another n-gram of the message names."""

    kind, title = "offset", "Compositional Positional"
    offset: Numbers  # (E,), its number among `config.offsets`

    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""
        return (Referent(offset=config.offsets[offset]) for offset in self.offset.tolist())


@dataclass(frozen=True, eq=False)
class Labels(Referents):
    """What a function of the user's own says of the window: see `spatial_game.language.npmi.labels`."""

    kind, title = "label", "Label"
    label: Numbers  # (E,), its number among `names`
    names: tuple[str, ...]

    def values(self, config: GameConfig) -> Iterator[Referent]:
        """Yield the referents, one by one."""
        return (Referent(label=self.names[label]) for label in self.label.tolist())


def _without_padding(integers: Numbers) -> Iterator[tuple[int, ...]]:
    """Yield the integers of each row (E, n)."""
    return (tuple(each for each in row if each != NO_INTEGER) for row in integers.tolist())


KINDS = {each.kind: each.title for each in (Edges, IntegersAtOffsets, Integers, Offsets)}
"""The paper's kinds of referents, in the order of tables, with their names in its table 3."""
