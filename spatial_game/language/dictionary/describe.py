"""From counts to a description: misspellings, composed messages, and the statements about each place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import num_integer_columns, places_at_offsets
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import carriers
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.belief import (
    Belief,
    edge_columns,
    offset_categories,
)
from spatial_game.language.dictionary.compositions import Composition, compositions
from spatial_game.language.dictionary.noise import spelling
from spatial_game.language.dictionary.patterns import patterns
from spatial_game.language.dictionary.search import Search
from spatial_game.language.dictionary.statements import Statement, statements

LEAST_COMPOSED = 0.05
"""Words and offsets are looked at further where they alone save so much of what other entries save."""
NEARLY_BEST, NEARLY_BEST_NARROWER = 0.95, 0.8
"""And nearly as much as the best of them. Where words may stand for fewer integers, there are fewer of them,
and other entries make up for more."""
_CELLS = 1 << 21  # of a table of messages by what stands at one place: 16 MiB


@dataclass(frozen=True)
class Description:
    """What a language says, as statements about places, and the belief that they lead to."""

    counts: Counts
    messages: IntArray  # (R, T), the distinct messages that are no misspellings
    search: Search
    composition: Composition | None

    @property
    def cost(self) -> float:
        """Bits to write it down."""
        layers = sum(layer.cost for plan in self.search.plans for layer in plan.layers)
        return layers + (self.composition.cost if self.composition else 0.0)

    @cached_property
    def statements(self) -> list[Statement]:
        """What it states, place by place; composed messages are not among it."""
        return statements(self.search.plans, self.messages, self.search.n)

    @cached_property
    def belief(self) -> Belief:
        """What a reader believes who knows the listed entries alone, for every message of `tabled`."""
        known = tabled(self.counts)
        config, messages = known.config, known.messages
        belief = Belief(config, len(messages))
        if self.composition is not None:
            around = belief.arounds(range(len(belief.weights)))
            composed = self.composition.of(config, messages)
            belief.weights = composed.weights(places(config, known.building().table), around)
        for place in sorted({statement.place for statement in self.statements}):
            those = [statement for statement in self.statements if statement.place == place]
            having = carriers([each.form for each in those], messages)
            weights = np.exp2(having.T @ np.log2(np.array([each.factor for each in those])))
            before = belief.weights[place]
            belief.weights[place] = weights if before is None else before * weights
        self._apply_middle(belief)
        return belief

    def _apply_middle(self, belief: Belief) -> None:
        level, weights = self.search.plans[belief.edge].middle, belief.weights[belief.edge]
        if level is None:
            return
        if weights is None:
            weights = np.ones((belief.num_messages, belief.categories(belief.edge)))
        rest = (weights == weights[:, :1]).all(axis=1)
        share = belief.prior[-1]
        weights[rest, :-1] *= (1 - level) / max(1 - share, 1e-9)
        weights[rest, -1] *= level / share
        belief.weights[belief.edge] = weights


def describe(counts: Counts, *, parts: bool = True) -> Description:
    """Return the shortest description found of what the messages of these counts say of the windows.

    Without `parts`, entries are about whole messages alone.
    """
    config, known = counts.config, tabled(counts)
    messages, observed = known.messages, places(config, known.building().table)
    n = observed[-1].sum(axis=1)
    spelt = spelling(messages, n, config.vocab_size)
    kept = np.flatnonzero(~spelt.wrong & (n > 0))
    observed, messages = [table[kept] for table in observed], messages[kept]
    forms = [p for p in patterns(messages, n[kept]) if parts or p.whole]
    search = partial(Search, config, observed, forms, noise=spelt.moved)
    best, composition = search().run(), None
    candidates = compositions(counts.building(), messages) if parts else []
    begun = [search(candidate).net for candidate in candidates]  # not kept: the tables are large
    for candidate in _promising(candidates, begun, LEAST_COMPOSED * best.net):
        found = search(candidate).run()
        if found.net > best.net:
            best, composition = found, candidate
    return Description(counts, messages, best, composition)


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

    Of the rest, which are rare, nothing is said.
    """
    return counts.most_frequent(max(1, _CELLS // (len(counts.config.integers) + 1)))


def places(config: GameConfig, table: sp.csr_array) -> list[FloatArray]:
    """Return (M, C) for each place: the episodes of each message by what stands there."""
    by_column = table.tocsc()
    edges = by_column[:, num_integer_columns(config) :].toarray().astype(np.float64)
    n, num_integers = edges.sum(axis=1), len(config.integers)
    found, shown = [], places_at_offsets(config) >= 0
    for place in range(len(config.offsets)):
        seen = by_column[:, place * num_integers : (place + 1) * num_integers].toarray().astype(np.float64)
        absent = edges[:, ~shown[:, place]].sum(axis=1)
        others = [absent, n - absent - seen.sum(axis=1)][: offset_categories(config) - num_integers]
        found.append(np.column_stack([seen, *others]))
    return [*found, np.ascontiguousarray(edges[:, edge_columns(config)])]
