"""Step 3 of the paper's analysis: the best referent of each n-gram, if it passes test and thresholds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.referents import IntegersAtOffsets, Offsets
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.text import written


def best_of_each(associations: ScoredAssociations) -> ScoredAssociations:
    """Return the best referent of each n-gram; of integers at offsets, that of each n-gram and offset.

    It has the highest NPMI; ties go to the larger joint, then to the first referent.
    """
    associations, rank = ranked(associations, associations.raw_npmi, associations.joint)
    return associations.take(rank == 0)


def admit(associations: ScoredAssociations, settings: NpmiSettings) -> ScoredAssociations:
    """Return those that meet every demand of the settings, ordered by referent, then by n-gram."""
    met = [demand.met for demand in _demands(associations, settings)]
    admitted = associations.take(np.logical_and.reduce(met))
    ngrams = admitted.ngrams
    keys = [*admitted.referents.numbers.T, *ngrams.symbols.T, ngrams.slot]
    return admitted.take(np.lexsort(keys[::-1]))


class _Demand(NamedTuple):
    """What a setting demands of a figure of associations, and which of them have it."""

    setting: str
    figure: str
    values: FloatArray | Numbers  # (E,)
    limit: float
    met: npt.NDArray[np.bool_]  # (E,)


def _demands(associations: ScoredAssociations, settings: NpmiSettings) -> list[_Demand]:
    """Return every demand of the settings."""
    of_offsets = isinstance(associations.referents, Offsets)
    threshold = settings.least_offset_npmi if of_offsets else settings.threshold
    joint, least_joint = associations.joint, settings.min_count
    q, most_q, npmi = associations.q_value, settings.significance, associations.npmi
    confidence, share = joint / associations.ngram_total, settings.least_confidence
    confident = joint >= share * associations.ngram_total
    return [
        _Demand("min_count", "highest number of episodes together", joint, least_joint, joint >= least_joint),
        _Demand("significance", "lowest q-value", q, most_q, q <= most_q),
        _Demand("threshold", "highest NPMI", npmi, threshold, npmi >= threshold),
        _Demand("min_confidence", "highest confidence", confidence, share, confident),
    ]


def why_none(associations: ScoredAssociations, settings: NpmiSettings) -> str:
    """Say which demand no association meets, of those that meet the ones before it, and their best value."""
    demands = _demands(associations, settings)
    passed = np.logical_and.accumulate([each.met for each in demands])
    failed = int(np.argmin(passed.any(axis=1)))
    setting, figure, values, limit, _ = demands[failed]
    left = values[passed[failed - 1]] if failed else values
    best, side = (left.min(), "above") if setting == "significance" else (left.max(), "below")
    met = ", ".join(each.setting for each in demands[:failed])
    those = f"among those that meet {met} ({len(left):,}), " if met else ""
    return f"{those}the {figure} is {written(best, 'figure')}, {side} {limit:g} ({setting})"


def ranked(
    associations: ScoredAssociations, *figures: FloatArray | Numbers
) -> tuple[ScoredAssociations, Numbers]:
    """Return the associations by n-gram, and the rank (E,) of each among those of its n-gram, from 0 on.

    Of several figures (E,), which are better the larger they are, the first one decides; ties go to the next
    figure, then to the first referent. Integers at offsets are ranked for each n-gram and offset.
    """
    rivals = associations.ngram
    if isinstance(associations.referents, IntegersAtOffsets):
        offset = associations.referents.offset
        rivals = rivals * (int(offset.max(initial=0)) + 1) + offset
    keys = [rivals, *(-figure for figure in figures), *associations.referents.numbers.T]
    order = np.lexsort(keys[::-1])
    starts = np.diff(rivals[order], prepend=-1) != 0
    rank = np.arange(len(associations)) - np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return associations.take(order), rank
