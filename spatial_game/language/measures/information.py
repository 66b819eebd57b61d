"""Entropy of messages and symbols (Shannon 1948)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.language.measures.measure import Kind, Measure
from spatial_game.language.measures.resampling import entropies, ratio
from spatial_game.language.measures.spoken import Kinds, message_space

SHANNON = "Shannon 1948"
MILLER = "Miller 1955 (Miller-Madow)"
NO_MESSAGES = "there are no messages"
NO_SYMBOLS = "there are no symbols"

ENTROPY = Kind("bits", SHANNON, NO_MESSAGES)
CORRECTED = Kind("bits", MILLER, NO_MESSAGES)
OF_SYMBOLS = Kind("bits", SHANNON, NO_SYMBOLS)
SHARE = Kind("share", SHANNON, "the vocabulary has fewer than two symbols, or none occurs", high=1.0)


def entropy_bias(num_codes: int, size: int) -> float:
    """Return the average bias of a plug-in entropy, in bits, to first order (Miller 1955)."""
    return (num_codes - 1) / (2 * size * np.log(2)) if size else 0.0


def entropy_measures(kinds: Kinds, shuffled: Sequence[Kinds]) -> list[Measure]:
    """Return the entropy of whole messages and of symbols, in bits.

    Shuffled: the symbols of each slot are permuted among the messages. The entropy of symbols stays the same;
    that of whole messages shows how much their symbols depend on each other.
    """
    whole, chance = entropies(kinds.counts), [entropies(copy.counts) for copy in shuffled]
    corrected = [value + _bias(copy) for value, copy in zip(chance, shuffled, strict=True)]
    symbols = entropies(kinds.symbol_counts)
    of_a_symbol = np.log2(max(kinds.num_symbols, 1))
    of_a_message = np.log2(message_space(kinds))
    share = ratio(symbols, of_a_symbol)
    return [
        ENTROPY.report("message entropy", whole, chance, of_a_message),
        CORRECTED.report("message entropy, corrected", whole + _bias(kinds), corrected, of_a_message),
        OF_SYMBOLS.report("symbol entropy", symbols, [symbols], of_a_symbol),
        SHARE.report("symbol entropy / log2(vocabulary)", share, [share]),
    ]


def _bias(kinds: Kinds) -> float:
    return entropy_bias(len(kinds.types), int(kinds.sizes[0]))
