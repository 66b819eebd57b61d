"""The search for rules: greedy forward selection of patterns, place by place.

A *layer* is the rules of one pattern about one place.

Search.run           twice: choose the rules about each place, the edge first, then the most telling place;
                     leave out places with which a belief would have too many terms (can_weight)
_choose_rules        begin with no rules about the place
                     repeat: add the layer that shortens the description most on top of those before, and go
                     on with the patterns whose layers save something, until the best one saves hardly more
                     of the edge: messages without another rule mean the middle, if that pays (with_middle)
AtPlace.layers       for each pattern, what its layer saves: the rules of its forms
AtPlace._best_rules  for each form that a rule may be worth its bits for (_surprising): the best set or band
                     (fit), if it is worth its bits (_worth_it); then, for sets that several forms have
                     (_shared_sets), the best class (fit_classes); of n-grams at any slot, not those that
                     stand beside one that tells more (_without_used_up)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.places import Places
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys
from spatial_game.language.dictionary.code import (
    FORM_BITS,
    KIND_BITS,
    LEVEL_BITS,
    factors,
    form_bits,
    most_saved,
    saving,
)
from spatial_game.language.dictionary.compositions import Composition
from spatial_game.language.dictionary.fit import Rules, fit, fit_classes
from spatial_game.language.dictionary.patterns import Pattern
from spatial_game.language.lexicon.belief import Belief

LEAST_BITS = 10.0
"""A rule saves at least this many bits more than it costs: by chance, once in 1,024 forms at most."""
NEARLY = 0.004
"""A layer is left out if it adds no more than this share to what is saved at its place: with less,
`context-synonyms` with noise has false entries (see `known`)."""
OF_NOISE = 0.5
"""And by this part of the share of episodes in which noise made one word of another: there, other slots tell
which word was meant, and rules about them would save something. It makes dictionaries shorter."""
LEAST_EFFECT = 2.0
"""For the same reason, a rule saves at least this many bits in each of these episodes of its form: without
this, a tenth to a third of the entries of languages of two parts with noise are false."""
MOST_CLASSES = 64
"""The most sets of one pattern and place that count as classes: each form is compared with all of them."""


@dataclass(frozen=True)
class Layer:
    """The rules of one pattern about one place: one step of the forward selection."""

    pattern: Pattern
    forms: Numbers  # (E,), rows of the pattern
    rules: Rules  # of these forms

    @property
    def form_bits(self) -> float:
        """Bits for each rule, to say which form it is about."""
        return form_bits(len(self.pattern), len(self.forms))

    @property
    def cost(self) -> float:
        """Bits to write the layer."""
        return float(self.rules.cost.sum() + self.form_bits * len(self.forms))

    def factors(self) -> FloatArray:
        """Return (M, C), by what the belief of each message is multiplied."""
        by_form = self.rules.factors()
        if self.pattern.form is None:
            return np.asarray(np.exp2(self.pattern.incidence[self.forms].T @ np.log2(by_form)))
        table = np.ones((len(self.pattern), by_form.shape[1]))
        table[self.forms] = by_form
        return table[self.pattern.form]


@dataclass(frozen=True)
class Stack:
    """What is said of one place: layers, one on top of the other."""

    layers: tuple[Layer, ...] = ()
    middle: float | None = None
    """For the edge: the probability that a message without a rule about the edge means the middle."""

    @property
    def cost(self) -> float:
        """Bits to write the layers and the rule about the middle."""
        return sum(layer.cost for layer in self.layers) + LEVEL_BITS * (self.middle is not None)


class Search:
    """Finds the rules about each place of a language of M messages.

    `observed[place]` (M, C): the episodes of each message by what stands at the place. `composition`: words
    and offsets that are there before all rules. `noise`: the share of episodes in which noise made one
    message of another.
    """

    def __init__(
        self,
        places: Places,
        observed: Sequence[FloatArray],
        patterns: Sequence[Pattern],
        composition: Composition | None = None,
        *,
        noise: float = 0.0,
    ) -> None:
        self.places, self.observed, self.patterns = places, observed, patterns
        self.nearly, self.least_effect = NEARLY + OF_NOISE * noise, LEAST_EFFECT * noise
        self.n = observed[-1].sum(axis=1)
        self.composition = composition
        self.belief = Belief(places, len(self.n))
        if composition is not None:
            self.belief.weights = list(composition.weights)
        self.before_rules = list(self.belief.weights)
        self.stacks = [Stack()] * len(observed)

    @property
    def cost(self) -> float:
        """Bits to write all rules."""
        return sum(stack.cost for stack in self.stacks) + (self.composition.cost if self.composition else 0.0)

    @property
    def net(self) -> float:
        """Bits that the rules save on all episodes, less the bits to write them."""
        return self.belief.explained(self.observed) - self.cost

    def run(self) -> Search:
        """Choose the rules about all places. Returns itself."""
        places = self._most_telling_first()
        for _ in range(2):  # the second time, all other places have rules
            for place in places:
                if self.belief.can_weight(place):
                    self._choose_rules(place)
        return self

    def _most_telling_first(self) -> list[int]:
        """Return the places that some pattern is informative about: the edge, then the most informative."""
        gains = {}
        for place, around in enumerate(self.belief.arounds(range(len(self.observed)))):
            layers = self.at(place, around).layers(self.patterns, self._weights_before_rules(place))
            gains[place] = max((gain for gain, _ in layers), default=0.0)
        telling = sorted((place for place, gain in gains.items() if gain > 0), key=lambda p: -gains[p])
        return sorted(telling, key=lambda place: place != self.places.edge)

    def _choose_rules(self, place: int) -> None:
        """Choose the layers about a place, with the rules about the other places held fixed."""
        at_place = self.at(place, self.belief.around(place))
        weights, stack, saved = self._weights_before_rules(place), Stack(), 0.0
        patterns = self.patterns
        while patterns and (layers := at_place.layers(patterns, weights)):
            gain, layer = max(layers, key=lambda each: each[0])
            if gain <= self.nearly * (saved + gain):
                break
            stack, saved = Stack((*stack.layers, layer)), saved + gain
            weights = weights * layer.factors()
            patterns = [other.pattern for _, other in layers if other is not layer]
        if place == self.places.edge:
            stack, weights = at_place.with_middle(stack, weights, self.places.edge_share)
        self.stacks[place] = stack
        self.belief.weights[place] = self.before_rules[place] if stack == Stack() else weights

    def at(self, place: int, around: FloatArray) -> AtPlace:
        """Return the search at one place; `around`: the mass of windows by what is said of the others."""
        return AtPlace(self.places, place, self.observed[place], around, self.least_effect)

    def _weights_before_rules(self, place: int) -> FloatArray:
        weights = self.before_rules[place]
        return np.ones(self.observed[place].shape) if weights is None else weights


class AtPlace:
    """The search at one place, with the rules about the other places held fixed."""

    def __init__(
        self, places: Places, place: int, observed: FloatArray, around: FloatArray, least_effect: float
    ) -> None:
        self._num_values, self._has_order = places.nameable(place), place != places.edge
        self._observed, self._n, self._around = observed, observed.sum(axis=1), around
        self._least_effect = least_effect
        self._filled = np.flatnonzero(observed)
        self._counts = observed.reshape(-1)[self._filled]

    def layers(self, patterns: Sequence[Pattern], weights: FloatArray) -> list[tuple[float, Layer]]:
        """Return the layers of patterns that save bits on top of these weights, after what each saves net."""
        mass, before = self._around * weights, self._bits(weights)
        expected = mass * (self._n / mass.sum(axis=1))[:, None]
        found = []
        for layer in self._best_rules(patterns, expected):
            gain = self._bits(weights * layer.factors()) - before - layer.cost
            if gain > 0:
                found.append((gain, layer))
        return found

    def _best_rules(self, patterns: Sequence[Pattern], expected: FloatArray) -> Iterator[Layer]:
        """Yield the rules of each pattern that are worth their bits, where these counts (M, C) are expected.

        The forms of all patterns are fitted together: many small tables take longer than one.
        """
        tables = [self._surprising(pattern, expected) for pattern in patterns]
        observed, believed, least = (
            np.concatenate([getattr(table, name) for table in tables])
            for name in ("observed", "expected", "least")
        )
        best = fit(observed, believed, self._num_values, bands=self._has_order, least=least + FORM_BITS)
        end = 0
        for table in tables:
            start, end = end, end + len(table.forms)
            rules = best.take(slice(start, end))
            kept = _worth_it(rules, table)
            shared = _shared_sets(rules.inside[kept])
            if len(shared):  # a set that several forms have is a class, which others may have, too
                rules = fit_classes(rules, table.observed, table.expected, shared)
                kept = _worth_it(rules, table)
            if kept.any():
                layer = Layer(table.pattern, table.forms[kept], rules.take(kept))
                yield _without_used_up(layer, self._n) if table.pattern.slots is None else layer

    def _surprising(self, pattern: Pattern, expected: FloatArray) -> _FormTable:
        """Return the forms of a pattern of which a rule may be worth its bits."""
        observed, believed = pattern.incidence @ self._observed, pattern.incidence @ expected
        least = np.maximum(LEAST_BITS, self._least_effect * observed.sum(axis=1))
        rows = np.flatnonzero(most_saved(observed, believed) > least + LEVEL_BITS + KIND_BITS + FORM_BITS)
        return _FormTable(pattern, rows, observed[rows], believed[rows], least[rows])

    def with_middle(
        self, stack: Stack, weights: FloatArray, edge_share: FloatArray
    ) -> tuple[Stack, FloatArray]:
        """Return the stack and its weights with the rule about the middle, if it pays.

        A message that has no rule about the edge then means the middle, with probability p.
        """
        without_rule = (weights == weights[:, :1]).all(axis=1)
        n, chance = self._n[without_rule].sum(), float(edge_share[-1])
        _, level = saving(self._observed[without_rule, -1].sum(), n, chance * n)
        with_rule = weights.copy()
        with_rule[without_rule] *= middle_factors(len(edge_share), float(level), chance)
        if self._bits(with_rule) - self._bits(weights) <= LEAST_BITS + LEVEL_BITS:
            return stack, weights
        return Stack(stack.layers, float(level)), with_rule

    def _bits(self, weights: FloatArray) -> float:
        """Return the bits that weights save on all episodes, up to a constant of the place."""
        bits = self._counts @ np.log2(weights.reshape(-1)[self._filled])
        return float(bits - (self._n * np.log2((weights * self._around).sum(axis=1))).sum())


@dataclass(frozen=True)
class _FormTable:
    """Forms of a pattern, with their counts and those believed."""

    pattern: Pattern
    forms: Numbers  # (E,), rows of the pattern
    observed: FloatArray  # (E, C)
    expected: FloatArray  # (E, C)
    least: FloatArray  # (E,), bits that rules save at least net


def middle_factors(num_edges: int, level: float, chance: float) -> FloatArray:
    """Return (W,), by what the rule about the middle multiplies the belief; `chance` is its share."""
    inside = np.arange(num_edges)[None] == num_edges - 1
    share = np.array([chance])
    return np.asarray(factors(inside, np.array([level]), share, 1 - share)[0])


def _worth_it(rules: Rules, table: _FormTable) -> Mask:
    """Return which rules to keep.

    To name one of few forms that have a rule takes more bits than one of many. So this is worked out as if
    there were none, then for those that were kept.
    """
    kept = np.zeros(len(table.forms), dtype=bool)
    for _ in range(3):
        kept = rules.net - form_bits(len(table.pattern), int(kept.sum())) >= table.least
    return np.asarray(kept)


def _without_used_up(layer: Layer, n: FloatArray) -> Layer:
    """Return the layer without the forms that in most of their episodes stand beside one that tells more.

    Each form was fitted as if it stood alone, but n-grams at any slot stand together in a message: once one
    of them has explained it, there is little that the others tell.
    """
    having = layer.pattern.incidence[layer.forms]
    told = having.multiply((layer.rules.net / (having @ n))[:, None]).tocsr()
    most = told.max(axis=0).toarray().reshape(-1)
    told.data = (told.data >= most[told.indices]).astype(np.float64)
    kept = 2 * (told @ n) >= having @ n
    return Layer(layer.pattern, layer.forms[kept], layer.rules.take(kept))


def _shared_sets(inside: Mask) -> Mask:
    """Return the sets (S, C) of two or more categories that at least two forms have, the most frequent."""
    several = inside[inside.sum(axis=1) > 1]
    if len(several) < 2:
        return np.zeros((0, inside.shape[1]), dtype=np.bool_)
    keys = row_keys(np.packbits(several, axis=1))
    _, first, number = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(-number, kind="stable")
    common: Mask = several[first[order][number[order] > 1][:MOST_CLASSES]]
    return common
