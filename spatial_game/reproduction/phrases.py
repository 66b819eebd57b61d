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
from spatial_game.language.counting.forms import OPEN, Form, table_of
from spatial_game.language.counting.places import column_of, num_columns, window_columns
from spatial_game.language.counting.rows import Numbers, expand
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.meaning import Meaning
from spatial_game.language.players import NOTHING

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
    """(B, 2), the first slots of the parts of the phrase."""
    offset: Mask
    """(B, T), the slots of the offset."""


class PhraseTable:
    """The P phrases of a kind (`KINDS`) that these entries (see `entries_of`) make.

    A phrase has two parts: a whole message and nothing, or an integer and an offset. There may be several
    ways to write it into a message. `fillers` (T,) are the symbols for slots that no part fills (default: 0).
    """

    parts: Numbers
    """(P, 2), the numbers of the entries; `NOTHING` beside a whole message."""
    columns: sp.csr_array
    """(P, columns), 1 for what a phrase says: see `counting.places`."""

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
        # Below, a row is a way to write a phrase.
        parts = np.column_stack([entry[one], entry[other]])
        new = np.any(np.diff(parts, axis=0, prepend=NOTHING - 1) != 0, axis=1)
        self.parts, self._phrase = parts[new], np.cumsum(new) - 1
        self._slot, self._offset = np.column_stack([slot[one], slot[other]]), filled[other]
        free = np.zeros(config.message_length) if fillers is None else fillers
        message = np.where(filled[other], symbols[other], free)
        self._message = np.where(filled[one], symbols[one], message).astype(np.int16)
        self.columns = self._said()

    def __len__(self) -> int:
        return len(self.parts)

    def expressible(self, window: IntArray) -> Mask:
        """Return (B,), whether a phrase is true of each window (B, W)."""
        said = np.asarray(self.columns.sum(axis=0) > 0)
        return np.asarray(said[window_columns(self.config, window)].any(axis=1))

    def write(
        self, phrases: Numbers, rng: np.random.Generator, part: int = 0, slot: Numbers | None = None
    ) -> Written:
        """Write these phrases (B,) into messages: where there are several ways, in a random one.

        With `slot` (B,), in one of the ways in which this part begins there.
        """
        length = self.config.message_length
        at = self._phrase if slot is None else self._phrase * length + self._slot[:, part]
        wanted = phrases if slot is None else phrases * length + slot
        order = np.argsort(at, kind="stable")
        first, end = (np.searchsorted(at[order], wanted, side=side) for side in ("left", "right"))
        drawn = first + (rng.random(len(phrases)) * (end - first)).astype(np.int64)
        way = order[np.minimum(drawn, len(order) - 1)]
        message = np.where((first < end)[:, None], self._message[way], np.int16(NOTHING))
        return Written(message, self._slot[way], self._offset[way])

    def _said(self) -> sp.csr_array:
        """Return the columns that phrases say: of a pair, the sum of what integer and offset say."""
        said = [_columns(each.meanings[0][0], self.config) for each in self.entries]
        ends, flat = np.cumsum([0, *map(len, said)]), np.concatenate([[], *said]).astype(np.int64)
        place = np.array([*(each[0] for each in said), 0])  # 0 beside a whole message
        entry, other = self.parts.T
        phrase, at = expand(ends[entry], ends[entry + 1])
        column, first = flat[at] + place[other][phrase], np.searchsorted(phrase, np.arange(len(entry) + 1))
        shape = (len(entry), num_columns(self.config) + 1)  # the last column is that of hidden cells
        return sp.csr_array((np.ones(len(column), dtype=np.int64), column, first), shape=shape)


def _columns(meaning: Meaning, config: GameConfig) -> list[int]:
    """Return what an entry says, as columns.

    The column of an integer is the one at the first offset; that of an offset, the one of the first integer.
    """
    place, values = meaning.numbers(config) or (0, [])
    return [column_of(config, place or 0, value) for value in values or [0]]
