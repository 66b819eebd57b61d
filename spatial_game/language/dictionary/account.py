"""The count in bits: what messages carry, what the rules explain, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import Offset
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.places import counts_by_place, num_integer_columns
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.code import most_saved
from spatial_game.language.lexicon.analyses import Account, names_of_places
from spatial_game.language.lexicon.belief import Belief, bits_of_weights
from spatial_game.language.lexicon.entries import Rule
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.language.measures import plug_in_entropy

_MOST_UNSAID = 5  # remainders that are shown
_LEAST_SEEN = 0.005  # the share of an integer that is shown; a smaller one would read 0%


def account(counts: Counts, rules: Sequence[Rule]) -> Account:
    """Return the account in bits of these rules, measured on these counts."""
    config, shown = counts.config, counts.frequent
    belief = RuleTable(rules, config).belief(shown.messages)
    everything = counts_by_place(config, shown.table)
    held = None if shown.held_out is None else counts_by_place(config, shown.held_out)
    num_held = 0 if counts.held_out is None else int(counts.held_out[:, num_integer_columns(config) :].sum())
    total, names = max(counts.total, 1), names_of_places(config)
    return Account(
        plug_in_entropy(counts.message_totals),
        _half_entropy(counts.message_totals),
        belief.explained(everything) / total,
        belief.explained(held) / num_held if held is not None and num_held else None,
        sum(rule.cost for rule in rules) / 1000,
        {name: bits / total for name, bits in zip(names, by_place(belief, everything), strict=True)},
    )


def _half_entropy(counts: npt.NDArray[Any]) -> float:
    """Return the entropy of half of the episodes, every second one of each message."""
    return plug_in_entropy(np.floor(counts / 2) + (np.arange(len(counts)) % 2) * (counts % 2))


@dataclass(frozen=True)
class Remainder:
    """What a message tells of a place beyond what the dictionary says."""

    message: tuple[int, ...]
    place: Offset
    bits: float
    """On all episodes together."""
    seen: tuple[tuple[int, float], ...]
    """The integers that are most in excess of what the dictionary leads to expect, with their shares."""


def remainders(rules: Sequence[Rule], counts: Counts) -> list[Remainder]:
    """Return the messages and offsets of which the rules leave most unsaid about integers."""
    counts = counts.frequent
    belief = RuleTable(rules, counts.config).belief(counts.messages)
    tables, unsaid = counts_by_place(counts.config, counts.table)[:-1], []
    for rows, arounds in belief.arounds_by_rows(range(len(tables))):
        for place, around in enumerate(arounds):
            weights, table = belief.weights[place], tables[place][rows]
            mass = around if weights is None else around * weights[rows]
            n = table.sum(axis=1, keepdims=True)
            expected = mass * n / mass.sum(axis=1, keepdims=True)
            # Less what as many free shares would seem to save by chance.
            bits = most_saved(table, expected) - ((table > 0).sum(axis=1) - 1) / (2 * np.log(2))
            for row in np.argsort(-bits, kind="stable")[:_MOST_UNSAID].tolist():
                excess = table[row] - expected[row]
                most_seen = np.argsort(-excess, kind="stable")[:6].tolist()
                top = [k for k in most_seen if k < counts.config.num_integers and excess[k] > 0]
                shares = [(k, float(table[row, k] / n[row, 0])) for k in top]
                seen = tuple((k, share) for k, share in shares if share >= _LEAST_SEEN)
                message = tuple(counts.messages[rows][row].tolist())
                if seen:
                    unsaid.append(Remainder(message, counts.config.offsets[place], float(bits[row]), seen))
    return sorted(unsaid, key=lambda remainder: -remainder.bits)[:_MOST_UNSAID]


def by_place(belief: Belief, observed: list[FloatArray]) -> list[float]:
    """Return, for each place, how much less would be explained if nothing were said of it."""
    n, lost = observed[-1].sum(axis=1), [0.0] * len(observed)
    spoken = {place: weights for place, weights in enumerate(belief.weights) if weights is not None}
    for rows, arounds in belief.arounds_by_rows([*spoken]):
        for (place, every), around in zip(spoken.items(), arounds, strict=True):
            table, weights = observed[place][rows], every[rows]
            at_place = bits_of_weights(table, weights)
            # The mass of the windows of a message, with what is said of the place and without it.
            less = np.log2((around * weights).sum(axis=1) / around.sum(axis=1))
            lost[place] += at_place - float(n[rows] @ less)
    return lost
