"""The referents of forms: each form with each referent that it occurs with, and the best ones of each form.

A referent is an edge, an integer at an offset, an integer at any offset, or an offset. Where forms may have
several meanings, the best referent is a union of integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.association import hypergeometric_tail, raw_npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import (
    ANY,
    Forms,
    FormTable,
    Occurrences,
    ngrams,
    occurrences,
    whole_messages,
)
from spatial_game.language.counting.places import num_shown, places_of
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.polysemy import count_unions

NO_INTEGER = -1
"""In tables of several integers for each form, where a form has no more."""
_NO_PAIR = -1


# --- Each form with each referent --------------------------------------------------------------------------


@dataclass(frozen=True)
class Totals:
    """Episodes with each form, with each referent, and of a whole table."""

    form: Numbers  # (F,)
    referent: Numbers  # (R,)
    episodes: int


@dataclass(frozen=True)
class Shares:
    """The probabilities that an estimator gives to forms and referents; that of a pair is joint/episodes."""

    form: FloatArray  # (F,)
    referent: FloatArray  # (R,)
    episodes: int


@dataclass(frozen=True)
class Associations:
    """The P pairs of a form and a referent that occur together, sorted by form."""

    kind: str  # one of meaning.KINDS
    counts: Counts
    forms: FormTable
    totals: Totals
    shares: Shares
    form: Numbers  # (P,), row of `forms`
    referent: Numbers  # (P,), number of the referent within its kind
    joint: Numbers  # (P,), episodes with both
    npmi: FloatArray  # (P,), before clipping
    p_value: FloatArray  # (P,)
    q_value: FloatArray  # (P,)

    @property
    def rivals(self) -> Numbers:
        """(P,), which pairs compete: those of a form; of integers at offsets, those of a form and offset."""
        if self.kind != "integer_at":
            return self.form
        config = self.counts.config
        return self.form * len(config.offsets) + self.referent // len(config.integers)


def edge_associations(counts: Counts, settings: NpmiSettings) -> Associations:
    """Measure whole messages with edges. Referents are values of the edge, without the middle."""
    edges = counts.edges.copy()
    edges[:, -1] = 0
    return _by_message("edge", whole_messages(counts.messages), sp.csr_array(edges), counts, settings)


def integer_at_associations(counts: Counts, settings: NpmiSettings) -> Associations:
    """Measure whole messages with integers at offsets. Referent o*N + k is integer k at offsets[o]."""
    return _by_message("integer_at", whole_messages(counts.messages), counts.integers_at, counts, settings)


def integer_associations(counts: Counts, settings: NpmiSettings) -> Associations:
    """Measure n-grams with integers at any offset of the window."""
    return _by_message("integer", ngrams(counts.messages), counts.integers_visible, counts, settings)


def offset_associations(
    carriers: FormTable, offsets: Numbers, counts: Counts, settings: NpmiSettings
) -> Associations:
    """Measure n-grams with the offsets of the integer that the rest of the message names (`offsets`).

    `carriers`: the n-grams, and the K messages without their integer word that carry them. `offsets`
    (K, O): for each such carrier, its episodes by offset.
    """
    totals = Totals(
        carriers.incidence @ offsets.sum(axis=1), offsets.sum(axis=0), episodes=int(offsets.sum())
    )
    joint = sp.csr_array(carriers.incidence @ sp.csr_array(offsets))
    return _measure("offset", carriers, joint, totals, counts, settings)


def _by_message(
    kind: str, forms: FormTable, referents: sp.csr_array[Any], counts: Counts, settings: NpmiSettings
) -> Associations:
    """Measure forms with referents whose episodes are known by message, (M, R)."""
    totals = Totals(
        forms.incidence @ counts.message_totals,
        np.asarray(referents.sum(axis=0), dtype=np.int64),
        counts.total,
    )
    return _measure(kind, forms, sp.csr_array(forms.incidence @ referents), totals, counts, settings)


def _measure(
    kind: str,
    forms: FormTable,
    joint: sp.csr_array[Any],
    totals: Totals,
    counts: Counts,
    settings: NpmiSettings,
) -> Associations:
    cells = joint.tocoo()
    seen = cells.data > 0
    form, referent, together = (
        column[seen].astype(np.int64) for column in (cells.row, cells.col, cells.data)
    )
    exact = settings.estimator == "exact"
    shares = _exact_shares(totals) if exact else _paper_shares(kind, forms, totals, counts)
    value = raw_npmi(together / max(shares.episodes, 1), shares.form[form], shares.referent[referent])
    p_value = hypergeometric_tail(together, totals.form[form], totals.referent[referent], totals.episodes)
    q_value = _q_values(p_value, form, referent, totals, settings.min_count)
    columns = form, referent, together, value, p_value, q_value
    return Associations(kind, counts, forms, totals, shares, *columns)


def _q_values(
    p_value: FloatArray, form: Numbers, referent: Numbers, totals: Totals, min_count: int
) -> FloatArray:
    """Return the q-values of the pairs whose form and referent both reach min_count; 1 for the others.

    They control false discoveries (Benjamini and Hochberg 1995). The family of tests is all such pairs, with
    those that never occur together: their p-value is 1, so they count in the number of tests alone.
    """
    from scipy.stats import false_discovery_control  # it takes half a second to import

    forms, referents = totals.form >= min_count, totals.referent >= min_count
    tested = forms[form] & referents[referent]
    q_value = np.ones(len(p_value))
    family = int(forms.sum()) * int(referents.sum())
    if tested.any():
        q_value[tested] = false_discovery_control(p_value[tested]) * (family / tested.sum())
    return np.minimum(q_value, 1.0)


def _exact_shares(totals: Totals) -> Shares:
    episodes = max(totals.episodes, 1)
    return Shares(totals.form / episodes, totals.referent / episodes, totals.episodes)


def _paper_shares(kind: str, forms: FormTable, totals: Totals, counts: Counts) -> Shares:
    """Return the probabilities of the paper's appendix D.

    An integer has probability 1/N, wherever it is. An n-gram at any slot is divided by the number of slots
    where it could be. The share of an offset is that of the windows that have a cell there. All shares are
    of all episodes, also in step 2.
    """
    config, episodes = counts.config, max(counts.total, 1)
    form = totals.form / episodes
    if kind == "integer":
        form = form / np.where(forms.slot == ANY, config.message_length + 1 - forms.length, 1)
    if kind in ("integer", "integer_at"):
        referent = np.full(len(totals.referent), 1 / len(config.integers))
    else:
        referent = (totals.referent if kind == "edge" else _windows_with_offset(counts)) / episodes
    return Shares(form, referent, counts.total)


def _windows_with_offset(counts: Counts) -> Numbers:
    """(O,), episodes whose window has a cell at each offset, which depends on the edge."""
    return np.asarray(places_of(counts.config).shown.T @ counts.edges.sum(axis=0))


# --- The best referents of each form -----------------------------------------------------------------------


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


def best_referents(found: Associations) -> BestReferents:
    """Return, for each form (and offset, for integers at offsets), the one referent of highest NPMI.

    Ties go to the larger joint, then to the first referent.
    """
    order = np.lexsort((found.referent, -found.joint, -found.npmi, found.rivals))
    members = _members(found, order, most=1)
    best = members[:, 0]
    shown = found.totals.referent[found.referent[best]]
    return _of_members(found, members, found.joint[best], shown, found.npmi[best])


def best_unions(found: Associations, settings: NpmiSettings, tops: Sequence[int]) -> dict[int, BestReferents]:
    """Return, for each top_n, the union of the most frequent integers of each form, each significant.

    Ties go to the higher NPMI, then to the first referent. Forms without a significant integer are left out.
    Unions of integers at any offset are counted in one pass over the episodes for all `tops`: an episode may
    show several of them, so they are not sums of pairs. At one offset they are.
    """
    order = np.lexsort((found.referent, -found.npmi, -found.joint, found.rivals))
    order = order[found.q_value[order] <= settings.significance]
    members = _members(found, order, most=max(tops))
    present = members != _NO_PAIR
    form = found.form[members[:, 0]]
    together = np.where(present, found.joint[members], 0)
    each = np.where(present, found.totals.referent[found.referent[members]], 0)
    joint, shown = ({n: column[:, :n].sum(axis=1) for n in tops} for column in (together, each))
    if found.kind == "integer":
        several = np.flatnonzero(present[:, 1])
        values = _integers(found, members[several])
        counted = count_unions(found.counts, found.forms.incidence[form[several]], values, tops)
        for n in tops:
            joint[n][several], shown[n][several] = (column[n] for column in counted)
    unions = {}
    for n in tops:
        share = shown[n] / max(found.shares.episodes, 1)
        if settings.estimator == "paper":
            share = _paper_share(present[:, :n].sum(axis=1), found.counts.config)
        npmi = raw_npmi(joint[n] / max(found.shares.episodes, 1), found.shares.form[form], share)
        unions[n] = _of_members(found, members[:, :n], joint[n], shown[n], npmi)
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


def _members(found: Associations, order: Numbers, most: int) -> Numbers:
    """Return (E, most): the first of the rivals in each group, in this order of pairs, then `_NO_PAIR`."""
    starts = np.diff(found.rivals[order], prepend=-1) != 0
    row = np.cumsum(starts) - 1
    rank = np.arange(len(order)) - np.flatnonzero(starts)[row]
    members = np.full((int(starts.sum()), most), _NO_PAIR)
    kept = rank < most
    members[row[kept], rank[kept]] = order[kept]
    return members


def _integers(found: Associations, members: Numbers) -> Numbers:
    integers = found.referent[members] % len(found.counts.config.integers)
    return np.where(members != _NO_PAIR, integers, NO_INTEGER)


def _of_members(
    found: Associations,
    members: Numbers,
    joint: Numbers,
    shown: Numbers,
    npmi: FloatArray,
) -> BestReferents:
    """Return the referents (E,) that are unions of pairs (E, n), with their counts."""
    first = members[:, 0]
    form, referent = found.form[first], found.referent[first]
    of_integers = found.kind in ("integer", "integer_at")
    p_value, q_value = (
        np.where(members != _NO_PAIR, column[members], 0).max(axis=1)
        for column in (found.p_value, found.q_value)
    )
    return BestReferents(
        kind=found.kind,
        table=found.forms,
        form=form,
        values=_integers(found, members) if of_integers else np.zeros((len(first), 0), np.int64),
        place=referent // len(found.counts.config.integers) if of_integers else referent,
        joint=joint,
        form_total=found.totals.form[form],
        referent_total=shown,
        raw_npmi=npmi,
        p_value=p_value,
        q_value=q_value,
        total=found.totals.episodes,
    )
