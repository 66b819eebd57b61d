"""Whether the messages of a language name integers, or magnitudes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.language.counting.columns import middle_column, near_offsets
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.measures.message_profile import (
    FEW,
    LEAST_BITS,
    MOST,
    NARROW,
    TOGETHER,
    fewest,
    integer_shares,
    shortest_range,
)
from spatial_game.language.players.message_model import (
    MessageModel,
    integers_at,
    told_bits,
)


@dataclass(frozen=True)
class Naming:
    """How messages speak of integers: by name or by magnitude. Shares of the episodes of the middle.

    One offset of each message counts: the one of which it says most, or second most. What counts there are
    the integers that stand at it in 80% of the episodes of the message's first sense.
    """

    one: float
    """One integer: a name."""
    neighbours: float
    """Several that lie together: a magnitude, such as *40 to 44*."""
    scattered: float
    """Several that lie apart: a name that several integers share."""
    nothing: float
    """Too little is said, or of too many integers, to put into words."""
    bits: float
    """How many bits a message tells about that offset, on average (`message_model.told_bits`)."""
    bits_of_half: float
    """The same from a random half of the episodes. A large difference means that there are too few."""

    @property
    def magnitudes(self) -> float:
        """Of the episodes whose message names several integers, the share in which they lie together."""
        several = self.neighbours + self.scattered
        return self.neighbours / several if several else 0.0

    def to_dict(self) -> dict[str, float]:
        """Return everything, for JSON."""
        return {**vars(self), "magnitudes": self.magnitudes}


def naming(model: MessageModel, rank: int = 0) -> Naming:
    """Return how the messages of a model speak of integers.

    `rank`: 0 for the offset of which each message says most, 1 for the next, and so on up to W-2. Raises
    `ValueError` for another rank.
    """
    last = model.config.window_size - 2
    if not 0 <= rank <= last:
        raise ValueError(f"rank must be in 0..{last}; got {rank}")
    weight = model.counts.mask_columns[:, middle_column(model.config)].astype(np.float64)
    found = dict.fromkeys(("one", "neighbours", "scattered", "nothing", "bits", "bits_of_half"), 0.0)
    near = near_offsets(model.config)
    bits, half = model.bits[:, 0, near], _bits_of_half(model)[:, near]
    for row in np.flatnonzero(weight).tolist():
        shares = integer_shares(model, row)[near]
        smoothed = told_bits(shares)
        at = int(np.argsort(-smoothed, kind="stable")[rank])
        found[_how_named(shares[at]) if smoothed[at] >= LEAST_BITS else "nothing"] += float(weight[row])
        found["bits"] += float(weight[row] * bits[row, at])
        found["bits_of_half"] += float(weight[row] * half[row, at])
    total = max(float(weight.sum()), 1.0)
    return Naming(**{name: value / total for name, value in found.items()})


def _bits_of_half(model: MessageModel) -> FloatArray:
    """Return (M, O) what messages tell, counted in a random half of the episodes, always the same."""
    counts = model.counts.table.astype(np.int64)
    kept = counts.copy()
    kept.data = np.random.default_rng(0).binomial(counts.data, 0.5)
    return told_bits(integers_at(kept.toarray().astype(np.float64), model.config))


def _how_named(share: FloatArray) -> str:
    """Compare the fewest integers with the shortest range that hold most of the episodes."""
    needed = len(fewest(share))
    if needed == 1:
        return "one"
    first, last = shortest_range(share, MOST)
    if needed > FEW and last - first + 1 > NARROW * len(share):
        return "nothing"
    return "neighbours" if last - first + 1 <= TOGETHER * needed else "scattered"
