"""The parts of messages that may mean something: whole messages and n-grams, at a slot or at any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray

ANY = -1
"""In a `FormTable`, the slot of a form that may stand anywhere."""
_NO_SYMBOL = -1


@dataclass(frozen=True)
class Form:
    """Symbols that stand next to each other in a message, from `slot` on; None is "in any slot"."""

    symbols: tuple[int, ...]
    slot: int | None

    def __str__(self) -> str:
        return self.pattern()

    def pattern(self, message_length: int | None = None) -> str:
        """The form as the paper's table 3 writes it: `[7, m2, m3]`; `[.. 7 ..]` for any slot."""
        if self.slot is None:
            return f"[.. {', '.join(map(str, self.symbols))} ..]"
        after = self.slot + len(self.symbols)
        before = [f"m{i + 1}" for i in range(self.slot)]
        rest = [f"m{i + 1}" for i in range(after, message_length or after)]
        return f"[{', '.join([*before, *map(str, self.symbols), *rest])}]"


@dataclass(frozen=True)
class FormTable:
    """F forms, and in which of M carriers (distinct messages, or messages without a part) each occurs."""

    symbols: npt.NDArray[np.int16]  # (F, T), padded with -1
    length: npt.NDArray[np.int64]  # (F,), in 1..T
    slot: npt.NDArray[np.int64]  # (F,), or ANY
    incidence: sp.csr_array[Any]  # (F, M), 1 where the form occurs: once, however often it does

    def __len__(self) -> int:
        return len(self.length)

    def form(self, index: int) -> Form:
        """The form of a row."""
        symbols = self.symbols[index, : self.length[index]]
        slot = int(self.slot[index])
        return Form(tuple(int(s) for s in symbols), None if slot == ANY else slot)


def whole_messages(messages: IntArray) -> FormTable:
    """Each distinct message (M, T) as a form of its own."""
    count, length = messages.shape
    return FormTable(
        symbols=messages.astype(np.int16),
        length=np.full(count, length),
        slot=np.zeros(count, dtype=np.int64),
        incidence=sp.eye_array(count, dtype=np.int64, format="csr"),
    )


def ngrams(
    messages: IntArray, hole_start: IntArray | None = None, hole_length: IntArray | None = None
) -> FormTable:
    """All n-grams of length 1 to T-1 of messages (M, T), at their slots and at any slot.

    With a hole in each message, its slots `hole_start` to `hole_start + hole_length - 1`, only the n-grams
    wholly on one side of it.
    """
    count, message_length = messages.shape
    start = np.zeros(count, np.int64) if hole_start is None else np.asarray(hole_start, np.int64)
    end = start if hole_length is None else start + np.asarray(hole_length, np.int64)
    parts = []
    for length in range(1, message_length):
        found = []
        for slot in range(message_length - length + 1):
            carriers = np.flatnonzero((slot + length <= start) | (slot >= end))
            grams = messages[carriers, slot : slot + length]
            parts.append(_occurrences(grams, carriers, slot, count, message_length))
            found.append((grams, carriers))
        anywhere = np.concatenate([grams for grams, _ in found])
        carriers = np.concatenate([carriers for _, carriers in found])
        parts.append(_occurrences(anywhere, carriers, ANY, count, message_length))
    return _stack(parts, count, message_length)


def _occurrences(
    grams: IntArray, carriers: npt.NDArray[np.intp], slot: int, num_carriers: int, message_length: int
) -> FormTable:
    """The forms among these n-grams, one row each of `grams`, found in these carriers."""
    symbols, row = distinct_rows(grams)
    ones = np.ones(len(row), dtype=np.int64)
    incidence = sp.csr_array((ones, (row, carriers)), shape=(len(symbols), num_carriers))
    incidence.data[:] = 1  # an n-gram that occurs twice in a message still makes one episode
    padded = np.full((len(symbols), message_length), _NO_SYMBOL, dtype=np.int16)
    padded[:, : symbols.shape[1]] = symbols
    return FormTable(
        symbols=padded,
        length=np.full(len(symbols), grams.shape[1]),
        slot=np.full(len(symbols), slot),
        incidence=incidence,
    )


def _stack(parts: list[FormTable], num_carriers: int, message_length: int) -> FormTable:
    if not parts:  # messages of one symbol have no n-grams
        nothing = np.zeros(0, dtype=np.int64)
        symbols = np.zeros((0, message_length), dtype=np.int16)
        return FormTable(symbols, nothing, nothing, sp.csr_array((0, num_carriers), dtype=np.int64))
    return FormTable(
        symbols=np.concatenate([part.symbols for part in parts]),
        length=np.concatenate([part.length for part in parts]),
        slot=np.concatenate([part.slot for part in parts]),
        incidence=sp.vstack([part.incidence for part in parts], format="csr"),
    )


def distinct_rows(rows: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """The distinct rows in lexicographic order, and for each row the number of its like among them."""
    keys = row_keys(rows)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], inverse.reshape(-1)


def row_keys(rows: IntArray, base: int | None = None) -> npt.NDArray[Any]:
    """One sortable number (or byte string, where 64 bits are too few) a row, in the rows' own order.

    `base`: more than the largest value; by default taken from the rows, so that only keys of one call, or of
    calls with the same base, can be compared.
    """
    width = rows.shape[1]
    if base is None:
        base = int(rows.max(initial=0)) + 1
    if base**width < 2**62:
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            keys *= base
            keys += column
        return keys
    size = 2 if base <= 1 << 16 else 4
    return np.ascontiguousarray(rows.astype(f">u{size}")).view(f"V{size * width}").reshape(-1)


def locate(forms: FormTable, symbols: IntArray, slot: IntArray) -> npt.NDArray[np.intp]:
    """For each asked form (padded symbols (E, T) and slots (E,)), its row in a table that has them all."""
    asked, known = (
        np.column_stack([s + np.int16(1), t + 1]) for s, t in ((symbols, slot), (forms.symbols, forms.slot))
    )
    _, group = distinct_rows(np.concatenate([known, asked]))
    row = np.full(int(group.max(initial=-1)) + 1, -1)
    row[group[: len(known)]] = np.arange(len(known))
    return row[group[len(known) :]]
