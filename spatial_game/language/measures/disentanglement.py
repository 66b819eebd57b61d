"""Whether each slot, or each symbol, is about one factor (Chaabouni et al. 2020)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.measures.corpus import Corpus
from spatial_game.language.measures.factors import Factor
from spatial_game.language.measures.measure import Measure, report
from spatial_game.language.measures.resampling import Floats, Groups, entropy_of_sums, ratio, xlog2x

CHAABOUNI = "Chaabouni et al. 2020"


def disentanglement(
    corpus: Corpus, known: list[Factor], orders: list[npt.NDArray[np.intp]], groups: Groups
) -> list[Measure]:
    """Positional and bag-of-symbols disentanglement of messages with the sender's factors.

    Shuffled: the windows are permuted among the messages (`orders`).
    """
    none = Groups.none(len(corpus))
    found = []
    for name, gaps, undefined in [
        ("positional disentanglement", positional, "no slot varies"),
        ("bag-of-symbols disentanglement", bag_of_symbols, "no symbol's count varies"),
    ]:
        chance = [gaps(corpus, [f.permuted(order) for f in known], none) for order in orders]
        found.append(
            report(
                name,
                gaps(corpus, known, groups),
                chance,
                unit="share",
                source=CHAABOUNI,
                undefined=undefined,
                bounds=(0.0, 1.0),
            )
        )
    return found


def positional(corpus: Corpus, known: list[Factor], groups: Groups) -> Floats:
    """(G+1,), positional disentanglement (posdis).

    For each slot: how much more its symbol says of one factor than of the next best, in shares of its
    entropy; then the mean over the slots that vary. 1 if each slot is about a factor of its own, all of it.
    """
    size = len(corpus.symbols) + 1  # with "no symbol here" for messages that have ended
    of_factors = [groups.entropies(f.codes, f.size) for f in known]
    gaps = []
    for column in corpus.numbered.T + 1:
        entropy = groups.entropies(column, size)
        told = [
            entropy + of_factor - groups.entropies(column * f.size + f.codes, size * f.size)
            for f, of_factor in zip(known, of_factors, strict=True)
        ]
        gaps.append(_gap(np.array(told), entropy))
    return _mean(gaps, len(groups.sizes))


def bag_of_symbols(corpus: Corpus, known: list[Factor], groups: Groups) -> Floats:
    """(G+1,), bag-of-symbols disentanglement (bosdis).

    As `positional`, with how often a symbol occurs in the message in place of the symbol in a slot.
    """
    sizes = groups.sizes
    margins = [groups.totals(f.codes, f.size) for f in known]
    of_factors = [_entropy(margin, sizes) for margin in margins]
    gaps = []
    for rows, count in _occurrences(corpus):
        slots, some = int(count.max()), Groups(groups.group[rows], groups.count)
        counts = some.totals(count - 1, slots)
        entropy = _entropy(np.concatenate([counts, (sizes - counts.sum(axis=1))[:, None]], axis=1), sizes)
        told = []
        for factor, margin, of_factor in zip(known, margins, of_factors, strict=True):
            joint = some.totals((count - 1) * factor.size + factor.codes[rows], slots * factor.size)
            absent = margin - joint.reshape(-1, slots, factor.size).sum(axis=1)
            told.append(entropy + of_factor - _entropy(np.concatenate([joint, absent], axis=1), sizes))
        gaps.append(_gap(np.array(told), entropy))
    return _mean(gaps, len(sizes))


def _occurrences(corpus: Corpus) -> list[tuple[IntArray, IntArray]]:
    """For each symbol, the messages that have it and how often each of them does."""
    inside = corpus.inside
    keys = corpus.numbered[inside] * len(corpus) + np.nonzero(inside)[0]
    cells, counts = np.unique(keys, return_counts=True)
    ends = np.searchsorted(cells // max(len(corpus), 1), np.arange(len(corpus.symbols) + 1))
    return [(cells[start:end] % len(corpus), counts[start:end]) for start, end in pairwise(ends)]


def _entropy(table: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Floats:
    """(G+1,), the entropy in bits of tables of counts (G+1, K) with these sums."""
    return entropy_of_sums(xlog2x(table).sum(axis=1), sizes)


def _gap(told: Floats, entropy: Floats) -> Floats:
    """(G+1,), the distance of the two best rows of told (F, G+1) in entropies; NaN if that is 0."""
    best = np.sort(told, axis=0)[::-1]
    return ratio(best[0] - best[1], entropy)


def _mean(gaps: list[Floats], size: int) -> Floats:
    """(G+1,), the mean over the gaps that are defined."""
    table = np.array(gaps).reshape(len(gaps), size)
    defined = ~np.isnan(table)
    return ratio(np.where(defined, table, 0.0).sum(axis=0), defined.sum(axis=0))
