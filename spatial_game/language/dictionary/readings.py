"""Readings: what a message says, in statements that hold together, how often they are true, and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import ABSENT, NO_EDGE, columns_of
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.classes import Classes
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.wording import (
    ANY_LENGTH,
    SHORT,
    edge_text,
    integers_text,
    listed,
    offset_text,
)
from spatial_game.text import between, counted

UNREAD = "the dictionary does not say"
"""What is shown for a message that says nothing."""
TOO_RARE = "sent too rarely to say"
"""What precedes the reading of a message of few episodes."""
BY_SYMBOLS = "not in the dictionary; by its symbols"
"""What precedes the reading of a message that the dictionary does not have, as of one that was never sent."""
LEAST_SURE = 0.5
"""A reading that is true less often, by its interval, is unsure; statements that are true together less often
are not joined by "and"."""
NEARLY_ALWAYS = 0.9
"""A reading that may be true less often has an interval in its text."""
LEAST_SENSE = 0.05
"""A sense is listed with this share or more, and a reading that is untrue as often says so."""
FEWEST_READ = 10
"""What a message says in fewer episodes may be chance."""


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

    def text(self, classes: Classes, *, measured: bool = False) -> str:
        """Return the reading in words; several senses have the share of episodes in which each is true.

        A reading that may be true in less than 90% of the episodes says in how many, as an interval, with the
        number of episodes of the message: "3 one left (true 57% to 93%, 16 episodes)". Above, and if it is
        true in less than 95%, it is "3 one left, rarely something else". It has neither if `measured`: it
        stands beside a measurement of how often it is true. A message that the dictionary does not have is
        read by its symbols, and nothing is known of how often that is true.
        """
        if not self.senses:
            return UNREAD
        text = self._senses_text(classes)
        if not self.episodes:
            return f"{BY_SYMBOLS}: {text}"
        low, high = self.interval
        episodes = counted(self.episodes, "episode")
        if self.is_too_rare:
            return f"{TOO_RARE} ({episodes}); these and its symbols suggest: {text}"
        unsure = "" if high >= LEAST_SURE else "unsure: "
        if measured:
            return unsure + text
        if low >= NEARLY_ALWAYS:
            return f"{text}, rarely something else" if high < 1 - LEAST_SENSE else text
        return f"{unsure}{text} (true {between((low, high), '.0%')}, {episodes})"

    @property
    def is_too_rare(self) -> bool:
        """Whether the message has too few episodes to know what it says, and its symbols are not sure."""
        return 0 < self.episodes < FEWEST_READ and bool(self.senses) and self.interval[0] < NEARLY_ALWAYS

    def _senses_text(self, classes: Classes) -> str:
        """Return the senses in words, first of all the edges that they share."""
        shared = "" if self.at_edges is None else edges_text(self.config, self.senses[0].edges)
        senses = [replace(sense, edges=()) for sense in self.senses] if shared else self.senses
        texts = [" and ".join(_part_texts(sense, self.config, classes)) for sense in senses]
        if len(texts) > 1:
            often = [sense.share * sense.truth for sense in senses]
            texts = [f"{text} ({share:.0%})" for text, share in zip(texts, often, strict=True)]
        several = any(bool(s.edges) + len(s.of_cells) > 1 for s in senses)
        text = listed(texts, ", or " if several else " or ")  # a comma ends what "and" joins
        if not shared or not text:
            return shared or text
        return f"{shared} ({self.at_edges:.0%}), with {text}"


def _part_texts(sense: Sense, config: GameConfig, classes: Classes) -> list[str]:
    """Return what a sense says, in words: first of the edge, then of each cell."""
    edges = [edges_text(config, sense.edges)] if sense.edges else []
    named = [each.values[0] for each in sense.statements if len(each.values) == 1]
    stand = [
        f"{classes.text(each.values, elsewhere=named)} {offset_text(config.offsets[each.index])}"
        for each in sense.statements
    ]
    seen = [f"any integer {offset_text(config.offsets[index])}" for index in sense.seen]
    return [*edges, *stand, *seen]


def entry_text(entry: Entry, config: GameConfig, classes: Classes | None, most: float = SHORT) -> str:
    """Return what an entry says in words: "class 0 two left", "the target is the first or second".

    A set that has no name and more than `most` pieces is counted; without `classes`, all are written out.
    Views that are some of an edge's views are named by the cells that they show: "seen: one left".
    """
    in_words = integers_text if classes is None else classes.text
    most = ANY_LENGTH if classes is None else most
    if entry.index < len(config.offsets):
        return f"{in_words(entry.values, most)} {offset_text(config.offsets[entry.index])}"
    if edges := edges_of_views(config, entry.values):
        return edges_text(config, edges)
    shown = np.unique(columns_of(config).views.shown[list(entry.values)], axis=0)[::-1]  # from left to right
    if len(shown) > most:
        return f"one of {len(shown)} sets of cells is seen"
    cells = [[offset_text(config.offsets[cell]) for cell in np.flatnonzero(each)] for each in shown]
    return f"seen: {listed([listed(each, ' and ') for each in cells])}"


def edges_of_views(config: GameConfig, values: Sequence[int]) -> tuple[int, ...]:
    """Return the edges of which these are all the views, by their numbers; none if they are only some."""
    of_views = columns_of(config).views.edge
    edges = np.unique(of_views[list(values)])
    return tuple(edges.tolist()) if len(values) == np.isin(of_views, edges).sum() else ()


def edges_text(config: GameConfig, edges: Sequence[int]) -> str:
    """Return edges by their numbers in words: "the target is the first or second"."""
    names = (*columns_of(config).edges, NO_EDGE)
    texts = [edge_text(names[edge]) for edge in edges]
    at = "the target is at the "
    start = at if all(text.startswith(at) and " and " not in text for text in texts) else "the target is "
    return start + listed([text.removeprefix(start) for text in texts])


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
