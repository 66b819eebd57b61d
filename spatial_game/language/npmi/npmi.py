"""Normalised pointwise mutual information (NPMI), its intervals, and its upper bounds in this game."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.places import num_shown, places_of
from spatial_game.language.counting.rows import FloatArray


def npmi(
    joint: npt.ArrayLike, form: npt.ArrayLike, referent: npt.ArrayLike, total: npt.ArrayLike
) -> FloatArray:
    """Return the NPMI of two events from counts of episodes (Bouma 2009), in [-1, 1]; arguments broadcast.

    `joint`: episodes with both events; `form`, `referent`: with each of them; `total`: all. Never together
    is -1, independent 0, always together 1. By definition a joint of 0 gives -1; otherwise an event that
    occurs in every episode, and so tells nothing, gives 0.
    """
    total = np.asarray(total, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        probabilities = [np.asarray(count, dtype=np.float64) / total for count in (joint, form, referent)]
    return np.clip(raw_npmi(*probabilities), -1.0, 1.0)


def raw_npmi(joint: npt.ArrayLike, form: npt.ArrayLike, referent: npt.ArrayLike) -> FloatArray:
    """Return the NPMI from probabilities that need not agree with each other, as in the paper's equations.

    Where they do not agree, it can leave [-1, 1] and even be infinite. It is never NaN.
    """
    p_joint, p_form, p_referent = np.broadcast_arrays(
        *(np.asarray(p, dtype=np.float64) for p in (joint, form, referent))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(p_joint) - np.log(p_form) - np.log(p_referent)
        value = pmi / np.abs(np.log(p_joint))
    value = np.where((p_joint > 0) | np.isnan(p_joint), value, -1.0)
    # NaN is left where 0 is divided by 0: for an event of every episode, and without episodes. Rounding keeps
    # equal values equal on every machine, because their order decides which referent of a form is the best.
    return np.round(np.nan_to_num(value, nan=0.0, posinf=np.inf, neginf=-np.inf), 12) + 0.0


def npmi_interval(
    joint: npt.ArrayLike,
    form: npt.ArrayLike,
    referent: npt.ArrayLike,
    total: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 1000,
) -> FloatArray:
    """Return intervals (..., 2) of NPMIs, by multinomial resampling of each 2x2 table of episodes."""
    k, n, m, size = np.broadcast_arrays(
        *(np.asarray(a, dtype=np.int64) for a in (joint, form, referent, total))
    )
    table = np.stack([k, n - k, m - k, size - n - m + k], axis=-1)
    shares = table / np.maximum(size, 1)[..., None]
    draws = rng.multinomial(size, shares, size=(resamples, *k.shape)) if k.size else table[None]
    both, form_alone, referent_alone = (draws[..., i] for i in range(3))
    values = npmi(both, both + form_alone, both + referent_alone, size)
    tails = [(1 - level) / 2, (1 + level) / 2]
    return np.moveaxis(np.quantile(values, tails, axis=0), 0, -1)


def integer_word_ceiling(config: GameConfig) -> float:
    """Return the NPMI of a perfect word for an integer, if all integers have words of equal frequency.

    On one axis, an integer is visible in 2r/N of all episodes whatever is said, so even a word that is always
    right reaches only ln(N/2r) / -ln p(word): about .65 for 60 integers, .50 for 20.
    """
    visible = num_shown(config) / len(config.integers)
    word = float(places_of(config).edge_share[-1]) / len(config.integers)
    return math.log(visible) / math.log(word) if 0 < word <= visible < 1 else 0.0


def any_of_integers(config: GameConfig, number: npt.NDArray[Any]) -> FloatArray:
    """Return the probability of one of `number` integers in a window (appendix D, equation 1)."""
    integers, seen = len(config.integers), num_shown(config)
    none_of = [
        math.comb(integers - int(n), seen) / math.comb(integers, seen) if n <= integers else 0.0
        for n in number
    ]
    return 1.0 - np.array(none_of, dtype=np.float64)
