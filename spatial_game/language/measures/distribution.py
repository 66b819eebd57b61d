"""The share of the space of messages and of the vocabulary in use, and the length of messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.measures.information import NO_MESSAGES
from spatial_game.language.measures.measure import Kind, Measure
from spatial_game.language.measures.resampling import ratio
from spatial_game.language.measures.spoken import Kinds, message_space

SPACE = "this package"
LENGTH = Kind("symbols", SPACE, NO_MESSAGES)
COUNT = Kind("count", SPACE, NO_MESSAGES)
SHARE = Kind("share", SPACE, NO_MESSAGES, high=1.0)


def usage(kinds: Kinds, shuffled: Sequence[Kinds]) -> list[Measure]:
    """Return the shares of the vocabulary and of the possible messages that are used, and the mean length.

    Shuffled: each slot's symbols are permuted among the messages (the counts of symbols stay the same).
    """
    used, chance = _usage(kinds), [_usage(copy) for copy in shuffled]
    most = min(message_space(kinds), float(kinds.sizes[0]))
    rows = [
        (COUNT, "different messages", most),
        (SHARE, "share of the message space", 1.0),
        (COUNT, "messages that make up 90%", most),
        (SHARE, "share of the vocabulary", 1.0),
        (LENGTH, "message length", kinds.lengths.max(initial=0)),
    ]
    return [
        kind.report(name, used[i], [copy[i] for copy in chance], maximum)
        for i, (kind, name, maximum) in enumerate(rows)
    ]


def _usage(kinds: Kinds) -> FloatArray:
    """Return the figures of `usage`, (5, G+1)."""
    different = (kinds.counts > 0).sum(axis=1)
    symbols = (kinds.symbol_counts > 0).sum(axis=1) / max(kinds.num_symbols, 1)
    length = ratio(kinds.counts[:, : len(kinds.lengths)] @ kinds.lengths, kinds.sizes)
    figures = [different, different / message_space(kinds), covering(kinds.counts, 0.9), symbols, length]
    return np.where(kinds.sizes > 0, np.array(figures), np.nan)


def covering(counts: Numbers, share: float) -> Numbers:
    """Return the number of most frequent kinds that make up this share of all, (R,), for counts (R, K)."""
    most_first = np.sort(counts, axis=1)[:, ::-1]
    short = np.cumsum(most_first, axis=1) < share * counts.sum(axis=1)[:, None]
    return np.asarray(short.sum(axis=1) + 1)
