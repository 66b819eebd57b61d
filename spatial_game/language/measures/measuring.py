"""From recordings to a table of measures, with their values by chance and their intervals.

The value by chance is the mean for copies with shuffled messages. A 95% interval comes from the
delete-a-group jackknife (Quenouille 1956; Kott 2001, J. Official Statistics 17:521-526): the values without
each of 20 groups of episodes tell how much a figure depends on the sample.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import rows_at_once
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.measures.measure import Estimate, Estimates, Measure
from spatial_game.language.measures.register import MEASURES
from spatial_game.language.measures.sample import Sample
from spatial_game.recording import Recording, join
from spatial_game.tables import Table
from spatial_game.text import between

MAX_EPISODES, _MAX_BYTES = 500_000, 1 << 30
"""The most episodes, and bytes of them, that are measured; of more, episodes are drawn at random."""
NUM_GROUPS = 20
"""Groups of episodes, each of which is left out once for intervals."""
NUM_SHUFFLES = 5
"""Shuffled copies for the values by chance."""
MOST_BY_CHANCE, MOST_TAKEN = 0.5, 0.2
"""A value that is adjusted for chance is undefined if chance gives more than the first part of the maximum,
or if the adjustment takes away more than the second."""
TOO_FEW = "there are too few episodes, as shuffled messages seem to tell much of it"


@dataclass(frozen=True)
class MeasuredValue:
    """One number about a language."""

    name: str
    value: float | None
    """None if the measure is undefined; then `reason` says why."""
    unit: str
    source: str
    """The publication that the measure comes from."""
    low: float | None = None
    high: float | None = None
    """A 95% interval, if there is one."""
    shuffled: float | None = None
    """The value by chance: the mean over shuffled copies; None for a value that is adjusted for it."""
    maximum: float | None = None
    """The largest possible value, if known."""
    reason: str | None = None


def measure_sample(measure: Measure, sample: Sample, rng: np.random.Generator) -> Iterator[MeasuredValue]:
    """Yield the figures of a measure, with their values by chance and intervals."""
    sample = sample[: measure.max_episodes]  # before groups are left out, so that each of them is looked at
    shuffled, without = list[Estimates](), list[Estimates]()
    if measure.shuffle:
        shuffled = [measure.estimates(measure.shuffle(sample, rng)) for _ in range(NUM_SHUFFLES)]
    if measure.has_interval:
        without = [measure.estimates(part) for part in _without_groups(sample)]
    for name, estimate in measure.estimates(sample).items():
        of_name = ([estimates[name] for estimates in samples] for samples in (shuffled, without))
        yield _measured_value(measure, name, estimate, *of_name)


def _measured_value(
    measure: Measure, name: str, estimate: Estimate, shuffled: list[Estimate], without: list[Estimate]
) -> MeasuredValue:
    """Return a figure, from estimates of the sample, of shuffled copies, and without each of its groups."""
    figure = MeasuredValue(name, None, measure.unit, measure.source)
    if math.isnan(estimate.value):
        return replace(figure, reason=measure.undefined)
    figure = replace(figure, maximum=estimate.maximum if math.isfinite(estimate.maximum) else None)
    by_chance, error = np.array([copy.value for copy in shuffled if math.isfinite(copy.value)]), 0.0
    if measure.adjusted and len(by_chance):
        if _is_chance(estimate, by_chance.mean()):
            return replace(figure, reason=TOO_FEW)
        estimate, without, error = _adjusted_for_chance(estimate, without, by_chance)
    elif len(by_chance):
        chance = float(np.clip(by_chance.mean(), measure.minimum, estimate.maximum))
        figure = replace(figure, shuffled=chance)
    value = float(np.clip(estimate.value, measure.minimum, estimate.maximum))
    low, high = _interval(measure, replace(estimate, value=value), without, error)
    return replace(figure, value=value, low=low, high=high)


def _adjusted_for_chance(
    estimate: Estimate, without: Sequence[Estimate], by_chance: FloatArray
) -> tuple[Estimate, list[Estimate], float]:
    """Return the adjusted estimates, and the standard error of the first that comes from that of chance."""
    chance = float(by_chance.mean())
    chance_error = float(by_chance.std()) / math.sqrt(max(len(by_chance) - 1, 1))
    error = adjusted(estimate, chance + chance_error) - adjusted(estimate, chance)
    estimate, *without = (replace(each, value=adjusted(each, chance)) for each in (estimate, *without))
    return estimate, without, error


def _interval(
    measure: Measure, estimate: Estimate, without: Sequence[Estimate], error: float
) -> tuple[float | None, float | None]:
    """Return the ends of the interval of an estimate, from those without each group; None without them.

    `error` is another standard error: see `jackknife_half_width`. The interval ends at the maximum; where
    that is an estimate, it ends at the end of its interval.
    """
    half_width = jackknife_half_width(np.array([part.value for part in without]), error)
    if half_width is None:
        return None, None
    low, high = (estimate.value if end is None else end for end in (estimate.low, estimate.high))
    ends = min(estimate.value, low) - half_width, max(estimate.value, high) + half_width
    most = estimate.maximum
    if measure.adjusted:
        most += jackknife_half_width(np.array([part.maximum for part in without])) or 0.0
    low, high = np.clip(ends, measure.minimum, most).tolist()
    return low, high


def adjusted(estimate: Estimate, chance: float) -> float:
    """Return the share of what chance leaves open, times the maximum (Vinh, Epps and Bailey 2010)."""
    most = estimate.maximum
    return most * (estimate.value - chance) / (most - chance) if most > chance else 0.0


def _is_chance(estimate: Estimate, chance: float) -> bool:
    """Return whether a value that is adjusted for chance is undefined: see `MOST_BY_CHANCE`."""
    most = estimate.maximum + 1e-9
    taken = estimate.value - adjusted(estimate, chance)
    return chance > MOST_BY_CHANCE * most or taken > MOST_TAKEN * most


def jackknife_half_width(replicates: FloatArray, error: float = 0.0) -> float | None:
    """Return half the width of a 95% interval, from values without each of G groups; None for fewer than two.

    `error` is another standard error, which is independent of the sample. The quantile is that of Student's
    t with G-1 degrees of freedom.
    """
    count = len(replicates)
    if count < 2 or not np.all(np.isfinite(replicates)):
        return None
    variance = (count - 1) / count * np.sum((replicates - replicates.mean()) ** 2)
    return float(stdtrit(count - 1, 0.975) * math.sqrt(variance + error**2))


def _without_groups(sample: Sample) -> Iterator[Sample]:
    """Yield the episodes without each of the groups; nothing if there is only one episode."""
    groups = min(NUM_GROUPS, len(sample)) if len(sample) > 1 else 0
    ends = np.linspace(0, len(sample), groups + 1).astype(int)
    for first, last in itertools.pairwise(ends):
        yield sample[np.r_[:first, last : len(sample)]]


def all_measures(
    sources: Sequence[Source], rng: np.random.Generator, own: Sequence[Measure] = ()
) -> list[MeasuredValue]:
    """Return every measure of recordings, in memory or on disk (`recording_parts`), as of one.

    `own` are further measures: see `own_measure`. Of more than `most_measured` episodes, this number is
    sampled. Raises `ValueError` without episodes.
    """
    recording = draw_recording(sources, rng)
    if len(recording) == 0:
        raise UserError("sources must have at least one episode; got none")
    sample = Sample.of(recording, rng)
    return [figure for measure in (*MEASURES, *own) for figure in measure_sample(measure, sample, rng)]


def blind_spots() -> list[str]:
    """Return what the measures cannot see, each sentence once."""
    return list(dict.fromkeys(measure.blind_spot for measure in MEASURES if measure.blind_spot))


def most_measured(config: GameConfig) -> int:
    """Return the most episodes that are measured: `MAX_EPISODES`, or fewer of a large game.

    An episode takes 8 bytes for each offset, two for each symbol of the message and its copies, and one for
    each symbol of the vocabulary.
    """
    symbols = 2 * (NUM_SHUFFLES + 1) * config.message_length + config.vocab_size
    return rows_at_once(8 * len(config.offsets) + symbols, MAX_EPISODES, _MAX_BYTES)


def draw_recording(sources: Sequence[Source], rng: np.random.Generator) -> Recording:
    """Return all episodes of recordings, or `most_measured` drawn at random, in their order."""
    most = most_measured(sources[0].config)
    total = sum(len(block) for source in sources for block in source.blocks(columns=()))
    kept = np.ones(total, dtype=bool)
    kept[rng.choice(total, max(total - most, 0), replace=False)] = False
    parts, start = [], 0
    for block in (block for source in sources for block in source.blocks(columns=())):
        rows = kept[start : start + len(block)]
        parts.append(Recording(block.config, block.window[rows], block.message[rows]))
        start += len(block)
    return join(parts)


def measure_table(measures: Sequence[MeasuredValue]) -> Table:
    """Return the measures of a language, with all digits; an undefined one has no value."""
    heading = "Measure | Value :figure | Low :figure | High :figure | Shuffled :figure | Unit | Source"
    heading += " | Maximum :figure"
    rows = ((m.name, m.value, m.low, m.high, m.shuffled, m.unit, m.source, m.maximum) for m in measures)
    return Table.of(heading, rows)


def measure_table_for_people(measures: Sequence[MeasuredValue]) -> Table:
    """Return the defined measures, with their intervals in one column."""
    rows = (
        (m.name, m.value, m.maximum, m.unit, _interval_text(m), m.shuffled)
        for m in measures
        if m.value is not None
    )
    heading = "Measure | Value :figure | Maximum :figure | Unit | 95% interval | Shuffled :figure"
    return Table.of(heading, rows)


def _interval_text(figure: MeasuredValue) -> str | None:
    return None if figure.low is None or figure.high is None else between((figure.low, figure.high), "figure")
