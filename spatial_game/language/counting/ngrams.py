"""N-grams: symbols in a row, at one slot or at any slot of a message. A whole message is the longest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers, Symbols, distinct_rows, join, row_keys, table_of_ones
from spatial_game.memory import require_memory

ANY = -1
"""In `NGrams`, the slot of an n-gram that may be at any slot."""
OPEN = -1
"""In tables of symbols, a slot beyond the end of an n-gram, in which any symbol may stand."""


@dataclass(frozen=True)
class NGram:
    """Symbols at the slots of a message from `slot` on; slot None means at any slot."""

    symbols: tuple[int, ...]
    slot: int | None

    def pattern(self, message_length: int, names: Sequence[str] | None = None) -> str:
        """Return the n-gram as the paper's table 3 writes it: `[7, m2, m3]`; `[.. 7 ..]` for any slot.

        `names` are those of the symbols (`symbol_names`); by default, these are numbers.
        """
        symbols = [str(symbol) if names is None else names[symbol] for symbol in self.symbols]
        if self.slot is None:
            return f"[.. {', '.join(symbols)} ..]"
        written = dict(enumerate(symbols, self.slot))
        return f"[{', '.join(written.get(slot, f'm{slot + 1}') for slot in range(message_length))}]"


@dataclass(frozen=True, eq=False)
class NGrams:
    """F n-grams as arrays."""

    symbols: Symbols  # (F, T), `OPEN` beyond the length
    length: Numbers  # (F,), in 1..T
    slot: Numbers  # (F,), or ANY

    def __len__(self) -> int:
        return len(self.length)

    def ngram(self, index: int) -> NGram:
        """Return the n-gram of a row."""
        symbols, slot = self.symbols[index, : self.length[index]], int(self.slot[index])
        return NGram(tuple(symbols.tolist()), None if slot == ANY else slot)

    def take(self, rows: npt.NDArray[Any] | slice) -> NGrams:
        """Return the n-grams of these rows, or of a mask."""
        return NGrams(self.symbols[rows], self.length[rows], self.slot[rows])


@dataclass(frozen=True, eq=False)
class NGramTable(NGrams):
    """F n-grams, and which of M messages have each."""

    incidence: sp.csr_array[Any]  # (F, M), 1 where the message has the n-gram, however often


@dataclass(frozen=True, eq=False)
class Occurrences:
    """K occurrences of n-grams in messages."""

    ngram: Numbers  # (K,), row of the n-grams
    message: Numbers  # (K,), row of the messages
    slot: Numbers  # (K,), where the n-gram starts
    length: Numbers  # (K,)

    def take(self, rows: npt.NDArray[Any]) -> Occurrences:
        """Return those of these rows, or of a mask."""
        return Occurrences(self.ngram[rows], self.message[rows], self.slot[rows], self.length[rows])


def table_of(values: Sequence[NGram], message_length: int) -> NGrams:
    """Return n-grams of at most `message_length` symbols as arrays."""
    symbols = np.full((len(values), message_length), OPEN, dtype=np.int16)
    for row, ngram in zip(symbols, values, strict=True):
        row[: len(ngram.symbols)] = ngram.symbols
    length = np.array([len(ngram.symbols) for ngram in values], dtype=np.int64)
    slot = np.array([ANY if ngram.slot is None else ngram.slot for ngram in values], dtype=np.int64)
    return NGrams(symbols, length, slot)


def occurrences(sought: NGrams, messages: IntArray) -> Occurrences:
    """Return every occurrence of one of the n-grams in one of the messages (M, T)."""
    base = int(max(sought.symbols.max(initial=0), messages.max(initial=0))) + 1
    found = [np.zeros((4, 0), dtype=np.int64)]
    shapes = np.column_stack([sought.length, sought.slot])
    for length, fixed in np.unique(shapes, axis=0).tolist():
        rows = np.flatnonzero((shapes == (length, fixed)).all(axis=1))
        keys = row_keys(sought.symbols[rows, :length], base)
        last = messages.shape[1] - length
        for slot in range(last + 1) if fixed == ANY else [fixed] if fixed <= last else []:
            message, row = join(row_keys(messages[:, slot : slot + length], base), keys)
            found.append(np.stack([rows[row], message, np.full(len(row), slot), np.full(len(row), length)]))
    return Occurrences(*np.concatenate(found, axis=1))


def whole_messages(messages: IntArray) -> NGramTable:
    """Return each of the distinct messages (M, T) as an n-gram."""
    count, length = messages.shape
    return NGramTable(
        symbols=messages.astype(np.int16),
        length=np.full(count, length),
        slot=np.zeros(count, dtype=np.int64),
        incidence=sp.eye_array(count, dtype=np.int64, format="csr"),
    )


def ngrams(messages: IntArray, other_slot: npt.ArrayLike = 0, other_length: npt.ArrayLike = 0) -> NGramTable:
    """Return all n-grams of length 1 to T-1 of messages (M, T), each at its slot and at any slot.

    `other_slot` and `other_length` (M,) are another n-gram in each message: then only n-grams are returned
    that do not overlap with it.
    """
    count, message_length = messages.shape
    whole = whole_messages(messages)
    parts, kept = [NGramTable(**vars(whole.take(slice(0))), incidence=whole.incidence[:0])], 0
    for length in range(1, message_length):
        slots = range(message_length - length + 1)
        for among in (*([slot] for slot in slots), slots):
            # The next part with its keys, and all parts once more where they are joined.
            needed = kept + count * len(among) * (6 * length + 64)
            require_memory("message_length", message_length, needed, "analyse fewer or shorter messages")
            parts.append(_ngrams_at(messages, length, among, other_slot, other_length))
            kept += parts[-1].symbols.nbytes + 16 * (len(parts[-1]) + parts[-1].incidence.nnz)
    return joined(parts)


def joined(parts: Sequence[NGramTable]) -> NGramTable:
    """Return the n-grams of several tables of the same messages, one table after the other."""
    return NGramTable(
        symbols=np.concatenate([part.symbols for part in parts]),
        length=np.concatenate([part.length for part in parts]),
        slot=np.concatenate([part.slot for part in parts]),
        incidence=sp.vstack([part.incidence for part in parts], format="csr"),
    )


def _ngrams_at(
    messages: IntArray,
    length: int,
    slots: Sequence[int],
    other_slot: npt.ArrayLike,
    other_length: npt.ArrayLike,
) -> NGramTable:
    """Return the n-grams of one length that messages (M, T) have at a slot; at any slot if there are several.

    They do not overlap with the other n-gram: see `ngrams`.
    """
    count, message_length = messages.shape
    found = []
    for slot in slots:
        apart = (np.add(other_slot, other_length) <= slot) | (slot + length <= np.asarray(other_slot))
        having = np.flatnonzero(np.broadcast_to(apart, count))
        found.append((messages[having, slot : slot + length], having))
    grams, having = (np.concatenate(column) for column in zip(*found, strict=True))
    symbols, row = distinct_rows(grams)
    padded = np.full((len(symbols), message_length), OPEN, dtype=np.int16)
    padded[:, :length] = symbols
    return NGramTable(
        padded,
        length=np.full(len(symbols), length),
        slot=np.full(len(symbols), slots[0] if len(slots) == 1 else ANY),
        incidence=table_of_ones(row, having, (len(symbols), count)),
    )
