"""From counts to rules: misspellings are left out, then the search finds the shortest description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.code import LEVEL_BITS
from spatial_game.language.dictionary.compositions import Composition, compositions
from spatial_game.language.dictionary.noise import spelling
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.places import counts_by_place, places_of
from spatial_game.language.dictionary.rules import Rule
from spatial_game.language.dictionary.search import Layer, Search

LEAST_COMPOSED = 0.05
"""Words and offsets are looked at further where they alone save this share of what other rules save."""
NEARLY_BEST, NEARLY_BEST_NARROWER = 0.95, 0.8
"""And nearly as much as the best of them. Where words may stand for fewer integers, there are fewer of them,
and other rules make up for more."""
DOMINATES = 0.75
"""A symbol in this share of a form's episodes belongs to the form: the others are misspellings."""
_CELLS = 1 << 21  # of a table of messages by what stands at one place: 16 MiB


@dataclass(frozen=True)
class Description:
    """What a language says, as rules, with what was looked at to find them."""

    counts: Counts
    messages: IntArray  # (R, T), the distinct messages that are no misspellings
    search: Search

    @property
    def composition(self) -> Composition | None:
        """Words for integers with words for offsets, if the language has them."""
        return self.search.composition

    @cached_property
    def rules(self) -> list[Rule]:
        """All rules: about each place, about the middle, and of words and offsets."""
        found: list[Rule] = []
        for place, stack in enumerate(self.search.stacks):
            for layer in stack.layers:
                found += _rules_of(layer, place, self.messages, self.search.n)
            if stack.middle is not None:
                edges = self.search.places.edges
                share = float(self.search.places.edge_share[-1])
                found.append(Rule(None, place, (len(edges) - 1,), stack.middle, share, cost=LEVEL_BITS))
        if self.composition is not None:
            found += self.composition.rules(self.search.observed, self.search.places)
        return found


def describe(counts: Counts, *, parts: bool = True) -> Description:
    """Return the shortest description found of what the messages of these counts say of the windows.

    Without `parts`, rules are about whole messages alone.
    """
    config, known = counts.config, tabled(counts)
    messages, observed = known.messages, counts_by_place(config, known.building().table)
    n = observed[-1].sum(axis=1)
    spelt = spelling(messages, n, config.vocab_size)
    kept = np.flatnonzero(~spelt.wrong & (n > 0))
    observed, messages = [table[kept] for table in observed], messages[kept]
    forms = [p for p in patterns(messages, n[kept]) if parts or p.whole]
    search = partial(Search, places_of(config), observed, forms, noise=spelt.moved)
    best = search().run()
    candidates = compositions(counts.building(), messages) if parts else []
    begun = [search(candidate).net for candidate in candidates]  # not kept: the tables are large
    for candidate in _promising(candidates, begun, LEAST_COMPOSED * best.net):
        best = max(best, search(candidate).run(), key=lambda each: each.net)
    return Description(counts, messages, best)


def _promising(
    candidates: Sequence[Composition], begun: Sequence[float], least: float
) -> Iterator[Composition]:
    """Yield the compositions that may lead to the shortest description, by what each saves alone."""
    best = max(range(len(begun)), key=begun.__getitem__, default=0)
    for candidate, net in zip(candidates, begun, strict=True):
        narrower = candidate.most_integers < candidates[best].most_integers
        share = NEARLY_BEST_NARROWER if narrower else NEARLY_BEST
        if net > max(least, share * begun[best]):
            yield candidate


def tabled(counts: Counts) -> Counts:
    """Return the counts of as many messages as dense tables have room for: the most frequent ones.

    Nothing is said of the other messages, which are rare.
    """
    return counts.most_frequent(max(1, _CELLS // (len(counts.config.integers) + 1)))


def _rules_of(layer: Layer, place: int, messages: IntArray, n: FloatArray) -> Iterator[Rule]:
    """Yield the rules of a layer, found in messages (R, T) with n (R,) episodes."""
    rules = layer.rules
    for i, form in enumerate(_forms(layer, messages, n)):
        yield Rule(
            form,
            place,
            tuple(np.flatnonzero(rules.inside[i]).tolist()),
            float(rules.level[i]),
            float(rules.expected[i]),
            float(rules.rest[i]) if (rules.weights[i] != 1).any() else None,
            float(rules.saved[i]),
            float(rules.cost[i] + layer.form_bits),
        )


def _forms(layer: Layer, messages: IntArray, n: FloatArray) -> list[Form]:
    """Return the forms of a layer. One that a single message has, noise apart, is that message."""
    pattern, rows = layer.pattern, layer.forms
    incidence = pattern.incidence[rows]
    length = messages.shape[1]
    symbols = np.full((len(rows), length), -1, dtype=np.int64)
    if pattern.slots is not None:
        symbols[:, list(pattern.slots)] = pattern.symbols[rows]
    open_slots = [slot for slot in range(length) if pattern.slots is None or slot not in pattern.slots]
    whole = np.ones(len(rows), dtype=bool)
    for slot in open_slots:
        number = int(messages[:, slot].max()) + 1
        by_symbol = np.zeros((len(rows), number))
        entries = incidence.tocoo()
        np.add.at(by_symbol, (entries.row, messages[entries.col, slot]), n[entries.col])
        top = by_symbol.argmax(axis=1)
        clear = by_symbol.max(axis=1) >= DOMINATES * by_symbol.sum(axis=1)
        symbols[:, slot] = np.where(clear, top, -1)
        whole &= clear
    found = []
    for i, row in enumerate(rows.tolist()):
        if pattern.slots is None and not whole[i]:
            found.append(Form(tuple(pattern.symbols[row].tolist()), None))
            continue
        given = np.flatnonzero(symbols[i] >= 0)
        kept = symbols[i, given[0] : given[-1] + 1].tolist()
        found.append(Form(tuple(None if s < 0 else s for s in kept), int(given[0])))
    return found
