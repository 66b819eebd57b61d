"""Reading with a lexicon: from a message and a sequence to the candidates that the message can mean.

The reader uses only the listed entries. It is strict: what the lexicon does not say, it does not know.
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
from spatial_game.language.counting.forms import Mask, Occurrences, apart
from spatial_game.language.counting.rows import Numbers, distinct_rows, join
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.referents import KINDS
from spatial_game.language.speaking.phrases import NOTHING, Parts

FloatArray = npt.NDArray[np.float64]

# Added to NPMIs, which lie in -1..1: what says a place then lies above what only names an integer, and both
# above 0, which stands for no reading.
_PLACE, _NAME = 5.0, 2.0
_BLOCK = 1 << 13


@dataclass(frozen=True)
class Reading:
    """One thing that a message says by the lexicon."""

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
    """What B messages mean by a lexicon, each with a sequence and C candidates."""

    score: FloatArray  # (B, C), higher for what is said more surely of the candidate; 0 for nothing
    places: Mask  # (B,), whether the message says a place: an edge, or an integer and its offset

    @property
    def fits(self) -> Mask:
        """(B, C), the candidates that the message can mean."""
        return np.asarray(self.score > 0)

    @property
    def decided(self) -> Mask:
        """(B,), whether the message can mean any of the candidates."""
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


@dataclass(frozen=True)
class _Readings:
    """K statements of messages about columns, by the entries that make them."""

    message: Numbers
    column: Numbers
    entry: Numbers
    mate: Numbers
    npmi: FloatArray  # of the weakest entry
    place: Mask  # whether a place is said, not only an integer

    @property
    def score(self) -> FloatArray:
        """(K,), with places above names."""
        return self.npmi + np.where(self.place, _PLACE, _NAME)


class Decoder:
    """Reads messages with the listed entries of a lexicon. A `Receiver`.

    `config` is the game that is played (default: the lexicon's). Raises `ValueError` for a game that is
    incompatible with the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        self.lexicon, self.config = lexicon, config or lexicon.config
        fault = lexicon.config.incompatibility(self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        self.parts = Parts(lexicon.listed, self.config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate that fits best; the first candidate where none does."""
        choice: IntArray = np.maximum(self.decode(messages, sequence, candidates).choice, 0).astype(np.int16)
        return choice

    def decode(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Decoded:
        """Return what messages (B, T) can mean among candidates (B, C) of sequences (B, L).

        A reading that says a place outranks one that only names an integer; among equals the NPMI of the
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
        places[found.message[found.place]] = True
        return Decoded(score, places[which])

    def places(self, messages: IntArray) -> Mask:
        """Return (columns+1, M) the columns that each message says to be the target's; no mere names."""
        found = self._readings(messages)
        table = np.zeros((num_columns(self.config) + 1, len(messages)), dtype=bool)
        table[found.column[found.place], found.message[found.place]] = True
        return table

    def read(self, message: IntArray) -> list[Reading]:
        """Return what one message (T,) says, the strongest first: for people."""
        found = self._readings(np.asarray(message)[None])
        pairs = dict.fromkeys(zip(found.entry.tolist(), found.mate.tolist(), strict=True))
        readings = [self._reading(entry, mate) for entry, mate in pairs]
        return sorted(readings, key=lambda r: (r.kind == "integer", -r.strength, r.entries))

    def _reading(self, entry: int, mate: int) -> Reading:
        word = self.lexicon.listed[entry]
        if mate == NOTHING:
            return Reading(word.kind, str(word.referent), (entry,), word.npmi)
        beside = self.lexicon.listed[mate]
        integer = str(word.referent).removeprefix("integer ")
        meaning = str(beside.referent).replace("?", integer, 1)
        return Reading("compositional", meaning, (entry, mate), min(word.npmi, beside.npmi))

    def _table(self, found: _Readings, num_messages: int) -> sp.csr_array[Any]:
        """(M, columns+1), the best score of each column; the last column stays 0."""
        shape = (num_messages, num_columns(self.config) + 1)
        score = found.score
        order = np.lexsort((-score, found.column, found.message))
        cell = found.message[order] * shape[1] + found.column[order]
        first = order[np.flatnonzero(np.diff(cell, prepend=-1))]
        return sp.csr_array((score[first], (found.message[first], found.column[first])), shape=shape)

    def _readings(self, messages: IntArray) -> _Readings:
        """Return everything that messages say: whole, as an integer alone, or as an integer and an offset."""
        found = self.parts.occurrences(messages)
        kind = self.parts.kind[found.form]
        edges, integers_at, words, offsets = (found.take(kind == number) for number in range(len(KINDS)))
        parts = [
            self._whole(edges),
            self._whole(integers_at),
            self._names(words),
            self._pairs(words, offsets),
        ]
        return _Readings(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _whole(self, found: Occurrences) -> tuple[npt.NDArray[Any], ...]:
        owner, column = self.parts.keys_of(found.form)
        return self._alone(found.take(owner), column, place=True)

    def _names(self, words: Occurrences) -> tuple[npt.NDArray[Any], ...]:
        """Integers alone: each at any offset."""
        owner, key = self.parts.keys_of(words.form)
        offsets = np.arange(len(self.config.offsets)) * len(self.config.integers)
        column = (key - self.parts.span["integer"].start)[:, None] + offsets
        return self._alone(words.take(np.repeat(owner, len(offsets))), column.reshape(-1), place=False)

    def _alone(self, found: Occurrences, column: Numbers, *, place: bool) -> tuple[npt.NDArray[Any], ...]:
        no_mate = np.full(len(column), NOTHING)
        npmi = self.parts.npmi[found.form]
        return found.message, column, found.form, no_mate, npmi, np.full(len(column), place)

    def _pairs(self, words: Occurrences, offsets: Occurrences) -> tuple[npt.NDArray[Any], ...]:
        """Integers and offsets that do not overlap."""
        one, other = join(words.message, offsets.message)
        words, offsets = words.take(one), offsets.take(other)
        beside = apart(words.slot, words.length, offsets.slot, offsets.length)
        words, offsets = words.take(beside), offsets.take(beside)
        owner, integer = self.parts.keys_of(words.form)
        words, offsets = words.take(owner), offsets.take(owner)
        column = self.parts.pair_column(integer, self.parts.first_key[offsets.form])
        npmi = np.minimum(self.parts.npmi[words.form], self.parts.npmi[offsets.form])
        return words.message, column, words.form, offsets.form, npmi, np.ones(len(column), dtype=bool)
