"""The search for rules: greedy forward selection of patterns, place by place.

Search.run      order the places: the edge first, then by what the best pattern alone tells of each
                twice: choose the rules of each place, with those about the other places held fixed
_choose         begin with no rules about the place
                repeat: of all patterns, add the layer that shortens the description most on top of those
                before, until the best one saves hardly more
                of the edge: messages without another rule mean the middle, if that pays (_middle)
_AtPlace.layer  the rules of a pattern: the best set, band or class of each form (fit), if it is worth its
                bits (_worth_it) and no other form of the message explains more of it (_used_up)
"""

from __future__ import annotations

from collections.abc import Sequence
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
    saving,
)
from spatial_game.language.dictionary.compositions import Composition
from spatial_game.language.dictionary.fit import Rules, fit, fit_classes
from spatial_game.language.dictionary.patterns import Pattern
from spatial_game.language.lexicon.belief import Belief

LEAST_BITS = 10.0
"""A rule saves at least this many bits more than it costs: by chance, once in 1,024 forms at most."""
NEARLY = 0.004
"""A layer is left out if it adds no more than this share to what is saved at its place."""
OF_NOISE = 0.5
"""And by this part of the share of episodes in which noise made one word of another: there, other slots tell
which word was meant, and rules about them would save something."""
LEAST_EFFECT = 2.0
"""For the same reason, a rule saves at least this many bits in each of these episodes of its form."""
MOST_CLASSES = 64
"""The most sets of one pattern and place that count as classes."""


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

    `observed[place]` (M, C): the episodes of each message by what stands at the place. `noise`: the share of
    episodes in which noise made one message of another.
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
        self.belief = Belief(places, len(self.n))
        self.composition = composition
        self.base: list[FloatArray | None] = [None] * len(observed)
        if composition is not None:
            self.base = composition.weights
        self.belief.weights = list(self.base)
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
        """Search all places, twice: the second time, the rules about all others are known. Returns itself."""
        for place in 2 * self._most_telling_first():
            if self.belief.can_weight(place):
                self._choose(place)
        return self

    def _most_telling_first(self) -> list[int]:
        """Return the places of which any pattern tells something: the edge, then the most telling first."""
        gains = {}
        for place, around in enumerate(self.belief.arounds(range(len(self.observed)))):
            step = _AtPlace(self, place, around)
            gains[place] = max(gain for gain, _ in step.gains(self.patterns, self.base[place]))
        telling = sorted((place for place, gain in gains.items() if gain > 0), key=lambda p: -gains[p])
        return sorted(telling, key=lambda place: place != self.places.edge)

    def _choose(self, place: int) -> None:
        """Choose the layers about a place, with the rules about the other places held fixed."""
        step, stack = _AtPlace(self, place, self.belief.around(place)), Stack()
        weights, saved, patterns = self.base[place], 0.0, self.patterns
        while patterns:
            found = step.gains(patterns, weights)
            gain, layer = max(found, key=lambda each: each[0])
            if layer is None or gain <= self.nearly * (saved + gain):
                break
            stack, saved = Stack((*stack.layers, layer)), saved + gain
            weights = _times(weights, layer)
            patterns = [p for p, (gain, _) in zip(patterns, found, strict=True) if gain > 0]
            patterns.remove(layer.pattern)
        if place == self.places.edge:
            stack, weights = step.with_middle(stack, weights)
        self.stacks[place], self.belief.weights[place] = stack, weights


