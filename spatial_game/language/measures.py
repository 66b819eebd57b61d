"""The measures of a language that the field reports: entropy, information, disentanglement, similarity.

Each has its source and, if it is an estimate, a 95% interval. With many messages, estimates of entropy and
information are biased, and an interval around one misses the truth. So each end of an interval comes from an
estimate with a known direction: the lower end from one that is too low on average, the upper end from one
that is too high. Both allow for chance by the delete-a-group jackknife (Quenouille 1956; Kott 2001, J.
Official Statistics 17:521-526): an estimate has replicates (G+1,), its value over all episodes, then without
each of 20 random groups.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import HIDDEN, IntArray, rows_at_once
from spatial_game.language.counting.columns import ABSENT, columns_of
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.rows import FloatArray, Numbers, blocks, distinct_rows
from spatial_game.language.entropy import plug_in_entropy as plug_in_entropy
from spatial_game.language.wording import signed
from spatial_game.recording import Recording, join
from spatial_game.tables import Table, between

MAX_EPISODES, _MAX_BYTES = 500_000, 1 << 30
"""More episodes, and more bytes of them, are sampled at random, so that the memory is bounded."""
NUM_GROUPS = 20
NUM_SHUFFLES = 5
"""Copies for the values by chance."""
NUM_PAIRS = 100_000
"""Pairs of episodes for topographic similarity."""
_EDITED = 1 << 20  # symbols of messages that are compared at a time
STRENGTHS = np.array([1, 4, 16, 64, 256, 1024])
"""Episodes that the prior of a prediction counts for; the best one is taken."""
_LN2 = math.log(2)

# --- Entropy ----------------------------------------------------------------------------------------------


def miller_madow_entropy(counts: npt.NDArray[Any]) -> float:
    """Return the plug-in entropy of counts in bits, corrected for its bias to first order (Miller 1955)."""
    num_seen, size = int(np.count_nonzero(counts)), int(counts.sum())
    return plug_in_entropy(counts) + ((num_seen - 1) / (2 * size * _LN2) if size else 0.0)


def highest_entropy(counts: npt.NDArray[Any], most: float) -> float:
    """Return an estimate of an entropy in bits that is too high on average; `most` is the largest possible.

    Values that were not seen have together the share of those that were seen once (Good 1953). Nobody knows
    how many they are, so that they count as if they were evenly distributed over all possible values.
    """
    unseen = int((counts == 1).sum()) / max(int(counts.sum()), 1)
    which = plug_in_entropy(np.array([unseen, 1 - unseen]))
    return min((1 - unseen) * miller_madow_entropy(counts) + which + unseen * most, most)


def chao_shen_entropies(
    counts: npt.NDArray[Any], row: IntArray, num_rows: int, num_values: int
) -> FloatArray:
    """Return the entropy in bits of each row of a table, estimated with coverage (Chao and Shen 2003).

    The table has `num_values` columns; it is given by its cells that are not 0, `counts` (C,) and `row` (C,).
    Values that were seen once give the share of values that were not seen (Good 1953). Each value that was
    seen also stands for others, by the chance to see it (Horvitz and Thompson 1952). An entropy is at most
    log2(num_values), which is also that of values that were all seen once; it is 0 without counts.
    """
    n = np.bincount(row, counts, num_rows)
    once = np.bincount(row, counts == 1, num_rows)
    share = (1 - once / np.maximum(n, 1))[row] * counts / n[row]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = share * np.log2(share) / -np.expm1(n[row] * np.log1p(-share))
    bits = -np.bincount(row, np.where((share > 0) & (share < 1), terms, 0.0), num_rows)
    most = math.log2(max(num_values, 1))
    return np.asarray(np.where((once == n) & (n > 0), most, np.clip(bits, 0, most)))


def chao_shen_entropy(counts: Numbers) -> float:
    """Return the entropy of counts (K,) in bits as `chao_shen_entropies` does, for values that occur."""
    seen = counts[counts > 0]
    return float(chao_shen_entropies(seen, np.zeros(len(seen), dtype=np.int64), 1, len(seen))[0])


# --- Resampling -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Groups:
    """B episodes in G random groups of almost equal size."""

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


def interval(lower: FloatArray, upper: FloatArray) -> tuple[float, float] | None:
    """Return a 95% interval from replicates (G+1,) of two estimates, if they exist for two groups or more.

    Below the first estimate and above the second one, it allows for 97.5% of Student's t with G-1 degrees of
    freedom. They may be the same estimate.
    """
    if len(lower) < 3 or not np.all(np.isfinite([lower, upper])):
        return None
    return float(lower[0]) - _reach(lower), float(upper[0]) + _reach(upper)


def _reach(replicates: FloatArray) -> float:
    left_out, count = replicates[1:], len(replicates) - 1
    error = np.sqrt((count - 1) / count * np.sum((left_out - left_out.mean()) ** 2))
    return float(stdtrit(count - 1, 0.975) * error)


# --- The table --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """One number about a language."""

    name: str
    value: float | None
    """None if the measure is undefined; then `reason` says why."""
    unit: str
    source: str
    """The publication that the measure comes from."""
    low: float | None = None
    high: float | None = None
    """A 95% interval; None if there are too few episodes, or for a figure of these episodes alone."""
    shuffled: float | None = None
    """The value by chance: the mean over shuffled copies; see the function of the measure."""
    maximum: float | None = None
    """The largest possible value, if known."""
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the measure for JSON."""
        return dataclasses.asdict(self)

    def within(self, ends: tuple[float, float] | None, least: float = 0.0, most: float = math.inf) -> Measure:
        """Return the measure with an interval around its value that ends at these bounds, if there is one."""
        if self.value is None or ends is None:
            return self
        low, high = max(min(ends[0], self.value), least), min(max(ends[1], self.value), most)
        return dataclasses.replace(self, low=low, high=high)

    @property
    def interval_text(self) -> str | None:
        """The interval as text; None without one."""
        if self.low is None or self.high is None or self.value is None:
            return None
        if self.value.is_integer():
            return f"{self.low:,.0f} to {self.high:,.0f}"
        return between((self.low, self.high), "figure")


