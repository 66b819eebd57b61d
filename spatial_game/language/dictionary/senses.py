"""From the tables of a dictionary to the reading of a message.

The dictionary says how probable each view is with a message, that is which cells are seen. A *sense* is what
the message says in one of its probable views: of the edge, and of the cells that this view shows. Views
exclude each other, so senses are joined by "or".

An example, of 12 integers and one cell on each side: a message is sent where the target is the first and 8
stands one right of it, and where 5 stands one left and 8 one right. In the view of the first edge there is no
cell on the left, so this sense is "the target is the first and 8 one right". In the view of no edge, "5 one
left" and "8 one right" are true together, so they are joined by "and". The reading is "the target is the
first and 8 one right (52%), or 5 one left and 8 one right (47%)".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.entries import divergence
from spatial_game.language.dictionary.readings import Reading, Sense, Statement, Statements
from spatial_game.language.dictionary.thresholds import (
    EDGE_BITS,
    LEAST_BITS,
    LEAST_SENSE,
    LEAST_SURE,
    NEARLY_ALWAYS,
    RARE_VIEW,
    STANDARD_ERRORS,
    SURE_ERRORS,
)
from spatial_game.language.dictionary.variable import LEAST


@dataclass(frozen=True)
class Stated:
    """A statement of a message, the bits that it tells, and how often it is true."""

    statement: Statement
    bits: float
    truth: Belief
    meant: Belief
    """In which share of the message's episodes it is meant: true, and not by chance."""


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
    found = _senses_by_view(config, views, stated, named, _exactly_one(stated, episodes))
    if config.num_hidden and (share := float(edges[named].sum())) >= NEARLY_ALWAYS:
        shared = tuple(np.flatnonzero(named & (edges >= RARE_VIEW)).tolist())
        return Reading(config, _senses_at(config, shared, views, found), episodes, share)
    if any(sense.statements for _, sense in found):
        return Reading(config, _senses_of_cells(config, found, named, edges), episodes)
    likely = named & (edges >= LEAST_SENSE * edges.max())
    if tells_view and not likely.any() and divergence(edges[None], usual).item() >= LEAST_BITS:
        likely = edges > usual  # it only excludes the others
    said, true = tuple(np.flatnonzero(likely).tolist()), Belief.of(float(edges[likely].sum()), episodes)
    return Reading(config, (Sense(said, (), 1.0, true),) if said else (), episodes)


def _senses_by_view(
    config: GameConfig, views: FloatArray, stated: Sequence[Stated], named: Mask, exactly_one: Belief | None
) -> list[tuple[int, Sense]]:
    """Return the senses of a message in each of its views (V,), with the view.

    `named`: which edges are to be named. `exactly_one`: how often one of the statements is true, if the
    message makes one of them in each episode.
    """
    every, by_bits = columns_of(config).views, sorted(stated, key=lambda each: -each.bits)
    found = list[tuple[int, Sense]]()
    for view in np.flatnonzero((views >= RARE_VIEW) | (views == views.max())).tolist():
        there = [each for each in by_bits if every.shown[view, each.statement.index]]
        names_edge = bool(named[every.edge[view]])
        senses = _senses_there(there, float(views[view]), names_edge, exactly_one)
        found += [(view, sense) for sense in senses]
    return found


def _senses_of_cells(
    config: GameConfig, found: Sequence[tuple[int, Sense]], named: Mask, edges: FloatArray
) -> tuple[Sense, ...]:
    """Return the senses of a message, by view; they name an edge where it matters."""
    at = [(int(columns_of(config).views.edge[view]), sense) for view, sense in found]
    matters = _where_edges_matter(at, named & (edges >= LEAST_SENSE))
    at_edges: dict[Statements, set[int]] = {}
    for edge, sense in at:
        if named[edge]:
            at_edges.setdefault(sense.statements, set()).add(edge)
    return _merged(
        [
            replace(sense, edges=tuple(sorted(at_edges[sense.statements])))
            if named[edge] and matters[sense.statements]
            else sense
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


def _senses_there(
    stated: Sequence[Stated], share: float, names_edge: bool, exactly_one: Belief | None
) -> list[Sense]:
    """Return the senses of a message in one view with this share, by its statements about cells seen there.

    They do not name the edge yet. If it is to be named, there may be a sense without a statement.
    """
    cells, true = _together(stated, least=0 if names_edge else 1)
    if exactly_one is None and len(cells) == 1 < len(stated) and true.mean < LEAST_SURE:
        exactly_one = _any(stated)
    if exactly_one and stated:
        total = sum(each.truth.mean for each in stated)
        return [Sense((), (each.statement,), share * each.truth.mean / total, exactly_one) for each in stated]
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


def _exactly_one(stated: Sequence[Stated], episodes: int) -> Belief | None:
    """Return how often one of the statements is true, if a message means one of them in each episode.

    Then the shares in which it means them add up to one. As shares that have nothing to do with each other
    may do so, too, what is added is as probable as the range in which they do is wide.
    """
    shares = [each.meant.mean for each in stated]
    if len(stated) < 2 or not episodes:
        return None
    error = SURE_ERRORS * math.sqrt(sum(each.meant.variance for each in stated) + episodes**-2)
    if abs(sum(shares) - 1) > error or max(shares) > 1 - error:
        return None
    doubt, otherwise = min(2 * error, 1.0), _any(stated)
    wrong = 1 - otherwise.mean
    return Belief(1 - doubt * wrong, doubt * (otherwise.variance + (1 - doubt) * wrong**2))


def _any(stated: Sequence[Stated]) -> Belief:
    """Return how often at least one of the statements is true.

    This is at least as often as one of them, and at most as often as all together, if only one is true at a
    time (Fréchet 1935). A message that says one of several things is the usual case, so it is rather more.
    """
    truths = [each.truth for each in stated]
    least, most = (
        max(each.mean for each in truths),
        sum(each.mean + STANDARD_ERRORS * each.deviation for each in truths),
    )
    third = (min(most, 1.0) - least) / 3
    return Belief(least + 2 * third, third**2 + max(each.variance for each in truths))


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
