"""What a rule saves, one number at a time, for slow twins."""

import math

from spatial_game.language.dictionary.code import LEVELS
from spatial_game.language.lexicon.entries import NEAR


def slow_saving(inside, n, expected):
    """The level is that of half an episode more on either side."""
    chance = expected / n
    level = max(LEVELS, key=lambda p: (inside + 0.5) * math.log2(p) + (n - inside + 0.5) * math.log2(1 - p))
    if level <= chance:
        return -math.inf
    return inside * math.log2(level / chance) + (n - inside) * math.log2((1 - level) / (1 - chance))


def slow_band(seen, believed, first, last):
    """Return what a band of values saves whose misses are near: one number at a time."""
    size = len(seen) - 1
    weights = [1.0] * (size + 1)
    for end, step in ((first, -1), (last, 1)):
        for distance, weight in enumerate(NEAR, 1):
            if 0 <= end + step * distance < size:
                weights[end + step * distance] = weight
    outside = [k for k in range(size + 1) if not first <= k <= last]
    saved = slow_saving(seen[first : last + 1].sum(), seen.sum(), believed[first : last + 1].sum())
    even, weighted = sum(believed[k] for k in outside), sum(believed[k] * weights[k] for k in outside)
    return saved + sum(seen[k] * math.log2(weights[k] * even / weighted) for k in outside if seen[k])
