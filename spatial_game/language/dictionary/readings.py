"""Readings: what a message says, in statements that hold together, and how often they are true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import ABSENT, columns_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.thresholds import FEWEST_READ, LEAST_SURE, NEARLY_ALWAYS


@dataclass(frozen=True)
class Statement:
    """One of these integers stands at one of the offsets."""

    index: int
    """The index of one of `config.offsets`."""
    values: tuple[int, ...]


Statements: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Sense:
    """An edge, and statements about cells that hold together, or which cells are seen; at least one."""

    edges: tuple[int, ...]
    """The target is at one of these edges (see `Columns`), or at `no_edge`; () if it says nothing of them."""
    statements: Statements
    share: float
    """How probable it is that the message has this sense."""
    belief: Belief
    """How often the statements are true if it has."""
    seen: tuple[int, ...] = ()
    """The offsets at which the sender sees integers, if the message says nothing else of these cells."""

    @property
    def truth(self) -> float:
        """The mean of `belief`."""
        return self.belief.mean

    @property
    def of_cells(self) -> frozenset[Statement | int]:
        """What it says of cells."""
        return frozenset([*self.statements, *self.seen])


@dataclass(frozen=True)
class Reading:
    """What a message says: one of several senses, what is true most often first; none if it says nothing."""

    config: GameConfig
    senses: tuple[Sense, ...]
    episodes: int = 0
    """The number of episodes of the message that the dictionary was built from."""
    at_edges: float | None = None
    """How probable the edges are that all senses share, where the sender sees some of the cells; None if it
    sees all, or if they share none."""

    @property
    def belief(self) -> Belief:
        """How often the reading is true of the windows for which the message is sent."""
        share = sum(sense.share for sense in self.senses)
        has_one = Belief.of(share, self.episodes)
        return Belief.mixed((sense.share / share, sense.belief) for sense in self.senses) & has_one

    @property
    def truth(self) -> float:
        """The mean of `belief`."""
        return self.belief.mean

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of how often it is true."""
        return self.belief.interval

    @property
    def is_sure(self) -> bool:
        """Whether it may be true at least half of the time: its interval does not exclude it."""
        return self.interval[1] >= LEAST_SURE

    def true_of(self, window: IntArray) -> Mask:
        """Return of which windows (B, W) the reading is true, (B,)."""
        columns = columns_of(self.config)
        cells = sorted(
            {each for s in self.senses for each in (*s.seen, *(said.index for said in s.statements))}
        )
        edge, integers = columns.edge_of(window), columns.at_offsets(window, cells)
        integer = dict(zip(cells, integers.T, strict=True))
        true = [np.zeros(len(window), dtype=bool), *(_true_of(s, edge, integer) for s in self.senses)]
        return np.asarray(np.any(true, axis=0))

    @property
    def is_too_rare(self) -> bool:
        """Whether the message has too few episodes to know what it says, and its symbols are not sure."""
        return 0 < self.episodes < FEWEST_READ and bool(self.senses) and self.interval[0] < NEARLY_ALWAYS


def _true_of(sense: Sense, edge: IntArray, integers: Mapping[int, IntArray]) -> Mask:
    """Return whether a sense is true, of all cells that there are, by edges (B,) and integers (B,) by offset.

    A statement about a hidden cell is not true: in this sense of the message, the sender sees the cell.
    """
    true, any_there = np.ones(len(edge), dtype=bool), np.full(len(edge), not sense.statements)
    if sense.edges:
        true &= np.isin(edge, sense.edges)
    for statement in sense.statements:
        integer = integers[statement.index]
        there = integer != ABSENT
        true &= np.isin(integer, statement.values) | ~there
        any_there |= there
    for index in sense.seen:
        true &= integers[index] >= 0
    return np.asarray(true & any_there)
