"""What one message says by a description: of each place, what its entries leave possible."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import occurrences, table_of
from spatial_game.language.dictionary.lexicon import Entry
from spatial_game.language.dictionary.referents import (
    Conjunction,
    Edge,
    Integer,
    IntegerAt,
    Part,
    Referent,
    holds,
    parts_of,
)
from spatial_game.language.dictionary.words import Words, edge_in_words
from spatial_game.language.players.evidence import Evidence

Senses = list[tuple[Part, ...]]
"""What a form can mean: one of these senses, of which each has parts."""


@dataclass(frozen=True)
class Told:
    """One thing that a message says."""

    referent: Referent
    entries: tuple[Entry, ...]
    """The entries that say it: one, the two of an integer and of its offset, or several of a description."""
    others: tuple[Referent, ...] = ()
    """Other senses: one of them holds where the referent does not."""
    words: str | None = None
    """What a description's words for it are."""

    def __str__(self) -> str:
        if self.words is not None:
            return self.words
        if isinstance(self.referent, Edge):
            return edge_in_words(self.referent.name)
        if isinstance(self.referent, Integer):
            return f"{' or '.join(map(str, self.referent.values))} is near the target"
        return str(self.referent)

    def holds(self, window: IntArray, config: GameConfig) -> bool:
        """Return whether it is true of this window (W,)."""
        return any(holds(sense, config, window[None])[0] for sense in (self.referent, *self.others))


class Telling:
    """Says what messages say by some of the listed entries of a description."""

    def __init__(self, entries: Sequence[Entry], config: GameConfig, words: Words) -> None:
        self._evidence, self._in_words = Evidence(entries, config), functools.cache(words.of)
        self._group_of = {row: group for group in self._evidence.senses for row in group}
        self._sure = [each.confidence for each in self._evidence.statements]

    def of(self, messages: IntArray) -> list[tuple[Told, ...]]:
        """Return what each of the messages (M, T) says, from left to right."""
        said = self._evidence.of_messages(messages)
        once = functools.cache(self._of_one)  # many messages say the same
        rows = itertools.pairwise(said.indptr.tolist())
        return [once(tuple(said.indices[first:end].tolist())) for first, end in rows]

    def _of_one(self, said: tuple[int, ...]) -> tuple[Told, ...]:
        evidence = self._evidence
        found, open_ = list[Told](), list[tuple[Senses, tuple[Entry, ...]]]()
        groups = self._senses_of(said)
        told = [_alternatives([evidence.statements[each].parts for each in group]) for group in groups]
        for group, senses in zip(groups, _agreeing(told, evidence.config), strict=True):
            rows = sorted({row for each in group for row in evidence.statements[each].entries})
            entries = tuple(evidence.listed[row] for row in rows)
            common = [part for part in senses[0] if all(part in sense for sense in senses)]
            for part in common:
                _add(found, Told(part, entries))
            open_.append(([_without(sense, common) for sense in senses], entries))
        sure = [each.referent for each in found]
        for senses, entries in open_:
            first, *others = (_without(sense, sure) for sense in senses)
            if first and all(others):
                found.append(Told(_referent(first), entries, tuple(map(_referent, others))))
        return tuple(_with_words(each, self._in_words) for each in sorted(found, key=_from_left_to_right))

    def _senses_of(self, said: Sequence[int]) -> list[list[int]]:
        """Return the statements in groups: senses of one form, the surest first, or a statement alone."""
        groups = {id(group): group for row in said for group in [self._group_of.get(row, [row])]}
        return [sorted(group, key=lambda row: -self._sure[row]) for group in groups.values()]


def told(listed: Sequence[Entry], config: GameConfig, message: IntArray) -> tuple[Told, ...]:
    """Return what a message (T,) says by the listed entries of a description, from left to right."""
    return Telling(entries_in(listed, message), config, Words(listed)).of(message[None])[0]


def entries_in(listed: Sequence[Entry], message: IntArray) -> tuple[Entry, ...]:
    """Return the entries whose forms a message (T,) has."""
    found = occurrences(table_of([entry.form for entry in listed], len(message)), message[None])
    return tuple(listed[row] for row in np.unique(found.form).tolist())


def _alternatives(senses: Senses) -> Senses:
    """Return senses that name integers at one and the same offset as one sense: 18 or 25 one left."""
    parts = [sense[0] for sense in senses if len(sense) == 1 and isinstance(sense[0], IntegerAt)]
    offsets = {part.offset for part in parts if isinstance(part, IntegerAt)}
    if len(parts) < len(senses) or len(offsets) > 1:
        return senses
    values = sorted({v for part in parts if isinstance(part, IntegerAt) for v in part.values})
    return [(IntegerAt(tuple(values), offsets.pop()),)]


def _agreeing(groups: list[Senses], config: GameConfig) -> list[Senses]:
    """Leave out the senses that contradict what another group says, unless a group would lose all."""
    left = list(groups)
    if not any(isinstance(part, Edge) for senses in groups for sense in senses for part in sense):
        return left  # only edges contradict anything
    for i, senses in enumerate(groups):
        others = left[:i] + left[i + 1 :]
        left[i] = [
            sense for sense in senses if all(any(_agree(sense, o, config) for o in group) for group in others)
        ] or senses
    return left


def _agree(one: tuple[Part, ...], other: tuple[Part, ...], config: GameConfig) -> bool:
    """Return whether two senses can both hold, by the place of the target and the cells beside it."""
    parts = (*one, *other)
    columns = {config.edges.index(part.name) for part in parts if isinstance(part, Edge)}
    steps = [part.offset for part in parts if isinstance(part, IntegerAt) and isinstance(part.offset, int)]
    inside = range(config.window_size)
    return len(columns) < 2 and all(column + step in inside for column in columns for step in steps)


def _without(sense: tuple[Part, ...], said: Sequence[Referent]) -> tuple[Part, ...]:
    return tuple(part for part in sense if part not in said)


def _add(found: list[Told], new: Told) -> None:
    """Add what is said of a place, as what is left by it of what was said before."""
    for i, old in enumerate(found):
        one, other = old.referent, new.referent
        if isinstance(one, IntegerAt) and isinstance(other, IntegerAt) and one.offset == other.offset:
            both = tuple(value for value in one.values if value in other.values)
            if both and not old.others:
                found[i] = Told(IntegerAt(both, one.offset), (*old.entries, *new.entries))
                return
        elif one == other:
            found[i] = Told(one, (*old.entries, *new.entries))
            return
    found.append(new)


def _referent(parts: tuple[Part, ...]) -> Referent:
    return parts[0] if len(parts) == 1 else Conjunction(parts)


def _from_left_to_right(statement: Told) -> tuple[int, tuple[int, ...]]:
    """Edges, then integers from left to right, then the rest; last what has several senses."""
    first = parts_of(statement.referent)[0]
    if statement.others and not _edges_only(statement):
        return 3, ()
    if isinstance(first, IntegerAt):
        return 1, (first.offset,) if isinstance(first.offset, int) else first.offset
    return (0, ()) if isinstance(first, Edge) else (2, ())


def _with_words(statement: Told, in_words: Callable[[Referent], str]) -> Told:
    senses = [in_words(sense) for sense in (statement.referent, *statement.others)]
    if _edges_only(statement):  # the target is the last or the second last
        text = " or ".join([senses[0], *(each.removeprefix("the target is ") for each in senses[1:])])
    else:
        text = senses[0] if len(senses) == 1 else f"either {', or '.join(senses)}"
    return replace(statement, words=text)


def _edges_only(statement: Told) -> bool:
    return all(isinstance(sense, Edge) for sense in (statement.referent, *statement.others))
