"""The measures of a language that the field reports: entropy, information, disentanglement, similarity.

Each has its source, a 95% interval, and its value by chance. Intervals come from one way of resampling: the
value over all episodes, and the value without each of 20 random groups of episodes (the delete-a-group
jackknife: Quenouille 1956; Kott 2001, J. Official Statistics 17:521-526). Functions return these values as
an array of replicates, (G+1,).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr, stdtrit

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.places import categories_at_places, values_at_places
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.wording import signed
from spatial_game.recording import Recording, join

NUM_GROUPS = 20
NUM_SHUFFLES = 5
"""Copies for the values by chance."""
MAX_PAIRS = 100_000
"""Pairs of episodes for topographic similarity."""
_ROUNDING = 1e-12
"""Bits below this are rounding errors of zero."""

# --- Entropy and resampling -------------------------------------------------------------------------------


def entropy(counts: npt.NDArray[Any]) -> float:
    """Return the plug-in entropy of counts (any shape), in bits (Shannon 1948); 0 without counts."""
    total = counts.sum()
    return float(entr(counts[counts > 0] / total).sum() / np.log(2)) + 0.0 if total else 0.0


def corrected_entropy(counts: npt.NDArray[Any]) -> float:
    """Return the plug-in entropy of counts in bits, corrected for its bias to first order (Miller 1955)."""
    kinds, size = int(np.count_nonzero(counts)), int(counts.sum())
    return entropy(counts) + ((kinds - 1) / (2 * size * math.log(2)) if size else 0.0)


def entropies(counts: npt.NDArray[Any]) -> FloatArray:
    """Return the entropy in bits of each row of counts (R, K), estimated with coverage (Chao and Shen 2003).

    Values that were seen once tell the share of what was not seen (Good 1953). Each value that was seen
    also stands for others, by the chance to see it (Horvitz and Thompson 1952). An entropy is at most
    log2(K), which is also that of values that were all seen once; it is 0 without counts.
    """
    n = counts.sum(axis=1)
    once = (counts == 1).sum(axis=1)
    coverage = 1 - once / np.maximum(n, 1)
    share = coverage[:, None] * counts / np.maximum(n, 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = share * np.log2(share) / -np.expm1(n[:, None] * np.log1p(-share))
    bits = -np.where((counts > 0) & (share < 1), terms, 0.0).sum(axis=1)
    most = np.log2(max(counts.shape[1], 1))
    return np.asarray(np.where((once == n) & (n > 0), most, np.clip(bits, 0, most)))


@dataclass(frozen=True)
class Groups:
    """B episodes in G random groups of almost equal size; there are none for a value without an interval."""

    label: IntArray
    """(B,), in 0..G-1."""
    count: int

    @classmethod
    def deal(cls, size: int, rng: np.random.Generator) -> Groups:
        """Divide this number of episodes at random; into no groups if there are fewer than two."""
        count = min(NUM_GROUPS, size) if size > 1 else 0
        label = np.resize(np.arange(max(count, 1), dtype=np.min_scalar_type(max(count, 1))), size)
        rng.shuffle(label)
        return cls(label, count)

    @cached_property
    def rows(self) -> list[Numbers]:
        """The episodes of each group."""
        return [np.flatnonzero(self.label == group) for group in range(self.count)]

    def counts(self, codes: IntArray, size: int) -> Iterator[Numbers]:
        """Yield how often each code in 0..size-1 occurs: in all episodes, then without each group."""
        total = np.bincount(codes, minlength=size)
        yield total
        for rows in self.rows:
            yield total - np.bincount(codes[rows], minlength=size)

    def entropies(self, codes: IntArray) -> FloatArray:
        """Return the plug-in entropy of codes (B,), (G+1,)."""
        if codes.max(initial=0) > 4 * len(codes):  # most of them do not occur
            codes = np.unique(codes, return_inverse=True)[1]
        return np.array([entropy(counts) for counts in self.counts(codes, int(codes.max(initial=0)) + 1)])


NO_GROUPS = Groups(np.zeros(0, dtype=np.uint8), 0)


def interval(replicates: FloatArray) -> tuple[float, float] | None:
    """Return the 95% interval around a value, by Student's t with G-1 degrees of freedom, if it exists."""
    value, left_out = replicates[0], replicates[1:]
    count = len(left_out)
    if count < 2 or not np.all(np.isfinite(replicates)):
        return None
    error = np.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
    reach = float(stdtrit(count - 1, 0.975) * error)
    return float(value) - reach, float(value) + reach


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> FloatArray:
    """Return part / whole; NaN if the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0))


# --- The table --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """One number about a language."""

    name: str
    value: float | None
    """None if the measure is undefined; then `reason` says why."""
    low: float | None
    high: float | None
    """The 95% interval; None if there are too few episodes."""
    shuffled: float | None
    """The value by chance: the mean over shuffled copies; see the function of the measure."""
    unit: str
    source: str
    """The publication that the measure comes from."""
    reason: str | None = None
    maximum: float | None = None
    """The largest possible value for these episodes, if known."""

    def to_dict(self) -> dict[str, Any]:
        """Return the measure for JSON."""
        return dataclasses.asdict(self)


class Kind(NamedTuple):
    """What measures of one kind have in common."""

    unit: str
    source: str
    undefined: str
    """The reason to give for an undefined value."""
    bound: float
    """No value is larger."""


SHANNON, PACKAGE = "Shannon 1948", "this package"
BITS = Kind("bits", SHANNON, "there are no messages", math.inf)
SHARE = Kind("share", PACKAGE, "the vocabulary has fewer than two symbols", 1.0)
DISENTANGLEMENT = Kind("share", "Chaabouni et al. 2020", "no slot and no symbol's count varies", 1.0)
SIMILARITY = Kind(
    "correlation",
    "Brighton & Kirby 2006",
    "all messages, or all windows, are equally far apart",
    1.0,
)


def report(
    kind: Kind,
    name: str,
    replicates: FloatArray,
    shuffled: Sequence[float] | FloatArray,
    maximum: float = math.inf,
) -> Measure:
    """Return a measure from its replicates and its values in shuffled copies."""
    unit, source, undefined, bound = kind
    value = float(replicates[0])
    if not np.isfinite(value):
        return Measure(name, None, None, None, None, unit, source, undefined)
    ends, least = interval(replicates), -1.0 if kind is SIMILARITY else 0.0
    low, high = (None, None) if ends is None else (float(np.clip(end, least, bound)) for end in ends)
    chance = float(np.mean(shuffled)) if len(shuffled) and np.all(np.isfinite(shuffled)) else None
    most = min(maximum, bound)
    return Measure(name, value, low, high, chance, unit, source, None, most if np.isfinite(most) else None)


def all_measures(sources: Sequence[Source], rng: np.random.Generator) -> list[Measure]:
    """Return every measure of recordings, in memory or on disk (`recording_parts`), as of one.

    Raises `ValueError` without episodes.
    """
    recording = join(block for source in sources for block in source.blocks(columns=()))
    if len(recording) == 0:
        raise ValueError("sources must have at least one episode; got none")
    groups = Groups.deal(len(recording), rng)
    copies = [rng.permuted(recording.message, axis=0) for _ in range(NUM_SHUFFLES)]
    orders = [rng.permutation(len(recording)) for _ in range(NUM_SHUFFLES)]
    return [
        *of_messages(recording, groups, copies),
        *of_factors(recording, groups, orders),
        topographic_similarity(recording, groups, orders, draw_pairs(groups, MAX_PAIRS, rng)),
    ]


# --- Messages ---------------------------------------------------------------------------------------------


def of_messages(recording: Recording, groups: Groups, copies: Sequence[IntArray]) -> Iterator[Measure]:
    """Yield how many messages and symbols are used, and their entropy.

    By chance: the symbols of each slot are permuted among the messages. Counts of symbols stay the same. The
    entropy of whole messages then shows how much their symbols depend on each other.
    """
    config = recording.config
    space = float(config.vocab_size) ** config.message_length if config.message_length < 200 else math.inf
    usage = _usage(recording.message, groups)
    chance = np.array([_usage(copy, NO_GROUPS)[:, 0] for copy in copies]).T
    symbols = _symbol_counts(recording.message, config.vocab_size, groups)
    used = ratio((symbols > 0).sum(axis=1), config.vocab_size)
    bits = np.array([entropy(counts) for counts in symbols])
    most, of_symbol = min(space, float(len(recording))), math.log2(config.vocab_size)
    of_message, count = config.message_length * of_symbol, Kind("count", PACKAGE, "", math.inf)
    corrected = Kind("bits", "Miller 1955 (Miller-Madow)", "", math.inf)
    yield report(count, "different messages", usage[0], chance[0], most)
    yield report(SHARE, "share of the message space", usage[0] / space, chance[0] / space)
    yield report(count, "messages that make up 90%", usage[1], chance[1], most)
    yield report(SHARE, "share of the vocabulary", used, used[:1])
    yield report(BITS, "message entropy", usage[2], chance[2], of_message)
    yield report(corrected, "message entropy, corrected", usage[3], chance[3], of_message)
    yield report(BITS, "symbol entropy", bits, bits[:1], of_symbol)
    relative = ratio(bits, of_symbol)
    of_bits = SHARE._replace(source=SHANNON)
    yield report(of_bits, "symbol entropy / log2(vocabulary)", relative, relative[:1])


def _usage(message: IntArray, groups: Groups) -> FloatArray:
    """Return (4, G+1): different messages, those that make up 90%, their entropy, and it without bias."""
    distinct, number = distinct_rows(message)
    rows = []
    for counts in groups.counts(number, len(distinct)):
        kinds = int(np.count_nonzero(counts))
        rows.append((kinds, covering(counts, 0.9), entropy(counts), corrected_entropy(counts)))
    return np.array(rows, dtype=np.float64).T


def covering(counts: Numbers, share: float) -> int:
    """Return the number of most frequent kinds that make up this share of all, for counts (K,)."""
    return int(np.count_nonzero(np.cumsum(np.sort(counts)[::-1]) < share * counts.sum())) + 1


def _symbol_counts(message: IntArray, size: int, groups: Groups) -> Numbers:
    """Return (G+1, size), how often each symbol occurs."""
    return sum(np.array([*groups.counts(slot, size)]) for slot in message.T)  # type: ignore[return-value]


# --- What messages tell about factors ---------------------------------------------------------------------


def factors(config: GameConfig, window: IntArray) -> Iterator[tuple[str, IntArray]]:
    """Yield the factors of windows (B, W): the edge, and what stands at each offset, as names and codes (B,).

    That is an integer, or none, or hidden (in games with hidden cells).
    """
    categories = categories_at_places(config, window)
    yield "edge", categories[:, -1]
    for offset, codes in zip(config.offsets, categories.T, strict=False):
        yield f"integer at {signed(offset)}", codes


def of_factors(recording: Recording, groups: Groups, orders: Sequence[IntArray]) -> list[Measure]:
    """Return the mutual information of messages with each factor, and their disentanglement.

    By chance: the windows are permuted among the messages. Information by chance is the bias of the estimate,
    which is large for many messages; only the difference is information.
    """
    config = recording.config
    whole = distinct_rows(recording.message)[1]
    bags = [(recording.message == symbol).sum(axis=1) for symbol in range(config.vocab_size)]
    parts = [whole, *recording.message.T, *bags]
    own = np.array([groups.entropies(part) for part in parts])
    names, codes = zip(*factors(config, recording.window), strict=True)
    bits = information(parts, codes, groups)
    chance = [information(parts, [each[order] for each in codes], NO_GROUPS) for order in orders]
    found = [
        report(
            BITS,
            f"information on the {name}",
            bits[i, 0],
            [copy[i, 0, 0] for copy in chance],
            entropy(np.bincount(codes[i])),
        )
        for i, name in enumerate(names)
    ]
    first_bag = 1 + config.message_length
    for name, of in (("positional", slice(1, first_bag)), ("bag-of-symbols", slice(first_bag, None))):
        by_chance = [float(disentanglement(copy[:, of], own[of, :1])[0]) for copy in chance]
        value = disentanglement(bits[:, of], own[of])
        found.append(report(DISENTANGLEMENT, f"{name} disentanglement", value, by_chance))
    return found


def information(parts: Sequence[IntArray], codes: Sequence[IntArray], groups: Groups) -> FloatArray:
    """Return the mutual information (F, P, G+1) of F factors (B,) with P parts of messages (B,), in bits."""
    parts = [part.astype(np.int64) for part in parts]
    own, alone = ([groups.entropies(each) for each in several] for several in (parts, codes))
    bits = np.empty((len(codes), len(parts), groups.count + 1))
    for i, code in enumerate(codes):
        size = int(code.max(initial=0)) + 1
        for j, part in enumerate(parts):
            bits[i, j] = alone[i] + own[j] - groups.entropies(part * size + code)
    return np.where(bits < _ROUNDING, 0.0, bits)


def disentanglement(bits: FloatArray, own: FloatArray) -> FloatArray:
    """Return positional or bag-of-symbols disentanglement (G+1,), from bits (F, P, G+1) about F factors.

    For each part (a slot, or the number of times that a symbol occurs) with entropy `own` (P, G+1): how much
    more it tells about one factor than about the next best, as a share of its entropy; then the mean over the
    parts that vary. It is 1 if each part tells one factor completely.
    """
    best = np.sort(bits, axis=0)[::-1]
    gaps = ratio(best[0] - best[1], own)
    varies = ~np.isnan(gaps)
    return ratio(np.where(varies, gaps, 0.0).sum(axis=0), varies.sum(axis=0))


# --- Topographic similarity -------------------------------------------------------------------------------

Pairs = tuple[IntArray, IntArray]


def topographic_similarity(
    recording: Recording, groups: Groups, orders: Sequence[IntArray], pairs: Pairs
) -> Measure:
    """Return Spearman's correlation of the edit distances of messages with the differences of windows.

    Windows differ at the offsets at which they show different integers. By chance: the messages are permuted
    among the windows.
    """
    one, other = pairs
    shown = (values_at_places(recording.config, recording.window[rows])[:, :-1] for rows in pairs)
    seen = np.count_nonzero(np.not_equal(*shown), axis=1)
    message = recording.message
    said = edit_distances(message[one], message[other])
    chance = [spearman(edit_distances(message[order[one]], message[order[other]]), seen) for order in orders]
    labels = [groups.label[rows] for rows in pairs]
    kept = [(labels[0] != group) & (labels[1] != group) for group in range(groups.count)]
    values = np.array([spearman(said, seen), *(spearman(said[rows], seen[rows]) for rows in kept)])
    return report(SIMILARITY, "topographic similarity", values, chance)


def draw_pairs(groups: Groups, max_pairs: int, rng: np.random.Generator) -> Pairs:
    """Return pairs of different episodes, (P,) and (P,): all of them, or some drawn at random.

    The two episodes of a drawn pair are in the same group, so leaving out a group does not affect other
    pairs.
    """
    size = len(groups.label)
    if size * (size - 1) // 2 <= max_pairs or size < 2 * groups.count:
        one, other = np.triu_indices(size, 1)
        kept = rng.permutation(len(one))[:max_pairs]
        return one[kept], other[kept]
    sizes = np.array([len(rows) for rows in groups.rows])
    group = rng.integers(0, len(sizes), max_pairs)
    group = np.where(sizes[group] > 1, group, np.argmax(sizes))
    first = rng.integers(0, sizes[group])
    second = (first + rng.integers(1, sizes[group])) % sizes[group]
    one, other = np.empty_like(first), np.empty_like(second)
    for number, rows in enumerate(groups.rows):
        here = group == number
        one[here], other[here] = rows[first[here]], rows[second[here]]
    return one, other


def edit_distances(one: IntArray, other: IntArray) -> Numbers:
    """Return the edit distances (P,) (Levenshtein 1966) of messages (P, T)."""
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
