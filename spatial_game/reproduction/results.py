"""The results of a reproduction, for the sections of the report.

The dataclasses mirror the JSON of the stages: a field has the name of its key. Keys that no section needs are
left out.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spatial_game.game.evaluation import Proportion
from spatial_game.language.npmi.grid import Cell
from spatial_game.reproduction.phrases.minimal_pairs import MinimalPairs


@dataclass(frozen=True)
class Evaluated:
    """Accuracy on the pair's own game."""

    overall: Proportion
    distinct_messages: int


@dataclass(frozen=True)
class TrainingCurve:
    """Accuracy on the validation episodes, by the number of training episodes; empty if unknown."""

    episodes: tuple[float, ...]
    accuracy: tuple[float, ...]


@dataclass(frozen=True)
class Shortened:
    """Accuracy on sequences of one length."""

    played: Proportion
    difference: float


@dataclass(frozen=True)
class Lengths:
    """Accuracy by how much sequences are shortened."""

    shortened_by: dict[int, Shortened]


@dataclass(frozen=True)
class ListedEntry:
    """An entry of a dictionary, as tables show it."""

    message: str
    kind: str
    meaning: str
    npmi: float
    confidence: float
    count: int


@dataclass(frozen=True)
class Dictionary:
    """The dictionary at the default settings."""

    entries: tuple[ListedEntry, ...]
    coverage: float


@dataclass(frozen=True)
class Draws:
    """The same accuracy over independent draws."""

    deviation: float | None


@dataclass(frozen=True)
class Understood:
    """How well phrases of one kind are understood, with floors, ceiling and controls."""

    coverage: Proportion
    draws: Draws
    floors: dict[str, Proportion]
    ceiling: Proportion | None
    controls: dict[str, Proportion]


@dataclass(frozen=True)
class BestCell:
    """The cell of the grid that is best for one kind of phrases, and its accuracy on other episodes."""

    threshold: float
    top_n: int
    phrases: int
    chosen_on: Proportion
    reported: Proportion
    report: Understood


@dataclass(frozen=True)
class Thresholds:
    """The grid search of one estimator."""

    chosen: dict[str, BestCell]
    minimal_pairs: MinimalPairs | None


@dataclass(frozen=True)
class PairResults:
    """All results of one pair of agents."""

    family: str
    recipe: str
    game: str
    sequence_length: int
    chance: float
    signature: str
    training: TrainingCurve
    evaluation: Evaluated
    lengths: dict[str, Lengths]
    grid: dict[str, tuple[Cell, ...]]
    dictionary: Dictionary
    thresholds: dict[str, Thresholds]


@dataclass(frozen=True)
class Results:
    """All results of a reproduction, by pair and over pairs."""

    content: Mapping[str, Any]
    """The results as `results.json` holds them."""

    @cached_property
    def pairs(self) -> dict[str, PairResults]:
        """The results by the names of the pairs."""
        pairs: dict[str, PairResults] = from_json(dict[str, PairResults], self.content["pairs"])
        return pairs

    @property
    def signature(self) -> str:
        """The signature: what the numbers depend on besides the pairs."""
        return str(self.content["signature"])

    def families(self, length: int | None = None) -> dict[str, dict[str, PairResults]]:
        """Return the pairs by family, in order; with `length`, those of that sequence length."""
        found: dict[str, dict[str, PairResults]] = {}
        for name, pair in self.pairs.items():
            if length in (None, pair.sequence_length):
                found.setdefault(pair.family, {})[name] = pair
        return found


def from_json(kind: Any, content: Any) -> Any:
    """Return JSON content as a value of type `kind`: a dataclass, a proportion, or a container of these.

    A proportion is either under its own key, or in the same object as the dataclass that has it as a field.
    """
    if content is None:
        return None
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return from_json(arguments[0], content)
    if origin is dict:
        return {arguments[0](key): from_json(arguments[1], value) for key, value in content.items()}
    if origin is tuple:
        return tuple(from_json(arguments[0], value) for value in content)
    if kind is Proportion:
        return Proportion(content["wins"], content["n"])
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        members = {f.name: _member(hints[f.name], f.name, content) for f in dataclasses.fields(kind)}
        return typing.cast(Any, kind)(**members)
    return content


def _member(kind: Any, name: str, content: Mapping[str, Any]) -> Any:
    beside = kind is Proportion and name not in content
    return from_json(kind, content if beside else content[name])
