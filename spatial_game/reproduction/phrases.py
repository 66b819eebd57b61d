"""The phrases of a lexicon by NPMI, and episodes in which they are true: the paper's section 5.3.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that do not overlap. A phrase is drawn for each episode, the episode is changed so that the
phrase is true, and its message goes to the receiver without the sender.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.arranging import KEEP, arrange
from spatial_game.game.episodes import Episodes, IntArray, Mask, window_around
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.forms import OPEN, Form, table_of
from spatial_game.language.counting.places import (
    column_of,
    edge_values,
    num_columns,
    places_at_offsets,
    window_columns,
)
from spatial_game.language.counting.rows import Numbers, distinct_rows, expand
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.players import NOTHING

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""The kinds of phrases, with their names in the paper's table 2: whole messages for edges, for integers at
offsets, and pairs of an integer and an offset. The table's Compositional-NP is a control of the last."""
_TRIES = 50


def entries_of(lexicon: Lexicon, kind: str) -> tuple[Entry, ...]:
    """Return the listed entries of which phrases of a kind consist."""
    kinds = ("integer", "offset") if kind == "compositional" else (kind,)
    return tuple(entry for entry in lexicon.listed if entry.kind in kinds)


class PhraseTable:
    """The P phrases of a kind (`KINDS`) that these entries (see `entries_of`) make.

    A phrase has two parts: a whole message and nothing, or an integer and an offset. It can be written into a
    message in one or several ways, V in all. `fillers` (T,) are the symbols for slots that no part fills
    (default: 0).
    """

    parts: Numbers
    """(P, 2), the numbers of the entries; `NOTHING` beside a whole message."""
    columns: sp.csr_array
    """(P, columns), 1 for what a phrase says: see `counting.places`."""
    phrase: Numbers
    """(V,), the phrase of each way, in order."""
    message: npt.NDArray[np.int16]
    """(V, T)"""
    slot: Numbers
    """(V, 2), the first slots of the parts."""
    offset: Mask
    """(V, T), the slots of the offset."""

    def __init__(
        self, kind: str, entries: Sequence[Entry], config: GameConfig, fillers: IntArray | None = None
    ) -> None:
        self.kind, self.entries, self.config = kind, entries, config
        # The last form is that of no entry, beside whole messages.
        forms = table_of([*(each.form for each in entries), Form((), 0)], config.message_length)
        entry, slot = forms.placed()
        symbols = forms.written(entry, slot)
        entry[-1] = NOTHING
        filled, kinds = symbols != OPEN, np.array([*(each.kind for each in entries), ""])[entry]
        first, second = ("integer", "offset") if kind == "compositional" else (kind, "")
        firsts, seconds = np.flatnonzero(kinds == first), np.flatnonzero(kinds == second)
        shared = filled[firsts].astype(np.float32) @ filled[seconds].T.astype(np.float32)
        one, other = np.nonzero(shared == 0)
        one, other = firsts[one], seconds[other]
        order = np.lexsort((slot[other], slot[one], entry[other], entry[one]))
        one, other = one[order], other[order]
        parts = np.column_stack([entry[one], entry[other]])
        new = np.any(np.diff(parts, axis=0, prepend=NOTHING - 1) != 0, axis=1)
        self.parts, self.phrase = parts[new], np.cumsum(new) - 1
        self.slot, self.offset = np.column_stack([slot[one], slot[other]]), filled[other]
        free = np.zeros(config.message_length) if fillers is None else fillers
        message = np.where(filled[other], symbols[other], free)
        self.message = np.where(filled[one], symbols[one], message).astype(np.int16)
        self.columns = self._said()

    def __len__(self) -> int:
        return len(self.parts)

    def expressible(self, window: IntArray) -> Mask:
        """Return (B,), whether a phrase is true of each window (B, W)."""
        said = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(said[window_columns(self.config, window)].any(axis=1))

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

    def _said(self) -> sp.csr_array:
        """Return the columns that phrases say: of a pair, the sum of what integer and offset say.

        An integer says its column at the first offset, and an offset that of the first integer.
        """
        said = []
        for each in self.entries:
            place, values = each.meanings[0][0].numbers(self.config)
            said.append([column_of(self.config, place or 0, value) for value in values or [0]])
        ends, flat = np.cumsum([0, *map(len, said)]), np.concatenate([[], *said]).astype(np.int64)
        beside = np.array([*(each[0] for each in said), 0])  # 0 beside a whole message
        entry, other = self.parts.T
        phrase, at = expand(ends[entry], ends[entry + 1])
        column, first = flat[at] + beside[other][phrase], np.searchsorted(phrase, np.arange(len(entry) + 1))
        shape = (len(entry), num_columns(self.config) + 1)  # the last column is that of hidden cells
        return sp.csr_array((np.ones(len(column), dtype=np.int64), column, first), shape=shape)


