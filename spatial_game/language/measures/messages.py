"""How many messages and symbols are used, and their entropy."""

from __future__ import annotations

import math

import numpy as np

from spatial_game.language.counting.rows import Numbers
from spatial_game.language.entropy import entropy, highest_entropy
from spatial_game.language.measures.measure import Estimate, Estimates
from spatial_game.language.measures.sample import Sample


def different_messages(sample: Sample) -> Estimates:
    """Return how many messages are used, and how many make up 90% of the episodes."""
    counts, config = np.bincount(sample.number), sample.config
    most = min(len(sample), config.vocab_size**config.message_length)
    return {
        "different messages": Estimate(int(np.count_nonzero(counts)), most),
        "messages that make up 90%": Estimate(num_covering(counts), most),
    }


def message_entropy(sample: Sample) -> Estimates:
    """Return the entropy of messages. By chance: their symbols do not depend on each other."""
    return {"message entropy": entropy_estimate(np.bincount(sample.number), sample.config.message_bits)}


def different_symbols(sample: Sample) -> Estimates:
    """Return how many symbols are used."""
    return {"different symbols": Estimate(len(np.unique(sample.message)), sample.config.vocab_size)}


def symbol_entropy(sample: Sample) -> Estimates:
    """Return the entropy of the symbols of all slots, and of those of each slot."""
    most = math.log2(sample.config.vocab_size)
    slots = [np.bincount(slot, minlength=sample.config.vocab_size) for slot in sample.message.T]
    of_slots = {
        f"entropy of slot {i}": entropy_estimate(counts, most) for i, counts in enumerate(slots, start=1)
    }
    return {"symbol entropy": entropy_estimate(np.sum(slots, axis=0), most), **of_slots}


def entropy_estimate(counts: Numbers, most: float) -> Estimate:
    """Return the entropy of counts (K,), at most this number of bits.

    It is highest if the values that were not seen are all those that are possible, and equally frequent.
    """
    return Estimate(entropy(counts), most, high=highest_entropy(counts, most))


def num_covering(counts: Numbers) -> int:
    """Return the number of most frequent values that make up 90% of all, for counts (K,)."""
    return int(np.count_nonzero(np.cumsum(np.sort(counts)[::-1]) < 0.9 * counts.sum())) + 1
