"""The measures of a language that the field reports: entropy, information, disentanglement, similarity.

A measure is a function of a `Sample` of episodes that returns one or more figures. `MEASURES`, at the end,
names its unit, its source, and what it cannot see. `spatial_game.language.measuring` adds values by chance
and intervals, in the same way for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from spatial_game.checks import require, shortened
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import ABSENT, columns_of
from spatial_game.language.counting.rows import Numbers, distinct_rows, table_of_ones
from spatial_game.language.entropy import coverage, entropy
from spatial_game.language.entropy import plug_in_entropy as plug_in_entropy
from spatial_game.language.wording import signed
from spatial_game.memory import chunks
from spatial_game.recording import Recording

NEXT_COMPARED = 5
"""Topographic similarity compares each episode with so many of the next ones."""
STRENGTHS = np.array([[1], [4], [16], [64], [256], [1024]])
"""Episodes that the prior of a prediction counts for."""

# --- Samples ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sample:
    """B episodes in random order, as numbers."""

    config: GameConfig
    message: IntArray
    """(B, T)."""
    number: Numbers
    """(B,), the number of each message among the different ones."""
    edge: Numbers
    """(B,), the number of each window's edge."""
    integers: Numbers
    """(B, O), the integers at the offsets; below 0 where the sender sees none."""

    @classmethod
    def of(cls, recording: Recording, rng: np.random.Generator) -> Sample:
        """Return the episodes of a recording in random order."""
        columns, order = columns_of(recording.config), rng.permutation(len(recording))
        message, window = recording.message[order], recording.window[order]
        number = distinct_rows(message)[1]
        return cls(recording.config, message, number, columns.edge_of(window), columns.at_offsets(window))

    def __len__(self) -> int:
        return len(self.message)

    def __getitem__(self, rows: Any) -> Sample:
        """Return some of the episodes."""
        kept = (self.message[rows], self.number[rows], self.edge[rows], self.integers[rows])
        return Sample(self.config, *kept)

    def shuffled(self, rng: np.random.Generator) -> Sample:
        """Return a copy with the messages permuted among the windows."""
        order = rng.permutation(len(self))
        return Sample(self.config, self.message[order], self.number[order], self.edge, self.integers)

    def mixed(self, rng: np.random.Generator) -> Sample:
        """Return a copy with the symbols of each slot permuted among the messages."""
        message = rng.permuted(self.message, axis=0)
        return Sample(self.config, message, distinct_rows(message)[1], self.edge, self.integers)

    @cached_property
    def central(self) -> Sample:
        """The episodes whose target is near no end: their windows have a cell at each nearby offset."""
        return self[self.edge == columns_of(self.config).no_edge]

    @property
    def by_offset(self) -> Iterator[tuple[str, Numbers]]:
        """The name of each offset, and the integers (B,) there."""
        return zip(map(signed, self.config.offsets), self.integers.T, strict=True)


# --- Figures ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """A number about a language; NaN if it is undefined."""

    value: float
    maximum: float | None = None
    """The largest possible value, if known."""
    low: float | None = None
    """An estimate that is too low on average, for a value that may be too high."""
    high: float | None = None
    """An estimate that is too high on average, for a value that may be too low."""


Figures: TypeAlias = Mapping[str, Figure]


@dataclass(frozen=True)
class Measure:
    """How figures are made, and what stands beside them."""

    of: Callable[[Sample], Figures]
    unit: str
    source: str
    """The publication that the measure comes from."""
    least: float = 0.0
    """The smallest possible value; -inf if it is not known."""
    null: Callable[[Sample, np.random.Generator], Sample] | None = None
    """How episodes are shuffled for the value by chance."""
    adjusted: bool = False
    """Whether the value is the share of what chance leaves open, times the maximum (`adjusted`)."""
    has_interval: bool = False
    most: int | None = None
    """The most episodes that are looked at, as a measure of all would take too long; None: all."""
    blind: str = ""
    """What the measure cannot see."""
    undefined: str = ""
    """When its figures are NaN."""


