"""The phrases of the paper's analysis (section 5.3): which there are, what they say, how they are written.

A phrase is a whole message that says an edge or an integer at an offset. Or it is composed of two parts: an
n-gram for an integer, and one for an offset, which do not overlap. What a phrase says is one or several of
the `Columns` of a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.ngrams import ANY, OPEN, NGram, NGrams, table_of
from spatial_game.language.counting.rows import Numbers, Symbols, distinct_rows
from spatial_game.language.npmi.associations import Associations
from spatial_game.language.npmi.referents import NO_INTEGER, Edges, Integers, IntegersAtOffsets, Offsets
from spatial_game.language.npmi.table import NpmiTable

PHRASE_KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""The kinds of phrases, with their names in the paper's table 2: whole messages for edges, whole messages for
integers at offsets, and composed phrases. The table's Compositional-NP is a control of the last."""
COMPOSITIONAL = "compositional"
"""The kind of the composed phrases."""
REFERENTS = {"edge": ("edge",), "integer_at": ("integer_at",), "compositional": ("integer", "offset")}
"""The kinds of referents of the parts, by kind of phrases."""
NOTHING = -1
"""No column, way to write a phrase, phrase or position."""
INTEGER, OFFSET = 0, 1
"""The parts of composed phrases: columns of `PhraseTable.parts`."""


@dataclass(frozen=True, eq=False)
class Parts:
    """E n-grams that phrases consist of, and what each says."""

    ngrams: NGrams
    columns: Numbers
    """(E, n), as `Columns`, padded with `NOTHING`. An integer says its column at the first
    offset, and an offset that of the first integer, so a phrase says their sum."""

    @classmethod
    def of(cls, associations: Associations, config: GameConfig) -> Parts:
        """Return the associations of one kind as parts."""
        columns = columns_of(config)
        match associations.referents:
            case Edges(edge):
                column = columns.view(edge[:, None])
            case Offsets(offset):
                column = columns.integer_at(offset[:, None], 0)
            case Integers(integers):
                column = np.where(integers != NO_INTEGER, columns.integer_at(0, integers), NOTHING)
            case IntegersAtOffsets(offset, integers):
                column = columns.integer_at(offset[:, None], integers)
                column = np.where(integers != NO_INTEGER, column, NOTHING)
        return cls(associations.ngrams, column)

    @classmethod
    def nothing(cls, config: GameConfig) -> Parts:
        """Return the empty part beside a whole message."""
        empty = table_of([NGram((), 0)], config.message_length)
        return cls(empty, np.zeros((1, 1), dtype=np.int64))


class Written(NamedTuple):
    """All ways (K) to write n-grams in a message."""

    part: Numbers
    """(K,), the n-gram."""
    slot: Numbers
    """(K,), its first slot."""
    symbols: Symbols
    """(K, T), `OPEN` in other slots."""

    @classmethod
    def of(cls, ngrams: NGrams) -> Written:
        """Return all ways to write these n-grams."""
        slots = np.arange(ngrams.symbols.shape[1])
        fitting = slots <= len(slots) - ngrams.length[:, None]
        part, slot = np.nonzero(fitting & ((ngrams.slot[:, None] == ANY) | (ngrams.slot[:, None] == slots)))
        index = slots - slot[:, None]  # of a symbol in the n-gram; OPEN beyond its length
        symbols = np.take_along_axis(ngrams.symbols[part], np.maximum(index, 0), axis=1)
        return cls(part, slot, np.where(index >= 0, symbols, np.int16(OPEN)))

    def take(self, rows: Numbers) -> Written:
        """Return some of the ways."""
        return Written(self.part[rows], self.slot[rows], self.symbols[rows])

    @property
    def filled(self) -> Mask:
        """(K, T), the slots of the n-gram."""
        return np.asarray(self.symbols != OPEN)


