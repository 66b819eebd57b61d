"""Where messages fall into segments, after Harris's articulation scheme.

Within a word, each further symbol leaves less choice of the next; where the choice grows again, a boundary
is likely (Harris 1955). The choice is the branching entropy: of the symbol that follows a context, wherever
that stands in a message (Tanaka-Ishii 2021, as used for emergent languages by Ueda et al. 2023).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.measures.corpus import PAD
from spatial_game.language.measures.measure import Kind, Measure
from spatial_game.language.measures.resampling import ratio, xlog2x
from spatial_game.language.measures.spoken import Kinds

UEDA = "Harris 1955; Ueda et al. 2023"
COUNT = Kind("count", UEDA, "no message has three symbols")
LENGTH = Kind("symbols", UEDA, "no message has three symbols")

# Longer contexts are left out: almost all of them occur once, and have no choice of what follows.
_LONGEST_CONTEXT = 16
# Of a corpus with more symbols in its distinct messages, every n-th message (in their order) is used.
_MOST_SYMBOLS = 1 << 18

# Branching entropies that differ by less are equal.
_ROUNDING = 1e-9


def segmentation(kinds: Kinds, shuffled: Sequence[Kinds], threshold: float) -> list[Measure]:
    """Return how many boundaries a message has, how many different segments there are, and their length.

    A boundary stands where the branching entropy grows by more than `threshold` bits. Its place is the end
    of a context of at least two symbols: messages of three symbols can have one boundary, before the last
    symbol, and shorter ones none. Shuffled: each slot's symbols permuted among the messages.
    """
    value, chance = _statistics(kinds, threshold), [_statistics(copy, threshold) for copy in shuffled]
    longest = int(kinds.lengths.max(initial=0))
    rows = [
        (COUNT, "boundaries in a message", longest - 2),
        (COUNT, "different segments", np.inf),
        (LENGTH, "segment length", longest),
    ]
    return [
        kind.report(
            f"{name} (Harris, threshold {threshold:g})", value[i], [copy[i] for copy in chance], maximum
        )
        for i, (kind, name, maximum) in enumerate(rows)
    ]


def _statistics(kinds: Kinds, threshold: float) -> FloatArray:
    """Return boundaries in a message, different segments, and segment length, (3, G+1)."""
    step = int(kinds.lengths.sum()) // _MOST_SYMBOLS + 1
    types, weights = kinds.types[::step], kinds.counts[:, : len(kinds.types) : step].astype(np.float64)
    if (types != PAD).sum(axis=1).max(initial=0) < 3:
        return np.full((3, len(kinds.counts)), np.nan)
    return np.array([_of_one(types, weight, threshold) for weight in weights]).T


def _of_one(types: npt.NDArray[np.int64], weight: FloatArray, threshold: float) -> tuple[float, float, float]:
    messages = types[weight > 0]
    weight = weight[weight > 0]
    starts = boundaries(messages, weight, threshold)
    starts[:, 0] |= messages[:, 0] != PAD
    segments = (starts.sum(axis=1) * weight).sum()
    symbols = ((messages != PAD).sum(axis=1) * weight).sum()
    with_symbols = (weight * (messages[:, 0] != PAD)).sum()
    return (
        float(ratio(segments - with_symbols, weight.sum())),
        float(count_segments(messages, starts)),
        float(ratio(symbols, segments)),
    )


def boundaries(messages: Numbers, weight: FloatArray, threshold: float) -> npt.NDArray[np.bool_]:
    """Return where segments start, (M, T), within distinct messages (M, T) that occur so often (M,).

    Symbols are 0, 1, ..., then PAD. The first slot is never marked.
    """
    count, slots = messages.shape
    starts = np.zeros((count, slots), dtype=np.bool_)
    shorter = np.full((count, slots), np.inf)
    context = np.zeros((count, slots), dtype=np.int64)
    num_symbols = int(messages.max(initial=0)) + 1
    for length in range(1, min(slots, _LONGEST_CONTEXT + 1)):
        rows, places = np.nonzero(messages[:, length:] != PAD)  # contexts that something follows
        keys = context[rows, places] * num_symbols + messages[rows, places + length - 1]
        _, numbers = np.unique(keys, return_inverse=True)
        context[rows, places] = numbers
        entropy = _branching(numbers, messages[rows, places + length], weight[rows], num_symbols)
        rises = entropy - shorter[rows, places] > threshold + _ROUNDING
        starts[rows[rises], places[rises] + length] = True
        shorter[rows, places] = entropy
    return starts


def _branching(
    context: npt.NDArray[np.intp], following: npt.NDArray[np.int64], weight: FloatArray, num_symbols: int
) -> FloatArray:
    """Return, for each context, the entropy in bits of what follows it (weighted)."""
    _, pair = np.unique(context * num_symbols + following, return_inverse=True)
    joint, total = np.bincount(pair, weights=weight), np.bincount(context, weights=weight)
    first = np.zeros(len(joint), dtype=np.intp)
    first[pair] = context  # the context of each pair
    sums = np.bincount(first, weights=xlog2x(joint), minlength=len(total))
    return np.asarray((np.log2(total) - sums / total)[context])


def count_segments(messages: npt.NDArray[np.int64], starts: npt.NDArray[np.bool_]) -> int:
    """Return the number of different segments."""
    rows, places = np.nonzero(starts)
    slots = messages.shape[1]
    ends = np.where(
        np.diff(rows, append=-1) == 0, np.append(places[1:], 0), (messages != PAD).sum(axis=1)[rows]
    )
    columns = places[:, None] + np.arange(slots)
    cells = messages[rows[:, None], np.minimum(columns, slots - 1)]
    return len(distinct_rows(np.where(columns < ends[:, None], cells, PAD) + 1)[0])