def measure_table(measures: Sequence[Measure]) -> Table:
    """Return the measures of a language, with all digits; an undefined one has no value."""
    heading = "Measure | Value :figure | Low :figure | High :figure | Shuffled :figure | Unit | Source"
    heading += " | Maximum :figure"
    rows = ((m.name, m.value, m.low, m.high, m.shuffled, m.unit, m.source, m.maximum) for m in measures)
    return Table.of(heading, rows)


def measure_table_for_people(measures: Sequence[Measure]) -> Table:
    """Return the defined measures, with their intervals in one column."""
    rows = (
        (m.name, m.value, m.maximum, m.unit, m.interval_text, m.shuffled)
        for m in measures
        if m.value is not None
    )
    heading = "Measure | Value :figure | Maximum :figure | Unit | 95% interval | Shuffled :figure"
    return Table.of(heading, rows)


def all_measures(sources: Sequence[Source], rng: np.random.Generator) -> list[Measure]:
    """Return every measure of recordings, in memory or on disk (`recording_parts`), as of one.

    Of more than `most_measured` episodes, this number is sampled. Raises `ValueError` without episodes.
    """
    recording = sample(sources, rng)
    if len(recording) == 0:
        raise UserError("sources must have at least one episode; got none")
    groups = Groups.deal(len(recording), rng)
    copies = [rng.permuted(recording.message, axis=0) for _ in range(NUM_SHUFFLES)]
    orders = [rng.permutation(len(recording)) for _ in range(NUM_SHUFFLES)]
    return [
        *message_measures(recording, groups, copies),
        *information_measures(recording, groups, orders),
        *disentanglement_measures(recording, orders),
        topographic_similarity(recording, groups, orders, rng),
    ]


def most_measured(config: GameConfig) -> int:
    """Return the most episodes that are measured: `MAX_EPISODES`, or fewer of a large game.

    An episode takes 8 bytes for each offset, two for each symbol of the message and its copies, and one for
    each symbol of the vocabulary.
    """
    symbols = 2 * (NUM_SHUFFLES + 1) * config.message_length + config.vocab_size
    return rows_at_once(8 * len(config.offsets) + symbols, MAX_EPISODES, _MAX_BYTES)


