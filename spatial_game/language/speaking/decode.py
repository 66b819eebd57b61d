"""Reading with a dictionary: from a message, a lexicon and a sequence to the candidates that can be meant.

The reader has nothing but the listed entries. It is strict: what the dictionary does not say, it does not
know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import blocks, candidate_columns, num_columns
from spatial_game.language.counting.forms import distinct_rows, row_keys
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.referents import KINDS
from spatial_game.language.speaking.phrases import NOTHING, PHRASE_KINDS, Numbers, Parts

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# NPMIs lie in -1..1. Lifted by these, what says a place lies above what only names an integer, and both above
# 0, which stands for no reading.
_PLACE, _NAME = 5.0, 2.0
_BLOCK = 1 << 13


@dataclass(frozen=True)
class Reading:
    """One thing that a message says by the dictionary."""

    kind: str
    """edge, integer_at, compositional, or integer where nothing in the message says its offset."""
    meaning: str
    """In words."""
    entries: tuple[int, ...]
    """Rows of `lexicon.listed`."""
    strength: float
    """The NPMI of its weakest entry."""


@dataclass(frozen=True)
class Decoded:
    """What a dictionary makes of B messages, each with a sequence and C candidates."""

    score: FloatArray  # (B, C), higher for what is said more surely of the candidate; 0 where nothing is
    places: Mask  # (B,), the message says a place: an edge, or an integer and its offset

    @property
    def fits(self) -> Mask:
        """(B, C), the candidates that the message can mean."""
        return np.asarray(self.score > 0)

    @property
    def decided(self) -> Mask:
        """(B,), whether it can mean any of the candidates."""
        return np.asarray(self.fits.any(axis=1))

    @property
    def ambiguous(self) -> Mask:
        """(B,), whether several candidates fit equally well."""
        best = self.score.max(axis=1, keepdims=True)
        return np.asarray(self.decided & ((self.score == best).sum(axis=1) > 1))

    @property
    def choice(self) -> Numbers:
        """(B,), the candidate that fits best, the first among equals; -1 where none fits."""
        return np.where(self.decided, self.score.argmax(axis=1), NOTHING)


class Decoder:
    """Reads messages with the listed entries of a lexicon. A `Receiver`.

    `config` is the game that is played (default: the lexicon's). Raises `ValueError` for a game that the
    lexicon's is incompatible with.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        self.lexicon, self.config = lexicon, config or lexicon.config
        fault = lexicon.config.incompatibility(self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        self.parts = Parts(lexicon.listed, self.config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,): the candidate that fits best; the first candidate where none does."""
        choice: IntArray = np.maximum(self.decode(messages, sequence, candidates).choice, 0).astype(np.int16)
        return choice

    def decode(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Decoded:
        """What messages (B, T) can mean among candidates (B, C) of sequences (B, L).

        A reading that says a place outranks one that only names an integer; among such the NPMI of the
        weakest entry decides.
        """
        distinct, which = distinct_rows(messages)
        found = self._readings(distinct)
        table = self._table(found, len(distinct))
        score = np.zeros(candidates.shape)
        for rows in blocks(len(messages), _BLOCK):
            here, row = np.unique(which[rows], return_inverse=True)
            columns = candidate_columns(self.config, sequence[rows], candidates[rows])
            score[rows] = table[here].toarray()[row[:, None, None], columns].max(axis=2)
        places = np.zeros(len(distinct), dtype=bool)
        places[found.message[found.score > _PLACE - 1.5]] = True
        return Decoded(score, places[which])

    def places(self, messages: IntArray) -> Mask:
        """(columns+1, M), which columns of `views` each message says to be the target's; not mere names."""
        found = self._readings(messages)
        table = np.zeros((num_columns(self.config) + 1, len(messages)), dtype=bool)
        place = found.score > _PLACE - 1.5
        table[found.column[place], found.message[place]] = True
        return table

    def read(self, message: IntArray) -> list[Reading]:
        """What one message (T,) says, the strongest first: for people."""
        found = self._readings(np.asarray(message)[None])
        seen: dict[tuple[str, tuple[int, ...]], Reading] = {}
        for entry, mate in zip(found.entry.tolist(), found.mate.tolist(), strict=True):
            reading = self._reading(entry, mate)
            seen[reading.kind, reading.entries] = reading
        return sorted(seen.values(), key=lambda r: (r.kind == "integer", -r.strength, r.entries))

    def _reading(self, entry: int, mate: int) -> Reading:
        word = self.lexicon.listed[entry]
        if mate == NOTHING:
            kind = PHRASE_KINDS[self.parts.kind_of_phrase[entry]] if word.kind != "integer" else "integer"
            return Reading(kind, str(word.referent), (entry,), word.npmi)
        beside = self.lexicon.listed[mate]
        integer = str(word.referent).removeprefix("integer ")
        meaning = str(beside.referent).replace("?", integer, 1)
        return Reading("compositional", meaning, (entry, mate), min(word.npmi, beside.npmi))

    def _table(self, found: _Readings, num_messages: int) -> sp.csr_array[Any]:
        """(M, columns+1), the best score of each column; the last column stays 0."""
        shape = (num_messages, num_columns(self.config) + 1)
        order = np.lexsort((-found.score, found.column, found.message))
        cell = found.message[order] * shape[1] + found.column[order]
        first = order[np.flatnonzero(np.diff(cell, prepend=-1))]
        return sp.csr_array((found.score[first], (found.message[first], found.column[first])), shape=shape)

    def _readings(self, messages: IntArray) -> _Readings:
        """Everything that messages say: whole, as an integer alone, or as an integer and an offset."""
        found = _Found(*occurrences(self.parts, messages))
        kind = np.array([KINDS.index(kind) for kind in self.parts.kind], dtype=np.int64)[found.entry]
        edge, integer_at, integer, offset = (kind == number for number in range(len(KINDS)))
        words = found.take(integer)
        parts = [self._whole(found.take(edge | integer_at)), self._names(words)]
        parts.append(self._pairs(words, found.take(offset)))
        columns = ("message", "column", "entry", "mate", "score")
        return _Readings(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    def _whole(self, found: _Found) -> _Readings:
        owner, column = self._keys_of(found.entry)
        entry = found.entry[owner]
        none = np.full(len(entry), NOTHING)
        return _Readings(found.message[owner], column, entry, none, _PLACE + self.parts.npmi[entry])

    def _names(self, words: _Found) -> _Readings:
        """Integers alone: each at any offset."""
        owner, key = self._keys_of(words.entry)
        offsets = np.arange(len(self.config.offsets)) * len(self.config.integers)
        column = ((key - num_columns(self.config))[:, None] + offsets).reshape(-1)
        owner = np.repeat(owner, len(offsets))
        entry = words.entry[owner]
        none = np.full(len(entry), NOTHING)
        return _Readings(words.message[owner], column, entry, none, _NAME + self.parts.npmi[entry])

    def _pairs(self, words: _Found, offsets: _Found) -> _Readings:
        """Integers and offsets that do not overlap."""
        length, npmi = self.parts.length, self.parts.npmi
        one, other = _join(words.message, offsets.message)
        words, offsets = words.take(one), offsets.take(other)
        before = words.slot + length[words.entry] <= offsets.slot
        after = offsets.slot + length[offsets.entry] <= words.slot
        words, offsets = words.take(before | after), offsets.take(before | after)
        owner, key = self._keys_of(words.entry)
        words, offsets = words.take(owner), offsets.take(owner)
        integer = key - num_columns(self.config)
        place = self._keys_of(offsets.entry)[1] - num_columns(self.config) - len(self.config.integers)
        score = _PLACE + np.minimum(npmi[words.entry], npmi[offsets.entry])
        column = place * len(self.config.integers) + integer
        return _Readings(words.message, column, words.entry, offsets.entry, score)

    def _keys_of(self, entries: Numbers) -> tuple[Numbers, Numbers]:
        """The keys of entries (n,), one after another: (number of the entry in `entries`, key)."""
        keys = [self.parts.keys[entry] for entry in entries.tolist()]
        owner = np.repeat(np.arange(len(keys)), [len(k) for k in keys])
        return owner, np.array([key for of_one in keys for key in of_one], dtype=np.int64)


@dataclass(frozen=True)
class _Found:
    """K places where entries stand in messages."""

    message: Numbers
    entry: Numbers
    slot: Numbers

    def take(self, rows: npt.NDArray[Any]) -> _Found:
        return _Found(self.message[rows], self.entry[rows], self.slot[rows])


@dataclass(frozen=True)
class _Readings:
    """K (message, column) pairs with the entries that say so."""

    message: Numbers
    column: Numbers
    entry: Numbers
    mate: Numbers
    score: FloatArray


def occurrences(parts: Parts, messages: IntArray) -> tuple[Numbers, Numbers, Numbers]:
    """Where entries stand in messages (M, T): K rows of message, entry and slot."""
    base = parts.config.vocab_size
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    for number, (_, length) in enumerate(parts.shapes):
        entries = np.flatnonzero(parts.shape == number)
        keys = row_keys(parts.symbols[entries, :length], base)
        for slot in parts.slots(number):
            here = row_keys(messages[:, slot : slot + length], base)
            message, entry = _join(here, keys)
            found.append((message, entries[entry], np.full(len(message), slot)))
    if not found:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    message, entry, slots = (np.concatenate(column) for column in zip(*found, strict=True))
    return message, entry, slots


def _join(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> tuple[Numbers, Numbers]:
    """All pairs (i, j) with one[i] == other[j], in the order of i."""
    order = np.argsort(other, kind="stable")
    first = np.searchsorted(other[order], one, side="left")
    number = np.searchsorted(other[order], one, side="right") - first
    left = np.repeat(np.arange(len(one)), number)
    within = np.arange(len(left)) - np.repeat(np.cumsum(number) - number, number)
    return left, order[np.repeat(first, number) + within]
