"""Messages of two parts: a word for an integer, and beside it a word for the offset at which it stands.

    compositions   which integers each message names, and at which offset (_named)
                   words: the shortest forms that tell as much of these integers as their messages do
                   offsets: the shortest forms whose messages name integers at one offset

Such parts are kept if the description gets shorter: 60 words and 4 offsets are written faster than 240 whole
messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.association import npmi
from spatial_game.language.counting.places import places_of, prior_at
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.code import LEVEL_BITS, form_bits
from spatial_game.language.dictionary.fit import fit
from spatial_game.language.dictionary.patterns import Pattern
from spatial_game.language.lexicon.entries import Rule
from spatial_game.language.lexicon.meaning import Meaning
from spatial_game.language.lexicon.rule_table import RuleTable

_AS_MUCH = 0.9
"""A word tells this share of what its messages tell of the integer; an offset holds in this share of them.
With 1, languages with noise are not read by parts; with 0.8, some pairs without such parts are."""


@dataclass(frozen=True)
class Part:
    """A word or an offset, with the episodes of the messages of two parts in which it stands."""

    rule: Rule
    joint: int
    """Those in which it is true."""
    total: int
    chance: float
    """The share of them in which it would be true if it said nothing."""


@dataclass(frozen=True)
class Composition:
    """Words and offsets, and what they make of the belief at each place, (M, C) or None."""

    parts: tuple[Part, ...]
    weights: list[FloatArray | None]

    @property
    def cost(self) -> float:
        """Bits to write words and offsets."""
        return sum(part.rule.cost for part in self.parts)


@dataclass(frozen=True)
class _NamedPlaces:
    """What each of M messages names: integers at one offset."""

    place: Numbers  # (M,), -1 for none
    observed: FloatArray  # (M, C), the episodes by what stands there
    expected: FloatArray  # (M, C), and by what was believed
    saved: FloatArray  # (M,), bits that a rule about the message saves

    def of(self, messages: Mask) -> _NamedPlaces:
        """Return what some of the messages name."""
        place, column = np.where(messages, self.place, -1), messages[:, None]
        observed, expected = (np.where(column, table, 0.0) for table in (self.observed, self.expected))
        return _NamedPlaces(place, observed, expected, np.where(messages, self.saved, 0.0))


def compositions(
    config: GameConfig, messages: IntArray, observed: Sequence[FloatArray], patterns: Sequence[Pattern]
) -> Iterator[Composition]:
    """Yield the ways to read messages (M, T) as integer and offset: by parts at slots, and at any slot.

    `observed[place]` (M, C): the episodes of each message by what stands at the place.
    """
    named = _named(config, observed)
    for anywhere in (False, True):
        among = [p for p in patterns if (p.slots is None) == anywhere and not p.whole]
        among.sort(key=lambda pattern: pattern.symbols.shape[1])
        words, word = _words(config, among, named)
        offsets = _offsets(config, among, named.of(word >= 0), word)
        if words and offsets:
            parts = (*words, *offsets)
            weights = RuleTable([part.rule for part in parts], config).belief(messages).weights
            yield Composition(parts, weights)


def _named(config: GameConfig, observed: Sequence[FloatArray]) -> _NamedPlaces:
    """Return what messages name: integers at the offset of which a rule about the message saves most."""
    places, n = places_of(config), observed[-1].sum(axis=1)
    cells = np.stack(observed[:-1])
    expected = np.stack([n[:, None] * prior_at(config, place) for place in range(places.edge)])
    rules = [fit(*tables, places.num_values, bands=False) for tables in zip(cells, expected, strict=True)]
    net, saved = (np.array([getattr(each, name) for each in rules]) for name in ("net", "saved"))
    place = net.argmax(axis=0)
    best = place, np.arange(len(n))
    return _NamedPlaces(place, cells[best], expected[best], saved[best]).of(net[best] > 0)


def _words(
    config: GameConfig, patterns: Sequence[Pattern], named: _NamedPlaces
) -> tuple[list[Part], Numbers]:
    """Return the words for integers, and (M,) which of them each message has, -1 for none.

    A word stands in messages with different offsets, and a rule about it saves as much as rules about these.
    """
    words: list[Part] = []
    word, episodes = np.full(len(named.place), -1), named.observed.sum()
    for pattern in patterns:
        left = named.of(word < 0)
        observed, expected = pattern.incidence @ left.observed, pattern.incidence @ left.expected
        rules = fit(observed, expected, config.num_integers, bands=False)
        enough = rules.saved >= _AS_MUCH * (pattern.incidence @ left.saved)
        forms = np.flatnonzero(enough & (_num_distinct(pattern, left.place) > 1))
        form_cost = form_bits(len(pattern), len(forms))
        for form in forms.tolist():
            inside = rules.inside[form]
            rule = Rule(
                pattern.form_of(form),
                Meaning(None, tuple(np.flatnonzero(inside).tolist())),
                float(rules.level[form]),
                0.0,
                saved=float(rules.saved[form]),
                cost=float(rules.cost[form] + form_cost),
            )
            total = observed[form].sum()
            words.append(
                _part(rule, observed[form] @ inside, total, expected[form] @ inside / total, episodes)
            )
            messages = pattern.incidence[[form]].indices
            word[messages[word[messages] < 0]] = len(words) - 1
    return words, word


def _offsets(
    config: GameConfig, patterns: Sequence[Pattern], named: _NamedPlaces, word: Numbers
) -> list[Part]:
    """Return the words for offsets: in messages with different words, they stand for one offset."""
    offsets: list[Part] = []
    has_offset = np.zeros(len(word), dtype=bool)
    at_place = named.observed.sum(axis=1)[:, None] * (named.place[:, None] == np.arange(len(config.offsets)))
    share = at_place.sum(axis=0) / max(at_place.sum(), 1)
    for pattern in patterns:
        by_place = pattern.incidence @ (at_place * ~has_offset[:, None])
        joint, total, place = by_place.max(axis=1), by_place.sum(axis=1), by_place.argmax(axis=1)
        beside = np.where(has_offset | (named.place < 0), -1, word)
        forms = np.flatnonzero((joint >= _AS_MUCH * total) & (_num_distinct(pattern, beside) > 1))
        cost = form_bits(len(pattern), len(forms)) + np.log2(len(config.offsets)) + LEVEL_BITS
        for form in forms.tolist():
            meaning = Meaning.of(config, int(place[form]), ())
            rule = Rule(pattern.form_of(form), meaning, 1.0, 0.0, cost=float(cost))
            offsets.append(_part(rule, joint[form], total[form], share[place[form]], at_place.sum()))
            has_offset[pattern.incidence[[form]].indices] = True
    return offsets


def _part(rule: Rule, joint: float, total: float, chance: float, episodes: float) -> Part:
    strength = float(npmi(joint, total, chance * episodes, episodes))
    return Part(replace(rule, strength=strength), int(joint), int(total), float(chance))


def _num_distinct(pattern: Pattern, number: Numbers) -> Numbers:
    """Return (F,), how many different numbers (M,) the messages of each form have, without -1."""
    having = pattern.incidence.tocoo()
    pairs = np.stack([having.row, number[having.col]])
    form, _ = np.unique(pairs[:, pairs[1] >= 0], axis=1)
    return np.bincount(form, minlength=len(pattern))
