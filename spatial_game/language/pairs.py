"""Every form beside every referent it was seen with: NPMI, significance, and each form's best referent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.language.counts import Counts
from spatial_game.language.forms import ANY, FormTable, ngrams, whole_messages
from spatial_game.language.npmi import any_of_integers, raw_npmi
from spatial_game.language.polysemy import count_unions
from spatial_game.language.settings import Estimator, Settings
from spatial_game.language.significance import benjamini_hochberg, hypergeometric_tail

Numbers = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
NO_INTEGER = -1


@dataclass(frozen=True)
class Shares:
    """The probabilities that an estimator gives to forms and referents; those of pairs are joint/total."""

    form: FloatArray  # (F,)
    referent: FloatArray  # (R,)
    total: int


@dataclass(frozen=True)
class Pairs:
    """The P pairs of one table that occur together, sorted by form. All counts are of episodes."""

    kind: str  # one of referents.KINDS
    forms: FormTable
    form_totals: Numbers  # (F,)
    referent_totals: Numbers  # (R,)
    shares: Shares
    form: Numbers  # (P,), row of `forms`
    referent: Numbers  # (P,), number of the referent within its kind
    joint: Numbers  # (P,)
    npmi: FloatArray  # (P,), before clipping
    p_value: FloatArray  # (P,)
    q_value: FloatArray  # (P,)


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
    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,); of the least significant member where there are several integers
    q_value: FloatArray  # (E,)

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
        columns = (self.form, self.values, self.place, self.joint, self.form_total)
        measures = (self.raw_npmi, self.p_value, self.q_value)
        return Candidates(self.kind, self.forms, *(c[which] for c in columns), *(m[which] for m in measures))

    def admitted(self, settings: Settings) -> Candidates:
        """Those that meet every demand of the settings."""
        least = settings.least_offset_npmi if self.kind == "offset" else settings.threshold
        return self.take(
            (self.joint >= settings.min_count)
            & (self.q_value <= settings.significance)
            & (self.npmi >= least)
            & (self.joint >= settings.least_confidence * self.form_total)
        )


def edge_pairs(counts: Counts, settings: Settings) -> Pairs:
    """Whole messages with the edges; referents are mask columns, of which the middle one says nothing."""
    joint = counts.mask_columns.copy()
    joint[:, counts.config.window_radius] = 0
    forms = whole_messages(counts.messages)
    return _pairs("edge", forms, sp.csr_array(joint), counts.message_totals, counts, settings)


def integer_at_pairs(counts: Counts, settings: Settings) -> Pairs:
    """Whole messages with integers at offsets; referents are numbered o*N + k."""
    forms = whole_messages(counts.messages)
    return _pairs("integer_at", forms, counts.integers_at, counts.message_totals, counts, settings)


def integer_pairs(counts: Counts, settings: Settings) -> Pairs:
    """N-grams with the integers anywhere in the window."""
    forms = ngrams(counts.messages)
    joint = sp.csr_array(forms.incidence @ counts.integers_visible)
    return _pairs("integer", forms, joint, forms.incidence @ counts.message_totals, counts, settings)


def offset_pairs(carriers: FormTable, offsets: Numbers, counts: Counts, settings: Settings) -> Pairs:
    """N-grams with the offsets of the integer that the rest of the message names (`words.py`).

    `carriers`: the n-grams and the messages without their integer word that carry them; `offsets`: for each
    such carrier, episodes by offset.
    """
    joint = sp.csr_array(carriers.incidence @ sp.csr_array(offsets))
    form_totals = carriers.incidence @ offsets.sum(axis=1)
    return _pairs(
        "offset", carriers, joint, form_totals, counts, settings, offsets.sum(axis=0), int(offsets.sum())
    )


def _pairs(
    kind: str,
    forms: FormTable,
    joint: sp.csr_array[Any],
    form_totals: Numbers,
    counts: Counts,
    settings: Settings,
    referent_totals: Numbers | None = None,
    population: int | None = None,
) -> Pairs:
    """Measure the pairs of a table; totals are those of the recording where not given."""
    if referent_totals is None:
        by_message = {"edge": joint, "integer_at": joint, "integer": counts.integers_visible}[kind]
        referent_totals = np.asarray(by_message.sum(axis=0), dtype=np.int64)
    total = counts.total if population is None else population
    cells = joint.tocoo()
    seen = cells.data > 0
    form, referent = cells.row[seen].astype(np.int64), cells.col[seen].astype(np.int64)
    together = cells.data[seen].astype(np.int64)
    shares = _shares(settings.estimator, kind, forms, form_totals, referent_totals, total, counts)
    p_value, q_value = _significance(
        together, form, referent, form_totals, referent_totals, total, settings.min_count
    )
    value = raw_npmi(together / max(shares.total, 1), shares.form[form], shares.referent[referent])
    return Pairs(
        kind, forms, form_totals, referent_totals, shares, form, referent, together, value, p_value, q_value
    )


def _significance(
    joint: Numbers,
    form: Numbers,
    referent: Numbers,
    form_totals: Numbers,
    referent_totals: Numbers,
    total: int,
    min_count: int,
) -> tuple[FloatArray, FloatArray]:
    """p-values of all pairs, and q-values of those whose form and referent both reach min_count (else 1)."""
    p_value = hypergeometric_tail(joint, form_totals[form], referent_totals[referent], total)
    tested = (form_totals[form] >= min_count) & (referent_totals[referent] >= min_count)
    family = int(np.sum(form_totals >= min_count)) * int(np.sum(referent_totals >= min_count))
    q_value = np.ones(len(p_value))
    q_value[tested] = benjamini_hochberg(p_value[tested], family)
    return p_value, q_value


def _shares(
    estimator: Estimator,
    kind: str,
    forms: FormTable,
    form_totals: Numbers,
    referent_totals: Numbers,
    total: int,
    counts: Counts,
) -> Shares:
    """The probabilities of forms and referents as the estimator has them.

    `paper` follows appendix D: an integer has probability 1/N, wherever it is; an n-gram at any slot is
    divided by the number of slots where it could be; in step 2 the referent is the share of the windows that
    have a cell at the offset, and all shares are of all episodes, not of those with an integer word.
    """
    config, episodes = counts.config, max(counts.total, 1)
    if estimator == "exact":
        return Shares(form_totals / max(total, 1), referent_totals / max(total, 1), total)
    form = form_totals / episodes
    if kind == "integer":
        slots = np.where(forms.slot == ANY, config.message_length + 1 - forms.length, 1)
        form = form / slots
    referent = {
        "edge": referent_totals / episodes,
        "integer_at": np.full(len(referent_totals), 1 / len(config.integers)),
        "integer": np.full(len(referent_totals), 1 / len(config.integers)),
        "offset": _windows_with_offset(counts) / episodes,
    }[kind]
    return Shares(form, referent, counts.total)


def _windows_with_offset(counts: Counts) -> Numbers:
    """(4r,), episodes whose window has a cell at each offset: it tells by the mask column."""
    config = counts.config
    columns = counts.mask_columns.sum(axis=0)
    has_cell = [
        [0 <= mask + offset < config.window_size for mask in range(config.window_size)]
        for offset in config.offsets
    ]
    return np.asarray(np.asarray(has_cell, dtype=np.int64) @ columns)


# --- The best referent of each form ---------------------------------------------------------------------


def best_referents(pairs: Pairs, config: GameConfig) -> Candidates:
    """For each form (and offset, for integers at offsets) the one referent of highest NPMI.

    Ties go to the larger joint, then to the first referent.
    """
    group = _groups(pairs, config)
    order = np.lexsort((pairs.referent, -pairs.joint, -pairs.npmi, group))
    first = order[_starts(group[order])]
    num_integers = len(config.integers)
    no_values = np.zeros((len(first), 0), dtype=np.int64)
    integer = (pairs.referent[first] % num_integers)[:, None]
    values, place = {
        "edge": (no_values, pairs.referent[first]),
        "offset": (no_values, pairs.referent[first]),
        "integer": (integer, np.zeros(len(first), dtype=np.int64)),
        "integer_at": (integer, pairs.referent[first] // num_integers),
    }[pairs.kind]
    return Candidates(
        pairs.kind,
        pairs.forms,
        pairs.form[first],
        values,
        place,
        pairs.joint[first],
        pairs.form_totals[pairs.form[first]],
        pairs.npmi[first],
        pairs.p_value[first],
        pairs.q_value[first],
    )


def best_unions(
    pairs: Pairs, counts: Counts, settings: Settings, tops: Sequence[int]
) -> dict[int, Candidates]:
    """For each form the union of its most frequent integers, each significant by itself, for each top_n.

    Unions of integers anywhere in the window are counted in one pass over the episodes for all `tops`: an
    episode may show several of them, so they are not sums of pairs. At one offset they are.
    """
    config, num_integers = counts.config, len(counts.config.integers)
    group = _groups(pairs, config)
    wanted = pairs.q_value <= settings.significance
    order = np.lexsort((pairs.referent, -pairs.npmi, -pairs.joint, group))
    order = order[wanted[order]]
    starts = _starts(group[order])
    rank = np.arange(len(order)) - np.repeat(
        np.flatnonzero(starts), np.diff(np.flatnonzero(np.append(starts, True)))
    )
    row = np.cumsum(starts) - 1
    kept = rank < max(tops)
    order, row, rank = order[kept], row[kept], rank[kept]
    members = np.full((int(starts.sum()), max(tops)), -1)  # numbers of pairs, most frequent first
    members[row, rank] = order
    present = members >= 0
    values = np.where(present, pairs.referent[members] % num_integers, NO_INTEGER)
    form = pairs.form[members[:, 0]]
    if pairs.kind == "integer":
        joints, referents = count_unions(counts, pairs.forms, form, values, tops)
    else:
        each = [
            np.where(present, column[members], 0).cumsum(axis=1)
            for column in (pairs.joint, pairs.referent_totals[pairs.referent])
        ]
        joints, referents = ({n: sums[:, n - 1] for n in tops} for sums in each)
    place = pairs.referent[members[:, 0]] // num_integers
    unions = {}
    for n in tops:
        number = present[:, :n].sum(axis=1)
        if settings.estimator == "exact":
            p_referent = referents[n] / max(pairs.shares.total, 1)
        else:
            p_referent = np.where(number == 1, 1 / num_integers, any_of_integers(config, number))
        worst = [
            np.where(present, v[members], 0.0)[:, :n].max(axis=1) for v in (pairs.p_value, pairs.q_value)
        ]
        unions[n] = Candidates(
            pairs.kind,
            pairs.forms,
            form,
            values[:, :n],
            place,
            joints[n],
            pairs.form_totals[form],
            raw_npmi(joints[n] / max(pairs.shares.total, 1), pairs.shares.form[form], p_referent),
            *worst,
        )
    return unions


def _groups(pairs: Pairs, config: GameConfig) -> Numbers:
    """What competes with what: the referents of a form; for integers at offsets, of a form and offset."""
    if pairs.kind != "integer_at":
        return pairs.form
    return pairs.form * len(config.offsets) + pairs.referent // len(config.integers)


def _starts(group: Numbers) -> npt.NDArray[np.bool_]:
    """Where a new group starts in groups that are in order."""
    return np.asarray(np.diff(group, prepend=-1) != 0)
