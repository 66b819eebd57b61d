"""What messages mean by a lexicon, in words: for people and for pictures.

Everything that the listed entries of a message say holds together. Of two entries about the same place, what
both allow is left. Where entries contradict each other, the one about more of the message's symbols is right:
the whole message comes before its parts.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.config import GameConfig, Offset
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.rules import check_messages
from spatial_game.language.counting.forms import occurrences, table_of
from spatial_game.language.counting.places import EDGE, places_at_offsets
from spatial_game.language.lexicon.entries import Entry, by_role
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.meaning import Meaning, Meanings, all_hold
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.language.lexicon.wording import Words
from spatial_game.language.players import Composer

UNREAD = "the dictionary does not say"
"""What is shown for a message that the lexicon cannot read."""
AND = " and "
"""What joins the statements of a message."""
_DRAWS = 50  # random messages, of which the most frequent are suggested
Place = Offset | str | None
Allowed = Mapping[Place, frozenset[Any]]
"""What may stand at each offset, at the edge, and anywhere near (None)."""


@dataclass(frozen=True)
class Statement:
    """One thing that a message says."""

    senses: tuple[Meanings, ...]
    """What holds together in each sense; one of them is true."""
    entries: tuple[Entry, ...]
    """The entries that say it: one, the two of a word and its offset, or several about one place."""
    words: str

    def __str__(self) -> str:
        return self.words

    def true_of(self, window: IntArray, config: GameConfig) -> Mask:
        """Return of which windows (B, W) it is true, as (B,)."""
        return np.asarray(np.any([all_hold(each, config, window) for each in self.senses], axis=0))


def read_messages(
    lexicon: Lexicon, messages: IntArray, *, complete: bool = False
) -> list[tuple[Statement, ...]]:
    """Return what each of the messages (M, T) says by the lexicon, from left to right of the target.

    Nothing if the lexicon cannot read it. `complete`: long sets are written out (see `Words`).
    """
    return _Reader(lexicon, complete).of(messages)


def in_words(
    lexicon: Lexicon, message: IntArray | Sequence[int], window: IntArray | Sequence[int] | None = None
) -> str:
    """Return what a message (T,) says by the lexicon, in a line.

    With a window (W,), the line marks what is untrue of it. Raises `ValueError` for a message or a window of
    another length, and for symbols that the game does not have.
    """
    config = lexicon.config
    if window is not None and len(window) != config.window_size:
        raise ValueError(f"window must have {config.window_size} cells, as the lexicon's; got {len(window)}")
    [statements] = read_messages(lexicon, check_messages(np.array([message]), config, 1))
    true = [window is None or statement.true_of(np.array([window]), config)[0] for statement in statements]
    parts = [f"{s}{'' if so else ' (untrue here)'}" for s, so in zip(statements, true, strict=True)]
    return AND.join(parts) or UNREAD


def legend(lexicon: Lexicon, words: str) -> list[str]:
    """Return what the classes that words name stand for: `class A: 0, 3, 5-9 or 12`, a line for each."""
    if "class " not in words:
        return []
    lines = Words(lexicon.listed).legend
    return [line for line in lines if re.search(rf"\b{line.partition(':')[0]}\b", words)]


def entries_in(entries: Sequence[Entry], message: IntArray) -> tuple[Entry, ...]:
    """Return the entries whose forms a message (T,) has."""
    standing = occurrences(table_of([entry.form for entry in entries], len(message)), message[None])
    return tuple(entries[row] for row in np.unique(standing.form).tolist())


def suggestions(composer: Composer, window: IntArray) -> list[tuple[list[int], str]]:
    """Return messages for a window (1, W), each with what it says: at most one for each cell.

    The most probable message comes first, then others as they are drawn at random. Nothing that they say is
    untrue of the window.
    """
    best = composer.compose(window)
    others = composer.compose(np.repeat(window, _DRAWS, axis=0), np.random.default_rng(0))
    spoken = [*best.message[best.expressed].tolist(), *others.message[others.expressed].tolist()]
    messages = list(dict.fromkeys(map(tuple, spoken)))
    length = composer.config.message_length
    said = read_messages(composer.lexicon, np.array(messages, dtype=np.int16).reshape(-1, length))
    true = [
        (list(message), AND.join(map(str, statements)))
        for message, statements in zip(messages, said, strict=True)
        if statements and all(each.true_of(window, composer.config)[0] for each in statements)
    ]
    return true[: window.shape[1] - 1]


class _Reader:
    """Says what messages say by the listed entries of a lexicon."""

    def __init__(self, lexicon: Lexicon, complete: bool) -> None:
        self.config = lexicon.config
        self._in_words = functools.cache(Words(lexicon.listed, complete=complete).of)
        plain, words, offsets = by_role(lexicon.listed)
        # One rule stands for each entry: which of them a message follows tells which entries it has.
        one_each = [entry.rules[0] for entry in (*plain, *words, *offsets)]
        self._rules = RuleTable(one_each, lexicon.config)
        self._entries = [*((e,) for e in plain), *itertools.product(words, offsets), *((w,) for w in words)]

    def of(self, messages: IntArray) -> list[tuple[Statement, ...]]:
        """Return what each of the messages (M, T) says."""
        followed = self._rules.of_messages(messages)
        once = functools.cache(self._of_one)  # many messages say the same
        rows = itertools.pairwise(followed.indptr.tolist())
        return [once(tuple(sorted(followed.indices[first:end].tolist()))) for first, end in rows]

    def _of_one(self, rules: tuple[int, ...]) -> tuple[Statement, ...]:
        """Put together what the entries of these rules say: first the sure parts, then alternatives.

        Alternatives of which one follows from what is sure say nothing more, and are left out.
        """
        owners = sorted((self._entries[rule] for rule in rules), key=_parts_last)
        sure: dict[Place, frozenset[Any]] = {}
        by: dict[Place, tuple[Entry, ...]] = {}
        alternatives: list[tuple[tuple[Entry, ...], list[Allowed]]] = []
        for entries in owners:
            common, senses = _sure_and_alternatives(_senses(entries))
            for place, allowed in common.items():
                if self._fits({place: allowed}, sure, [senses for _, senses in alternatives]):
                    sure[place] = sure.get(place, allowed) & allowed
                    by[place] = (*by.get(place, ()), *entries)
            if all(senses):  # otherwise, one of them says no more
                alternatives.append((entries, senses))
        if EDGE in sure:
            beside = {place: allowed for place, allowed in sure.items() if place != EDGE}
            fitting = (edge for edge in sure[EDGE] if _agree({EDGE: frozenset([edge])}, beside, self.config))
            sure[EDGE] = frozenset(fitting) or sure[EDGE]
        cells = {place: allowed for place, allowed in sure.items() if place not in (None, EDGE)}
        if None in sure and any(allowed <= sure[None] for allowed in cells.values()):
            del sure[None]  # what is near the target follows from what is in a cell
        statements = [
            self._statement([{place: sure[place]}], by[place]) for place in sorted(sure, key=_order)
        ]
        for entries, senses in alternatives:
            left = [sense for sense in senses if _agree(sense, sure, self.config)]
            if left and not any(_follows(sense, sure) for sense in senses):
                statements.append(self._statement(left, entries))
        return tuple(statements)

    def _fits(self, fact: Allowed, sure: Allowed, alternatives: Sequence[Sequence[Allowed]]) -> bool:
        """Return whether a fact can be true beside what was said before, surely or as alternatives."""
        return all(
            any(_agree(fact, sense, self.config) for sense in senses) for senses in ([sure], *alternatives)
        )

    def _statement(self, senses: Sequence[Allowed], entries: tuple[Entry, ...]) -> Statement:
        meant = tuple(_meanings(sense, self.config) for sense in senses)
        words = self._in_words(*meant)
        return Statement(meant, entries, f"either {words}" if len(meant) > 1 else words)


def _parts_last(entries: tuple[Entry, ...]) -> tuple[int, float]:
    """Return a key that puts entries about more symbols first, and among those the surer ones."""
    symbols = sum(symbol is not None for entry in entries for symbol in entry.form.symbols)
    return -symbols, -min(entry.confidence for entry in entries)


def _senses(entries: tuple[Entry, ...]) -> list[Allowed]:
    """Return the senses of an entry, or the one of a word with its offset."""
    if len(entries) == 2:
        [[word]], [[offset]] = (entry.meanings for entry in entries)
        return [{offset.place: frozenset(word.values)}]
    return [
        {meaning.place: frozenset(meaning.values) for meaning in meanings} for meanings in entries[0].meanings
    ]


def _sure_and_alternatives(senses: Sequence[Allowed]) -> tuple[Allowed, list[Allowed]]:
    """Return what all senses have in common, and what each says beside it."""
    first = senses[0].items()
    common = {place: values for place, values in first if all(s.get(place) == values for s in senses)}
    return common, [{p: sense[p] for p in sense if p not in common} for sense in senses]


def _meanings(allowed: Allowed, config: GameConfig) -> Meanings:
    """Return a sense as meanings that hold together: of the edge first, its values in the window's order."""
    order = [*config.integers, *config.edges]
    return tuple(
        Meaning(place, tuple(sorted(values, key=order.index)))
        for place, values in sorted(allowed.items(), key=lambda item: item[0] != EDGE)
    )


def _follows(sense: Allowed, sure: Allowed) -> bool:
    """Return whether a sense says no more than what is sure."""
    return all(place in sure and sure[place] <= values for place, values in sense.items())


def _agree(sense: Allowed, sure: Allowed, config: GameConfig) -> bool:
    """Return whether a sense can be true beside what is sure: by its values, and by the cells of its edge."""
    if any(place in sure and not values & sure[place] for place, values in sense.items()):
        return False
    both = {**sure, **sense}
    columns = [config.edges.index(str(edge)) for edge in both.get(EDGE, ())]
    cells = [place for place in both if place not in (None, EDGE)]
    if not columns:
        return True
    if any(cell not in config.offsets for cell in cells):
        return False
    there = places_at_offsets(config)[np.ix_(columns, [*map(config.offsets.index, cells)])] >= 0
    return bool(there.all(axis=1).any())


def _order(place: Place) -> tuple[int, Any]:
    """Edges, then integers from left to right, then the rest."""
    if place in (None, EDGE):
        return (0 if place else 2), ()
    return 1, place
