"""How messages and symbols are distributed: Zipf's law, lengths, and how much of the space is used."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.stats import spearmanr

from spatial_game.language.measures.corpus import Corpus
from spatial_game.language.measures.information import NO_MESSAGES
from spatial_game.language.measures.measure import Measure, report
from spatial_game.language.measures.resampling import Floats, Groups, ratio

ZIPF = "Zipf 1949; Piantadosi 2014"
ABBREVIATION = "Zipf 1949 (law of abbreviation)"
SPACE = "this package"

_STEEPEST = 20.0


def zipf(corpus: Corpus, shuffled: list[Corpus], groups: Groups, rng: np.random.Generator) -> list[Measure]:
    """The exponent a of Zipf's law, frequency ~ rank**-a, of messages and of symbols.

    Shuffled: each slot's symbols permuted among the messages (symbols by themselves stay as they are).
    """
    messages = exponents(_message_counts(corpus, groups), rng)
    chance = [exponents(_message_counts(copy, Groups.none(len(copy))), rng) for copy in shuffled]
    symbols = exponents(_symbol_counts(corpus, groups), rng)
    return [
        report(
            f"Zipf exponent of {name}",
            value,
            copies,
            unit="exponent",
            source=ZIPF,
            undefined="there are fewer than two different ones",
            bounds=(0.0, _STEEPEST),
        )
        for name, value, copies in [("messages", messages, chance), ("symbols", symbols, [symbols])]
    ]


def exponents(counts: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """(R,), the maximum-likelihood exponent of Zipf's law for counts (R, K) of K kinds.

    The kinds are ranked by a random half of the first row's occurrences, and the exponent is fitted to the
    rest: with ranks and frequencies from the same sample, even equal kinds would seem to obey a law
    (Piantadosi 2014). NaN where fewer than two kinds occur.
    """
    if counts.shape[1] == 0 or np.count_nonzero(counts[0]) < 2:
        return np.full(len(counts), np.nan)
    ranking = rng.binomial(counts[0], 0.5)
    # The same share of each replicate, so that replicates differ by the episodes that they lack alone.
    share = 1 - ratio(ranking, counts[0])
    order = np.lexsort((rng.random(len(ranking)), -ranking))
    rest = (counts * np.nan_to_num(share))[:, order]
    return np.array([_exponent(row) for row in rest])


def _exponent(frequencies: Floats) -> float:
    """The exponent in 0..20 under which counts of ranks 1, 2, ... are most likely."""
    total = frequencies.sum()
    if total <= 0:
        return float("nan")
    logs = np.log(np.arange(1, len(frequencies) + 1))
    mean = float(frequencies @ logs / total)

    def surplus(a: float) -> float:
        """The expected logarithm of the rank under a, less the mean one; falls with a."""
        weights = np.exp(-a * logs)
        return float(weights @ logs / weights.sum()) - mean

    if surplus(0.0) <= 0:
        return 0.0
    if surplus(_STEEPEST) >= 0:
        return _STEEPEST
    return float(brentq(surplus, 0.0, _STEEPEST, xtol=1e-6))


def lengths(corpus: Corpus, groups: Groups) -> list[Measure]:
    """The mean length of a message, and whether frequent messages are short (Spearman's correlation).

    Both stay as they are when symbols are shuffled.
    """
    sums = _sums(corpus.length, groups)
    mean = ratio(sums, groups.sizes)
    types, number = corpus.types
    counts = groups.totals(number, max(len(types), 1))
    of_types = (types >= 0).sum(axis=1)
    law = np.array([_correlation(of_types, row) for row in counts]) if len(types) else mean * np.nan
    return [
        report(
            "message length",
            mean,
            [mean],
            unit="symbols",
            source=SPACE,
            undefined=NO_MESSAGES,
            bounds=(0.0, math.inf),
        ),
        report(
            "length with frequency",
            law,
            [law],
            unit="correlation",
            source=ABBREVIATION,
            undefined="all messages are equally long, or equally frequent",
            bounds=(-1.0, 1.0),
        ),
    ]


def usage(corpus: Corpus, shuffled: list[Corpus], groups: Groups) -> list[Measure]:
    """How much of the vocabulary and of the possible messages is used.

    Shuffled: each slot's symbols permuted among the messages (single symbols stay as they are).
    """
    used = _usage(corpus, groups)
    chance = [_usage(copy, Groups.none(len(copy))) for copy in shuffled]
    units = {
        "different messages": "count",
        "share of the message space": "share",
        "messages that make up 90%": "count",
        "share of the vocabulary": "share",
    }
    return [
        report(
            name,
            used[i],
            [copy[i] for copy in chance],
            unit=unit,
            source=SPACE,
            undefined=NO_MESSAGES,
            bounds=(0.0, 1.0 if unit == "share" else math.inf),
        )
        for i, (name, unit) in enumerate(units.items())
    ]


def _usage(corpus: Corpus, groups: Groups) -> Floats:
    """(4, G+1), the figures of `usage`."""
    messages, symbols = _message_counts(corpus, groups), _symbol_counts(corpus, groups)
    different = (messages > 0).sum(axis=1)
    figures = np.array(
        [
            different,
            different / message_space(corpus),
            covering(messages, 0.9),
            (symbols > 0).sum(axis=1) / max(corpus.num_symbols, 1),
        ]
    )
    return np.where(groups.sizes > 0, figures, np.nan)


def covering(counts: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.int64]:
    """(R,), how many of the most frequent kinds make up this share of all, for counts (R, K)."""
    most_first = np.sort(counts, axis=1)[:, ::-1]
    short = np.cumsum(most_first, axis=1) < share * counts.sum(axis=1)[:, None]
    return np.asarray(short.sum(axis=1) + 1)


def message_space(corpus: Corpus) -> float:
    """The number of possible messages: of the one length that occurs, or up to the longest."""
    longest = int(corpus.length.max(initial=0))
    shortest = longest if np.all(corpus.length == longest) else 0
    if longest * math.log2(max(corpus.num_symbols, 1)) > 1000:
        return math.inf
    return float(max(sum(corpus.num_symbols**length for length in range(shortest, longest + 1)), 1))


def _message_counts(corpus: Corpus, groups: Groups) -> npt.NDArray[np.int64]:
    """(G+1, M), how often each distinct message occurs."""
    types, number = corpus.types
    return groups.totals(number, max(len(types), 1))


def _symbol_counts(corpus: Corpus, groups: Groups) -> npt.NDArray[np.int64]:
    """(G+1, S), how often each symbol occurs."""
    inside = corpus.inside
    owner = np.broadcast_to(groups.group[:, None], inside.shape)[inside]
    return Groups(owner, groups.count).totals(corpus.numbered[inside], max(len(corpus.symbols), 1))


def _sums(values: npt.NDArray[np.integer], groups: Groups) -> npt.NDArray[np.int64]:
    """(G+1,), the sums of values (B,)."""
    by_group = np.bincount(groups.group, weights=values, minlength=max(groups.count, 1))
    return np.append(by_group.sum(), (by_group.sum() - by_group)[: groups.count])


def _correlation(lengths: npt.NDArray[np.integer], counts: npt.NDArray[np.int64]) -> float:
    """Spearman's correlation of the lengths and counts of the messages that occur."""
    occur = counts > 0
    if len(set(lengths[occur].tolist())) < 2 or len(set(counts[occur].tolist())) < 2:
        return math.nan
    return float(spearmanr(lengths[occur], counts[occur]).statistic)