# --- Messages ---------------------------------------------------------------------------------------------


def different_messages(sample: Sample) -> Figures:
    """Return how many messages are used, and how many make up 90% of the episodes."""
    counts, config = np.bincount(sample.number), sample.config
    most = min(len(sample), config.vocab_size**config.message_length)
    return {
        "different messages": Figure(int(np.count_nonzero(counts)), most),
        "messages that make up 90%": Figure(num_covering(counts), most),
    }


def message_entropy(sample: Sample) -> Figures:
    """Return the entropy of messages. By chance: their symbols do not depend on each other."""
    return {"message entropy": entropy_figure(np.bincount(sample.number), sample.config.message_bits)}


def different_symbols(sample: Sample) -> Figures:
    """Return how many symbols are used."""
    return {"different symbols": Figure(len(np.unique(sample.message)), sample.config.vocab_size)}


def symbol_entropy(sample: Sample) -> Figures:
    """Return the entropy of the symbols of all slots, and of those of each slot."""
    most = math.log2(sample.config.vocab_size)
    slots = [np.bincount(slot, minlength=sample.config.vocab_size) for slot in sample.message.T]
    of_slots = {
        f"entropy of slot {i}": entropy_figure(counts, most) for i, counts in enumerate(slots, start=1)
    }
    return {"symbol entropy": entropy_figure(np.sum(slots, axis=0), most), **of_slots}


def entropy_figure(counts: Numbers, most: float) -> Figure:
    """Return the entropy of counts (K,), at most this number of bits.

    It is highest if the values that were not seen are all those that are possible, and equally frequent.
    """
    bits, unseen = entropy(counts), 1 - coverage(counts)
    highest = (1 - unseen) * bits + plug_in_entropy(np.array([unseen, 1 - unseen])) + unseen * most
    return Figure(bits, most, high=highest)


def num_covering(counts: Numbers) -> int:
    """Return the number of most frequent values that make up 90% of all, for counts (K,)."""
    return int(np.count_nonzero(np.cumsum(np.sort(counts)[::-1]) < 0.9 * counts.sum())) + 1


# --- Information ------------------------------------------------------------------------------------------


def information(sample: Sample) -> Figures:
    """Return the mutual information of messages with the edge, and with the integer at each offset.

    The latter is conditional on whether the sender sees that cell: an episode in which it does not counts 0.
    In noisy languages, this may be too high, as rare pairs of message and integer are missing from the
    sample. So the lower end of the interval comes from `predicted`.
    """
    factors = {"edge": sample.edge} | {f"integer at {name}": shown for name, shown in sample.by_offset}
    return {
        f"mutual information, {name}": information_figure(sample.number, values)
        for name, values in factors.items()
    }


def information_figure(codes: Numbers, values: Numbers) -> Figure:
    """Return the mutual information of codes (B,) and values (B,); values below 0 are not shown."""
    counts = Together.of(codes, values)
    return Figure(counts.information, counts.share * entropy(counts.of_value), low=counts.predicted)


@dataclass(frozen=True, eq=False)
class Together:
    """How often codes and values occur, and occur together, in the episodes that show a value."""

    share: float
    """The share of the episodes that show a value."""
    of_code: Numbers  # (M,)
    of_value: Numbers  # (K,)
    pairs: Numbers
    """(C,), those of a code and a value that occur, as numbers: code * K + value."""
    counts: Numbers  # (C,), how often each of them does

    @classmethod
    def of(cls, codes: IntArray, values: IntArray) -> Together:
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


# --- Disentanglement --------------------------------------------------------------------------------------


