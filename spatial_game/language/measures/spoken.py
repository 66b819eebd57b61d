"""What was said, in little memory: the distinct messages, and for each episode the number of its message."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import blocks
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.measures.corpus import PAD, Corpus
from spatial_game.language.measures.resampling import Groups
from spatial_game.recording import Recording

# Messages that are told apart by a table with an entry for each possible one.
_TABLE = 1 << 25
_LARGEST_KEY = 1 << 62


@dataclass(frozen=True)
class SpokenMessages:
    """B messages. Symbols are numbered from 0 in their order; only those that occur have a number."""

    types: Numbers  # (M, T), the distinct messages in lexicographic order; symbols, then PAD
    number: IntArray  # (B,), which of them each message is; unsigned, in few bytes
    num_symbols: int  # that a message may choose from

    @classmethod
    def of(cls, source: Source | Several | Corpus) -> SpokenMessages:
        """Read the messages of a source, block by block, or of a corpus."""
        if isinstance(source, Corpus):
            columns = (column.astype(np.int64) - PAD for column in source.message.T)
            return cls.of_columns(columns, len(source), source.num_symbols)
        config = source.config
        message = np.empty((config.message_length, source.num_rows), np.min_scalar_type(config.vocab_size))
        for rows, block in read_blocks(source):
            message[:, rows] = block.message.T + 1
        return cls.of_columns(message, source.num_rows, config.vocab_size)

    @classmethod
    def of_columns(cls, columns: Iterable[IntArray], size: int, num_symbols: int) -> SpokenMessages:
        """Return the messages of columns (B,), one for each slot, with symbols from 1 and 0 at the end."""
        rows, number = distinct(columns, size)
        symbols = np.unique(rows[rows > 0])
        types = np.where(rows > 0, np.searchsorted(symbols, rows), PAD)
        return cls(types, number, num_symbols)

    def __len__(self) -> int:
        return len(self.number)

    @cached_property
    def totals(self) -> Numbers:
        """(M,), how often each distinct message occurs."""
        return np.asarray(Groups.none(len(self)).totals(self.number, len(self.types))[0])

    @cached_property
    def in_order(self) -> IntArray:
        """(B,), the episodes in the order of their messages."""
        order = np.empty(len(self), dtype=np.min_scalar_type(len(self)))
        free = np.cumsum(self.totals) - self.totals  # the next place of each message
        for rows in blocks(len(self)):
            local = np.argsort(self.number[rows], kind="stable")
            found, first, sizes = np.unique(self.number[rows][local], return_index=True, return_counts=True)
            within = np.arange(len(local)) - np.repeat(first, sizes)
            order[np.repeat(free[found], sizes) + within] = rows.start + local
            free[found] += sizes
        return order

    def shuffled(self, rng: np.random.Generator) -> SpokenMessages:
        """Return a copy in which each slot's symbols are permuted among the messages that reach it."""

        def columns() -> Iterator[IntArray]:
            for symbols in (self.types + 1).T:
                column = _gathered(symbols, self.number)
                inside = column > 0
                column[inside] = rng.permutation(column[inside])
                yield column

        return SpokenMessages.of_columns(columns(), len(self), self.num_symbols)

    def counts(self, groups: Groups) -> Kinds:
        """Return the distinct messages with how often each occurs, in each replicate."""
        return Kinds(self.types, groups.totals(self.number, max(len(self.types), 1)), self.num_symbols)