class _AtPlace:
    """The search at one place, with the rules about the other places held fixed."""

    def __init__(self, search: Search, place: int, around: FloatArray) -> None:
        self._places, self._num_values = search.places, search.places.nameable(place)
        self._is_edge, self._least_effect = place == search.places.edge, search.least_effect
        self._observed, self._n, self._around = search.observed[place], search.n, around
        self._filled = np.flatnonzero(self._observed)
        self._counts = self._observed.reshape(-1)[self._filled]

    def gains(
        self, patterns: Sequence[Pattern], weights: FloatArray | None
    ) -> list[tuple[float, Layer | None]]:
        """Return what a layer of each pattern saves net on top of these weights, and the layer."""
        mass = self._around if weights is None else self._around * weights
        expected, before = mass * (self._n / mass.sum(axis=1))[:, None], self._bits(weights)
        layers = self._layers(patterns, expected)
        return [
            (self._bits(_times(weights, layer)) - before - layer.cost, layer) if layer else (0.0, None)
            for layer in layers
        ]

    def _layers(self, patterns: Sequence[Pattern], expected: FloatArray) -> list[Layer | None]:
        """Return the rules of each pattern that are worth their bits, where these counts (M, C) are expected.

        The forms of all patterns are fitted together: many small tables take longer than one.
        """
        tables = [self._surprising(pattern, expected) for pattern in patterns]
        observed, believed, least = (
            np.concatenate([getattr(table, name) for table in tables])
            for name in ("observed", "expected", "least")
        )
        least += FORM_BITS
        rules = fit(observed, believed, self._num_values, bands=not self._is_edge, least=least)
        ends = np.cumsum([len(table.forms) for table in tables])
        return [
            self._layer(table, rules.take(slice(end - len(table.forms), end)))
            for table, end in zip(tables, ends, strict=True)
        ]

    def _surprising(self, pattern: Pattern, expected: FloatArray) -> _FormTable:
        """Return the forms of a pattern of which a rule may be worth its bits."""
        observed, believed = pattern.incidence @ self._observed, pattern.incidence @ expected
        least = np.maximum(LEAST_BITS, self._least_effect * observed.sum(axis=1))
        # No rule saves more than the divergence of the counts from those believed.
        most = (observed * np.log2(np.maximum(observed, 1.0) / np.maximum(believed, 1e-9))).sum(axis=1)
        rows = np.flatnonzero(most > least + LEVEL_BITS + KIND_BITS + FORM_BITS)
        return _FormTable(pattern, rows, observed[rows], believed[rows], least[rows])

    def _layer(self, table: _FormTable, rules: Rules) -> Layer | None:
        """Return those of the rules of forms that are worth their bits, if there are any.

        A set that several forms have is a class, which others may have, too.
        """
        pattern, forms = table.pattern, table.forms
        kept = _worth_it(rules, table.least, len(pattern))
        shared = _shared_sets(rules.inside[kept])
        if len(shared):
            rules = fit_classes(rules, table.observed, table.expected, shared)
            kept = _worth_it(rules, table.least, len(pattern))
        if not kept.any():
            return None
        layer = Layer(pattern, forms[kept], rules.take(kept))
        return _used_up(layer, self._n) if pattern.slots is None else layer

    def with_middle(self, stack: Stack, weights: FloatArray | None) -> tuple[Stack, FloatArray | None]:
        """Return the stack and its weights with the rule about the middle, if it pays.

        A message that has no rule about the edge then means the middle, with probability p.
        """
        with_rule = np.ones(self._observed.shape) if weights is None else weights.copy()
        rest = (with_rule == with_rule[:, :1]).all(axis=1)  # the messages without a rule
        n, chance = self._n[rest].sum(), float(self._places.edge_share[-1])
        _, level = saving(self._observed[rest, -1].sum(), n, chance * n)
        with_rule[rest] *= middle_factors(len(self._places.edge_share), float(level), chance)
        if self._bits(with_rule) - self._bits(weights) <= LEAST_BITS + LEVEL_BITS:
            return stack, weights
        return Stack(stack.layers, float(level)), with_rule

    def _bits(self, weights: FloatArray | None) -> float:
        """Return the bits that weights save on all episodes, up to a constant of the place."""
        if weights is None:
            return float(-(self._n * np.log2(self._around.sum(axis=1))).sum())
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


def _worth_it(rules: Rules, least: FloatArray, num_forms: int) -> Mask:
    """Return which rules to keep. What a form costs is worked out for none, then for those that were kept."""
    bits = form_bits(num_forms, 0)
    kept = np.zeros(len(least), dtype=bool)
    for _ in range(3):
        kept = rules.net - bits >= least
        bits = form_bits(num_forms, int(kept.sum()))
    return np.asarray(kept)


def _used_up(layer: Layer, n: FloatArray) -> Layer:
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


def _times(weights: FloatArray | None, layer: Layer) -> FloatArray:
    return layer.factors() if weights is None else weights * layer.factors()
