"""The parts of messages that an entry can be about: some of the slots, or an n-gram wherever it stands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Form, ngrams_at
from spatial_game.language.counting.rows import Numbers, distinct_rows, table_of_ones

# There are 2**T choices of slots. Messages up to this length have all of them as patterns. Longer ones have
# any two slots, and neighbours, up to a number that a search has time for.
_ALL_SUBSETS, _MOST_PATTERNS = 4, 64
_LONGEST = 3  # symbols of an n-gram at any slot


@dataclass(frozen=True, eq=False)
class Pattern:
    """The forms that M messages have in some of their slots, or as an n-gram at any slot."""

    slots: tuple[int, ...] | None  # None: at any slot
    symbols: IntArray  # (F, n)
    incidence: sp.csr_array[Any]  # (F, M), 1 where the message has the form
    whole: bool
    form: Numbers | None = None
    """(M,), in some of the slots: the form of each message."""

    def __len__(self) -> int:
        return len(self.symbols)

    def form_of(self, row: int) -> Form:
        """Return one of the forms."""
        symbols = self.symbols[row].tolist()
        if self.slots is None:
            return Form(tuple(symbols), None)
        return Form.at(dict(zip(self.slots, symbols, strict=True)))


def patterns(messages: IntArray) -> list[Pattern]:
    """Return the patterns of distinct messages (M, T), the fewest slots first."""
    length = messages.shape[1]
    every = [_at_slots(messages, slots) for slots in slot_choices(length)]
    for size in range(1, min(length, _LONGEST + 1)):
        every.append(_anywhere(messages, size))
    # A part that tells all messages apart is the whole message.
    return [p for p in every if p.whole or len(p) < len(messages)]


def slot_choices(length: int) -> list[tuple[int, ...]]:
    """Return the slots of each pattern: every choice in short messages, pairs and neighbours in long ones."""
    slots = range(length)
    if length <= _ALL_SUBSETS:
        return [c for n in range(1, length + 1) for c in itertools.combinations(slots, n)]
    chosen: list[tuple[int, ...]] = [(slot,) for slot in slots]
    chosen += [tuple(range(s, s + n)) for n in range(2, 5) for s in range(length - n + 1) if n < length]
    chosen += [pair for pair in itertools.combinations(slots, 2) if pair not in chosen]
    return [*chosen[: _MOST_PATTERNS - 1], tuple(slots)]


def _at_slots(messages: IntArray, slots: Sequence[int]) -> Pattern:
    symbols, row = distinct_rows(np.ascontiguousarray(messages[:, list(slots)]))
    having = table_of_ones(row, np.arange(len(messages)), (len(symbols), len(messages))).astype(np.float64)
    return Pattern(tuple(slots), symbols, having, whole=len(slots) == messages.shape[1], form=row)


def _anywhere(messages: IntArray, size: int) -> Pattern:
    found = ngrams_at(messages, size, range(messages.shape[1] - size + 1))
    return Pattern(None, found.symbols[:, :size], found.incidence.astype(np.float64), whole=False)
