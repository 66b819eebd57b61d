"""The entries of a lexicon as parts of phrases: to compose messages of, and to find in messages.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import edge_column, integer_column, num_columns
from spatial_game.language.counting.forms import Form
from spatial_game.language.lexicon.lexicon import Entry
from spatial_game.language.lexicon.referents import Edge, Integer, IntegerAt, Offset

Numbers = npt.NDArray[np.int64]

PHRASE_KINDS = ("edge", "integer_at", "compositional")
"""Whole messages for edges, for integers at offsets, and pairs of an integer and an offset."""
PAIR = PHRASE_KINDS.index("compositional")
NOTHING = -1
"""The symbols, entries and slots of what was not said."""


class Parts:
    """The entries of a lexicon by shape and by key, the strongest first.

    Keys are the columns (for entries that say all by themselves), then the integers, then the offsets.
    """

    def __init__(self, listed: Sequence[Entry], config: GameConfig) -> None:
        self.config, self.kind = config, [entry.kind for entry in listed]
        size, self._num_integers = len(listed), len(config.integers)
        self._columns = num_columns(config)
        self.symbols = np.zeros((size, config.message_length), dtype=np.int16)
        self.length, self.shape = np.zeros(size, dtype=np.int64), np.full(size, NOTHING)
        self.kind_of_phrase = np.array([_phrase_kind(kind) for kind in self.kind], dtype=np.int64)
        self.npmi = np.array([entry.npmi for entry in listed], dtype=np.float64)
        self.misfits = self.outside = 0
        self.shapes: list[tuple[int | None, int]] = []
        self.keys = [self._keys(entry) for entry in listed]
        rows: list[tuple[int, int, float, int]] = []
        for number, entry in enumerate(listed):
            keys = self.keys[number]
            self.misfits += not fits(entry.form, config)
            self.outside += not keys
            if keys and fits(entry.form, config):
                shape = self._add(number, entry.form)
                rows += [(shape, key, -entry.npmi, number) for key in keys]
        self._index(sorted(rows))

    def _keys(self, entry: Entry) -> list[int]:
        """What an entry says, as keys; none if this game has no such thing."""
        config, referent = self.config, entry.referent
        if isinstance(referent, Edge):
            known = referent.name in config.edges and referent.name != "middle"
            return [edge_column(config, referent.name)] if known else []
        if isinstance(referent, Offset):
            first = self._columns + self._num_integers
            return [first + config.offsets.index(referent.value)] if referent.value in config.offsets else []
        values = [value for value in referent.values if value in config.integers]
        if isinstance(referent, Integer):
            return [self._columns + value for value in values]
        known = referent.offset in config.offsets
        return [integer_column(config, value, referent.offset) for value in values] if known else []

    def _add(self, number: int, form: Form) -> int:
        shape = (form.slot, len(form.symbols))
        if shape not in self.shapes:
            self.shapes.append(shape)
        self.symbols[number, : len(form.symbols)] = form.symbols
        self.length[number] = len(form.symbols)
        self.shape[number] = self.shapes.index(shape)
        return int(self.shape[number])

    def _index(self, rows: list[tuple[int, int, float, int]]) -> None:
        """Lists of entries: `number` (S, K) of them, from `first` (S, K) on in `entry`, `best` their NPMI."""
        num_keys = self._columns + self._num_integers + len(self.config.offsets)
        self.entry = np.array([row[3] for row in rows] or [NOTHING], dtype=np.int64)
        self.number = np.zeros((len(self.shapes), num_keys), dtype=np.int64)
        cells = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
        np.add.at(self.number, (cells[:, 0], cells[:, 1]), 1)
        self.first = (self.number.cumsum() - self.number.reshape(-1)).reshape(self.number.shape)
        self.best = np.full(self.number.shape, -np.inf)
        for shape, key, minus_npmi, _ in reversed(rows):
            self.best[shape, key] = -minus_npmi

    def shapes_of(self, kind: str) -> list[int]:
        """The shapes of the entries of a kind."""
        return sorted(
            {int(s) for s, k in zip(self.shape, self.kind, strict=True) if k == kind and s != NOTHING}
        )

    def slots(self, shape: int) -> range:
        """Where n-grams of a shape may start."""
        slot, length = self.shapes[shape]
        return range(self.config.message_length - length + 1) if slot is None else range(slot, slot + 1)

    def whole(self, table: npt.NDArray[Any], shape: int, kind: int) -> npt.NDArray[Any]:
        """The columns of a row of `number` or `best`, those of the other kind as if there were none."""
        row = table[shape, : self._columns].copy()
        first_edge = self._columns - self.config.window_size
        other = slice(None, first_edge) if PHRASE_KINDS[kind] == "edge" else slice(first_edge, None)
        row[other] = 0 if table is self.number else -np.inf
        return row

    def integers(self, table: npt.NDArray[Any], shape: int) -> npt.NDArray[Any]:
        """The integers of a row of `number` or `best`."""
        return table[shape, self._columns : self._columns + self._num_integers]

    def offsets(self, table: npt.NDArray[Any], shape: int) -> npt.NDArray[Any]:
        """The offsets of a row of `number` or `best`."""
        return table[shape, self._columns + self._num_integers :]

    def columns_of(self, number: int, mate: int) -> list[int]:
        """The columns of `views` that a phrase says: of an entry alone, or of an integer with an offset."""
        if mate == NOTHING:
            return self.keys[number]
        place = self.keys[mate][0] - self._columns - self._num_integers
        return [place * self._num_integers + key - self._columns for key in self.keys[number]]

    def integer_key(self, column: Numbers) -> Numbers:
        """The key of the integer of a column."""
        return self._columns + column % self._num_integers

    def offset_key(self, column: Numbers) -> Numbers:
        """The key of the offset of a column; for a mask column some key or other."""
        place = np.minimum(column // self._num_integers, len(self.config.offsets) - 1)
        return self._columns + self._num_integers + place


def fits(form: Form, config: GameConfig) -> bool:
    """Whether a form can stand in a message of this game."""
    room = config.message_length - len(form.symbols)
    placed = room >= 0 and (form.slot is None or 0 <= form.slot <= room)
    return placed and all(0 <= symbol < config.vocab_size for symbol in form.symbols)


def contradictions(entries: Sequence[Entry]) -> int:
    """How many entries share their form with one of the same kind whose referent cannot hold as well.

    Two edges, two offsets, or other integers at the same offset; for words, other integers.
    """
    told: dict[object, list[object]] = {}
    for entry in entries:
        place = entry.referent.offset if isinstance(entry.referent, IntegerAt) else None
        told.setdefault((entry.form, entry.kind, place), []).append(entry.referent)
    return sum(len(referents) for referents in told.values() if len(set(referents)) > 1)


def _phrase_kind(kind: str) -> int:
    return PHRASE_KINDS.index(kind) if kind in PHRASE_KINDS else PAIR


def apart(slot: int, length: int, other_slot: int, other_length: int) -> bool:
    """Whether two n-grams leave each other's slots alone."""
    return slot + length <= other_slot or other_slot + other_length <= slot
