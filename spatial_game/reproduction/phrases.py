"""The phrases of a lexicon by NPMI, with which the paper asks a receiver.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.forms import ANY, Form, apart, table_of
from spatial_game.language.counting.places import column_of, edge_values, num_columns, window_columns
from spatial_game.language.counting.rows import Numbers, distinct_rows, expand
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import Meaning
from spatial_game.language.players.decode import NOTHING

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""The kinds of phrases, with their names in the paper's table 2: whole messages for edges, for integers at
offsets, and pairs of an integer and an offset. The table's Compositional-NP is a control of the last."""


def entries_of(lexicon: Lexicon, kind: str) -> tuple[Entry, ...]:
    """Return the listed entries of which phrases of a kind consist."""
    kinds = ("integer", "offset") if kind == "compositional" else (kind,)
    return tuple(entry for entry in lexicon.listed if entry.kind in kinds)


@dataclass(frozen=True)
class Written:
    """B phrases, written into messages."""

    message: npt.NDArray[np.int16]
    """(B, T); `NOTHING` throughout where the phrase does not fit."""
    slot: Numbers
    """(B, 2), where the parts of the phrase stand."""


class PhraseTable:
    """The P phrases of a kind (`KINDS`) that these entries (see `entries_of`) make.

    `fillers` (T,) are the symbols for slots that no entry fills (default: 0).
    """

    parts: Numbers
    """(P, 2), rows of `self.entries`: a whole message and `NOTHING`, or an integer and an offset."""
    columns: sp.csr_array
    """(P, columns + 1), 1 for what a phrase says: see `counting.places`. The last is never said."""

    def __init__(
        self, kind: str, entries: Sequence[Entry], config: GameConfig, fillers: IntArray | None = None
    ) -> None:
        self.kind, self.entries, self.config = kind, entries, config
        length = config.message_length
        self.fillers = np.asarray(np.zeros(length) if fillers is None else fillers, dtype=np.int16)
        # The last form is the mate of whole messages.
        self._forms = table_of([*(entry.form for entry in entries), Form((), 0)], length)
        slots, free = np.arange(length), (self._forms.slot == ANY)[:, None]
        last = length - self._forms.length[:, None]
        may = np.where(free, slots <= last, slots == self._forms.slot[:, None])
        shapes, self._shape = distinct_rows(np.column_stack([may, self._forms.length]))
        self._may, self._length = shapes[:, :length] > 0, shapes[:, length].astype(np.int64)
        said = [_said(entry.meanings[0][0], config) for entry in entries]
        kinds = np.array(
            [entry.kind if columns else "" for entry, columns in zip(entries, said, strict=True)]
        )
        if kind == "compositional":
            self.parts = self._pairs(np.flatnonzero(kinds == "integer"), np.flatnonzero(kinds == "offset"))
        else:
            whole = np.flatnonzero(kinds == kind)
            self.parts = np.column_stack([whole, np.full(len(whole), NOTHING)])
        self.columns = self._all_columns([*said, [0]])

    def __len__(self) -> int:
        return len(self.parts)

    def expressible(self, window: IntArray) -> Mask:
        """Return (B,), whether a phrase is true of each window (B, W)."""
        said = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(said[window_columns(self.config, window)].any(axis=1))

    def write(self, phrases: Numbers, rng: np.random.Generator, slots: Numbers | None = None) -> Written:
        """Write these phrases (B,) into messages: where one fits in several ways, in a random one.

        `slots` (B, 2) are the slots of its parts, `NOTHING` where they are free.
        """
        parts, length = self.parts[phrases], self.config.message_length
        wanted = np.full(parts.shape, NOTHING) if slots is None else slots
        distinct, which = distinct_rows(np.column_stack([self._shape[parts], wanted - NOTHING]))
        ways = self._ways(distinct[:, :2], distinct[:, 2:] + NOTHING).reshape(len(distinct), length**2)
        number = ways.sum(axis=1)[which]
        way = np.argsort(~ways, axis=1, kind="stable")[which, (rng.random(len(parts)) * number).astype(int)]
        slot, message = np.column_stack(np.divmod(way, length)), np.tile(self.fillers, (len(parts), 1))
        for part in range(2):
            inside, symbol = self._inside(parts[:, part], slot[:, part])
            symbols = np.take_along_axis(self._forms.symbols[parts[:, part]], symbol, axis=1)
            message = np.where(inside, symbols, message)
        message[number == 0] = NOTHING
        return Written(message, slot)

    def offset_replaced(self, phrases: Numbers, said: Written, by: IntArray) -> npt.NDArray[np.int16]:
        """Return messages (B, T) with the symbols `by` (B, T) in place of the offset."""
        inside, _ = self._inside(self.parts[phrases, 1], said.slot[:, 1])
        return np.where(inside, by, said.message).astype(np.int16)

    def _inside(self, entry: Numbers, slot: Numbers) -> tuple[Mask, Numbers]:
        """Return (B, T): whether an entry fills each slot of a message, and with which of its symbols."""
        symbol = np.arange(self.config.message_length) - slot[:, None]
        inside = (symbol >= 0) & (symbol < self._forms.length[entry][:, None])
        return inside, np.maximum(symbol, 0)

    def _ways(self, shapes: IntArray, slots: IntArray) -> Mask:
        """Return (n, T, T): the slots at which two entries of these shapes (n, 2) can stand together."""
        start, length = np.arange(self.config.message_length), self._length[shapes][:, :, None, None]
        able = self._may[shapes] & ((slots[:, :, None] == NOTHING) | (slots[:, :, None] == start))
        beside = apart(start[:, None], length[:, 0], start, length[:, 1])
        return np.asarray(able[:, 0, :, None] & able[:, 1, None, :] & beside)

    def _pairs(self, integer: Numbers, offset: Numbers) -> Numbers:
        """Return (P, 2), the integers and offsets that fit beside each other."""
        number = len(self._length)
        shapes = np.indices((number, number)).reshape(2, -1).T
        fit = self._ways(shapes, np.full(shapes.shape, NOTHING)).any(axis=(1, 2)).reshape(number, number)
        one, other = np.nonzero(fit[self._shape[integer]][:, self._shape[offset]])
        return np.column_stack([integer[one], offset[other]])

    def _all_columns(self, said: Sequence[Sequence[int]]) -> sp.csr_array:
        """Return the columns that phrases say: of a pair, the sum of what integer and offset say."""
        ends, flat = np.cumsum([0, *map(len, said)]), np.concatenate([np.array(each, int) for each in said])
        entry, mate = self.parts.T
        owner, at = expand(ends[:-1][entry], ends[1:][entry])
        column = flat[at] + flat[ends[:-1][mate]][owner]
        first = np.searchsorted(owner, np.arange(len(entry) + 1))
        shape = (len(entry), num_columns(self.config) + 1)
        return sp.csr_array((np.ones(len(column), dtype=np.int64), column, first), shape=shape)


def _said(meaning: Meaning, config: GameConfig) -> list[int]:
    """Return what an entry says, as columns.

    The column of an integer is the one at the first offset; that of an offset, the one of the first integer.
    """
    numbers = meaning.numbers(config)
    if numbers is None:
        return []
    place, values = numbers
    if place == len(config.offsets):
        values = [value for value in values if value != edge_values(config).max()]  # the middle is no edge
    elif meaning.kind == "offset":
        values = [0]
    return [column_of(config, place or 0, value) for value in values]