class PhraseTable:
    """The P phrases of a first and a second part that fit into a message together.

    A phrase can be written into a message in one or several ways; there are V ways. `fillers` (T,) are the
    symbols for slots that no part fills.
    """

    parts: IntArray
    """(P, 2), the numbers of the parts."""
    columns: sp.csr_array
    """(P, columns + 1), 1 for what a phrase says: see `Columns`. The last column is that of hidden cells."""
    phrase: Numbers
    """(V,), the phrase of each way, in order."""
    message: Symbols
    """(V, T)"""
    slot: Numbers
    """(V, 2), the first slots of the parts."""
    offset: Mask
    """(V, T), the slots of the offset."""

    def __init__(self, first: Parts, second: Parts, config: GameConfig, fillers: IntArray) -> None:
        self.config = config
        one, other = _fitting(Written.of(first.ngrams), Written.of(second.ngrams))
        self.parts, self.phrase = distinct_rows(np.column_stack([one.part, other.part]))
        self.slot, self.offset = np.column_stack([one.slot, other.slot]), other.filled
        message = np.where(other.filled, other.symbols, fillers)
        self.message = np.where(one.filled, one.symbols, message).astype(np.int16)
        column = first.columns[self.parts[:, 0]]
        used, column = column != NOTHING, column + second.columns[self.parts[:, 1], :1]
        ends = np.append(0, used.sum(axis=1).cumsum())
        shape = (len(self), columns_of(config).size + 1)
        self.columns = sp.csr_array((np.ones(ends[-1], dtype=np.int64), column[used], ends), shape=shape)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def num_beyond(self) -> int:
        """The number of phrases with an offset beyond the window's radius, which only edges show."""
        offset, _ = columns_of(self.config).decode(self.columns.indices[self.columns.indptr[:-1]])
        beyond = [abs(distance) > self.config.window_radius for distance in self.config.offsets]
        return int(np.array([*beyond, False])[offset].sum())

    def expressible(self, window: IntArray) -> Mask:
        """Return (B,), whether a phrase is true of each window (B, W)."""
        is_column_of_phrase = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(is_column_of_phrase[columns_of(self.config).of(window)].any(axis=1))

    def ways(
        self, phrases: Numbers, rng: np.random.Generator, part: int = 0, slot: Numbers | None = None
    ) -> Numbers:
        """Return a random way (B,) to write each of these phrases (B,).

        With `slot` (B,), one of the ways in which this part begins there; `NOTHING` if there is none.
        """
        key, sought = self.phrase, phrases
        if slot is not None:
            length = self.config.message_length
            key, sought = key * length + self.slot[:, part], sought * length + slot
        order = np.argsort(key, kind="stable")
        first, end = (np.searchsorted(key, sought, side, sorter=order) for side in ("left", "right"))
        drawn = first + (rng.random(len(phrases)) * (end - first)).astype(np.int64)
        return np.where(first < end, order[np.minimum(drawn, len(order) - 1)], NOTHING)


def _fitting(first: Written, second: Written) -> tuple[Written, Written]:
    """Return the ways to write a first and a second part that share no slot, ordered by parts and slots."""
    num_shared = first.filled.astype(np.float32) @ second.filled.T.astype(np.float32)
    a, b = np.nonzero(num_shared == 0)
    order = np.lexsort((second.slot[b], first.slot[a], second.part[b], first.part[a]))
    return first.take(a[order]), second.take(b[order])


def phrases_of(table: NpmiTable, kind: str) -> PhraseTable:
    """Return the phrases of a kind that a table gives; other slots get their `common_symbols`."""
    config = table.config
    parts = [Parts.of(table.admitted[part], config) for part in REFERENTS[kind]]
    first, second = (*parts, Parts.nothing(config))[:2]
    return PhraseTable(first, second, config, common_symbols(table.counts))


def common_symbols(counts: Counts) -> npt.NDArray[np.int16]:
    """Return (T,), the symbol most often sent in each slot."""
    each = [np.bincount(slot, weights=counts.message_totals).argmax() for slot in counts.messages.T]
    return np.array(each, dtype=np.int16)
