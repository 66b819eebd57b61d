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
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.npmi.estimators import with_npmi
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.memory import require_memory

_CELLS = 1 << 22
"""Entries of a table of forms by episodes that is built at once."""
_PAIR = 100  # bytes of a form with a referent


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
    # A form has at most the referents of all of its carriers, and a pair some twelve numbers of 8 bytes.
    most = int(np.minimum(forms.incidence @ np.diff(episodes.indptr), episodes.shape[1]).sum())
    require_memory("messages", f"{most:,} forms with referents", _PAIR * most, "analyse fewer episodes")
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
    pairs = Associations(
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
    return with_npmi(pairs, counts, settings.estimator)


def best(pairs: Associations, counts: Counts, settings: NpmiSettings) -> Associations:
    """Return the best referent of each form; of integers at offsets, that of each form and offset.

    It has the highest NPMI; ties go to the larger joint, then to the first referent. With `top_n` above 1,
    forms refer to several integers: see `united`.
    """
    if settings.top_n > 1 and pairs.kind in ("integer", "integer_at"):
        return united(pairs, counts, settings)
    pairs, rank = _ranked(pairs, pairs.raw_npmi, pairs.joint)
    return pairs.take(rank == 0)


def united(pairs: Associations, counts: Counts, settings: NpmiSettings) -> Associations:
    """Return each form with the `top_n` most frequent of its integers that are significant.

    Ties go to the higher NPMI, then to the first integer. Forms without a significant integer are left out.
    """
    pairs = pairs.take(pairs.q_value <= settings.significance)
    pairs, rank = _ranked(pairs, pairs.joint, pairs.raw_npmi)
    pairs, rank = pairs.take(rank < settings.top_n), rank[rank < settings.top_n]
    first, union = np.flatnonzero(rank == 0), np.cumsum(rank == 0) - 1
    integers = np.full((len(first), settings.top_n), NO_INTEGER)
    integers[union, rank] = pairs.integers[:, 0]
    joint, shown = (np.add.reduceat(column, first) for column in (pairs.joint, pairs.referent_total))
    if pairs.kind == "integer":  # an episode may show several of them, so their counts do not add
        joint, shown = _count_unions(counts, pairs.table.incidence[pairs.form[first]], integers)
    unions = replace(
        pairs.take(first),
        integers=integers,
        joint=joint,
        referent_total=shown,
        p_value=np.maximum.reduceat(pairs.p_value, first),
        q_value=np.maximum.reduceat(pairs.q_value, first),
    )
    return with_npmi(unions, counts, settings.estimator)


def _ranked(pairs: Associations, *figures: FloatArray | Numbers) -> tuple[Associations, Numbers]:
    """Return the pairs by form, and the rank (E,) of each among those with its form, from 0 on.

    Of several figures (E,), which are better the larger they are, the first one decides; ties go to the next
    figure, then to the first referent. Integers at offsets are ranked for each form and offset.
    """
    rivals = pairs.form
    if pairs.kind == "integer_at":
        rivals = rivals * (int(pairs.place.max(initial=0)) + 1) + pairs.place
    keys = [rivals, *(-figure for figure in figures), pairs.place, *pairs.integers.T]
    order = np.lexsort(keys[::-1])
    starts = np.diff(rivals[order], prepend=-1) != 0
    rank = np.arange(len(pairs)) - np.flatnonzero(starts)[np.cumsum(starts) - 1]
    return pairs.take(order), rank


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
