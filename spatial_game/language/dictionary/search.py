"""The search for rules: greedy forward selection of patterns, place by place, then backward elimination.

    Search.run      order the places: the edge first, then by what whole messages tell of each
                    choose the patterns of each place; then once more of the same ones, now that all are known
    Search._choose  with the rules about the other places held fixed:
                    for some chains of patterns (_chains), all subsets of each chain (subsets) are stacks of
                    layers; of those that save nearly as much as the best, keep the one that names the fewest
                    values (simplest), without rules of which later layers say more (thinned)
                    of the edge: messages without another rule mean the middle, if that pays (with_middle)
    forward         repeat: of all patterns, take the one whose rules shorten the description most on top of
                    those taken before, until none shortens it further
    _layers         the rules of a pattern: the best set, band or class of each form (fit), if it is worth its
                    bits (_worthwhile)

Of all descriptions that are nearly as short as the shortest, the simplest is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.places import Places
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys
from spatial_game.language.dictionary.belief import Belief
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

LEAST_BITS = 10.0
"""A rule saves at least this many bits more than it costs: by chance, once in 1,024 forms at most."""
NEARLY = 0.004
"""A simpler choice of layers may save less than the best one by this share."""
OF_NOISE = 0.5
"""And by this part of the share of episodes in which noise made one word of another: there, other slots tell
which word was meant, and rules about them would save something."""
LEAST_EFFECT = 2.0
"""For the same reason, a rule saves at least this many bits in each of these episodes of its form."""
MOST_LAYERS = 4
"""The most patterns with rules about one place."""
SAID_LATER = 0.9
"""A rule may be left out if later layers speak in this share of its form's episodes."""
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

    def carriers(self) -> Mask:
        """Return (M,), which messages have one of the forms."""
        return np.asarray(self.pattern.incidence[self.forms].sum(axis=0) > 0)


@dataclass(frozen=True)
class Stack:
    """What is said of one place: layers, one on top of the other, and the bits that they save net."""

    layers: tuple[Layer, ...]
    net: float
    middle: float | None = None
    """For the edge: the probability that a message without a rule about the edge means the middle."""

    @property
    def cost(self) -> float:
        """Bits to write the layers."""
        return sum(layer.cost for layer in self.layers)

    @property
    def num_values(self) -> int:
        """How many values its rules name, all together."""
        return sum(int(layer.rules.inside.sum()) for layer in self.layers)


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
            self.base = composition.weights(observed, places)
        self.belief.weights = list(self.base)
        self.stacks = [Stack((), 0.0)] * len(observed)

    @property
    def cost(self) -> float:
        """Bits to write all rules."""
        return sum(stack.cost for stack in self.stacks) + (self.composition.cost if self.composition else 0.0)

    @property
    def net(self) -> float:
        """Bits that the rules save on all episodes, less the bits to write them."""
        return self.belief.explained(self.observed) - self.cost

    def run(self) -> Search:
        """Search all places. Returns itself."""
        order = self._most_telling_first()
        for place in order:
            if self.belief.can_weight(place):
                self._choose(place)
        for place in order:
            if self.stacks[place].layers:
                self._choose(place, [layer.pattern for layer in self.stacks[place].layers])
        return self

    def _choose(self, place: int, patterns: Sequence[Pattern] | None = None) -> None:
        """Choose the layers about a place, of any patterns or of these, now that the others are known."""
        step = _AtPlace(self, place, self.belief.around(place))
        stacks = [step.subsets(c) for c in (self._chains(step) if patterns is None else [patterns])]
        thinned = [step.thinned(step.simplest(of_chain)) for of_chain in stacks]
        stack = step.simplest([*thinned, *chain.from_iterable(stacks)])
        self.stacks[place], self.belief.weights[place] = step.with_middle(stack)

    def _chains(self, step: _AtPlace) -> list[Sequence[Pattern]]:
        """Return chains of patterns: any of them; single slots, then whole messages; one slot, then more.

        In a code of words of one symbol and of two, the last finds the first symbols that are words.
        """
        chains: list[Sequence[Pattern]] = [step.forward(self.patterns)]
        singles, longer = self._single_slots(), chains[0][:1]
        if len(singles) > 1:
            chains.append(step.forward(singles, then=[p for p in self.patterns if p.whole]))
        within = [p for p in singles if longer and not longer[0].whole and _within(p, longer[0])]
        if within:
            chains.append((max(within, key=lambda p: step.stack(p).net), *longer))
        return chains

    def _most_telling_first(self) -> list[int]:
        """Return the places about which whole messages or single slots save anything, the most first."""
        gains = []
        first_looks = [p for p in self.patterns if p.whole] + self._single_slots()
        for place, around in enumerate(self.belief.arounds(range(len(self.observed)))):
            step = _AtPlace(self, place, around)
            nets = (step.stack(pattern).net for pattern in first_looks)
            gains.append((next((net for net in nets if net > 0), 0.0), place))
        telling = [place for gain, place in sorted(gains, reverse=True) if gain > 0]
        return sorted(telling, key=lambda place: place != self.places.edge)

    def _single_slots(self) -> list[Pattern]:
        return [p for p in self.patterns if p.slots is not None and len(p.slots) == 1 and not p.whole]