def disentanglements(sample: Sample) -> Figures:
    """Return how far each part of messages tells the integer at one offset alone, of targets near no end.

    Parts are the slots (positional), or how often each symbol occurs (bag of symbols).
    """
    central, few = sample.central, np.min_scalar_type(sample.config.message_length)
    symbols = np.unique(central.message)
    bags = [(central.message == symbol).sum(axis=1, dtype=few) for symbol in symbols]
    factors = _nearby(central)
    return {
        f"{name} disentanglement": Figure(disentanglement(parts, factors), 1.0)
        for name, parts in {"positional": [*central.message.T], "bag-of-symbols": bags}.items()
    }


def _nearby(central: Sample) -> IntArray:
    """Return the integers (n, B) at the n offsets at which these windows have cells."""
    columns = columns_of(central.config)
    return np.asarray(central.integers.T[columns.cells[columns.middle] != ABSENT])


def disentanglement(parts: Sequence[IntArray], factors: Sequence[IntArray] | IntArray) -> float:
    """Return positional or bag-of-symbols disentanglement, from P parts (B,) and F factors (B,).

    For each part (a slot, or the number of times that a symbol occurs): how much more it tells about one
    factor than about the next best, as a share of its entropy; then the mean over the parts that vary. It is
    1 if each part tells one factor completely, and NaN if no part varies. Raises `ValueError` for fewer than
    two factors.
    """
    require(len(factors) > 1, "factors must be at least two", len(factors))
    gaps = []
    for part in parts:
        own = entropy(np.bincount(part))
        if own:
            *_, second, best = sorted(max(Together.of(part, each).information, 0.0) for each in factors)
            gaps.append(min((best - second) / own, 1.0))
    return float(np.mean(gaps)) if gaps else math.nan


# --- Context independence ---------------------------------------------------------------------------------


def context_independence(sample: Sample) -> Figures:
    """Return how consistently an integer at an offset goes with one symbol, in any slot."""
    columns = columns_of(sample.config)
    cells = columns.cell(np.arange(sample.integers.shape[1]), sample.integers)
    symbol, cell = (
        _occurs(sample.message, sample.config.vocab_size),
        _occurs(np.where(sample.integers >= 0, cells, -1), columns.of_integers.stop),
    )
    value = consistency(symbol.T @ cell, symbol.sum(axis=0), cell.sum(axis=0))
    return {"context independence": Figure(value, 1.0)}


def _occurs(codes: IntArray, size: int) -> sp.csr_array:
    """Return (B, size), 1 where a code of (B, n) occurs in the episode; codes below 0 do not count."""
    row, column = np.nonzero(codes >= 0)
    return table_of_ones(row, codes[row, column], (len(codes), size))


def consistency(together: sp.csr_array, of_symbol: Numbers, of_cell: Numbers) -> float:
    """Return context independence (Bogin, Geva and Berant 2018): the mean of p(s | c) p(c | s) over cells c.

    Each cell is given the symbol s for which p(c | s) is highest. The counts are episodes with a symbol and a
    cell (S, C), with a symbol (S,) and with a cell (C,). It is NaN without cells.
    """
    each = sp.coo_array(together)
    given_symbol = each.data / of_symbol[each.row]
    order = np.lexsort((given_symbol, each.col))
    best = order[np.diff(each.col[order], append=-1) != 0]
    product = given_symbol[best] * each.data[best] / of_cell[each.col[best]]
    return float(product.sum() / np.count_nonzero(of_cell)) if len(product) else math.nan


# --- Topographic similarity -------------------------------------------------------------------------------


def topographic_similarity(sample: Sample) -> Figures:
    """Return Spearman's correlation of the edit distances of messages with the differences of windows.

    Windows differ at the offsets that show different integers. Each episode is compared with the next five.
    """
    size = len(sample)
    one = np.repeat(np.arange(size), min(NEXT_COMPARED, size - 1))
    other = (one + np.tile(np.arange(1, min(NEXT_COMPARED, size - 1) + 1), size)) % size
    seen = np.count_nonzero(sample.integers[one] != sample.integers[other], axis=1)
    value = spearman(edit_distances(sample.message[one], sample.message[other]), seen)
    return {"topographic similarity": Figure(value, 1.0)}