@dataclass(frozen=True)
class Asked:
    """B episodes in which phrases of one kind are true, and the phrases: what a receiver is asked."""

    episodes: Episodes
    way: Numbers
    """(B,), how the phrase is written: a row of the table's `message`."""
    column: Numbers
    """(B,), what was said, as a column of `counting.places`."""


def ask(table: PhraseTable, episodes: Episodes, rng: np.random.Generator) -> Asked:
    """Draw a phrase for each episode, uniformly, and change the episode so that it is true.

    Of a phrase with several integers a random one is made true.
    """
    phrase = rng.integers(0, len(table), len(episodes))
    first, end = table.columns.indptr[phrase], table.columns.indptr[phrase + 1]
    column = table.columns.indices[rng.integers(first, end)].astype(np.int64)
    way = table.ways(phrase, rng)
    return Asked(make_true(table.config, episodes, column, rng), way, column)


def make_true(config: GameConfig, episodes: Episodes, column: Numbers, rng: np.random.Generator) -> Episodes:
    """Return the episodes, changed so that columns (B,) are true: see `counting.places`.

    The target moves to a random place at that edge, or to one whose window shows the offset; the integer and
    what stood in its place change places. All else is as random as before.
    """
    place, value = np.divmod(column, len(config.integers))
    at_edge = place == len(config.offsets)
    # A condition on the place of the target is an offset that its window shows, or an edge.
    condition = place + np.where(at_edge, value, 0)
    mask = window_tables(config).mask_column
    edges = edge_values(config)[mask] == np.arange(config.window_size)[:, None]
    fits = np.vstack([places_at_offsets(config)[mask].T >= 0, edges])
    drawn = rng.random(len(episodes)) * fits.sum(axis=1)[condition]
    target = np.argsort(~fits, axis=1, kind="stable")[condition, drawn.astype(np.int64)]
    beside = np.column_stack([cells_at_offsets(config), np.arange(config.sequence_length)])[target, place]
    value = np.where(at_edge, KEEP, value)
    return arrange(config, episodes, beside[:, None], value[:, None], target)


def shuffled(table: PhraseTable, asked: Asked, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return, for each episode, the message (B, T) of another phrase that is not true there.

    It is `NOTHING` throughout if no such message was found. A message counts as true if any phrase that it
    was sent for is true.
    """
    size, sent = len(asked.way), table.message[asked.way]
    distinct, message = distinct_rows(sent)
    meant = (message, table.phrase[asked.way])
    sent_for = sp.csr_array((np.ones(size), meant), shape=(len(distinct), len(table)))
    says = (sent_for @ table.columns).toarray() > 0
    # Also what the sender does not see is true.
    window, _ = window_around(table.config, asked.episodes.sequence, asked.episodes.target_position)
    true = window_columns(table.config, window)
    other, left = rng.permutation(size), np.arange(size)
    for _ in range(_TRIES):
        left = left[says[message[other[left]][:, None], true[left]].any(axis=1)]
        if len(left) == 0:
            break
        other[left] = rng.integers(0, size, len(left))
    found = np.isin(np.arange(size), left, invert=True)
    return np.where(found[:, None], sent[other], np.int16(NOTHING))
