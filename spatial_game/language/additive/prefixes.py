"""The distinct messages of a language as a tree: which symbols follow which beginnings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows


@dataclass(frozen=True, eq=False)
class Slot:
    """One slot of M messages. A *beginning* is what stands before it; its *branches* are the next symbols."""

    symbols: Numbers
    """(N,), the symbol of each branch. Branches are in the lexicographic order of the messages."""
    beginning: Numbers
    """(N,), the number of the beginning that each branch follows, in 0..P-1."""
    rank: Numbers
    """(N,), the number of each branch among those of its beginning, in 0..C-1."""
    branch: Numbers
    """(M,), the branch that each message takes."""

    @property
    def shape(self) -> tuple[int, int]:
        """P and C: the number of beginnings, and the most branches of one."""
        return int(self.beginning.max(initial=0)) + 1, int(self.rank.max(initial=0)) + 1

    def shares(self, episodes: Numbers) -> FloatArray:
        """Return (N,), the share of each branch after its beginning, by the episodes (M,) of messages."""
        sent = np.bincount(self.branch, weights=episodes, minlength=len(self.symbols))
        return np.asarray(sent / np.bincount(self.beginning, weights=sent)[self.beginning])

    def padded(self, rows: FloatArray, fill: float) -> FloatArray:
        """Return rows (N, ...) of branches as a table (P, C, ...), with `fill` where there is no branch."""
        table = np.full((*self.shape, *rows.shape[1:]), fill, dtype=rows.dtype)
        table[self.beginning, self.rank] = rows
        return table


def slots_of(messages: IntArray) -> tuple[Slot, ...]:
    """Return the slots of distinct messages (M, T) in lexicographic order."""
    found, before = [], np.zeros(len(messages), dtype=np.int64)
    for slot in range(messages.shape[1]):
        prefixes, branch = distinct_rows(messages[:, : slot + 1].astype(np.int64))
        beginning = np.zeros(len(prefixes), dtype=np.int64)
        beginning[branch] = before
        rank = np.arange(len(prefixes)) - np.searchsorted(beginning, beginning)
        found.append(Slot(prefixes[:, -1].astype(np.int64), beginning, rank, branch))
        before = branch
    return tuple(found)