def edit_distances(one: IntArray, other: IntArray) -> Numbers:
    """Return the edit distances (P,) (Levenshtein 1966) of messages (P, T)."""
    parts = chunks(len(one), 64 * one.shape[1])
    found = (_edit_distances(one[rows], other[rows]) for rows in parts)
    return np.concatenate([np.zeros(0, np.int64), *found])


def _edit_distances(one: IntArray, other: IntArray) -> Numbers:
    rows, slots = one.shape
    above = np.broadcast_to(np.arange(slots + 1), (rows, slots + 1))
    for i in range(slots):
        here = np.full_like(above, i + 1)
        for j in range(slots):
            changed = above[:, j] + (one[:, i] != other[:, j])
            here[:, j + 1] = np.minimum(changed, np.minimum(above[:, j + 1], here[:, j]) + 1)
        above = here
    return np.asarray(above[:, -1], dtype=np.int64)


def spearman(one: IntArray, other: IntArray) -> float:
    """Return Spearman's rank correlation; NaN if all values of either are the same."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan
    from scipy.stats import spearmanr  # here, as it loads slowly

    return float(spearmanr(one, other).statistic)


# --- Measures of the user's own ---------------------------------------------------------------------------


def own_measure(of: Callable[[Sample], float], name: str) -> Measure:
    """Return the definition of a measure of the user's own: a function of a `Sample` that returns a number.

    Like a measure of this package, it gets a value by chance, for shuffled messages, and an interval.
    """

    def value(sample: Sample) -> dict[str, Figure]:
        found = np.asarray(of(sample))
        is_number = found.shape == () and found.dtype.kind in "biuf"
        require(is_number, f"{name} must return a number", shortened(found.tolist()))
        return {name: Figure(float(found))}

    return Measure(
        value,
        unit="",
        source="your own",
        least=-math.inf,
        null=Sample.shuffled,
        has_interval=True,
        undefined="it is not a number",
    )


# --- The register -----------------------------------------------------------------------------------------

PACKAGE, CHAO = "this package", "Chao, Wang & Jost 2013"

MEASURES = (
    Measure(different_messages, unit="count", source=PACKAGE, null=Sample.mixed),
    Measure(message_entropy, unit="bits", source=CHAO, null=Sample.mixed, has_interval=True),
    Measure(different_symbols, unit="count", source=PACKAGE),
    Measure(symbol_entropy, unit="bits", source=CHAO, has_interval=True),
    Measure(
        information,
        unit="bits an episode",
        source=f"{CHAO}; Vinh et al. 2010",
        null=Sample.shuffled,
        adjusted=True,
        has_interval=True,
        blind="Mutual information is what one who knows the language perfectly learns from a message. "
        "`describe` prints what its dictionary explains of held-out episodes: on average at most as much.",
    ),
    Measure(
        disentanglements,
        unit="share",
        source="Chaabouni et al. 2020",
        null=Sample.shuffled,
        blind="Disentanglement asks whether each part of a message tells the integer at one offset. It is "
        "low if one part names an offset and another one the integer there, though such a language is "
        "compositional.",
        undefined="no slot varies, or no number of a symbol's occurrences",
    ),
    Measure(
        context_independence,
        unit="share",
        source="Bogin et al. 2018",
        null=Sample.shuffled,
        blind="Context independence asks whether an integer at an offset has a symbol of its own. It is low "
        "in all languages with fewer symbols than integers at offsets.",
        undefined="no window shows an integer",
    ),
    Measure(
        topographic_similarity,
        unit="correlation",
        source="Brighton & Kirby 2006",
        null=Sample.shuffled,
        least=-1.0,
        has_interval=True,
        most=20_000,
        blind="Topographic similarity asks whether similar windows have similar messages. It is far below 1 "
        "if a message names one cell, whether or not it has parts, as the other cells then change nothing.",
        undefined="all messages, or all windows, are equally far apart",
    ),
)
