"""The phrases of the paper's analysis, and episodes in which they are true: the paper's section 5.3.

A phrase is a whole message that says an edge or an integer at an offset. Or it is composed of two parts: an
n-gram for an integer, and one for an offset, which do not overlap. What a phrase says is one or several of
the `Columns` of a window. A phrase is drawn for each episode, the episode is changed so that the phrase is
true, and its message goes to the receiver without the sender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import KEEP, Episodes, IntArray, Mask, arrange, window_around
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.columns import ABSENT, columns_of
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
_TRIES = 50


@dataclass(frozen=True, eq=False)
class Parts:
    """E n-grams that phrases consist of, and what each says."""

    ngrams: NGrams
    columns: Numbers
    """(E, n), as `Columns`, padded with `NOTHING`. An integer says its column at the first
    offset, and an offset that of the first integer, so a phrase says their sum."""

    @classmethod
    def of(cls, found: Associations, config: GameConfig) -> Parts:
        """Return the associations of one kind as parts."""
        columns = columns_of(config)
        match found.referents:
            case Edges(edge):
                said = columns.view(edge[:, None])
            case Offsets(offset):
                said = columns.cell(offset[:, None], 0)
            case Integers(integers):
                said = np.where(integers != NO_INTEGER, columns.cell(0, integers), NOTHING)
            case IntegersAtOffsets(offset, integers):
                said = np.where(integers != NO_INTEGER, columns.cell(offset[:, None], integers), NOTHING)
        return cls(found.ngrams, said)

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
        said = first.columns[self.parts[:, 0]]
        used, said = said != NOTHING, said + second.columns[self.parts[:, 1], :1]
        ends = np.append(0, used.sum(axis=1).cumsum())
        shape = (len(self), columns_of(config).size + 1)
        self.columns = sp.csr_array((np.ones(ends[-1], dtype=np.int64), said[used], ends), shape=shape)

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
        said = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(said[columns_of(self.config).of(window)].any(axis=1))

    def ways(
        self, phrases: Numbers, rng: np.random.Generator, part: int = 0, slot: Numbers | None = None
    ) -> Numbers:
        """Return a random way (B,) to write each of these phrases (B,).

        With `slot` (B,), one of the ways in which this part begins there; `NOTHING` if there is none.
        """
        own, wanted = self.phrase, phrases
        if slot is not None:
            length = self.config.message_length
            own, wanted = own * length + self.slot[:, part], wanted * length + slot
        order = np.argsort(own, kind="stable")
        first, end = (np.searchsorted(own, wanted, side, sorter=order) for side in ("left", "right"))
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


@dataclass(frozen=True, eq=False)
class TruePhrases:
    """B episodes in which phrases of one kind are true, and the phrases: what a receiver is asked."""

    episodes: Episodes
    way: Numbers
    """(B,), how the phrase is written: a row of the table's `message`."""
    column: Numbers
    """(B,), what was said, as one of the `Columns`."""


def draw_true(table: PhraseTable, episodes: Episodes, rng: np.random.Generator) -> TruePhrases:
    """Draw a phrase for each episode, uniformly, and change the episode so that it is true.

    Of a phrase with several integers a random one is made true.
    """
    phrase = rng.integers(0, len(table), len(episodes))
    first, end = table.columns.indptr[phrase], table.columns.indptr[phrase + 1]
    column = table.columns.indices[rng.integers(first, end)].astype(np.int64)
    way = table.ways(phrase, rng)
    return TruePhrases(make_true(table.config, episodes, column, rng), way, column)


def make_true(config: GameConfig, episodes: Episodes, column: Numbers, rng: np.random.Generator) -> Episodes:
    """Return the episodes, changed so that columns (B,) are true: see `Columns`.

    The target moves to a random position at that edge, or to one whose window shows the offset; the integer
    and what stood there are exchanged. All else is as random as before.
    """
    columns, mask = columns_of(config), window_tables(config).mask_column
    variable, value = columns.decode(column)
    at_edge = variable == len(config.offsets)
    # A condition on the target's position is an offset that its window shows, or an edge.
    condition = variable + np.where(at_edge, value, 0)
    edges = columns.edge_of_mask[mask] == np.arange(columns.no_edge)[:, None]
    fits = np.vstack([columns.cells[mask].T != ABSENT, edges])
    drawn = rng.random(len(episodes)) * fits.sum(axis=1)[condition]
    target = np.argsort(~fits, axis=1, kind="stable")[condition, drawn.astype(np.int64)]
    beside = np.column_stack([cells_at_offsets(config), np.arange(config.sequence_length)])[target, variable]
    value = np.where(at_edge, KEEP, value)
    return arrange(config, episodes, beside[:, None], value[:, None], target)


def draw_false(table: PhraseTable, drawn: TruePhrases, rng: np.random.Generator) -> tuple[Numbers, IntArray]:
    """Return episodes (n,), and for each the message (n, T) of another phrase that is not true there.

    Episodes for which no such message was found are left out. A message counts as true if any phrase that it
    was sent for is true.
    """
    num_episodes, sent = len(drawn.way), table.message[drawn.way]
    distinct, message = distinct_rows(sent)
    phrase_of_message = message, table.phrase[drawn.way]
    sent_for = sp.csr_array((np.ones(num_episodes), phrase_of_message), shape=(len(distinct), len(table)))
    says = (sent_for @ table.columns).toarray() > 0
    # Also what the sender does not see is true.
    window, _ = window_around(table.config, drawn.episodes.sequence, drawn.episodes.target_position)
    true = columns_of(table.config).of(window)
    # Each episode takes the message of another one, until it is not true.
    other, still_true = rng.permutation(num_episodes), np.arange(num_episodes)
    for _ in range(_TRIES):
        still_true = still_true[says[message[other[still_true]][:, None], true[still_true]].any(axis=1)]
        if len(still_true) == 0:
            break
        other[still_true] = rng.integers(0, num_episodes, len(still_true))
    rows = np.delete(np.arange(num_episodes), still_true)
    return rows, sent[other[rows]]