@dataclass(frozen=True)
class Kinds:
    """Distinct messages, and how often each occurs: in all episodes, and without each group of them."""

    types: Numbers  # (M, T), as in `SpokenMessages`
    counts: Numbers  # (G+1, max(M, 1))
    num_symbols: int

    @property
    def sizes(self) -> Numbers:
        """(G+1,), the number of episodes in each replicate."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def lengths(self) -> Numbers:
        """(M,), the lengths of the distinct messages."""
        return np.asarray((self.types != PAD).sum(axis=1))

    @property
    def symbol_counts(self) -> Numbers:
        """(G+1, S), how often each symbol occurs; at least one column."""
        rows, slots = np.nonzero(self.types != PAD)
        symbol, counts = self.types[rows, slots], self.counts[:, rows]
        size = int(symbol.max(initial=0)) + 1
        return np.stack([np.bincount(symbol, weights=row, minlength=size) for row in counts]).astype(np.int64)


def message_space(kinds: Kinds) -> float:
    """Return the number of possible messages: of the one length that occurs, or up to the longest."""
    longest, shortest = int(kinds.lengths.max(initial=0)), int(kinds.lengths.min(initial=1 << 62))
    if longest * math.log2(max(kinds.num_symbols, 1)) > 1000:
        return math.inf
    of_lengths = range(longest if shortest == longest else 0, longest + 1)
    return float(max(sum(kinds.num_symbols**length for length in of_lengths), 1))


@dataclass(frozen=True)
class Several:
    """Several sources of one game as one."""

    sources: Sequence[Source]

    @property
    def config(self) -> GameConfig:
        """The game."""
        return self.sources[0].config

    @property
    def num_rows(self) -> int:
        """Number of episodes."""
        return sum(source.num_rows for source in self.sources)

    def blocks(self, **options: Any) -> Iterator[Recording]:
        """Yield the blocks of all sources."""
        for source in self.sources:
            yield from source.blocks(**options)


def read_blocks(source: Source | Several) -> Iterator[tuple[slice, Recording]]:
    """Yield the blocks of a source with the rows that they are."""
    start = 0
    for block in source.blocks(columns=()):
        yield slice(start, start + len(block)), block
        start += len(block)


def distinct(columns: Iterable[IntArray], size: int) -> tuple[Numbers, IntArray]:
    """Return the distinct rows (M, T) of columns (B,) of non-negative integers, in lexicographic order.

    With them, for each row (B,) its number among them.
    """
    rows: Numbers = np.zeros((min(size, 1), 0), dtype=np.int64)
    keys: IntArray = np.zeros(size, dtype=np.uint8)
    bases: list[int] = []  # of the columns that the keys hold beside the number of the row so far
    for column in columns:
        base = int(column.max(initial=0)) + 1
        if len(rows) * math.prod(bases) * base >= _LARGEST_KEY:
            rows, keys = _extended(rows, bases, keys)
            bases = []
        bases.append(base)
        keys = keys.astype(np.min_scalar_type(len(rows) * math.prod(bases)), copy=False)
        keys *= keys.dtype.type(base)
        keys += column.astype(keys.dtype, copy=False)
    return _extended(rows, bases, keys)


def _extended(rows: Numbers, bases: list[int], keys: IntArray) -> tuple[Numbers, IntArray]:
    """Return the distinct rows with the columns that the keys hold, and the number of each key's row."""
    cells, number = _numbered(keys, len(rows) * math.prod(bases))
    columns = []
    for base in reversed(bases):
        cells, column = np.divmod(cells, base)
        columns.append(column)
    return np.column_stack([rows[cells], *reversed(columns)]), number


def _numbered(keys: IntArray, bound: int) -> tuple[Numbers, IntArray]:
    """Return the distinct keys (in 0..bound-1) in order, and for each key its number among them."""
    if bound > _TABLE:
        found, inverse = np.unique(keys, return_inverse=True)
        return found.astype(np.int64), _small(inverse)
    present = np.zeros(bound, dtype=np.bool_)
    for rows in blocks(len(keys)):
        present[keys[rows]] = True
    cells = np.flatnonzero(present)
    number_of = np.zeros(bound, dtype=np.int64)
    number_of[cells] = np.arange(len(cells))
    return cells, _gathered(number_of, keys)


def _gathered(table: Numbers, rows: IntArray) -> IntArray:
    """Return the entries of a table (non-negative) in these rows, in few bytes."""
    small = _small(table)
    found = np.empty(len(rows), dtype=small.dtype)
    for block in blocks(len(rows)):
        found[block] = small[rows[block]]
    return found


def _small(values: IntArray) -> IntArray:
    """Return non-negative integers in as few bytes as they need."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