class _AtPlace:
    """The search at one place, with the rules about the other places held fixed."""

    def __init__(self, search: Search, place: int, around: FloatArray) -> None:
        self.places, self.place = search.places, place
        self.observed, self.n, self.around = search.observed[place], search.n, around
        self.is_edge = place == search.places.edge
        self._base, self._nearly, self._least_effect = search.base[place], search.nearly, search.least_effect
        self._stacks: dict[tuple[Pattern, ...], Stack] = {}
        self._below: tuple[Stack, FloatArray | None, FloatArray] | None = None
        self._seen: dict[Pattern, tuple[FloatArray, FloatArray, FloatArray]] = {}
        self._filled = np.flatnonzero(self.observed)
        self._counts = self.observed.reshape(-1)[self._filled]
        self._start = self._bits(self._base)

    # --- Forward selection and backward elimination ----------------------------------------------------

    def forward(self, patterns: Sequence[Pattern], then: Sequence[Pattern] = ()) -> tuple[Pattern, ...]:
        """Return the patterns of which each in turn saves most, on top of those before it.

        One of `then` is added at the end, if it saves anything.
        """
        chosen: tuple[Pattern, ...] = ()
        left = patterns
        while left and len(chosen) < MOST_LAYERS:
            net = {p: stack.net for p, stack in zip(left, self.on_top(chosen, left), strict=True)}
            gaining = [p for p in left if net[p] > self.stack(*chosen).net + 1e-6]
            if not gaining:
                break
            best = max(gaining, key=net.__getitem__)
            chosen, left = (*chosen, best), [p for p in gaining if p is not best]
        more = [(*chosen, p) for p in then if p not in chosen]
        return max([chosen, *more], key=lambda each: self.stack(*each).net)

    def subsets(self, patterns: Sequence[Pattern]) -> list[Stack]:
        """Return the stacks of all subsets of these patterns, in their order: backward elimination."""
        numbers, stacks = range(len(patterns)), [self.stack()]
        for below in (chosen for size in numbers for chosen in combinations(numbers, size)):
            above = patterns[below[-1] + 1 :] if below else patterns
            stacks += self.on_top([patterns[i] for i in below], above)
        return stacks

    def simplest(self, stacks: Sequence[Stack]) -> Stack:
        """Return the stack that names the fewest values, of those that save nearly as much as the best."""
        enough = (1 - self._nearly) * max(stack.net for stack in stacks)
        return min((s for s in stacks if s.net >= enough), key=lambda s: (s.num_values, -s.net))

    def thinned(self, stack: Stack) -> Stack:
        """Return the stack without rules about forms of which later layers say more, if that is simpler.

        In a code of words of one symbol and of two, the first symbol of a longer word says nothing else.
        """
        for i, layer in enumerate(stack.layers[:-1]):
            later = np.any([other.carriers() for other in stack.layers[i + 1 :]], axis=0)
            having = layer.pattern.incidence[layer.forms]
            needed = having @ (self.n * later) < SAID_LATER * (having @ self.n)
            if needed.all() or not needed.any():
                continue
            below = stack.layers[:i]
            thin = Layer(layer.pattern, layer.forms[needed], layer.rules.take(needed))
            other = self._stacked(Stack(below, 0.0), self._weights(below), thin)
            for above in stack.layers[i + 1 :]:
                [other] = self._extended(other, [above.pattern])
            if self.simplest([stack, other]) is other:
                return self.thinned(other)
        return stack

    def with_middle(self, stack: Stack) -> tuple[Stack, FloatArray | None]:
        """Return the stack with its weights and, for the edge, with the rule about the middle, if it pays.

        A message that has no rule about the edge then means the middle, with probability p.
        """
        weights = self._weights(stack.layers)
        if not self.is_edge:
            return stack, weights
        with_rule = np.ones(self.observed.shape) if weights is None else weights.copy()
        rest, chance = _unsaid(with_rule), float(self.places.edge_share[-1])
        n = self.n[rest].sum()
        saved, level = saving(self.observed[rest, -1].sum(), n, chance * n)
        with_rule[rest] *= middle_factors(len(self.places.edge_share), float(level), chance)
        net = self._net(stack.layers, with_rule) - LEVEL_BITS
        if saved <= LEAST_BITS + LEVEL_BITS or net <= stack.net:
            return stack, weights
        return Stack(stack.layers, net, float(level)), with_rule

    # --- Stacks of layers ------------------------------------------------------------------------------

    def stack(self, *patterns: Pattern) -> Stack:
        """Return the stack of these patterns, one on top of the other, without those that say nothing."""
        return self.on_top(patterns[:-1], patterns[-1:])[0] if patterns else Stack((), 0.0)

    def on_top(self, below: Sequence[Pattern], patterns: Sequence[Pattern]) -> list[Stack]:
        """Return the stacks of some patterns with each of these on top of them."""
        keys = [(*below, pattern) for pattern in patterns]
        new = [pattern for pattern, key in zip(patterns, keys, strict=True) if key not in self._stacks]
        if new:
            stacks = self._extended(self.stack(*below), new)
            self._stacks.update(
                ((*below, pattern), stack) for pattern, stack in zip(new, stacks, strict=True)
            )
        return [self._stacks[key] for key in keys]

    def _extended(self, stack: Stack, patterns: Sequence[Pattern]) -> list[Stack]:
        """Return the stack with one more layer on top, of each of these patterns, if it says anything."""
        weights, expected = self._expected(stack)
        layers = self._layers(patterns, expected)
        return [stack if layer is None else self._stacked(stack, weights, layer) for layer in layers]

    def _expected(self, stack: Stack) -> tuple[FloatArray | None, FloatArray]:
        """Return the weights of a stack, and the counts that they lead to; those of the last are kept."""
        if self._below is None or self._below[0] is not stack:
            weights = self._weights(stack.layers)
            mass = self.around if weights is None else self.around * weights
            self._below = stack, weights, mass * (self.n / mass.sum(axis=1))[:, None]
        return self._below[1:]

    def _weights(self, layers: Iterable[Layer]) -> FloatArray | None:
        """Return (M, C), by what layers multiply the belief of each message; None without any."""
        weights = self._base
        for layer in layers:
            weights = _times(weights, layer)
        return weights

    def _stacked(self, stack: Stack, weights: FloatArray | None, layer: Layer) -> Stack:
        """Return a stack, of these weights, with one more layer."""
        layers = (*stack.layers, layer)
        return Stack(layers, self._net(layers, _times(weights, layer)))

    def _net(self, layers: tuple[Layer, ...], weights: FloatArray | None) -> float:
        return self._bits(weights) - self._start - sum(layer.cost for layer in layers)

    def _bits(self, weights: FloatArray | None) -> float:
        """Return the bits that weights save on all episodes, up to a constant of the place."""
        if weights is None:
            return float(-(self.n * np.log2(self.around.sum(axis=1))).sum())
        bits = self._counts @ np.log2(weights.reshape(-1)[self._filled])
        return float(bits - (self.n * np.log2((weights * self.around).sum(axis=1))).sum())

    # --- Layers ----------------------------------------------------------------------------------------

    def _layers(self, patterns: Sequence[Pattern], expected: FloatArray) -> list[Layer | None]:
        """Return the rules of each pattern that are worth their bits, where these counts are expected.

        The forms of all patterns are fitted together: many small tables take longer than one.
        """
        tables = [self._surprising(pattern, expected) for pattern in patterns]
        observed, believed, least = (
            np.concatenate([getattr(table, name) for table in tables])
            for name in ("observed", "expected", "least")
        )
        best = fit(
            observed,
            believed,
            self.places.nameable(self.place),
            bands=not self.is_edge,
            least=least + FORM_BITS,
        )
        ends = np.cumsum([len(table.forms) for table in tables])
        parts = [best.take(slice(end - len(t.forms), end)) for t, end in zip(tables, ends, strict=True)]
        return [_worthwhile(table, part) for table, part in zip(tables, parts, strict=True)]

    def _surprising(self, pattern: Pattern, expected: FloatArray) -> _FormTable:
        """Return the forms of a pattern of which a rule may be worth its bits."""
        if pattern not in self._seen:
            seen = pattern.incidence @ self.observed
            self._seen[pattern] = seen, seen.sum(axis=1), (seen * np.log2(np.maximum(seen, 1.0))).sum(axis=1)
        seen, n, own = self._seen[pattern]
        believed = pattern.incidence @ expected
        # No rule saves more than the divergence of the counts from those believed.
        most = own - (seen * np.log2(np.maximum(believed, 1e-9))).sum(axis=1)
        least = np.maximum(LEAST_BITS, self._least_effect * n)
        rows = np.flatnonzero(most > least + LEVEL_BITS + KIND_BITS + FORM_BITS)
        return _FormTable(pattern, rows, seen[rows], believed[rows], least[rows])


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


