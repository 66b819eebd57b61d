"""The phrases of a lexicon by NPMI, with which the paper asks a receiver.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that do not overlap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.forms import ANY, Form, apart, table_of
from spatial_game.language.counting.places import (
    column_of,
    edge_values,
    num_columns,
    window_columns,
)
from spatial_game.language.counting.rows import Numbers, distinct_rows, expand
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.rules import fits_in
from spatial_game.language.meaning import Meaning
from spatial_game.language.players.compose import checked_fillers
from spatial_game.language.players.decode import NOTHING

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""The kinds of phrases, with their names in the paper's table 2: whole messages for edges, for integers at
offsets, and pairs of an integer and an offset. The table's Compositional-NP is a control of the last."""


@dataclass(frozen=True)
class Written:
    """B phrases, written into messages."""

    message: npt.NDArray[np.int16]
    """(B, T); `NOTHING` throughout where the phrase does not fit."""
    slot: Numbers
    """(B, 2), where the entries of the phrase stand."""


class PhraseTable:
    """The P phrases of a kind (`KINDS`) that the listed entries of a lexicon make.

    `config` is the game to be played (default: the lexicon's); `fillers` (T,) are the symbols for slots that
    no entry fills (default: 0). Entries that do not fit into a message of the game, or say nothing that the
    game has, make no phrases. Raises `ValueError` for a lexicon that is not by NPMI, for a game that is
    incompatible with the lexicon's, and for impossible fillers.
    """

    entries: Numbers
    """(P, 2), a whole message and `NOTHING`, or an integer and an offset: rows of `self.lexicon.listed`.
    (`self.lexicon` has only the entries that the kind needs.)"""
    columns: sp.csr_array
    """(P, columns + 1), 1 for what a phrase says: see `counting.places`. The last is never said."""

    def __init__(
        self, kind: str, lexicon: Lexicon, config: GameConfig | None = None, fillers: IntArray | None = None
    ) -> None:
        if lexicon.settings is None:
            raise ValueError("phrases need a lexicon selected by npmi; got one by description length")
        self.kind, self.lexicon, self.config = kind, of_kind(lexicon, kind), config or lexicon.config
        fault = lexicon.config.incompatibility(self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        self.fillers = checked_fillers(fillers, self.config)
        listed, length = self.lexicon.listed, self.config.message_length
        said = [_said(e.meanings[0][0], self.config) if fits_in(e.form, self.config) else [] for e in listed]
        nothing = Form((), 0)  # instead of what makes no phrase; the last row is the mate of whole messages
        forms = [entry.form if columns else nothing for entry, columns in zip(listed, said, strict=True)]
        self._forms = table_of([*forms, nothing], length)
        slots, free = np.arange(length), (self._forms.slot == ANY)[:, None]
        last = length - self._forms.length[:, None]
        may = np.where(free, slots <= last, slots == self._forms.slot[:, None])
        shapes, self._shape = distinct_rows(np.column_stack([may, self._forms.length]))
        self._may, self._length = shapes[:, :length] > 0, shapes[:, length].astype(np.int64)
        sound = {
            name: np.array([i for i, e in enumerate(listed) if said[i] and e.kind == name], dtype=np.int64)
            for name in _entry_kinds(kind)
        }
        self.entries = self._pairs(**sound) if kind == "compositional" else _alone(sound[kind])
        self.columns = self._all_columns([*said, [0]])

    def __len__(self) -> int:
        return len(self.entries)

    def expressible(self, window: IntArray) -> Mask:
        """Return (B,), whether a phrase is true of each window (B, W)."""
        said = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(said[window_columns(self.config, window)].any(axis=1))

    def write(self, phrases: Numbers, rng: np.random.Generator, slots: Numbers | None = None) -> Written:
        """Write these phrases (B,) into messages: where one fits in several ways, in a random one.

        `slots` (B, 2) are the slots of its entries, `NOTHING` where they are free.
        """
        entries, length = self.entries[phrases], self.config.message_length
        wanted = np.full(entries.shape, NOTHING) if slots is None else slots
        distinct, which = distinct_rows(np.column_stack([self._shape[entries], wanted - NOTHING]))
        ways = self._ways(distinct[:, :2], distinct[:, 2:] + NOTHING).reshape(len(distinct), length**2)
        number = ways.sum(axis=1)[which]
        way = np.argsort(~ways, axis=1, kind="stable")[which, (rng.random(len(entries)) * number).astype(int)]
        slot, message = np.column_stack(np.divmod(way, length)), np.tile(self.fillers, (len(entries), 1))
        for part in range(2):
            inside, symbol = self._inside(entries[:, part], slot[:, part])
            symbols = np.take_along_axis(self._forms.symbols[entries[:, part]], symbol, axis=1)
            message = np.where(inside, symbols, message)
        message[number == 0] = NOTHING
        return Written(message, slot)

    def offset_replaced(self, phrases: Numbers, said: Written, by: npt.ArrayLike) -> npt.NDArray[np.int16]:
        """Return messages (B, T) with `by`, a symbol or (B, T) of them, in place of the offset."""
        inside, _ = self._inside(self.entries[phrases, 1], said.slot[:, 1])
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
        entry, mate = self.entries.T
        owner, at = expand(ends[:-1][entry], ends[1:][entry])
        column = flat[at] + flat[ends[:-1][mate]][owner]
        first = np.searchsorted(owner, np.arange(len(entry) + 1))
        shape = (len(entry), num_columns(self.config) + 1)
        return sp.csr_array((np.ones(len(column), dtype=np.int64), column, first), shape=shape)


def of_kind(lexicon: Lexicon, kind: str) -> Lexicon:
    """Return the lexicon with only the entries of which phrases of a kind consist."""
    kept = _entry_kinds(kind)
    return dataclasses.replace(lexicon, entries=tuple(e for e in lexicon.entries if e.kind in kept))


def _entry_kinds(kind: str) -> tuple[str, ...]:
    return ("integer", "offset") if kind == "compositional" else (kind,)


def _alone(entries: Numbers) -> Numbers:
    return np.column_stack([entries, np.full(len(entries), NOTHING)])


def _said(meaning: Meaning, config: GameConfig) -> list[int]:
    """Return what an entry says that this game has, as columns.

    The column of an integer is the one at the first offset; that of an offset, the one of the first integer.
    """
    place, values = meaning.numbers(config) or (0, [])
    if place == len(config.offsets):
        values = [value for value in values if value != edge_values(config).max()]  # the middle is no edge
    elif meaning.kind == "offset" and meaning.place in config.offsets:
        values = [0]
    return [column_of(config, place or 0, value) for value in values]