def sample(sources: Sequence[Source], rng: np.random.Generator) -> Recording:
    """Return all episodes of recordings, or `most_measured` drawn at random, in their order."""
    most = most_measured(sources[0].config)
    total = sum(len(block) for source in sources for block in source.blocks(columns=()))
    kept = np.ones(total, dtype=bool)
    kept[rng.choice(total, max(total - most, 0), replace=False)] = False
    blocks, start = [], 0
    for block in (block for source in sources for block in source.blocks(columns=())):
        rows = kept[start : start + len(block)]
        blocks.append(Recording(block.config, block.window[rows], block.message[rows]))
        start += len(block)
    return join(blocks)


# --- Messages ---------------------------------------------------------------------------------------------

SHANNON, PACKAGE = "Shannon 1948", "this package"


def message_measures(recording: Recording, groups: Groups, copies: Sequence[IntArray]) -> Iterator[Measure]:
    """Yield how many messages and symbols are used, and the entropy of messages, symbols and slots.

    By chance: the symbols of each slot are permuted among the messages (`copies`). Counts of symbols stay the
    same. The entropy of whole messages then shows how much their symbols depend on each other.
    """
    config, message = recording.config, recording.message
    symbol_bits = math.log2(config.vocab_size)
    message_bits = config.message_length * symbol_bits
    distinct, number = distinct_rows(message)
    num_messages = [np.bincount(number), *(np.bincount(distinct_rows(copy)[1]) for copy in copies)]
    most = min(len(recording), config.vocab_size**config.message_length)
    for name, of, unit, source, maximum in (
        ("different messages", len, "count", PACKAGE, most),
        ("messages that make up 90%", num_covering, "count", PACKAGE, most),
        ("message entropy, plug-in", plug_in_entropy, "bits", SHANNON, message_bits),
    ):
        value, *shuffled = (float(of(counts)) for counts in num_messages)
        yield Measure(name, value, unit, source, shuffled=float(np.mean(shuffled)), maximum=maximum)
    shuffled = [miller_madow_entropy(counts) for counts in num_messages[1:]]
    whole = entropy_measure("message entropy", [*groups.counts(number, len(distinct))], message_bits)
    yield dataclasses.replace(whole, shuffled=float(np.mean(shuffled)))

    slots = [[*groups.counts(slot, config.vocab_size)] for slot in message.T]
    symbols = [*np.sum(slots, axis=0)]
    used = float(np.count_nonzero(symbols[0]))
    yield Measure("different symbols", used, "count", PACKAGE, maximum=config.vocab_size)
    yield entropy_measure("symbol entropy", symbols, symbol_bits)
    for i, counts in enumerate(slots, start=1):
        yield entropy_measure(f"entropy of slot {i}", counts, symbol_bits)


def entropy_measure(name: str, replicates: Sequence[Numbers], most: float) -> Measure:
    """Return an entropy of at most this number of bits from replicates of counts."""
    value = min(miller_madow_entropy(replicates[0]), most)
    ends = [(miller_madow_entropy(counts), highest_entropy(counts, most)) for counts in replicates]
    measure = Measure(name, value, "bits", "Miller 1955 (Miller-Madow)", maximum=most)
    return measure.within(interval(*np.array(ends).T), most=most)


def num_covering(counts: Numbers) -> int:
    """Return the number of most frequent values that make up 90% of all, for counts (K,)."""
    return int(np.count_nonzero(np.cumsum(np.sort(counts)[::-1]) < 0.9 * counts.sum())) + 1


# --- Information ------------------------------------------------------------------------------------------


def factors(config: GameConfig, window: IntArray) -> Iterator[tuple[str, IntArray]]:
    """Yield the factors of windows (B, W): the edge, and what stands at each offset, as names and codes (B,).

    A code is an integer, the number of integers where there is no cell, or the next where a cell is hidden.
    """
    columns = columns_of(config)
    yield "edge", columns.edge_of(window)
    codes = columns.at_offsets(window)
    for missing, code in ((ABSENT, config.num_integers), (HIDDEN, config.num_integers + 1)):
        codes[codes == missing] = code
    for offset, at_offset in zip(config.offsets, codes.T, strict=True):
        yield f"integer at {signed(offset)}", at_offset


