"""From recordings to a table of measures, with their values by chance and their intervals.

The value by chance is the mean for copies with shuffled messages. A 95% interval comes from the
delete-a-group jackknife (Quenouille 1956; Kott 2001, J. Official Statistics 17:521-526): the values without
each of 20 groups of episodes tell how much a figure depends on the sample.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import rows_at_once
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.measures.measure import Estimate, Measure
from spatial_game.language.measures.register import MEASURES
from spatial_game.language.measures.sample import Sample
from spatial_game.recording import Recording, join
from spatial_game.tables import Table
from spatial_game.text import between

MAX_EPISODES, _MAX_BYTES = 500_000, 1 << 30
"""More episodes, and more bytes of them, are sampled at random, so that the memory is bounded."""
NUM_GROUPS = 20
NUM_SHUFFLES = 5
"""Copies for the values by chance."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return the measure for JSON."""
        return dataclasses.asdict(self)

    @property
    def interval_text(self) -> str | None:
        """The interval as text; None without one."""
        return None if self.low is None or self.high is None else between((self.low, self.high), "figure")


def measured(measure: Measure, sample: Sample, rng: np.random.Generator) -> Iterator[MeasuredValue]:
    """Yield the figures of a measure, with their values by chance and intervals."""
    sample = sample[: measure.most]  # before groups are left out, so that each of them is looked at
    null, parts = measure.null, _without_groups(sample) if measure.has_interval else ()
    copies = [measure.of(null(sample, rng)) for _ in range(NUM_SHUFFLES)] if null else []
    without = [measure.of(part) for part in parts]
    for name, figure in measure.of(sample).items():
        shuffled, left_out = ([each[name] for each in figures] for figures in (copies, without))
        by_chance = [each.value for each in shuffled if math.isfinite(each.value)]
        chance = float(np.mean(by_chance)) if by_chance else None
        unit, source = measure.unit, measure.source
        if math.isnan(figure.value):
            yield MeasuredValue(name, None, unit, source, reason=measure.undefined)
        elif measure.adjusted and _is_chance(figure, chance or 0.0):
            yield MeasuredValue(name, None, unit, source, maximum=figure.maximum, reason=TOO_FEW)
        else:
            yield _measure(measure, name, figure, by_chance, left_out)


def _measure(
    measure: Measure, name: str, figure: Estimate, by_chance: list[float], without: list[Estimate]
) -> MeasuredValue:
    """Return a figure beside the values of shuffled copies, with its interval by those without a group each.

    The interval ends at the maximum; where that is an estimate, it ends at the end of its interval.
    """
    least, most = measure.least, math.inf if figure.maximum is None else figure.maximum
    chance = float(np.mean(by_chance)) if by_chance else None
    value, doubt, values = figure.value, 0.0, np.array([each.value for each in without])
    if measure.adjusted and chance is not None:
        error = float(np.std(by_chance)) / math.sqrt(max(len(by_chance) - 1, 1))
        value, values = adjusted(figure, chance), np.array([adjusted(each, chance) for each in without])
        doubt, chance = adjusted(figure, chance + error) - value, None
    value = float(np.clip(value, least, most))
    chance = None if chance is None else float(np.clip(chance, least, most))
    low, high, reach = None, None, jackknife_half_width(values, doubt)
    if reach is not None:
        lower, upper = (value if end is None else end for end in (figure.low, figure.high))
        ends = min(value, lower) - reach, max(value, upper) + reach
        if measure.adjusted:
            most += jackknife_half_width(np.array([each.maximum or 0.0 for each in without])) or 0.0
        low, high = np.clip(ends, least, most).tolist()
    return MeasuredValue(name, value, measure.unit, measure.source, low, high, chance, figure.maximum)


def adjusted(figure: Estimate, chance: float) -> float:
    """Return the share of what chance leaves open, times the maximum (Vinh, Epps and Bailey 2010)."""
    most = figure.maximum or 0.0
    return most * (figure.value - chance) / (most - chance) if most > chance else 0.0


def _is_chance(figure: Estimate, chance: float) -> bool:
    """Return whether a value that is adjusted for chance is undefined: see `MOST_BY_CHANCE`."""
    most = (figure.maximum or 0.0) + 1e-9
    taken = figure.value - adjusted(figure, chance)
    return chance > MOST_BY_CHANCE * most or taken > MOST_TAKEN * most


def jackknife_half_width(replicates: FloatArray, doubt: float = 0.0) -> float | None:
    """Return half the width of a 95% interval, from values without each of G groups; None for fewer than two.

    `doubt` is another standard error, which is independent of the sample. The quantile is that of Student's
    t with G-1 degrees of freedom.
    """
    count = len(replicates)
    if count < 2 or not np.all(np.isfinite(replicates)):
        return None
    variance = (count - 1) / count * np.sum((replicates - replicates.mean()) ** 2)
    return float(stdtrit(count - 1, 0.975) * math.sqrt(variance + doubt**2))


def _without_groups(sample: Sample) -> Iterator[Sample]:
    """Yield the episodes without each of 20 groups; nothing if there is only one episode."""
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
    recording = drawn(sources, rng)
    if len(recording) == 0:
        raise UserError("sources must have at least one episode; got none")
    sample = Sample.of(recording, rng)
    return [figure for measure in (*MEASURES, *own) for figure in measured(measure, sample, rng)]


def blind_spots() -> list[str]:
    """Return what the measures cannot see, each sentence once."""
    return list(dict.fromkeys(each.blind for each in MEASURES if each.blind))


def most_measured(config: GameConfig) -> int:
    """Return the most episodes that are measured: `MAX_EPISODES`, or fewer of a large game.

    An episode takes 8 bytes for each offset, two for each symbol of the message and its copies, and one for
    each symbol of the vocabulary.
    """
    symbols = 2 * (NUM_SHUFFLES + 1) * config.message_length + config.vocab_size
    return rows_at_once(8 * len(config.offsets) + symbols, MAX_EPISODES, _MAX_BYTES)


def drawn(sources: Sequence[Source], rng: np.random.Generator) -> Recording:
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
        (m.name, m.value, m.maximum, m.unit, m.interval_text, m.shuffled)
        for m in measures
        if m.value is not None
    )
    heading = "Measure | Value :figure | Maximum :figure | Unit | 95% interval | Shuffled :figure"
    return Table.of(heading, rows)
