"""Step 1 of the paper's analysis: each form with each referent, and the best referent of each form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.language.association import hypergeometric_tail, q_values
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import FormTable, ngrams, whole_messages
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.npmi.estimators import with_npmi
from spatial_game.language.npmi.settings import NpmiSettings

_CELLS = 1 << 22
"""Entries of a table of forms by episodes that is built at once."""


def associations_of(kind: str, counts: Counts, settings: NpmiSettings) -> Associations:
    """Return whole messages with edges or integers at offsets, or n-grams with integers at any offset."""
    if kind == "edge":
        episodes = sp.csr_array(counts.edges[:, :-1])  # the last value is the middle, which is no edge
    else:
        episodes = counts.integers_at if kind == "integer_at" else counts.integers_visible
    forms = ngrams(counts.messages) if kind == "integer" else whole_messages(counts.messages)
    return associate(kind, forms, episodes, counts.message_totals, counts, settings)


def associate(
    kind: str,
    forms: FormTable,
    episodes: sp.csr_array[Any],
    carrier_totals: Numbers,
    counts: Counts,
    settings: NpmiSettings,
) -> Associations:
    """Return each form with each referent that it occurs with, and their significance and NPMI.

    Forms stand in M carriers: distinct messages, or messages with a hole. `episodes` (M, R) are those of each
    carrier by referent, and `carrier_totals` (M,) all of them. Of integers at offsets, referent o*N + k is
    integer k at offsets[o].
    """
    together = sp.coo_array(forms.incidence @ episodes)
    form, referent, joint = (each.astype(np.int64) for each in (*together.coords, together.data))
    form_totals, total = forms.incidence @ carrier_totals, int(carrier_totals.sum())
    referent_totals = np.asarray(episodes.sum(axis=0), dtype=np.int64)
    p_value = hypergeometric_tail(joint, form_totals[form], referent_totals[referent], total)
    # The family of tests is all pairs of which both reach min_count, also those that never occur together.
    often, often_referents = form_totals >= settings.min_count, referent_totals >= settings.min_count
    tested, q_value = often[form] & often_referents[referent], np.ones(len(form))
    q_value[tested] = q_values(p_value[tested], int(often.sum()) * int(often_referents.sum()))
    place, integers = referent, np.zeros((len(referent), 0), dtype=np.int64)
    if kind in ("integer", "integer_at"):
        place, integer = np.divmod(referent, counts.config.num_integers)
        integers = integer[:, None]
    found = Associations(
        kind,
        forms,
        total,
        form,
        place,
        integers,
        joint,
        form_total=form_totals[form],
        referent_total=referent_totals[referent],
        raw_npmi=np.zeros(len(form)),
        p_value=p_value,
        q_value=q_value,
    )
    return with_npmi(found, counts, settings.estimator)


def best(found: Associations, counts: Counts, settings: NpmiSettings) -> Associations:
    """Return the best referent of each form; of integers at offsets, that of each form and offset.

    It has the highest NPMI; ties go to the larger joint, then to the first referent. With `top_n` above 1,
    forms refer to several integers: see `united`.
    """
    if settings.top_n > 1 and found.kind in ("integer", "integer_at"):
        return united(found, counts, settings)
    rival = _rivals(found)
    order = np.lexsort((*found.integers.T, found.place, -found.joint, -found.raw_npmi, rival))
    return found.take(order[np.diff(rival[order], prepend=-1) != 0])


def united(found: Associations, counts: Counts, settings: NpmiSettings) -> Associations:
    """Return each form with the `top_n` most frequent of its integers that are significant.

    Ties go to the higher NPMI, then to the first integer. Forms without a significant integer are left out.
    """
    found = found.take(found.q_value <= settings.significance)
    found = found.take(np.lexsort((*found.integers.T, -found.raw_npmi, -found.joint, _rivals(found))))
    starts = np.diff(_rivals(found), prepend=-1) != 0
    union = np.cumsum(starts) - 1
    rank = np.arange(len(found)) - np.flatnonzero(starts)[union]
    kept = rank < settings.top_n
    found, union, rank = found.take(kept), union[kept], rank[kept]
    first = np.flatnonzero(rank == 0)
    integers = np.full((len(first), settings.top_n), NO_INTEGER)
    integers[union, rank] = found.integers[:, 0]
    joint, shown = (np.add.reduceat(each, first) for each in (found.joint, found.referent_total))
    if found.kind == "integer":  # an episode may show several of them, so their counts do not add
        joint, shown = _count_unions(counts, found.table.incidence[found.form[first]], integers)
    unions = replace(
        found.take(first),
        integers=integers,
        joint=joint,
        referent_total=shown,
        p_value=np.maximum.reduceat(found.p_value, first),
        q_value=np.maximum.reduceat(found.q_value, first),
    )
    return with_npmi(unions, counts, settings.estimator)


def _rivals(found: Associations) -> Numbers:
    """Return (E,), a number that those share of which the best is chosen."""
    if found.kind != "integer_at":
        return found.form
    return found.form * (int(found.place.max(initial=0)) + 1) + found.place


def _count_unions(counts: Counts, having: sp.csr_array[Any], integers: Numbers) -> tuple[Numbers, Numbers]:
    """Count the episodes that show one of the integers (E, n) of a form: those with the form (E,), and all.

    `having` (E, M): which messages have a form. Reads the episodes again. Sets of episodes are packed as
    bits.
    """
    joint, shown = np.zeros((2, len(integers)), dtype=np.int64)
    having = having.astype(bool)
    for ids, window, _ in counts.episodes("top_n above 1 needs") if len(integers) else ():
        for rows in blocks(len(ids), max(_CELLS // len(integers), 64)):
            shows = np.zeros((counts.config.num_integers + 2, len(ids[rows])), dtype=bool)
            shows[window[rows].T, np.arange(shows.shape[1])] = True
            shows[-2:] = False  # the mask, hidden cells and NO_INTEGER, which are negative
            visible = np.bitwise_or.reduce(np.packbits(shows, axis=1)[integers], axis=1)
            said = np.packbits(having[:, ids[rows]].toarray(), axis=1)
            joint += np.bitwise_count(visible & said).sum(axis=1, dtype=int)
            shown += np.bitwise_count(visible).sum(axis=1, dtype=int)
    return joint, shown