def information_measures(
    recording: Recording, groups: Groups, orders: Sequence[IntArray]
) -> Iterator[Measure]:
    """Yield the mutual information of messages with each factor of the window."""
    message = distinct_rows(recording.message)[1]
    for name, value in factors(recording.config, recording.window):
        yield information_measure(f"information on the {name}", message, value, groups, orders)


def information_measure(
    name: str, message: IntArray, value: IntArray, groups: Groups, orders: Sequence[IntArray]
) -> Measure:
    """Return the mutual information of messages (B,) and values (B,), both numbered from 0.

    By chance: the mean for values in other orders. The estimate is the share of what chance leaves that the
    messages tell, times the entropy of the values, as adjusted mutual information (Vinh, Epps and Bailey
    2010). The lower end of the interval comes
    from `held_out_information`. The upper one comes from Miller and Madow's estimate of what messages leave
    open, which is too low on average.
    """
    pair = np.unique(message.astype(np.int64) * (int(value.max()) + 1) + value, return_inverse=True)[1]
    of_message, of_value, of_pair = (
        np.array([miller_madow_entropy(counts) for counts in groups.counts(codes, int(codes.max()) + 1)])
        for codes in (message, value, pair)
    )
    ends = interval(held_out_information(message, value, pair, groups), of_message + of_value - of_pair)
    most = chao_shen_entropy(np.bincount(value))
    chance = float(np.mean([chao_shen_information(message, value[order]) for order in orders]))
    bits = chao_shen_information(message, value)
    bits = max(most * (bits - chance) / (most - chance), 0.0) if most > chance else 0.0
    return Measure(name, bits, "bits", "Chao & Shen 2003", shuffled=chance, maximum=most).within(ends)


