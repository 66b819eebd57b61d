"""The rules of a lexicon as tables: which of them each message follows, and what they say of windows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.forms import OPEN, Occurrences, occurrences, table_of
from spatial_game.language.counting.places import (
    column_of,
    num_columns,
    num_integer_columns,
    places_of,
    share_showing,
)
from spatial_game.language.counting.rows import FloatArray, Numbers, join, table_of_ones
from spatial_game.language.lexicon.belief import Belief
from spatial_game.language.lexicon.entries import NEAR, Rule, expected_of, fits_in
from spatial_game.language.lexicon.meaning import ANYWHERE, Meaning


class RuleTable:
    """The rules of a dictionary as tables: which rules a message follows, and what they say of windows.

    `rules` has, in this order: rules about places; all pairs of a word and an offset; words alone, which say
    in a message without an offset that an integer is near; defaults. Rules that the game has no use for are
    left out: their forms do not fit into its messages, or it has none of their values.
    """

    def __init__(self, rules: Sequence[Rule], config: GameConfig, made_for: GameConfig | None = None) -> None:
        self.config, self.places = config, places_of(config)
        self._made_for = made_for or config
        fitting = [self._in_game(rule) for rule in rules if fits_in(rule.form, config)]
        kept = [rule for rule in fitting if rule is not None]
        self.words = [rule for rule in kept if rule.is_word]
        self.offsets = [rule for rule in kept if rule.is_offset]
        about_places = [rule for rule in kept if not rule.is_word and not rule.is_offset]
        self.plain = [rule for rule in about_places if rule.form is not None]
        self._defaults = [rule for rule in about_places if rule.form is None]
        pairs = [self._pair(word, offset) for word in self.words for offset in self.offsets]
        alone = [
            dataclasses.replace(word, expected=share_showing(config, len(word.meaning.values)))
            for word in self.words
        ]
        self.rules = [*self.plain, *pairs, *alone, *self._defaults]
        self._first_pair, self._first_alone = len(self.plain), len(self.plain) + len(pairs)
        numbers = [rule.meaning.numbers(config) for rule in self.rules]
        self.place: Numbers = np.array([place for place, _ in numbers], dtype=np.int64)
        """(R,), the number of the place of each rule; `ANYWHERE` of a word alone."""
        self._values = [values for _, values in numbers]
        self._forms = [
            table_of([rule.form for rule in rules if rule.form is not None], config.message_length)
            for rules in (self.plain, self.words, self.offsets)
        ]

    def _in_game(self, rule: Rule) -> Rule | None:
        """Return the rule for this game, perhaps with fewer integers; None if it has none of its values."""
        if not rule.meaning.in_game(self.config):
            return None
        place, values = rule.meaning.numbers(self.config)
        if rule.is_offset or place == self.places.edge:
            return rule
        before, now = self._made_for.num_integers, self.places.num_values
        expected, meaning = rule.expected, Meaning(rule.meaning.place, tuple(values))
        if before != now:
            more = (len(values) / now) / (len(rule.meaning.values) / before)
            expected = min(expected * more, rule.probability)
        return dataclasses.replace(rule, meaning=meaning, expected=expected)

    def _pair(self, word: Rule, offset: Rule) -> Rule:
        """Return what a word and an offset beside it say together."""
        meaning = Meaning(offset.meaning.place, word.meaning.values)
        return Rule(
            word.form, meaning, word.probability * offset.probability, expected_of(meaning, self.config)
        )

    # --- What messages say -----------------------------------------------------------------------------

    def of_messages(self, messages: IntArray) -> sp.csr_array[Any]:
        """Return (M, R): which rules the messages (M, T) follow. Their symbols may be `OPEN`."""
        closed = np.where(np.asarray(messages) < 0, self.config.vocab_size, messages)
        plain, words, offsets = (occurrences(forms, closed) for forms in self._forms)
        in_pair, pair = self._pairs(words, offsets)
        words = words.take(~np.isin(words.message, in_pair))
        followed = table_of_ones(
            np.concatenate([plain.message, in_pair, words.message]),
            np.concatenate([plain.form, self._first_pair + pair, self._first_alone + words.form]),
            (len(messages), len(self.rules)),
        )
        for number in range(len(self.rules) - len(self._defaults), len(self.rules)):
            silent = np.flatnonzero(followed[:, self._about(self.place[number])].sum(axis=1) == 0)
            followed = sp.csr_array(
                followed + table_of_ones(silent, np.full(len(silent), number), followed.shape)
            )
        return followed

    def _pairs(self, words: Occurrences, offsets: Occurrences) -> tuple[Numbers, Numbers]:
        """Return (message, pair) of the strongest pair of a word and an offset in each message."""
        one, other = join(words.message, offsets.message)
        both = words.take(one), offsets.take(other)
        filled = [
            forms.written(found.form, found.slot) != OPEN
            for forms, found in zip(self._forms[1:], both, strict=True)
        ]
        words, offsets = (found.take(~np.all(filled, axis=0).any(axis=1)) for found in both)
        strength = np.minimum(
            np.array([rule.strength for rule in self.words])[words.form],
            np.array([rule.strength for rule in self.offsets])[offsets.form],
        )
        order = np.lexsort((offsets.form, words.form, -strength, words.message))
        best = order[np.diff(words.message[order], prepend=-1) != 0]
        return words.message[best], (words.form * len(self.offsets) + offsets.form)[best]

    def _about(self, place: int) -> Numbers:
        """Return the rules about a place."""
        return np.flatnonzero(self.place == place)

    # --- What they say of windows ------------------------------------------------------------------------

    @cached_property
    def base(self) -> FloatArray:
        """(R,), the bits of evidence that each rule is for a window of which it is not true."""
        others = [1 - rule.expected if rule.rest is None else rule.rest for rule in self.rules]
        return np.log2(self._share([1 - rule.probability for rule in self.rules]) / self._share(others))

    @cached_property
    def gain(self) -> sp.csr_array[Any]:
        """(R, columns + 1), the bits more for a window by what it has at the rule's place."""
        p, e = (self._share([getattr(r, name) for r in self.rules]) for name in ("probability", "expected"))
        inside = np.log2(p / e) - self.base
        size, cells = self.places.num_values, np.arange(self.places.edge)[:, None]
        columns, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for number, (rule, place) in enumerate(zip(self.rules, self.place.tolist(), strict=True)):
            near = {} if rule.rest is None else _near(self._values[number], size)
            more = near | dict.fromkeys(self._values[number], inside[number])
            # A word alone is about any cell.
            columns.append((size * (cells if place == ANYWHERE else place) + np.array([*more])).reshape(-1))
            values.append(np.tile([*more.values()], len(columns[-1]) // len(more)))
        ends = np.cumsum([0, *map(len, columns[1:])])
        shape = len(self.rules), num_columns(self.config) + 1
        return sp.csr_array((np.concatenate(values), np.concatenate(columns), ends), shape=shape)

    @staticmethod
    def _share(values: Sequence[float]) -> FloatArray:
        return np.clip(np.array(values, dtype=np.float64), 1e-9, None)

    def evidence(self, followed: sp.csr_array[Any], *, defaults: bool = True) -> FloatArray:
        """Return (M, columns + 1), the bits of evidence of messages that follow the rules `followed` (M, R).

        The evidence for a window is the sum over its cells. What a message says of any window is spread
        over the columns of the edge, of which every window has one. Without `defaults`, rules count that
        have a form: for messages that are pieces.
        """
        if not defaults:
            followed = followed[:, : len(self.rules) - len(self._defaults)]
        number = followed.shape[1]
        table: FloatArray = (followed @ self.gain[:number]).toarray()
        table[:, num_integer_columns(self.config) : -1] += (followed @ self.base[:number])[:, None]
        return table

    def belief(self, messages: IntArray) -> Belief:
        """Return the belief of a reader who knows only the messages (M, T) and these rules."""
        followed, belief = self.of_messages(messages).tocsc(), Belief(self.places, len(messages))
        for place in range(len(self.places)):
            about = self._about(place)
            here = followed[:, about]
            if here.nnz:
                first = column_of(self.config, place, 0)
                bits = np.zeros((len(messages), self.places.categories(place)))
                more = (here @ self.gain[about])[:, first : first + self.places.num_columns(place)].toarray()
                bits[:, : more.shape[1]] = more
                belief.weights[place] = np.exp2(bits + (here @ self.base[about])[:, None])
        return belief

    def allowed(self, followed: sp.csr_array[Any], place: int) -> Mask:
        """Return (M, categories), what may stand at a place by the rules `followed` (M, R) about it."""
        about = self._about(place)
        excluded = np.ones((len(about), self.places.categories(place)))
        for row, number in zip(excluded, about, strict=True):
            row[self._values[number]] = 0
        return np.asarray(followed[:, about] @ excluded == 0)


def _near(values: Sequence[int], num_values: int) -> dict[int, float]:
    """Return the values beside a band, with the bits by which they weigh more than others."""
    ends = min(values), max(values)
    beside = (
        (end + side * distance, weight)
        for end, side in zip(ends, (-1, 1), strict=True)
        for distance, weight in enumerate(NEAR, 1)
    )
    return {value: float(np.log2(weight)) for value, weight in beside if 0 <= value < num_values}
