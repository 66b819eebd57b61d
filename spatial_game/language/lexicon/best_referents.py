"""The best referent of each form, or the best few where forms may have several meanings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import FormTable
from spatial_game.language.lexicon.associations import Pairs
from spatial_game.language.lexicon.npmi import any_of_integers, raw_npmi
from spatial_game.language.lexicon.polysemy import count_unions
from spatial_game.language.lexicon.settings import Settings

Numbers = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
NO_INTEGER = -1


@dataclass(frozen=True)
class Candidates:
    """The best referent of each form (of each form and offset, for integers at offsets): E of them."""

    kind: str
    forms: FormTable
    form: Numbers  # (E,), row of `forms`
    values: Numbers  # (E, n), the integers, most frequent first, padded with NO_INTEGER; (E, 0) if none
    place: Numbers  # (E,), the edge's mask column or the offset's number; 0 for integers
    joint: Numbers  # (E,)
    form_total: Numbers  # (E,)
    referent_total: Numbers  # (E,)
    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,); of the least significant member where there are several integers
    q_value: FloatArray  # (E,)
    total: int  # episodes that were counted

    def __len__(self) -> int:
        return len(self.form)

    @property
    def npmi(self) -> FloatArray:
        """(E,), in [-1, 1]."""
        return np.clip(self.raw_npmi, -1.0, 1.0)

    @property
    def clipped(self) -> int:
        """How many NPMIs the estimator put outside [-1, 1], by more than rounding."""
        return int(np.sum(np.abs(self.raw_npmi) > 1 + 1e-9))

    def take(self, which: npt.NDArray[Any]) -> Candidates:
        """Those of a mask or of row numbers."""
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        whole = ("kind", "forms", "total")
        return replace(self, **{name: c[which] for name, c in columns.items() if name not in whole})

    def admitted(self, settings: Settings) -> Candidates:
        """Those that meet every demand of the settings."""
        least = settings.least_offset_npmi if self.kind == "offset" else settings.threshold
        return self.take(
            (self.joint >= settings.min_count)
            & (self.q_value <= settings.significance)
            & (self.npmi >= least)
            & (self.joint >= settings.least_confidence * self.form_total)
        )


def best_referents(pairs: Pairs, config: GameConfig) -> Candidates:
    """For each form (and offset, for integers at offsets) the one referent of highest NPMI.

    Ties go to the larger joint, then to the first referent.
    """
    group = _groups(pairs, config)
    order = np.lexsort((pairs.referent, -pairs.joint, -pairs.npmi, group))
    first = order[_starts(group[order])]
    form, referent = pairs.form[first], pairs.referent[first]
    integer = (referent % len(config.integers))[:, None]
    no_values, no_place = np.zeros((len(first), 0), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    values, place = {
        "edge": (no_values, referent),
        "offset": (no_values, referent),
        "integer": (integer, no_place),
        "integer_at": (integer, referent // len(config.integers)),
    }[pairs.kind]
    return Candidates(
        kind=pairs.kind,
        forms=pairs.forms,
        form=form,
        values=values,
        place=place,
        joint=pairs.joint[first],
        form_total=pairs.form_totals[form],
        referent_total=pairs.referent_totals[referent],
        raw_npmi=pairs.npmi[first],
        p_value=pairs.p_value[first],
        q_value=pairs.q_value[first],
        total=pairs.total,
    )


def best_unions(
    pairs: Pairs, counts: Counts, settings: Settings, tops: Sequence[int]
) -> dict[int, Candidates]:
    """For each form the union of its most frequent integers, each significant by itself, for each top_n.

    Unions of integers anywhere in the window are counted in one pass over the episodes for all `tops`: an
    episode may show several of them, so they are not sums of pairs. At one offset they are.
    """
    num_integers = len(counts.config.integers)
    members = _members(pairs, counts.config, settings.significance, max(tops))
    present = members >= 0
    form = pairs.form[members[:, 0]]
    values = np.where(present, pairs.referent[members] % num_integers, NO_INTEGER)

    def first(n: int, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The column's numbers (E, n) of the first n members, 0 where there are fewer."""
        return np.where(present[:, :n], column[members[:, :n]], 0)

    if pairs.kind == "integer":
        joint, shown = count_unions(counts, pairs.forms, form, values, tops)
    else:
        joint = {n: first(n, pairs.joint).sum(axis=1) for n in tops}
        shown = {n: first(n, pairs.referent_totals[pairs.referent]).sum(axis=1) for n in tops}
    total = max(pairs.shares.total, 1)
    return {
        n: Candidates(
            kind=pairs.kind,
            forms=pairs.forms,
            form=form,
            values=values[:, :n],
            place=pairs.referent[members[:, 0]] // num_integers,
            joint=joint[n],
            form_total=pairs.form_totals[form],
            referent_total=shown[n],
            raw_npmi=raw_npmi(
                joint[n] / total,
                pairs.shares.form[form],
                _union_share(present[:, :n].sum(axis=1), shown[n] / total, settings, counts.config),
            ),
            p_value=first(n, pairs.p_value).max(axis=1),
            q_value=first(n, pairs.q_value).max(axis=1),
            total=pairs.total,
        )
        for n in tops
    }


def _members(pairs: Pairs, config: GameConfig, significance: float, most: int) -> Numbers:
    """(E, most), for each form (and offset) its significant pairs, most frequent first; -1 where no more.

    Ties go to the higher NPMI, then to the first referent. Forms without any are left out.
    """
    group = _groups(pairs, config)
    order = np.lexsort((pairs.referent, -pairs.npmi, -pairs.joint, group))
    order = order[pairs.q_value[order] <= significance]
    starts = _starts(group[order])
    row = np.cumsum(starts) - 1
    rank = np.arange(len(order)) - np.flatnonzero(starts)[row]
    members = np.full((int(starts.sum()), most), -1)
    kept = rank < most
    members[row[kept], rank[kept]] = order[kept]
    return members


def _union_share(number: Numbers, measured: FloatArray, settings: Settings, config: GameConfig) -> FloatArray:
    """The probability of a union of so many integers; `paper` has equations for it (appendix D)."""
    if settings.estimator == "exact":
        return measured
    return np.where(number == 1, 1 / len(config.integers), any_of_integers(config, number))


def _groups(pairs: Pairs, config: GameConfig) -> Numbers:
    """What competes with what: the referents of a form; for integers at offsets, of a form and offset."""
    if pairs.kind != "integer_at":
        return pairs.form
    return pairs.form * len(config.offsets) + pairs.referent // len(config.integers)


def _starts(group: Numbers) -> npt.NDArray[np.bool_]:
    """Where a new group starts in groups that are in order."""
    return np.asarray(np.diff(group, prepend=-1) != 0)
