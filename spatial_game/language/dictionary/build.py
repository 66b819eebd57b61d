"""From counts to a dictionary: the rules that shorten the description of the windows most, as entries.

    dictionary_of   the rules of each form become an entry (`senses`); all are counted in bits (`account`)
    describe        misspellings are set aside (`noise`), then the search finds the shortest description

The search runs without words for integers beside words for offsets, then with those that are found at slots
and at any slot (`compositions`), if they alone save enough. The shortest description counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import OPEN, Form, carrier_mask
from spatial_game.language.counting.places import counts_by_place, places_of
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.account import account
from spatial_game.language.dictionary.code import LEVEL_BITS
from spatial_game.language.dictionary.compositions import Composition, compositions
from spatial_game.language.dictionary.noise import spelling
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.search import Layer, Search
from spatial_game.language.dictionary.senses import entries_of, entry_of
from spatial_game.language.lexicon.analyses import ByDescription
from spatial_game.language.lexicon.entries import Entry, Rule, by_role
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.meaning import KINDS, Meaning

LEAST_COMPOSED = 0.4
"""Words and offsets are looked at further where they alone save this share of what other rules save. This
only saves time: without it, known languages and pairs came out the same."""
DOMINATES = 0.75
"""A symbol in this share of a form's episodes belongs to the form: the others are misspellings, and its rules
are not about them. Without this, dictionaries explain as much, but the messages that speakers compose of
their forms are understood less often: by up to 5 points for `local-60`."""


def dictionary_of(counts: Counts) -> Lexicon:
    """Return the dictionary of a language: the entries that shorten its description most.

    Raises `ValueError` if episodes are needed again (for senses of several parts) that the counts do not
    know.
    """
    description = describe(counts)
    entries = _entries_of(description)
    defaults = tuple(rule for rule in description.rules if rule.form is None)
    bits = account(counts, [*defaults, *(rule for entry in entries for rule in entry.rules)])
    settings = f"description {bits.kilobits:.1f} kbit"
    return Lexicon.of_counts(
        counts, ByDescription(bits, defaults), entries, _coverage(entries, counts), settings
    )


def _entries_of(description: Description) -> list[Entry]:
    """Return the entries of a description, in a stable order."""
    parts = description.composition.parts if description.composition is not None else ()
    composed = [
        entry_of((part.rule,), part.joint, part.total, part.chance, part.rule.strength) for part in parts
    ]
    return sorted([*entries_of(description.rules, description.counts), *composed], key=_order)


def _order(entry: Entry) -> tuple[Any, ...]:
    """By kind, then by meaning, then by form."""
    symbols = tuple(OPEN if s is None else s for s in entry.form.symbols)
    return (
        KINDS.index(entry.kind),
        [[(str(meaning.place), meaning.values) for meaning in meanings] for meanings in entry.meanings],
        len(symbols),
        entry.form.slot or 0,
        symbols,
    )


def _coverage(entries: Sequence[Entry], counts: Counts) -> float:
    """Return the share of the episodes whose message says by these entries where the target is."""
    roles = by_role(entry for entry in entries if entry.listed)
    place, word, offset = (
        carrier_mask([entry.form for entry in of_role], counts.messages) for of_role in roles
    )
    return counts.episode_share(place | (word & offset))


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
        rules: list[Rule] = []
        for place, stack in enumerate(self.search.stacks):
            for layer in stack.layers:
                rules += self._rules_of(layer, place)
            if stack.middle is not None:
                edge_share = self.search.places.edge_share
                middle = Meaning.of(self.counts.config, place, [len(edge_share) - 1])
                rules.append(Rule(None, middle, stack.middle, float(edge_share[-1]), cost=LEVEL_BITS))
        if self.composition is not None:
            rules += [part.rule for part in self.composition.parts]
        return rules

    def _rules_of(self, layer: Layer, place: int) -> Iterator[Rule]:
        """Yield the rules of a layer about a place."""
        rules = layer.rules
        for i, form in enumerate(_forms(layer, self.messages, self.search.n)):
            yield Rule(
                form,
                Meaning.of(self.counts.config, place, np.flatnonzero(rules.inside[i]).tolist()),
                float(rules.level[i]),
                float(rules.expected[i]),
                float(rules.rest[i]) if (rules.weights[i] != 1).any() else None,
                float(rules.saved[i]),
                float(rules.cost[i] + layer.form_bits),
            )


def describe(counts: Counts, *, parts: bool = True) -> Description:
    """Return the shortest description found of what the messages of these counts say of the windows.

    Without `parts`, rules are about whole messages alone.
    """
    config, frequent = counts.config, counts.frequent
    messages, observed = frequent.messages, counts_by_place(config, frequent.building)
    n = observed[-1].sum(axis=1)
    spelt = spelling(messages, n, config.vocab_size)
    kept = np.flatnonzero(~spelt.wrong & (n > 0))
    observed, messages = [table[kept] for table in observed], messages[kept]
    forms = [p for p in patterns(messages) if parts or p.whole]

    def search(composition: Composition | None = None) -> Search:
        return Search(places_of(config), observed, forms, composition, noise=spelt.moved)

    best = search().run()
    if parts:
        least = LEAST_COMPOSED * best.net
        for composition in compositions(config, messages, observed, forms):
            composed = search(composition)
            if composed.net > least:
                best = max(best, composed.run(), key=lambda run: run.net)
    return Description(counts, messages, best)


def _forms(layer: Layer, messages: IntArray, n: FloatArray) -> list[Form]:
    """Return the forms of a layer, each with the symbols that belong to it in other slots.

    An n-gram at any slot stays what it is, unless all of its messages are one message, misspellings apart.
    """
    pattern, forms = layer.pattern, []
    symbols = _symbols_that_belong(pattern.incidence[layer.forms], messages, n)
    for row, by_slot in zip(layer.forms.tolist(), symbols.tolist(), strict=True):
        if pattern.slots is None and OPEN in by_slot:
            forms.append(pattern.form_of(row))
        else:
            forms.append(Form.at({slot: symbol for slot, symbol in enumerate(by_slot) if symbol != OPEN}))
    return forms


def _symbols_that_belong(having: sp.csr_array[Any], messages: IntArray, n: FloatArray) -> Numbers:
    """Return (E, T), the symbol of each slot that nearly all episodes of a form have there; `OPEN` for none.

    `having` (E, M): the messages of each form. The form's own symbols are among those that belong to it.
    """
    cells = having.tocoo()
    found = np.full((having.shape[0], messages.shape[1]), OPEN, dtype=np.int64)
    for slot, symbols in enumerate(messages.T):
        by_symbol = np.zeros((having.shape[0], int(symbols.max()) + 1))
        np.add.at(by_symbol, (cells.row, symbols[cells.col]), n[cells.col])
        belongs = by_symbol.max(axis=1) >= DOMINATES * by_symbol.sum(axis=1)
        found[belongs, slot] = by_symbol.argmax(axis=1)[belongs]
    return found
