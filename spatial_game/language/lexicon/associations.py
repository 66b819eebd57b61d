"""Every form beside every referent that it was seen with: how often, NPMI, significance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, ngrams, whole_messages
from spatial_game.language.lexicon.npmi import raw_npmi
from spatial_game.language.lexicon.settings import Estimator, Settings
from spatial_game.language.lexicon.significance import benjamini_hochberg, hypergeometric_tail

Numbers = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


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
    total: int  # episodes that were counted


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
        kind=kind,
        forms=forms,
        form_totals=form_totals,
        referent_totals=referent_totals,
        shares=shares,
        form=form,
        referent=referent,
        joint=together,
        npmi=value,
        p_value=p_value,
        q_value=q_value,
        total=total,
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
