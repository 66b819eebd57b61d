"""The search for the statements that shorten the windows most: which forms speak of which place, and how.

For one place at a time, with what is said of the other places held fixed: the pattern of slots whose
statements shorten the description most is taken, then the next one on top of it, while that shortens the
whole. Of all choices among these patterns that save nearly as much as the best, the simplest is kept. The
edge comes first, then the most telling place; when all are known, the patterns of each place are fitted once
more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, repeat

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.compositions import Composition
from spatial_game.language.dictionary.fitting import (
    FORM_BITS,
    LEAST_COST,
    LEVEL_BITS,
    Statements,
    fit,
    fit_classes,
    saving,
    subset_bits,
)
from spatial_game.language.dictionary.patterns import Pattern

LEAST_BITS = 10.0
"""An entry saves at least so many bits more than it costs: by chance, once in 1,024 forms at most."""
LEAST_EFFECT = 0.05
"""And at least so many bits an episode of its form."""
SIMPLER = 0.004
"""A plan that names fewer values may save so much less, as a share."""
_OF_NOISE = 0.5
"""And so much less of the share of episodes in which noise made one word of another: as a rule, they tell the
rest of the message, and a plan could say which word was meant."""
_MOST_LAYERS = 4
_SAID_LATER = 0.9  # of a form's episodes, where later layers say more of their messages
_MOST_CLASSES = 64


@dataclass(frozen=True)
class Layer:
    """The statements of one pattern about one place."""

    pattern: Pattern
    forms: Numbers  # (E,), rows of the pattern
    statements: Statements  # of these forms
    form_bits: float  # bits to say which form an entry is about

    @property
    def cost(self) -> float:
        """Bits to write the layer."""
        return float(self.statements.cost.sum() + self.form_bits * len(self.forms))

    @property
    def num_values(self) -> int:
        """Values that the statements name, all together."""
        return int(self.statements.inside.sum())

    def factors(self) -> FloatArray:
        """Return (M, C), by what the belief of each message is multiplied."""
        found = self.statements.factors()
        if self.pattern.form is None:
            return np.asarray(np.exp2(self.pattern.incidence[self.forms].T @ np.log2(found)))
        factors = np.ones((len(self.pattern), found.shape[1]))
        factors[self.forms] = found
        return factors[self.pattern.form]

    def carried(self) -> Mask:
        """Return (M,), which messages have one of the forms."""
        return np.asarray(self.pattern.incidence[self.forms].sum(axis=0) > 0)


@dataclass(frozen=True)
class Plan:
    """What is said of one place: layers, one on top of the other, and the bits that they save net."""

    layers: tuple[Layer, ...]
    net: float
    middle: float | None = None
    """For the edge: the share p in which a message without a word for an edge means the middle."""

    @property
    def num_values(self) -> int:
        """Values that its statements name, all together."""
        return sum(layer.num_values for layer in self.layers)


class Search:
    """Finds a plan for each place of a language of M messages.

    `observed[place]` (M, C): the episodes of each message by what stands at the place. `noise`: the share of
    episodes in which noise made one message of another.
    """

    def __init__(
        self,
        config: GameConfig,
        observed: Sequence[FloatArray],
        patterns: Sequence[Pattern],
        composition: Composition | None = None,
        *,
        noise: float = 0.0,
    ) -> None:
        self.config, self.observed, self.patterns = config, observed, patterns
        self.simpler = SIMPLER + _OF_NOISE * noise
        self.n = observed[-1].sum(axis=1)
        self.belief = Belief(config, len(self.n))
        self.base: list[FloatArray | None] = [None] * len(observed)
        if composition is not None:
            self.base = composition.weights(observed, self.belief.arounds(range(len(observed))))
        self._cost = composition.cost if composition else 0.0
        self.belief.weights = list(self.base)
        self.plans = [Plan((), 0.0)] * len(observed)

    @property
    def net(self) -> float:
        """Bits that the statements save on all episodes, less the bits to write them."""
        return (
            self.belief.explained(self.observed)
            - self._cost
            - sum(x.cost for p in self.plans for x in p.layers)
        )

    def run(self) -> Search:
        """Search all places. Returns itself."""
        order = self._most_telling_first()
        for place in order:
            if self.belief.can_activate(place):
                self._put(place)
        for place in order:
            if self.plans[place].layers:
                self._put(place, [layer.pattern for layer in self.plans[place].layers])
        return self

    def _put(self, place: int, patterns: Sequence[Pattern] | None = None) -> None:
        """Set what is said of a place: by any patterns, or by these alone, now that the others are known."""
        step = _Place(self, place, self.belief.around(place), ends=patterns is not None)
        chains = self._chains(step) if patterns is None else [patterns]
        plans = [step.some(chain) for chain in chains]
        thinned = [step.thinned(step.simplest(of_chain)) for of_chain in plans]
        plan = step.simplest([*thinned, *(plan for of_chain in plans for plan in of_chain)])
        self.plans[place], self.belief.weights[place] = step.finished(plan)

    def _chains(self, step: _Place) -> list[Sequence[Pattern]]:
        """Return chains of patterns: any of them; single slots, then whole messages; one slot, then more.

        In a code of words of one symbol and of two, the last finds the first symbols that are words.
        """
        chains: list[Sequence[Pattern]] = [step.grown(self.patterns)]
        singles, longer = self._singles(), chains[0][:1]
        if len(singles) > 1:
            chains.append(step.grown(singles, then=[p for p in self.patterns if p.whole]))
        within = [p for p in singles if longer and not longer[0].whole and _within(p, longer[0])]
        if within:
            chains.append((max(within, key=lambda p: step.of(p).net), *longer))
        return chains

    def _most_telling_first(self) -> list[int]:
        """Return the places about which whole messages or symbols save anything, the most first."""
        gains = []
        for place, around in enumerate(self.belief.arounds(range(len(self.observed)))):
            step = _Place(self, place, around)
            nets = (step.of(pattern).net for pattern in self._first_looks())
            gains.append((next((net for net in nets if net > 0), 0.0), place))
        telling = [place for gain, place in sorted(gains, reverse=True) if gain > 0]
        return sorted(telling, key=lambda place: place != self.belief.edge)

    def _first_looks(self) -> list[Pattern]:
        """Return whole messages, then single slots."""
        return [p for p in self.patterns if p.whole] + self._singles()

    def _singles(self) -> list[Pattern]:
        return [p for p in self.patterns if p.slots is not None and len(p.slots) == 1 and not p.whole]


class _Place:
    """The search at one place, with what the other places say held fixed."""

    def __init__(self, search: Search, place: int, around: FloatArray, *, ends: bool = False) -> None:
        self.observed, self.n, self.around = search.observed[place], search.n, around
        config = search.config
        self.ordered = place < len(config.offsets)
        self.num_values = len(config.integers) if self.ordered else config.window_size - 1
        self._base, self._ends, self._simpler = search.base[place], ends, search.simpler
        self._known: dict[tuple[Pattern, ...], Plan] = {}
        self._hopeless: set[tuple[Pattern, int, float]] = set()  # keys of forms without a statement
        self._below: tuple[Plan, FloatArray | None, FloatArray] | None = None
        self._seen: dict[Pattern, tuple[FloatArray, FloatArray, FloatArray]] = {}
        self._filled = np.flatnonzero(self.observed)
        self._counts = self.observed.reshape(-1)[self._filled]
        self._start = self._bits(self._base)

    def grown(self, patterns: Sequence[Pattern], then: Sequence[Pattern] = ()) -> tuple[Pattern, ...]:
        """Return the patterns of which each in turn saves most, on top of those before it."""
        chain: tuple[Pattern, ...] = ()
        left = patterns
        while left and len(chain) < _MOST_LAYERS:
            net = {p: plan.net for p, plan in zip(left, self.each(chain, left), strict=True)}
            gaining = [p for p in left if net[p] > self.of(*chain).net + 1e-6]
            if not gaining:
                break
            best = max(gaining, key=net.__getitem__)
            chain, left = (*chain, best), [p for p in gaining if p is not best]
        rest = [(*chain, p) for p in then if p not in chain]
        return max([chain, *rest], key=lambda each: self.of(*each).net)

    def some(self, patterns: Sequence[Pattern]) -> list[Plan]:
        """Return the plans of some of these patterns, one on top of the other: of all choices among them."""
        numbers, plans = range(len(patterns)), [self.of()]
        for some in (chosen for size in numbers for chosen in combinations(numbers, size)):
            above = patterns[some[-1] + 1 :] if some else patterns
            plans += self.each([patterns[i] for i in some], above)
        return plans

    def simplest(self, plans: Sequence[Plan]) -> Plan:
        """Return the plan that names the fewest values, of those that save nearly as much as the best."""
        enough = (1 - self._simpler) * max(plan.net for plan in plans)
        return min((p for p in plans if p.net >= enough), key=lambda p: (p.num_values, -p.net))

    def of(self, *patterns: Pattern) -> Plan:
        """Return the plan of these patterns, one on top of the other, without those that say nothing."""
        return self.each(patterns[:-1], patterns[-1:])[0] if patterns else Plan((), 0.0)

    def each(self, chain: Sequence[Pattern], patterns: Sequence[Pattern]) -> list[Plan]:
        """Return the plans of a chain of patterns with each of these on top of it."""
        chains = [(*chain, pattern) for pattern in patterns]
        new = [pattern for pattern, known in zip(patterns, chains, strict=True) if known not in self._known]
        if new:
            plans = self.extended(self.of(*chain), new)
            self._known.update(((*chain, pattern), plan) for pattern, plan in zip(new, plans, strict=True))
        return [self._known[known] for known in chains]

    def extended(self, plan: Plan, patterns: Sequence[Pattern]) -> list[Plan]:
        """Return the plan with one more layer on top, of each of these patterns, if it says anything."""
        weights, expected = self._expected(plan)
        layers = self.layers(patterns, expected)
        return [plan if layer is None else self._on_top(plan, weights, layer) for layer in layers]

    def _expected(self, plan: Plan) -> tuple[FloatArray | None, FloatArray]:
        """Return the weights of a plan, and the counts that they lead to; those of the last plan are kept."""
        if self._below is None or self._below[0] is not plan:
            weights = self.weights(plan.layers)
            mass = self.around if weights is None else self.around * weights
            self._below = plan, weights, mass * (self.n / mass.sum(axis=1))[:, None]
        return self._below[1:]

    def weights(self, layers: Sequence[Layer]) -> FloatArray | None:
        """Return (M, C), by what layers multiply the belief of each message; None without any."""
        weights = self._base
        for layer in layers:
            weights = _times(weights, layer)
        return weights

    def finished(self, plan: Plan) -> tuple[Plan, FloatArray | None]:
        """Return the plan as it is kept, with its weights: for the edge, with what no named edge means."""
        weights = self.weights(plan.layers)
        return (plan, weights) if self.ordered else self.with_middle(plan, weights)

    def with_middle(self, plan: Plan, known: FloatArray | None) -> tuple[Plan, FloatArray | None]:
        """Return the plan with one statement more: who names no edge means the middle, in a share p.

        It is about the messages of which no layer says anything, and no entry of the dictionary.
        """
        weights = np.ones(self.observed.shape) if known is None else known
        rest = (weights == weights[:, :1]).all(axis=1)
        mass = self.around * weights
        share = (mass[:, -1] / mass.sum(axis=1))[rest]
        n = self.n[rest]
        saved, level = saving(self.observed[rest, -1].sum(), n.sum(), share @ n)
        if saved <= LEAST_BITS + LEVEL_BITS:
            return plan, known
        weights = weights.copy()
        weights[rest, :-1] *= ((1 - level) / np.maximum(1 - share, 1e-9))[:, None]
        weights[rest, -1] *= level / share
        net = self._net(plan.layers, weights) - LEVEL_BITS
        return (Plan(plan.layers, net, float(level)), weights) if net > plan.net else (plan, known)

    def thinned(self, plan: Plan) -> Plan:
        """Return the plan without statements about forms of which later layers say more, if that is simpler.

        In a code of words of one symbol and of two, the first symbol of a longer word says nothing else.
        """
        for i, layer in enumerate(plan.layers[:-1]):
            later = np.any([other.carried() for other in plan.layers[i + 1 :]], axis=0)
            having = layer.pattern.incidence[layer.forms]
            needed = having @ (self.n * later) < _SAID_LATER * (having @ self.n)
            if needed.all() or not needed.any():
                continue
            below = plan.layers[:i]
            thin = _layer(layer.pattern, layer.forms[needed], layer.statements.take(needed))
            other = self._on_top(Plan(below, 0.0), self.weights(below), thin)
            for above in plan.layers[i + 1 :]:
                [other] = self.extended(other, [above.pattern])
            if self.simplest([plan, other]) is other:
                return self.thinned(other)
        return plan

    def _on_top(self, plan: Plan, weights: FloatArray | None, layer: Layer) -> Plan:
        """Return a plan, of these weights, with one more layer."""
        layers = (*plan.layers, layer)
        return Plan(layers, self._net(layers, _times(weights, layer)))

    def _net(self, layers: tuple[Layer, ...], weights: FloatArray | None) -> float:
        return self._bits(weights) - self._start - sum(layer.cost for layer in layers)

    def _bits(self, weights: FloatArray | None) -> float:
        """Return the bits that weights save on all episodes, up to a constant of the place."""
        if weights is None:
            return float(-(self.n * np.log2(self.around.sum(axis=1))).sum())
        told = self._counts @ np.log2(weights.reshape(-1)[self._filled])
        return float(told - (self.n * np.log2((weights * self.around).sum(axis=1))).sum())

    def layers(self, patterns: Sequence[Pattern], expected: FloatArray) -> list[Layer | None]:
        """Return the statements of each pattern that are worth their bits, where these counts are expected.

        The forms of all patterns are fitted together: many small tables take longer than one.
        """
        forms = [self._surprising(pattern, expected) for pattern in patterns]
        found = self._fitted(forms)
        ends = np.cumsum([len(each.rows) for each in forms])
        parts = [found.take(slice(end - len(each.rows), end)) for each, end in zip(forms, ends, strict=True)]
        return [_worthwhile(each, part) for each, part in zip(forms, parts, strict=True)]

    def _surprising(self, pattern: Pattern, expected: FloatArray) -> _Forms:
        """Return the forms of a pattern of which a statement may be worth its bits."""
        if pattern not in self._seen:
            seen = pattern.incidence @ self.observed
            self._seen[pattern] = seen, seen.sum(axis=1), (seen * np.log2(np.maximum(seen, 1.0))).sum(axis=1)
        seen, n, own = self._seen[pattern]
        believed = pattern.incidence @ expected
        # No statement saves more than the divergence of the counts from those believed.
        most = own - (seen * np.log2(np.maximum(believed, 1e-9))).sum(axis=1)
        rows = np.flatnonzero(most > _least(n) + LEAST_COST)
        return _Forms(pattern, rows, seen[rows], believed[rows], n[rows])

    def _fitted(self, forms: Sequence[_Forms]) -> Statements:
        """Return the best statement of each form, or none where it is not worth the bits to name the form.

        A form is not fitted again where as much is believed of it as when it had none.
        """
        keys = [key for each in forms for key in each.names()]
        rows = np.array([i for i, key in enumerate(keys) if key not in self._hopeless], dtype=np.int64)
        seen, believed, n = (
            np.concatenate([getattr(each, name) for each in forms])[rows]
            for name in ("seen", "believed", "n")
        )
        least = _least(n) + FORM_BITS
        found = fit(seen, believed, self.num_values, bands=self.ordered, ends=self._ends, least=least)
        self._hopeless.update(keys[row] for row in rows[found.net < least].tolist())
        return found.spread(rows, len(keys))


@dataclass(frozen=True)
class _Forms:
    """Forms of a pattern, with their counts and those believed."""

    pattern: Pattern
    rows: Numbers  # (E,), rows of the pattern
    seen: FloatArray  # (E, C)
    believed: FloatArray  # (E, C)
    n: FloatArray  # (E,)

    def names(self) -> Iterator[tuple[Pattern, int, float]]:
        """Return what tells forms apart, and the same form when something else is believed of it.

        A sum with random weights stands for what is believed: two that differ hardly ever have the same.
        """
        weights = np.random.default_rng(0).random(self.believed.shape[1])
        return zip(repeat(self.pattern), self.rows.tolist(), (self.believed @ weights).tolist())


def _worthwhile(forms: _Forms, found: Statements) -> Layer | None:
    """Return those of the statements of forms that are worth their bits, if there are any.

    A set that several forms have is a class, which others may have, too.
    """
    kept = _worth_it(found, forms.n, len(forms.pattern))
    shared = _shared_sets(found.inside[kept])
    if len(shared):
        found = fit_classes(found, forms.seen, forms.believed, shared)
        kept = _worth_it(found, forms.n, len(forms.pattern))
    if forms.pattern.at_one_slot is not None:
        kept &= ~forms.pattern.at_one_slot[forms.rows]
    return _layer(forms.pattern, forms.rows[kept], found.take(kept)) if kept.any() else None


def _within(pattern: Pattern, other: Pattern) -> bool:
    """Tell whether the other pattern has all slots of this one, and more."""
    return pattern.slots is not None and other.slots is not None and {*pattern.slots} < {*other.slots}


def _layer(pattern: Pattern, forms: Numbers, statements: Statements) -> Layer:
    return Layer(pattern, forms, statements, subset_bits(len(pattern), len(forms)))


def _times(weights: FloatArray | None, layer: Layer) -> FloatArray:
    return layer.factors() if weights is None else weights * layer.factors()


def _least(n: FloatArray) -> FloatArray:
    """Return the bits that entries save at least, from the episodes of their forms."""
    return np.maximum(LEAST_BITS, LEAST_EFFECT * n)


def _worth_it(found: Statements, n: FloatArray, num_forms: int) -> Mask:
    """Return which statements to keep.

    The forms with an entry are a subset of all forms, which costs log2 of the number of such subsets. It is
    worked out for none, then for those that were kept.
    """
    form_bits = float(np.log2(max(num_forms, 1)) + 1)
    kept = np.zeros(len(n), dtype=bool)
    for _ in range(3):
        net = found.net - form_bits
        kept = net >= _least(n)
        form_bits = subset_bits(num_forms, int(kept.sum()))
    return np.asarray(kept)


def _shared_sets(inside: Mask) -> Mask:
    """Return the sets (S, C) of two or more categories that at least two forms have, the most frequent."""
    several = inside[inside.sum(axis=1) > 1]
    if len(several) < 2:
        return np.zeros((0, inside.shape[1]), dtype=np.bool_)
    keys = row_keys(np.packbits(several, axis=1))
    _, first, number = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(-number, kind="stable")
    common: Mask = several[first[order][number[order] > 1][:_MOST_CLASSES]]
    return common
