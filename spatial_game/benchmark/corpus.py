"""Messages with their meanings, and the entries of a dictionary: the words that all readers share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import numpy as np

from spatial_game.config import GameConfig, require
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import AgentPair
from spatial_game.language.counting.columns import integers_at_offsets
from spatial_game.language.counting.forms import Form
from spatial_game.language.dictionary.places import edge_columns, names_of
from spatial_game.language.dictionary.referents import (
    Edge,
    Integer,
    IntegerAt,
    Offset,
    Sense,
    parts_of,
)
from spatial_game.language.synthetic import Comparison

ANY = -1
"""In an atom, any place or any value. In messages, no symbol; in meanings, no value."""
COMPARED = -2
"""In an atom, the place of a comparison: value 1 says that the left neighbour is larger, value 0 smaller."""

Atom = tuple[int, int]
"""A place and a value. Several values of one place in a meaning mean that one of them stands there."""


@dataclass(frozen=True)
class Entry:
    """One entry of a dictionary: messages with this form mean this."""

    form: tuple[int | None, ...]
    """Symbols beside each other; None is any symbol."""
    meaning: frozenset[Atom]
    """Places and values that hold together."""
    confidence: float = 1.0
    """How sure the reader is, in 0..1."""
    slot: int | None = None
    """Where the form begins in a message; None means anywhere."""

    def to_list(self) -> list[Any]:
        """Return the entry for JSON."""
        return [list(self.form), sorted(self.meaning), self.confidence, self.slot]

    @classmethod
    def from_list(cls, content: Sequence[Any]) -> Entry:
        """Return the entry that `to_list` described."""
        form, meaning, confidence, slot = content
        return cls(tuple(form), frozenset((p, v) for p, v in meaning), confidence, slot)


@dataclass(frozen=True)
class Meanings:
    """The meanings of N messages: a value at each of P places."""

    values: IntArray  # (N, P), ANY where a place has no value
    places: tuple[str, ...]
    config: GameConfig | None = None
    """The game whose windows are the meanings: its offsets are the places, and the edge is the last one."""
    window: IntArray | None = None  # (N, W), what the sender of this game saw

    def __len__(self) -> int:
        return len(self.values)

    def first(self, number: int) -> Meanings:
        """Return the first meanings."""
        window = None if self.window is None else self.window[:number]
        return replace(self, values=self.values[:number], window=window)

    @cached_property
    def sets(self) -> list[frozenset[Atom]]:
        """The meanings as sets of places and values."""
        rows = self.values.tolist()
        return [frozenset((p, v) for p, v in enumerate(row) if v != ANY) for row in rows]


@runtime_checkable
class Reader(Protocol):
    """Finds what the forms of a language mean. Made without arguments, once for each language."""

    def read(self, forms: IntArray, meanings: Meanings) -> Iterable[Entry]:
        """Return a dictionary of messages (N, T), padded with `ANY`, and their N meanings."""
        ...


@dataclass(frozen=True)
class Corpus:
    """Messages and meanings, with the answers where they are known."""

    forms: IntArray  # (N, T), padded with ANY
    meanings: Meanings
    truth: frozenset[Entry] | None = None
    """The true dictionary; None where nobody knows it, empty where there is nothing to find."""
    clean: IntArray | None = None
    """(M, T), messages without noise, which say where forms stand."""
    slots: bool = True
    """Whether the slot of a form is part of the answer."""
    pair: AgentPair | None = None
    """The trained pair whose messages these are."""
    asked: Episodes | None = None
    """Episodes for the dictionary to play with the pair; not those of the messages."""


def meanings_of(config: GameConfig, window: IntArray) -> Meanings:
    """Return the windows (N, W) of a game as meanings: the integer at each offset, and the edge."""
    columns = edge_columns(config)
    number = np.full(config.window_size, ANY)
    number[columns[:-1]] = np.arange(len(columns) - 1)
    at_offsets = integers_at_offsets(config, window)
    edge = number[np.argmax(window == ANY, axis=1)]
    values = np.column_stack([np.maximum(at_offsets, ANY), edge]).astype(np.int16)
    return Meanings(values, (*names_of(config)[0], "edge"), config, window)


def atoms_of(sense: Sense | Comparison, config: GameConfig) -> frozenset[Atom]:
    """Return what a sense of the dictionary means, as places and values."""
    found: set[Atom] = set()
    for part in (sense,) if isinstance(sense, Comparison) else parts_of(sense):
        if isinstance(part, Comparison):
            found.add((COMPARED, int(part.larger)))
        elif isinstance(part, Edge):
            found.add((len(config.offsets), names_of(config)[1].index(part.name)))
        elif isinstance(part, Offset):
            found.add((config.offsets.index(part.value), ANY))
        elif isinstance(part, (Integer, IntegerAt)):
            place = config.offsets.index(part.offset) if isinstance(part, IntegerAt) else ANY
            found.update((place, value) for value in part.values)
    return frozenset(found)


def entry_of(form: Form, sense: Sense, config: GameConfig, confidence: float = 1.0) -> Entry:
    """Return an entry of our own lexicon as one of the benchmark."""
    return Entry(form.symbols, atoms_of(sense, config), confidence, form.slot)


def checked(entries: Iterable[Entry], corpus: Corpus) -> list[Entry]:
    """Return the entries of a reader. Raises `ValueError` naming the rule and the entry that breaks it."""
    length, places = corpus.forms.shape[1], len(corpus.meanings.places)
    found = []
    for entry in entries:
        require(isinstance(entry, Entry), "a reader must return entries of class Entry", entry)
        form, slot = entry.form, entry.slot
        symbols = [symbol for symbol in form if symbol is not None]
        require(
            0 < len(form) <= length and symbols != [] and all(_whole(symbol) for symbol in symbols),
            f"a form must have 1 to {length} symbols, whole numbers of 0 or more or None",
            form,
        )
        require(
            slot is None or (_whole(slot) and slot + len(form) <= length),
            f"a slot must be None, or leave room for the form in a message of {length}",
            slot,
        )
        require(
            all(
                _whole(p - COMPARED) and _whole(v - ANY) and p < places
                for p, v in (atom for atom in entry.meaning)
            ),
            f"a meaning must be pairs of a place below {places} and a value",
            sorted(entry.meaning),
        )
        require(
            math.isfinite(entry.confidence) and 0 <= entry.confidence <= 1,
            "a confidence must be in 0..1",
            entry.confidence,
        )
        found.append(
            Entry(
                tuple(None if s is None else int(s) for s in form),
                frozenset((int(p), int(v)) for p, v in entry.meaning),
                float(entry.confidence),
                None if slot is None else int(slot),
            )
        )
    return found


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and int(value) >= 0
