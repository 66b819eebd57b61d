"""What a message says, in statements that hold together, and how often they are true.

The dictionary says how probable each view is with a message, that is which cells are seen. A *sense* is what
the message says in one of its probable views: of the edge, and of the cells that this view shows. Views
exclude each other, so senses are joined by "or".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import ABSENT, NO_EDGE, columns_of
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.classes import Classes
from spatial_game.language.dictionary.entries import LEAST_BITS, Entry, divergence
from spatial_game.language.dictionary.variable import LEAST, STANDARD_ERRORS
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
LEAST_SENSE = 0.1
"""The least share of a sense beside the most probable one; rarer ones are left out."""
FEWEST_READ = 10
"""What a message says in fewer episodes may be chance."""
EDGE_BITS = 1.0
"""An edge, or a cell that is seen, is named if the message makes it more probable by this number of bits."""
_RARE = 0.001  # views that are rarer with a message make no difference


@dataclass(frozen=True)
class Statement:
    """One of these integers stands at one of the offsets."""

    index: int
    """The index of one of `config.offsets`."""
    values: tuple[int, ...]


Statements: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Stated:
    """A statement of a message, the bits that it tells, and how often it is true."""

    statement: Statement
    bits: float
    truth: Belief


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
        number of episodes of the message: "3 one left (true 57% to 93%, 16 episodes)". It has no interval if
        `measured`: it stands beside a measurement of how often it is true. A message that the dictionary
        does not have is read by its symbols, and nothing is known of how often that is true.
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
        if measured or low >= NEARLY_ALWAYS:
            return unsure + text
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
    seen = [f"any integer {offset_text(config.offsets[index])}" for index in sense.seen]
    return [*edges, *(statement_text(each, config, classes) for each in sense.statements), *seen]


def statement_text(statement: Statement, config: GameConfig, classes: Classes, most: float = SHORT) -> str:
    """Return a statement in words: "class 0 two left".

    A set of integers that has no name and more than `most` pieces is counted.
    """
    integers = classes.text(statement.values, most)
    return f"{integers} {offset_text(config.offsets[statement.index])}"


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


def reading_of(
    config: GameConfig,
    views: FloatArray,
    stated: Sequence[Stated],
    *,
    tells_view: bool,
    episodes: int = 0,
) -> Reading:
    """Return what a message says, by how probable each view is (V,) and what it says of cells.

    Each of `stated` is the bits of a statement about a cell, the statement, and how often it is true.
    `tells_view`: the message has a listed entry about the view; `episodes`: how many the message has. A
    message that says nothing of cells says at which edges the target may be. Where the sender sees some of
    the cells, which differ between episodes, all senses begin with the edges that nearly all episodes share.
    """
    by_edge = (np.bincount(columns_of(config).views.edge, s) for s in (views, columns_of(config).views.share))
    edges, usual = (np.asarray(share, dtype=np.float64) for share in by_edge)
    named = np.log2(np.maximum(edges, LEAST) / usual) >= EDGE_BITS
    found = _senses_by_view(config, views, stated, named)
    if config.num_hidden and (share := float(edges[named].sum())) >= NEARLY_ALWAYS:
        shared = tuple(np.flatnonzero(named & (edges >= _RARE)).tolist())
        return Reading(config, _senses_at(config, shared, views, found), episodes, share)
    if any(sense.statements for _, sense in found):
        return Reading(config, _senses_of_cells(config, found, named, edges), episodes)
    likely = named & (edges >= LEAST_SENSE * edges.max())
    if tells_view and not likely.any() and divergence(edges[None], usual).item() >= LEAST_BITS:
        likely = edges > usual  # it only excludes the others
    said, true = tuple(np.flatnonzero(likely).tolist()), Belief.of(float(edges[likely].sum()), episodes)
    return Reading(config, (Sense(said, (), 1.0, true),) if said else (), episodes)


def _senses_by_view(
    config: GameConfig, views: FloatArray, stated: Sequence[Stated], named: Mask
) -> list[tuple[int, Sense]]:
    """Return the senses of a message in each of its views (V,), with the view.

    `named`: which edges are to be named.
    """
    every, by_bits = columns_of(config).views, sorted(stated, key=lambda each: -each.bits)
    found = list[tuple[int, Sense]]()
    for view in np.flatnonzero((views >= _RARE) | (views == views.max())).tolist():
        there = [each for each in by_bits if every.shown[view, each.statement.index]]
        names_edge = bool(named[every.edge[view]])
        senses = _senses_there(there, float(views[view]), config.num_integers, names_edge)
        found += [(view, sense) for sense in senses]
    return found


def _senses_of_cells(
    config: GameConfig, found: Sequence[tuple[int, Sense]], named: Mask, edges: FloatArray
) -> tuple[Sense, ...]:
    """Return the senses of a message, by view; they name an edge where it matters."""
    at = [(int(columns_of(config).views.edge[view]), sense) for view, sense in found]
    matters = _where_edges_matter(at, named & (edges >= LEAST_SENSE))
    return _merged(
        [
            replace(sense, edges=(edge,)) if named[edge] and matters[sense.statements] else sense
            for edge, sense in at
        ]
    )


def _senses_at(
    config: GameConfig, shared: tuple[int, ...], views: FloatArray, found: Sequence[tuple[int, Sense]]
) -> tuple[Sense, ...]:
    """Return the senses of a message that is sent nearly only at the `shared` edges, which all of them name.

    Where the message says nothing of a cell, it says which cells are seen, of those that it makes more
    probable to be seen than they are at these edges. Without any, the edges are all that it says.
    """
    every = columns_of(config).views
    there = np.isin(every.edge, shared)
    often, usual = (share[there] @ every.shown[there] / share[there].sum() for share in (views, every.share))
    told = np.log2(np.maximum(often, LEAST) / np.maximum(usual, LEAST)) >= EDGE_BITS
    senses = _added_up(
        [
            replace(
                sense,
                edges=shared,
                seen=() if sense.statements else tuple(np.flatnonzero(every.shown[view] & told).tolist()),
            )
            for view, sense in found
            if there[view]
        ]
    )
    total = sum(sense.share for sense in senses)
    if sum(sense.share for sense in senses if not sense.of_cells) >= LEAST_SENSE * total:
        return (Sense(shared, (), total, Belief(1.0)),)
    return _merged(senses)


def _senses_there(stated: Sequence[Stated], share: float, integers: int, names_edge: bool) -> list[Sense]:
    """Return the senses of a message in one view with this share, by its statements about cells seen there.

    They do not name the edge yet. If it is to be named, there may be a sense without a statement.
    """
    cells, true = _together(stated, least=0 if names_edge else 1)
    if one_of := _one_of(stated, integers) if len(cells) < 2 else ():
        return [Sense((), (each,), share * part, true) for each, part, true in one_of]
    return [Sense((), cells, share, true)] if cells or names_edge else []


def _together(stated: Sequence[Stated], least: int) -> tuple[Statements, Belief]:
    """Return those of the statements that are true together often enough, from left to right, and how often.

    The first `least` of them are taken however often they are true.
    """
    cells, true = list[Statement](), Belief(1.0)
    for each in stated:
        if len(cells) < least or (true & each.truth).mean >= LEAST_SURE:
            cells.append(each.statement)
            true &= each.truth
    return tuple(sorted(cells, key=lambda each: each.index)), true


def _one_of(stated: Sequence[Stated], integers: int) -> list[tuple[Statement, float, Belief]]:
    """Return statements of which a message makes one in each episode, with their shares and their truth.

    There are none if it may make several in one episode, or none.
    It makes a statement in the episodes in which this is true, less those in which it is so by chance.
    """
    by_chance = [len(each.statement.values) / integers for each in stated]
    shares = [
        (each.truth.mean - p) / (1 - p) if p < 1 else 0 for each, p in zip(stated, by_chance, strict=True)
    ]
    total, variance = sum(shares), sum(each.truth.variance for each in stated)
    error = STANDARD_ERRORS * math.sqrt(variance)
    if len(stated) < 2 or abs(total - 1) > error or max(shares) > 1 - error:
        return []
    wrong = math.prod(1 - each.truth.mean for each in stated)  # none is true, if they are independent
    doubt = min(error, 1.0)  # about how often shares that have nothing to do with each other add up so nearly
    true = Belief(1 - doubt * wrong, variance + doubt * (1 - doubt) * wrong**2)
    return [(each.statement, share / total, true) for each, share in zip(stated, shares, strict=True)]


def _where_edges_matter(senses: Sequence[tuple[int, Sense]], probable: Mask) -> dict[Statements, bool]:
    """Return for the statements about cells of each sense, given with its edge, whether edges matter there.

    They do not if the same is said of the cells at other edges than the `probable` ones, which the message
    makes likely: then it tells of the cells.
    """
    share: dict[Statements, FloatArray] = {}  # by statements: at probable edges, and at the others
    for edge, sense in senses:
        at = share.setdefault(sense.statements, np.zeros(2))
        at[int(not probable[edge])] += sense.share
    return {said: not said or at[0] >= (1 - LEAST_SENSE) * at.sum() for said, at in share.items()}


def _merged(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """Return the probable senses, the one that is true most often first.

    A sense that says less of cells than another, and the same of the edge, is a part of it. So is a rare one
    that says more.
    """
    senses = _added_up(senses)
    probable = {max(senses, key=lambda sense: sense.share), *(s for s in senses if s.share >= LEAST_SENSE)}
    order = sorted(senses, key=lambda s: (s not in probable, -bool(s.edges) - len(s.of_cells), -s.share))
    kept: list[Sense] = []
    for sense in order:
        for number, other in enumerate(kept):
            says_less = sense.edges == other.edges and sense.of_cells <= other.of_cells
            if says_less or (sense not in probable and _follows(other, sense)):
                share = sense.share + other.share
                better = max(sense, other, key=lambda each: each.truth).belief
                belief = Belief.mixed([(sense.share / share, better), (other.share / share, other.belief)])
                kept[number] = replace(other, share=share, belief=belief)
                break
        else:
            kept += [sense] if sense in probable else []
    return tuple(sorted(kept, key=lambda sense: -sense.share * sense.truth))


def _added_up(senses: Sequence[Sense]) -> list[Sense]:
    """Return senses of which no two say the same, as two views may."""
    alike: dict[tuple[tuple[int, ...], frozenset[Statement | int]], list[Sense]] = {}
    for sense in senses:
        alike.setdefault((sense.edges, sense.of_cells), []).append(sense)
    shares = [sum(sense.share for sense in same) for same in alike.values()]
    return [
        replace(same[0], share=share, belief=Belief.mixed((s.share / share, s.belief) for s in same))
        for same, share in zip(alike.values(), shares, strict=True)
    ]


def _follows(one: Sense, other: Sense) -> bool:
    """Return whether one sense says nothing that the other does not say."""
    return one.edges in ((), other.edges) and one.of_cells <= other.of_cells


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
