"""The entries of a lexicon as parts of phrases: to compose messages of, and to find in messages.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that do not overlap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import Columns, integer_column, num_columns, num_integer_columns
from spatial_game.language.counting.forms import Form, Occurrences, occurrences, table_of
from spatial_game.language.counting.rows import Numbers, expand
from spatial_game.language.dictionary.lexicon import Entry, Lexicon
from spatial_game.language.dictionary.referents import KINDS, Conjunction, Edge, Integer, IntegerAt, Offset

PHRASE_KINDS = ("edge", "integer_at", "compositional")
"""Whole messages for edges, for integers at offsets, and pairs of an integer and an offset."""
PAIR = PHRASE_KINDS.index("compositional")
NOTHING = -1
"""In arrays, the symbols, entries and slots of what was not said."""


class PhraseParts:
    """The entries of a lexicon by shape and by key, the strongest first.

    The *shape* of an entry is the slot of its form (None: any) and its length. Its *keys* are what it says.
    Keys are numbers: first the columns (`counting.columns`), for edges and integers at offsets; then the
    integers; then the offsets. `span` has the keys of each kind of entry. An entry is *sound* if its form
    fits into a message of the game, and if the game has something that it says.
    """

    def __init__(self, listed: Sequence[Entry], config: GameConfig) -> None:
        self.config = config
        columns, num_integers = num_columns(config), len(config.integers)
        offsets = columns + num_integers
        self.span = {
            "integer_at": slice(0, num_integer_columns(config)),
            "edge": slice(num_integer_columns(config), columns),
            "integer": slice(columns, offsets),
            "offset": slice(offsets, offsets + len(config.offsets)),
        }
        self.keys = [self._keys(entry) for entry in listed]
        fitting = [fits_in(entry.form, config) for entry in listed]
        self.misfits, self.outside = fitting.count(False), sum(not keys for keys in self.keys)
        self.sound = np.flatnonzero(
            [fits and keys != [] for fits, keys in zip(fitting, self.keys, strict=True)]
        )
        self.kind = np.array([KINDS.index(entry.kind) for entry in listed], dtype=np.int64)
        phrase_kind = [PHRASE_KINDS.index(kind) if kind in PHRASE_KINDS else PAIR for kind in KINDS]
        self.phrase_kind = np.array(phrase_kind, dtype=np.int64)[self.kind]
        self.npmi = np.array([entry.npmi for entry in listed], dtype=np.float64)
        forms = [entry.form if fits else Form((), None) for entry, fits in zip(listed, fitting, strict=True)]
        self.forms = table_of(forms, config.message_length)
        shapes = [(form.slot, len(form.symbols)) for form in forms]
        self.shapes = list(dict.fromkeys(shapes[row] for row in self.sound))
        self.shape = np.full(len(listed), NOTHING)
        self.shape[self.sound] = [self.shapes.index(shapes[row]) for row in self.sound]
        self._index()

    def _keys(self, entry: Entry) -> list[int]:
        """Return what an entry says, as keys; none if this game has no such thing."""
        config, referent = self.config, entry.referent
        if isinstance(referent, Conjunction):
            return []  # a description's; phrases say one thing
        first = self.span[entry.kind].start
        if isinstance(referent, Edge):
            known = referent.name in config.edges and referent.name != "middle"
            return [first + config.edges.index(referent.name)] if known else []
        if isinstance(referent, Offset):
            return [first + config.offsets.index(referent.value)] if referent.value in config.offsets else []
        values = [value for value in referent.values if value in config.integers]
        if isinstance(referent, Integer):
            return [first + value for value in values]
        known = referent.offset in config.offsets
        return [integer_column(config, value, referent.offset) for value in values] if known else []

    def _index(self) -> None:
        """Make lists of entries: `number` (S, K) of them, from `first` (S, K) on in `entry`; `best` NPMI.

        `first_key` (E,) is the first key of each sound entry.
        """
        self._key = np.array([key for keys in self.keys for key in keys], dtype=np.int64)
        self._key_ends = np.cumsum([0, *map(len, self.keys)])
        self.first_key = np.append(self._key, NOTHING)[self._key_ends[:-1]]
        owner, _ = expand(self._key_ends[:-1], self._key_ends[1:])
        shape, rows = self.shape[owner], np.flatnonzero(self.shape[owner] != NOTHING)
        self.number = np.zeros((len(self.shapes), self.span["offset"].stop), dtype=np.int64)
        self.best = np.full(self.number.shape, -np.inf)
        np.add.at(self.number, (shape[rows], self._key[rows]), 1)
        np.maximum.at(self.best, (shape[rows], self._key[rows]), self.npmi[owner[rows]])
        self.first = (self.number.cumsum() - self.number.reshape(-1)).reshape(self.number.shape)
        order = np.lexsort((owner[rows], -self.npmi[owner[rows]], self._key[rows], shape[rows]))
        self.entry = owner[rows][order]

    def keys_of(self, entries: Numbers) -> tuple[Numbers, Numbers]:
        """Return the keys of entries (n,), one after another: (number of the entry in `entries`, key)."""
        owner, place = expand(self._key_ends[entries], self._key_ends[entries + 1])
        return owner, self._key[place]

    def pair_column(self, integer_key: Numbers, offset_key: Numbers) -> Columns:
        """Return the columns of integers at offsets, from the keys of both."""
        offset = offset_key - self.span["offset"].start
        return offset * len(self.config.integers) + integer_key - self.span["integer"].start

    def occurrences(self, messages: IntArray) -> Occurrences:
        """Return every place in messages (M, T) where a sound entry stands; `form` is the entry."""
        found = occurrences(self.forms.take(self.sound), messages)
        return dataclasses.replace(found, form=self.sound[found.form])

    def of_kind(self, kind: str) -> Numbers:
        """Return the sound entries of a kind of `KINDS`."""
        return np.asarray(self.sound[self.kind[self.sound] == KINDS.index(kind)])

    def slots(self, shape: int) -> range:
        """Return the slots at which forms of a shape may start."""
        slot, length = self.shapes[shape]
        return range(self.config.message_length - length + 1) if slot is None else range(slot, slot + 1)


def fits_in(form: Form, config: GameConfig) -> bool:
    """Return whether a form can stand in a message of this game."""
    room = config.message_length - len(form.symbols)
    placed = room >= 0 and (form.slot is None or 0 <= form.slot <= room)
    return placed and all(symbol is None or 0 <= symbol < config.vocab_size for symbol in form.symbols)


def described(lexicon: Lexicon) -> bool:
    """Return whether a lexicon is a description: all entries of a message hold together, as evidence."""
    return lexicon.settings.select == "description"


def of_phrases(lexicon: Lexicon, kinds: Collection[str]) -> Lexicon:
    """Return the lexicon with only the entries that phrases of these `PHRASE_KINDS` consist of.

    A description has no such kinds, and stays whole.
    """
    if described(lexicon):
        return lexicon
    kept = {kind for kind in kinds if kind != "compositional"}
    kept |= {"integer", "offset"} if "compositional" in kinds else set()
    return dataclasses.replace(lexicon, entries=tuple(e for e in lexicon.entries if e.kind in kept))


def contradictions(entries: Sequence[Entry]) -> int:
    """Count the entries that share form and kind with another one whose referent excludes theirs.

    Two edges, two offsets, or other integers at the same offset; for integer n-grams, other integers.
    """
    told: dict[object, list[object]] = {}
    for entry in entries:
        place = entry.referent.offset if isinstance(entry.referent, IntegerAt) else None
        told.setdefault((entry.form, entry.kind, place), []).append(entry.referent)
    return sum(len(referents) for referents in told.values() if len(set(referents)) > 1)
