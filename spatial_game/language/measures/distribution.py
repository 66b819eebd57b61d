"""Distributions of messages and symbols: Zipf's law, lengths, and the share of the space in use."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import spearmanr

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.measures.information import NO_MESSAGES
from spatial_game.language.measures.measure import Kind, Measure
from spatial_game.language.measures.resampling import ratio
from spatial_game.language.measures.spoken import Kinds, message_space

_STEEPEST = 20.0

SPACE = "this package"
ZIPF = Kind("exponent", "Zipf 1949; Piantadosi 2014", "there are fewer than two different ones")
LENGTH = Kind("symbols", SPACE, NO_MESSAGES)
ABBREVIATION = Kind(
    "correlation",
    "Zipf 1949 (law of abbreviation)",
    "all messages are equally long, or equally frequent",
    low=-1.0,
    high=1.0,
)
COUNT = Kind("count", SPACE, NO_MESSAGES)
SHARE = Kind("share", SPACE, NO_MESSAGES, high=1.0)


def zipf(kinds: Kinds, shuffled: Sequence[Kinds], rng: np.random.Generator) -> list[Measure]:
    """Return the exponent a of Zipf's law, frequency ~ rank**-a, of messages and of symbols.

    Shuffled: each slot's symbols are permuted among the messages (the counts of single symbols stay the
    same).
    """
    messages = exponents(kinds.counts, rng)
    chance = [exponents(copy.counts, rng) for copy in shuffled]
    symbols = exponents(kinds.symbol_counts, rng)
    return [
        ZIPF.report("Zipf exponent of messages", messages, chance),
        ZIPF.report("Zipf exponent of symbols", symbols, [symbols]),
    ]


def exponents(counts: npt.NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """Return the maximum-likelihood exponents (R,) of Zipf's law for counts (R, K) of K kinds.

    The kinds are ranked by a random half of the first row's occurrences, and the exponent is fitted to the
    rest: with ranks and frequencies from the same sample, even equally frequent kinds would seem to obey a
    law (Piantadosi 2014). NaN if fewer than two kinds occur.
    """
    if counts.shape[1] == 0 or np.count_nonzero(counts[0]) < 2:
        return np.full(len(counts), np.nan)
    ranking = rng.binomial(counts[0], 0.5)
    # The same share of each replicate, so that replicates differ by the episodes that they lack alone.
    share = 1 - ratio(ranking, counts[0])
    order = np.lexsort((rng.random(len(ranking)), -ranking))
    rest = (counts * np.nan_to_num(share))[:, order]
    return np.array([_exponent(row) for row in rest])


def _exponent(frequencies: FloatArray) -> float:
    """Return the exponent in 0..20 under which counts of ranks 1, 2, ... are most likely."""
    total = frequencies.sum()
    if total <= 0:
        return float("nan")
    logs = np.log(np.arange(1, len(frequencies) + 1))
    mean = float(frequencies @ logs / total)

    def surplus(a: float) -> float:
        """Return the expected logarithm of the rank under a, minus its mean; it falls with a."""
        weights = np.exp(-a * logs)
        return float(weights @ logs / weights.sum()) - mean

    if surplus(0.0) <= 0:
        return 0.0
    if surplus(_STEEPEST) >= 0:
        return _STEEPEST
    return float(brentq(surplus, 0.0, _STEEPEST, xtol=1e-6))


def lengths(kinds: Kinds) -> list[Measure]:
    """Return the mean length of messages, and Spearman's correlation of length and frequency.

    Both stay the same when symbols are shuffled.
    """
    length = kinds.lengths
    mean = ratio(kinds.counts[:, : len(length)] @ length, kinds.sizes)
    law = np.array([_correlation(length, row[: len(length)]) for row in kinds.counts])
    return [
        LENGTH.report("message length", mean, [mean], length.max(initial=0)),
        ABBREVIATION.report("length with frequency", law, [law]),
    ]


def usage(kinds: Kinds, shuffled: Sequence[Kinds]) -> list[Measure]:
    """Return the shares of the vocabulary and of the possible messages that are used.

    Shuffled: each slot's symbols are permuted among the messages (the counts of symbols stay the same).
    """
    used, chance = _usage(kinds), [_usage(copy) for copy in shuffled]
    most = min(message_space(kinds), float(kinds.sizes[0]))
    rows = [
        (COUNT, "different messages", most),
        (SHARE, "share of the message space", 1.0),
        (COUNT, "messages that make up 90%", most),
        (SHARE, "share of the vocabulary", 1.0),
    ]
    return [
        kind.report(name, used[i], [copy[i] for copy in chance], maximum)
        for i, (kind, name, maximum) in enumerate(rows)
    ]


def _usage(kinds: Kinds) -> FloatArray:
    """Return the figures of `usage`, (4, G+1)."""
    different = (kinds.counts > 0).sum(axis=1)
    symbols = (kinds.symbol_counts > 0).sum(axis=1) / max(kinds.num_symbols, 1)
    figures = [different, different / message_space(kinds), covering(kinds.counts, 0.9), symbols]
    return np.where(kinds.sizes > 0, np.array(figures), np.nan)


def covering(counts: Numbers, share: float) -> Numbers:
    """Return the number of most frequent kinds that make up this share of all, (R,), for counts (R, K)."""
    most_first = np.sort(counts, axis=1)[:, ::-1]
    short = np.cumsum(most_first, axis=1) < share * counts.sum(axis=1)[:, None]
    return np.asarray(short.sum(axis=1) + 1)


def _correlation(lengths: Numbers, counts: Numbers) -> float:
    """Return Spearman's correlation of the lengths and counts of the messages that occur."""
    occur = counts > 0
    if len(set(lengths[occur].tolist())) < 2 or len(set(counts[occur].tolist())) < 2:
        return math.nan
    return float(spearmanr(lengths[occur], counts[occur]).statistic)
