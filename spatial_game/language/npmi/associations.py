"""Each form with each referent that it occurs with: episodes, NPMI and significance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.language.association import hypergeometric_tail, raw_npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, ngrams, whole_messages
from spatial_game.language.counting.places import places_of
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.lexicon.analyses import NpmiSettings


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
    forms: FormTable
    totals: Totals
    shares: Shares
    form: Numbers  # (P,), row of `forms`
    referent: Numbers  # (P,), number of the referent within its kind
    joint: Numbers  # (P,), episodes with both
    npmi: FloatArray  # (P,), before clipping
    p_value: FloatArray  # (P,)
    q_value: FloatArray  # (P,)


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
    return Associations(kind, forms, totals, shares, form, referent, together, value, p_value, q_value)


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
