"""The best referent of each form, or its best few integers where forms may have several meanings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.association import raw_npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Forms, FormTable, Occurrences, occurrences
from spatial_game.language.counting.places import num_shown
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.associations import Associations
from spatial_game.language.npmi.polysemy import count_unions

NO_INTEGER = -1


@dataclass(frozen=True)
class BestReferents:
    """The best referents of one kind: of each form, and for integers at offsets of each form and offset.

    There are E of them. `take` and `admitted` choose some; what is admitted becomes an entry of a lexicon.
    """

    kind: str
    table: FormTable
    form: Numbers  # (E,), row of `table`
    values: Numbers  # (E, n), the integers, most frequent first, padded with NO_INTEGER; (E, 0) if none
    place: Numbers  # (E,), the edge's value or the offset's number; 0 for integers
    joint: Numbers  # (E,), episodes with form and referent
    form_total: Numbers  # (E,)
    referent_total: Numbers  # (E,)
    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,), of the least significant member where there are several integers
    q_value: FloatArray  # (E,)
    total: int  # episodes that were counted

    def __len__(self) -> int:
        return len(self.form)

    @property
    def forms(self) -> Forms:
        """The E forms."""
        return self.table.take(self.form)

    @property
    def npmi(self) -> FloatArray:
        """(E,), in [-1, 1]."""
        return np.clip(self.raw_npmi, -1.0, 1.0)

    @property
    def clipped(self) -> int:
        """How many NPMIs the estimator put outside [-1, 1], by more than rounding."""
        return int(np.sum(np.abs(self.raw_npmi) > 1 + 1e-9))

    def take(self, which: npt.NDArray[Any]) -> BestReferents:
        """Return those of a mask or of row numbers."""
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        whole = ("kind", "table", "total")
        return replace(self, **{name: c[which] for name, c in columns.items() if name not in whole})

    def admitted(self, settings: NpmiSettings) -> BestReferents:
        """Return those that meet every demand of the settings."""
        least = settings.least_offset_npmi if self.kind == "offset" else settings.threshold
        return self.take(
            (self.joint >= settings.min_count)
            & (self.q_value <= settings.significance)
            & (self.npmi >= least)
            & (self.joint >= settings.least_confidence * self.form_total)
        )

    def occurrences(self, messages: IntArray) -> Occurrences:
        """Return every place in messages (M, T) where a form of these stands; `form` is their row here."""
        return occurrences(self.forms, messages)


def best_referents(found: Associations, config: GameConfig) -> BestReferents:
    """Return, for each form (and offset, for integers at offsets), the one referent of highest NPMI.

    Ties go to the larger joint, then to the first referent.
    """
    order = np.lexsort((found.referent, -found.joint, -found.npmi, _groups(found, config)))
    members = _members(found, order, config, most=1)
    best = members[:, 0]
    return _of_members(
        found,
        members,
        found.joint[best],
        found.totals.referent[found.referent[best]],
        found.npmi[best],
        config,
    )


def best_unions(
    found: Associations, counts: Counts, settings: NpmiSettings, tops: Sequence[int]
) -> dict[int, BestReferents]:
    """Return, for each top_n, the union of the most frequent integers of each form, each significant.

    Ties go to the higher NPMI, then to the first referent. Forms without a significant integer are left out.
    Unions of integers at any offset are counted in one pass over the episodes for all `tops`: an episode may
    show several of them, so they are not sums of pairs. At one offset they are.
    """
    config = counts.config
    order = np.lexsort((found.referent, -found.npmi, -found.joint, _groups(found, config)))
    order = order[found.q_value[order] <= settings.significance]
    members = _members(found, order, config, most=max(tops))
    present = members >= 0
    form = found.form[members[:, 0]]
    together = np.where(present, found.joint[members], 0)
    each = np.where(present, found.totals.referent[found.referent[members]], 0)
    joint, shown = ({n: column[:, :n].sum(axis=1) for n in tops} for column in (together, each))
    if found.kind == "integer":
        several = np.flatnonzero(present[:, 1])
        values = _integers(found, members[several], config)
        counted = count_unions(counts, found.forms.incidence[form[several]], values, tops)
        for n in tops:
            joint[n][several], shown[n][several] = (column[n] for column in counted)
    unions = {}
    for n in tops:
        share = shown[n] / max(found.shares.episodes, 1)
        if settings.estimator == "paper":
            share = _paper_share(present[:, :n].sum(axis=1), config)
        npmi = raw_npmi(joint[n] / max(found.shares.episodes, 1), found.shares.form[form], share)
        unions[n] = _of_members(found, members[:, :n], joint[n], shown[n], npmi, config)
    return unions


def _paper_share(number: Numbers, config: GameConfig) -> FloatArray:
    """Return the probability of a union of this number of integers by the paper's equations (appendix D)."""
    return np.where(number == 1, 1 / len(config.integers), any_of_integers(config, number))


def any_of_integers(config: GameConfig, number: npt.NDArray[Any]) -> FloatArray:
    """Return the probability of one of `number` integers in a window (appendix D, equation 1)."""
    integers, seen = len(config.integers), num_shown(config)
    none_of = [
        math.comb(integers - int(n), seen) / math.comb(integers, seen) if n <= integers else 0.0
        for n in number
    ]
    return 1.0 - np.array(none_of, dtype=np.float64)


def _members(found: Associations, order: Numbers, config: GameConfig, most: int) -> Numbers:
    """Return (E, most): the first pairs of each group, in this order of pairs; -1 where there are no more."""
    starts = np.diff(_groups(found, config)[order], prepend=-1) != 0
    row = np.cumsum(starts) - 1
    rank = np.arange(len(order)) - np.flatnonzero(starts)[row]
    members = np.full((int(starts.sum()), most), -1)
    kept = rank < most
    members[row[kept], rank[kept]] = order[kept]
    return members


def _groups(found: Associations, config: GameConfig) -> Numbers:
    """(P,), which pairs compete: those of a form; for integers at offsets, those of a form and an offset."""
    if found.kind != "integer_at":
        return found.form
    return found.form * len(config.offsets) + found.referent // len(config.integers)


def _integers(found: Associations, members: Numbers, config: GameConfig) -> Numbers:
    return np.where(members >= 0, found.referent[members] % len(config.integers), NO_INTEGER)


def _of_members(
    found: Associations,
    members: Numbers,
    joint: Numbers,
    shown: Numbers,
    npmi: FloatArray,
    config: GameConfig,
) -> BestReferents:
    """Return the referents (E,) that are unions of pairs (E, n), with their counts."""
    first = members[:, 0]
    form, referent = found.form[first], found.referent[first]
    of_integers = found.kind in ("integer", "integer_at")
    p_value, q_value = (
        np.where(members >= 0, column[members], 0).max(axis=1) for column in (found.p_value, found.q_value)
    )
    return BestReferents(
        kind=found.kind,
        table=found.forms,
        form=form,
        values=_integers(found, members, config) if of_integers else np.zeros((len(first), 0), np.int64),
        place=referent // len(config.integers) if of_integers else referent,
        joint=joint,
        form_total=found.totals.form[form],
        referent_total=shown,
        raw_npmi=npmi,
        p_value=p_value,
        q_value=q_value,
        total=found.totals.episodes,
    )