def _worthwhile(table: _FormTable, best: Rules) -> Layer | None:
    """Return those of the rules of forms that are worth their bits, if there are any.

    A set that several forms have is a class, which others may have, too.
    """
    kept = _worth_it(best, table.least, len(table.pattern))
    shared = _shared_sets(best.inside[kept])
    if len(shared):
        best = fit_classes(best, table.observed, table.expected, shared)
        kept = _worth_it(best, table.least, len(table.pattern))
    if table.pattern.at_one_slot is not None:
        kept &= ~table.pattern.at_one_slot[table.forms]
    return Layer(table.pattern, table.forms[kept], best.take(kept)) if kept.any() else None


def _worth_it(rules: Rules, least: FloatArray, num_forms: int) -> Mask:
    """Return which rules to keep. What a form costs is worked out for none, then for those that were kept."""
    bits = form_bits(num_forms, 0)
    kept = np.zeros(len(least), dtype=bool)
    for _ in range(3):
        kept = rules.net - bits >= least
        bits = form_bits(num_forms, int(kept.sum()))
    return np.asarray(kept)


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


def _unsaid(weights: FloatArray) -> Mask:
    """Return (M,), the messages of which no rule weights anything."""
    return np.asarray((weights == weights[:, :1]).all(axis=1))


def _within(pattern: Pattern, other: Pattern) -> bool:
    """Tell whether the other pattern has all slots of this one, and more."""
    return pattern.slots is not None and other.slots is not None and {*pattern.slots} < {*other.slots}


def _times(weights: FloatArray | None, layer: Layer) -> FloatArray:
    return layer.factors() if weights is None else weights * layer.factors()
