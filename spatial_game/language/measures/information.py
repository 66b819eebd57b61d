"""The information of messages about windows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.entropy import entropy, plug_in_entropy
from spatial_game.language.measures.measure import Estimate, Estimates
from spatial_game.language.measures.sample import Sample

STRENGTHS = np.array([[1], [4], [16], [64], [256], [1024]])
"""Episodes that the prior of a prediction counts for."""


def information(sample: Sample) -> Estimates:
    """Return the mutual information of messages with the edge, and with the integer at each offset.

    The latter is conditional on whether the sender sees that cell: an episode in which it does not counts 0.
    In noisy languages, this may be too high, as rare pairs of message and integer are missing from the
    sample. So the lower end of the interval comes from `predicted`.
    """
    config = sample.config
    factors = {"edge": (sample.edge, config.window_size)}
    factors |= {f"integer at {name}": (shown, config.num_integers) for name, shown in sample.by_offset}
    return {
        f"mutual information, {name}": information_estimate(
            sample.number, values, min(math.log2(possible), config.message_bits)
        )
        for name, (values, possible) in factors.items()
    }


def information_estimate(codes: Numbers, values: Numbers, most: float = math.inf) -> Estimate:
    """Return the mutual information of codes (B,) and values (B,); values below 0 are not shown.

    It is at most the entropy of either, and at most this number of bits.
    """
    counts = JointCounts.of(codes, values)
    most = min(entropy(counts.of_value), entropy(counts.of_code), most)
    return Estimate(counts.information, counts.share * most, low=counts.predicted)


@dataclass(frozen=True, eq=False)
class JointCounts:
    """How often codes and values occur, alone and together, in the episodes that show a value."""

    share: float
    """The share of the episodes that show a value."""
    of_code: Numbers  # (M,)
    of_value: Numbers  # (K,)
    pairs: Numbers
    """(C,), each code with each value that occurs with it, as a number: code * K + value."""
    counts: Numbers  # (C,), how often each pair occurs

    @classmethod
    def of(cls, codes: IntArray, values: IntArray) -> JointCounts:
        """Count codes (B,) and values (B,), both numbered from 0; a value below 0 is not shown."""
        shown = values >= 0
        code, value = codes[shown].astype(np.int64), values[shown].astype(np.int64)
        of_code, of_value = np.bincount(code), np.bincount(value)
        pairs = code * max(len(of_value), 1) + value
        if len(of_code) * len(of_value) <= 8 * len(code):
            counts = np.bincount(pairs)
            pairs = np.flatnonzero(counts)
            counts = counts[pairs]
        else:
            pairs, counts = np.unique(pairs, return_counts=True)
        return cls(float(np.mean(shown)), of_code, of_value, pairs, counts)

    @property
    def information(self) -> float:
        """The mutual information in bits, times the share of the episodes that show a value."""
        return self.share * (entropy(self.of_code) + entropy(self.of_value) - entropy(self.counts))

    @property
    def predicted(self) -> float:
        """The bits by which codes predict the value of an episode that is left out, times the same share.

        On average, no prediction gains more than the mutual information (Barber and Agakov 2003). This one
        takes the values that came with the code, smoothed towards all values by the best of `STRENGTHS`.
        """
        size = int(self.counts.sum())
        if size < 2:
            return 0.0
        code, value = np.divmod(self.pairs, len(self.of_value))
        num_values = np.count_nonzero(self.of_value)
        prior = (self.of_value[value] - 0.5) / (size - 1 + num_values / 2)
        chance = (self.counts - 1 + STRENGTHS * prior) / (self.of_code[code] - 1 + STRENGTHS)
        gained = (np.log2(chance) @ self.counts).max() / size
        return self.share * max(float(gained) + plug_in_entropy(self.of_value), 0.0)
