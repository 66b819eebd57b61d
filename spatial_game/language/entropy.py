"""The entropy of what was counted, corrected for what was not seen.

The entropy of the shares (`plug_in_entropy`) is too low: values that were not seen are missing. Of the
corrections that we tried on known distributions, that of Chao, Wang and Jost (2013, Methods in Ecology and
Evolution 4:1091-1100) is nearest to the truth. For 17,576 equally frequent values in 20,000 episodes, it is
right to 0.01 bits, where that of Chao and Shen (2003) is 0.21 too high, and the shares are 0.73 too low.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, entr

_PIECES = 40  # of an integral
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)  # of each piece


def plug_in_entropy(counts: npt.NDArray[Any]) -> float:
    """Return the entropy in bits of the shares of counts (any shape) (Shannon 1948); 0 without counts."""
    total = counts.sum()
    return float(entr(counts[counts > 0] / total).sum() / math.log(2)) + 0.0 if total else 0.0


def plug_in_information(table: npt.NDArray[Any]) -> float:
    """Return the mutual information in bits of the rows and columns of counts (R, C), by their shares."""
    of_rows, of_columns = table.sum(axis=1), table.sum(axis=0)
    return plug_in_entropy(of_rows) + plug_in_entropy(of_columns) - plug_in_entropy(table)


def entropy(counts: npt.NDArray[Any], most: float = math.inf) -> float:
    """Return an estimate in bits of the entropy that counts (any shape) were drawn from; 0 without counts.

    It is at most `most`, the largest entropy that is possible.

    The first term needs no correction. The second one is for values that were not seen, by how many were seen
    once and twice (Chao, Wang and Jost 2013, equation 7). It is too small on average if most were not seen:
    then the estimate is a lower bound (see `coverage`).
    """
    seen = counts[counts > 0].astype(np.float64)
    size = float(seen.sum())
    if len(seen) < 2:
        return 0.0
    known = float((seen / size) @ (digamma(size) - digamma(seen)))
    unseen = _unseen(size, int(np.sum(seen == 1)), int(np.sum(seen == 2)))
    return min((known + unseen) / math.log(2), most)


def coverage(counts: npt.NDArray[Any]) -> float:
    """Return the chance that the next episode has a value that was counted (Good 1953); 0 without counts."""
    total = float(counts.sum())
    return 1 - float(np.sum(counts == 1)) / total if total else 0.0


def highest_entropy(counts: npt.NDArray[Any], most: float) -> float:
    """Return the entropy in bits if all that was not seen is spread evenly over what is possible (`most`)."""
    unseen = 1 - coverage(counts)
    of_seen = (1 - unseen) * entropy(counts)
    return min(of_seen + plug_in_entropy(np.array([unseen, 1 - unseen])) + unseen * most, most)


def _unseen(size: float, once: int, twice: int) -> float:
    """Return what values that were not seen add to an entropy, in nats.

    This is once/n times the sum of x**j / (n - 1 + j) over j = 1, 2, ..., as an integral. 1 - x is the
    estimated mean probability of a value that was seen once.
    """
    if not once:
        return 0.0
    seen_once = 2 * twice / ((size - 1) * once + 2 * twice) if twice else 2 / ((size - 1) * (once - 1) + 2)
    if seen_once == 1:
        return 0.0
    log_x = math.log1p(-seen_once)
    # In pieces of about equal ratio, on which the integrand is smooth; `scipy.integrate` loads slowly.
    ends = np.append(0.0, np.geomspace(min(size * seen_once, 1.0), 50.0, _PIECES))
    half = np.diff(ends)[:, None] / 2
    v = ends[:-1, None] + half * (1 + _NODES)
    inside = np.exp(log_x - v) / -np.expm1(log_x - v / size)
    return once / size**2 * float((half * _WEIGHTS * inside).sum())
