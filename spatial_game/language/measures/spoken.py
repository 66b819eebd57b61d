"""Messages in little memory: the distinct messages, and the number of each episode's message."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.measures.corpus import PAD, Corpus
from spatial_game.language.measures.resampling import Groups
from spatial_game.recording import Recording


@dataclass(frozen=True)
class SpokenMessages:
    """B messages. Only symbols that occur have a number; these start at 0, in order."""

    types: Numbers  # (M, T), the distinct messages in lexicographic order; symbols, then PAD
    number: IntArray  # (B,), which of them each message is
    num_symbols: int  # that a message may choose from

    @classmethod
    def of(cls, source: Recording | Corpus) -> SpokenMessages:
        """Return the messages of a recording or a corpus."""
        size = source.num_symbols if isinstance(source, Corpus) else source.config.vocab_size
        return cls.of_rows(source.message, size)

    @classmethod
    def of_rows(cls, message: IntArray, num_symbols: int) -> SpokenMessages:
        """Return messages (B, T) of symbols, then PAD."""
        rows, number = distinct_rows(message.astype(np.int64) - PAD)  # keys are of non-negative integers
        symbols = np.unique(rows[rows > 0])
        return cls(np.where(rows > 0, np.searchsorted(symbols, rows), PAD), number, num_symbols)

    def __len__(self) -> int:
        return len(self.number)

    def shuffled(self, rng: np.random.Generator) -> SpokenMessages:
        """Return a copy in which each slot's symbols are permuted among the messages that reach it."""
        message = self.types[self.number]
        for column in message.T:
            inside = column != PAD
            column[inside] = rng.permutation(column[inside])
        return SpokenMessages.of_rows(message, self.num_symbols)

    def counts(self, groups: Groups) -> Kinds:
        """Return the distinct messages with how often each occurs, in each replicate."""
        return Kinds(self.types, groups.totals(self.number, max(len(self.types), 1)), self.num_symbols)


@dataclass(frozen=True)
class Kinds:
    """Distinct messages, and how often each occurs over all episodes and without each group."""

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
