"""Reading with entries that were selected by NPMI: readings of their own, of which the strongest decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import Columns, num_columns
from spatial_game.language.counting.forms import Occurrences, apart
from spatial_game.language.counting.rows import FloatArray, Numbers, join
from spatial_game.language.dictionary.lexicon import Entry
from spatial_game.language.dictionary.referents import KINDS
from spatial_game.language.players.phrases import NOTHING, PhraseParts

# Added to NPMIs, which lie in -1..1: what says a place then lies above what only names an integer, and both
# above 0, which stands for no reading.
_PLACE, _NAME = 5.0, 2.0


@dataclass(frozen=True)
class Reading:
    """One thing that a message says by the lexicon."""

    kind: str
    """edge, integer_at, compositional, or integer where nothing in the message says its offset. By a
    description: conjunction."""
    meaning: str
    """In words."""
    entries: tuple[int, ...]
    """Rows of `lexicon.listed`."""
    strength: float
    """The NPMI of its weakest entry."""


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


class StrongestReader:
    """Reads messages by the strongest of their readings: a place before a mere name, then by NPMI."""

    margin = 0.0

    def __init__(self, listed: Sequence[Entry], config: GameConfig) -> None:
        self.config, self.listed = config, listed
        self.parts = PhraseParts(listed, config)

    def weighing(self, messages: IntArray) -> Callable[[Numbers, Columns], FloatArray]:
        """Return a function that scores windows, `columns` (B, C, W), for rows (B,) of messages (M, T)."""
        table = self._table(self._readings(messages), len(messages))

        def weigh(rows: Numbers, columns: Columns) -> FloatArray:
            here, row = np.unique(rows, return_inverse=True)
            return np.asarray(table[here].toarray()[row[:, None, None], columns].max(axis=2))

        return weigh

    def says(self, messages: IntArray) -> Mask:
        """Return (M,), which messages say a place: an edge, or an integer and its offset."""
        found, places = self._readings(messages), np.zeros(len(messages), dtype=bool)
        places[found.message[found.place]] = True
        return places

    def true_of(self, messages: IntArray) -> Callable[[Columns], Mask]:
        """Return a function from windows, `columns` (B, W), to which messages name a place there, (B, M)."""
        found = self._readings(messages)
        table = np.zeros((num_columns(self.config) + 1, len(messages)), dtype=bool)
        table[found.column[found.place], found.message[found.place]] = True
        return lambda columns: np.asarray(table[columns].any(axis=1))

    def read(self, message: IntArray) -> list[Reading]:
        """Return what one message (T,) says, the strongest first."""
        found = self._readings(np.asarray(message)[None])
        pairs = dict.fromkeys(zip(found.entry.tolist(), found.mate.tolist(), strict=True))
        readings = [self._reading(entry, mate) for entry, mate in pairs]
        return sorted(readings, key=lambda r: (r.kind == "integer", -r.strength, r.entries))

    def _reading(self, entry: int, mate: int) -> Reading:
        word = self.listed[entry]
        if mate == NOTHING:
            return Reading(word.kind, str(word.referent), (entry,), word.npmi)
        beside = self.listed[mate]
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
        edges, integers_at, words, offsets = (
            found.take(kind == KINDS.index(name)) for name in ("edge", "integer_at", "integer", "offset")
        )
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