def chao_shen_information(message: IntArray, value: IntArray) -> float:
    """Return the mutual information of messages (B,) and values (B,) in bits (Chao and Shen 2003)."""
    size, of_message, of_value = int(value.max()) + 1, np.bincount(message), np.bincount(value)
    pairs, counts = np.unique(message.astype(np.int64) * size + value, return_counts=True)
    num_values = int(np.count_nonzero(of_value))
    left_open = chao_shen_entropies(counts, pairs // size, len(of_message), num_values)
    most = chao_shen_entropy(of_value)
    return min(max(most - float(left_open @ of_message) / len(value), 0.0), most)


def held_out_information(message: IntArray, value: IntArray, pair: IntArray, groups: Groups) -> FloatArray:
    """Return replicates (G+1,) of the bits by which messages predict values (B,) of episodes held out.

    On average, no prediction gains more than the mutual information (Barber and Agakov 2003). Each group is
    predicted from the other groups: by the values that came with the message, smoothed towards all values.
    `pair` (B,) numbers the pairs of message and value.
    """
    if groups.count < 2:
        return np.array([np.nan])
    counted = [(codes, np.bincount(codes)) for codes in (message, value, pair)]
    of_value = counted[1][1]
    surprise = -np.log2(of_value[value] / len(value))
    bits = np.empty((groups.count, len(STRENGTHS)))
    for group, rows in enumerate(groups.rows):
        with_message, with_value, with_both = (
            (total - np.bincount(codes[rows], minlength=len(total)))[codes[rows], None]
            for codes, total in counted
        )
        prior = (with_value + 0.5) / (len(value) - len(rows) + 0.5 * np.count_nonzero(of_value))
        predicted = (with_both + STRENGTHS * prior) / (with_message + STRENGTHS)
        bits[group] = (np.log2(predicted) + surprise[rows, None]).mean(axis=0)
    best = bits[:, bits.mean(axis=0).argmax()]
    return np.array([best.mean(), *((best.sum() - best) / (len(best) - 1))])


# --- Disentanglement --------------------------------------------------------------------------------------


def disentanglement_measures(recording: Recording, orders: Sequence[IntArray]) -> Iterator[Measure]:
    """Yield how far each slot, and the number of times that each symbol occurs, tells of one factor alone.

    By chance: the windows are permuted among the messages. There is no interval: the bias of the plug-in
    estimates differs from factor to factor, and the jackknife does not see it.
    """
    codes = [code for _, code in factors(recording.config, recording.window)]
    few = np.min_scalar_type(recording.config.message_length)
    symbols = range(recording.config.vocab_size)
    bags = [(recording.message == symbol).sum(axis=1, dtype=few) for symbol in symbols]
    for name, parts in (("positional", [*recording.message.T]), ("bag-of-symbols", bags)):
        value = disentanglement(parts, codes)
        shuffled = [disentanglement(parts, [code[order] for code in codes]) for order in orders]
        name, source = f"{name} disentanglement", "Chaabouni et al. 2020"
        if math.isnan(value):
            yield Measure(name, None, "share", source, reason="no slot and no symbol's count varies")
        else:
            yield Measure(name, value, "share", source, shuffled=float(np.mean(shuffled)), maximum=1.0)


def disentanglement(parts: Sequence[IntArray], codes: Sequence[IntArray]) -> float:
    """Return positional or bag-of-symbols disentanglement, from P parts (B,) and F factors (B,).

    Raises `ValueError` for fewer than two factors.

    For each part (a slot, or the number of times that a symbol occurs): how much more it tells about one
    factor than about the next best (plug-in estimates), as a share of its entropy; then the mean over the
    parts that vary. It is 1 if each part tells one factor completely, and NaN if no part varies.
    """
    require(len(codes) > 1, "factors must be at least two", len(codes))
    gaps = []
    for part in parts:
        own = plug_in_entropy(np.bincount(part))
        if own:
            *_, second, best = sorted(plug_in_information(part, code) for code in codes)
            gaps.append((best - second) / own)
    return float(np.mean(gaps)) if gaps else math.nan


def plug_in_information(part: IntArray, code: IntArray) -> float:
    """Return the mutual information of a part (B,) and values (B,) in bits, as plug-in estimate."""
    size = int(code.max()) + 1
    table = np.bincount(part.astype(np.int64) * size + code, minlength=size * (int(part.max()) + 1))
    table = table.reshape(-1, size)
    return plug_in_entropy(table.sum(axis=0)) + plug_in_entropy(table.sum(axis=1)) - plug_in_entropy(table)


# --- Topographic similarity -------------------------------------------------------------------------------


def topographic_similarity(
    recording: Recording, groups: Groups, orders: Sequence[IntArray], rng: np.random.Generator
) -> Measure:
    """Return Spearman's correlation of the edit distances of messages with the differences of windows.

    Windows differ at the offsets that show different integers. Pairs of episodes are drawn at random.
    By chance: the messages are permuted among the windows.
    """
    size, message = len(recording), recording.message
    one = rng.integers(0, size, NUM_PAIRS)
    other = (one + rng.integers(1, max(size, 2), NUM_PAIRS)) % size
    shown = (columns_of(recording.config).at_offsets(recording.window[rows]) for rows in (one, other))
    seen = np.count_nonzero(np.not_equal(*shown), axis=1)
    said = edit_distances(message[one], message[other])
    shuffled = [
        spearman(edit_distances(message[order[one]], message[order[other]]), seen) for order in orders
    ]
    kept = [(groups.label[one] != group) & (groups.label[other] != group) for group in range(groups.count)]
    values = np.array([spearman(said, seen), *(spearman(said[rows], seen[rows]) for rows in kept)])
    name, unit, source = "topographic similarity", "correlation", "Brighton & Kirby 2006"
    if math.isnan(values[0]):
        reason = "all messages, or all windows, are equally far apart"
        return Measure(name, None, unit, source, reason=reason)
    chance = float(np.mean(shuffled)) if np.all(np.isfinite(shuffled)) else None
    measure = Measure(name, float(values[0]), unit, source, shuffled=chance, maximum=1.0)
    return measure.within(interval(values, values), -1.0, 1.0)


def edit_distances(one: IntArray, other: IntArray) -> Numbers:
    """Return the edit distances (P,) (Levenshtein 1966) of messages (P, T)."""
    parts = blocks(len(one), rows_at_once(one.shape[1], len(one), _EDITED))
    return np.concatenate([_edit_distances(one[rows], other[rows]) for rows in parts])


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
