"""The two steps of the paper's analysis: each form with each referent, and the best referent of each form.

Step 1 is about whole messages, and about n-grams for integers; step 2 about n-grams for the offsets of these
integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import Mask, mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.association import hypergeometric_tail, q_values
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, FormTable, Occurrences, ngrams, whole_messages
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.npmi.estimators import ESTIMATORS
from spatial_game.language.npmi.referents import NO_INTEGER, Referents
from spatial_game.language.npmi.settings import NpmiSettings

_CELLS = 1 << 22
"""Entries of a table of episodes, or of messages, that is built at once."""


# --- Each form with each referent ---------------------------------------------------------------------------


def referents_of(kind: str, counts: Counts, settings: NpmiSettings) -> Referents:
    """Return whole messages with edges or integers at offsets, or n-grams with integers at any offset."""
    if kind == "edge":
        edges = counts.edges.copy()
        edges[:, -1] = 0  # the middle is no edge
        episodes = sp.csr_array(edges)
    else:
        episodes = counts.integers_at if kind == "integer_at" else counts.integers_visible
    forms = ngrams(counts.messages) if kind == "integer" else whole_messages(counts.messages)
    return _all_pairs(kind, forms, episodes, counts.message_totals, counts, settings)


def _all_pairs(
    kind: str,
    forms: FormTable,
    episodes: sp.csr_array[Any],
    carrier_totals: Numbers,
    counts: Counts,
    settings: NpmiSettings,
) -> Referents:
    """Return each form with each referent that it occurs with.

    Forms stand in M carriers: distinct messages, or messages with a hole. `episodes` (M, R) are those of each
    carrier by referent, and `carrier_totals` (M,) all of them. Of integers at offsets, referent o*N + k is
    integer k at offsets[o].
    """
    cells = sp.coo_array(forms.incidence @ episodes)
    form, referent, joint = (column.astype(np.int64) for column in (*cells.coords, cells.data))
    form_totals = forms.incidence @ carrier_totals
    referent_totals = np.asarray(episodes.sum(axis=0), dtype=np.int64)
    place, values = referent, np.zeros((len(referent), 0), dtype=np.int64)
    if kind in ("integer", "integer_at"):
        place, values = np.divmod(referent, counts.config.num_integers)
        values = values[:, None]
    total, totals = int(carrier_totals.sum()), (form_totals[form], referent_totals[referent])
    p_value = hypergeometric_tail(joint, *totals, total)
    # The family of tests is all pairs of which both reach min_count, also those that never occur together.
    often, often_referents = (each >= settings.min_count for each in (form_totals, referent_totals))
    tested, q_value = often[form] & often_referents[referent], np.ones(len(form))
    q_value[tested] = q_values(p_value[tested], int(often.sum()) * int(often_referents.sum()))
    columns = form, place, values, joint, *totals, np.zeros(len(form)), p_value, q_value
    return _measured(Referents(kind, forms, total, *columns), counts, settings)


def _measured(found: Referents, counts: Counts, settings: NpmiSettings) -> Referents:
    """Return the same with the NPMI by the estimator of the settings."""
    return replace(found, raw_npmi=ESTIMATORS[settings.estimator](found, counts))


# --- The best of each form ----------------------------------------------------------------------------------


def best_referents(pairs: Referents) -> Referents:
    """Return, for each form (and offset, for integers at offsets), the one referent of highest NPMI.

    Ties go to the larger joint, then to the first referent.
    """
    order = np.lexsort((*pairs.values.T, pairs.place, -pairs.joint, -pairs.raw_npmi, pairs.rival))
    return pairs.take(order[np.diff(pairs.rival[order], prepend=-1) != 0])


def best_unions(
    pairs: Referents, counts: Counts, settings: NpmiSettings, tops: Sequence[int]
) -> dict[int, Referents]:
    """Return, for each top_n, the union of the most frequent integers of each form, each significant.

    Ties go to the higher NPMI, then to the first referent. Forms without a significant integer are left out.
    Unions of integers at any offset are counted in one pass over the episodes for all `tops`: an episode may
    show several of them, so they are not sums of pairs. At one offset they are.
    """
    order = np.lexsort((*pairs.values.T, pairs.place, -pairs.raw_npmi, -pairs.joint, pairs.rival))
    ranked, most = pairs.take(order[pairs.q_value[order] <= settings.significance]), max(tops)
    starts = np.diff(ranked.rival, prepend=-1) != 0
    row, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
    rank = np.arange(len(ranked)) - first[row]

    def by_rank(column: npt.NDArray[Any], otherwise: float) -> npt.NDArray[Any]:
        table = np.full((len(first), most), otherwise, dtype=column.dtype)
        table[row[rank < most], rank[rank < most]] = column[rank < most]
        return table

    values, one = by_rank(ranked.values[:, 0], NO_INTEGER), ranked.take(first)
    names = ("joint", "referent_total", "p_value", "q_value")
    joint, shown, p_value, q_value = (by_rank(getattr(ranked, name), 0) for name in names)
    joint, shown = (np.cumsum(column, axis=1) for column in (joint, shown))
    several = np.flatnonzero(values[:, 1] != NO_INTEGER)
    if pairs.kind == "integer":
        having = pairs.table.incidence[one.form[several]]
        joint[several], shown[several] = _count_unions(counts, having, values[several], tops)
    unions = {}
    for n in tops:
        union = replace(
            one,
            values=values[:, :n],
            joint=joint[:, n - 1],
            referent_total=shown[:, n - 1],
            p_value=p_value[:, :n].max(axis=1),
            q_value=q_value[:, :n].max(axis=1),
        )
        unions[n] = _measured(union, counts, settings)
    return unions


def _count_unions(
    counts: Counts, having: sp.csr_array[Any], values: Numbers, tops: Sequence[int]
) -> tuple[Numbers, Numbers]:
    """Count the episodes with any of the first n integers of a form visible, for each n of `tops`.

    `having` (E, M): which messages have a form; `values` (E, n): its integers. Returns (E, n), in column
    n - 1, the counts with the form, and those of all episodes. Reads the episodes again.
    """
    joint, shown = np.zeros((2, *values.shape), dtype=np.int64)
    having = having.astype(bool)
    for ids, window, _ in counts.episodes("top_n above 1 needs") if len(values) else ():
        for rows in blocks(len(ids), max(_CELLS // len(values), 64)):
            episode = np.arange(len(ids[rows]))
            seen = np.zeros((counts.config.num_integers + 2, len(episode)), dtype=bool)
            for cell in window[rows].T:
                seen[cell, episode] = True
            seen[-2:] = False  # the mask and hidden cells, which are negative, are no integers
            visible, said = _as_bits(seen), _as_bits(having[:, ids[rows]].toarray())
            union = np.zeros_like(said)
            for n, column in enumerate(values.T, 1):
                union |= visible[column]
                if n in tops:
                    joint[:, n - 1] += np.bitwise_count(union & said).sum(axis=1, dtype=int)
                    shown[:, n - 1] += np.bitwise_count(union).sum(axis=1, dtype=int)
    return joint, shown


def _as_bits(episodes: Mask) -> npt.NDArray[np.uint64]:
    """Return episodes (R, B) as sets of bits, so that a union costs one `or` for 64 episodes."""
    missing = -episodes.shape[1] % 64
    return np.packbits(np.pad(episodes, ((0, 0), (0, missing))), axis=1).view(np.uint64)


# --- Step 2: offsets of the integer that a message names ---------------------------------------------------


def offsets_beside(counts: Counts, integers: Referents, settings: NpmiSettings) -> Referents:
    """Return the best offset of each n-gram beside the integers that messages name by these n-grams.

    Counted are the episodes in which the named integer is visible, at its offset. The best word of a message
    has the highest NPMI, among equals the longest, then the leftmost. Of its integers, the most frequent one
    that is visible counts.
    """
    words = integers.occurrences(counts.messages)
    anywhere, npmi = integers.forms.slot[words.form] == ANY, integers.npmi[words.form]
    words = words.take(np.lexsort((anywhere, words.slot, -words.length, -npmi, words.message)))
    episodes = _by_offset(counts, words, integers.values[words.form])
    used = np.flatnonzero(episodes.any(axis=1))
    carriers, by_offset = counts.messages[words.message[used]], sp.csr_array(episodes[used])
    beside = ngrams(carriers, words.slot[used], words.length[used])
    named = episodes[used].sum(axis=1)
    return best_referents(_all_pairs("offset", beside, by_offset, named, counts, settings))


def _by_offset(counts: Counts, words: Occurrences, values: Numbers) -> Numbers:
    """(K, O), for each word the episodes in which it names an integer, by that integer's offset.

    The order of the words, then of a word's integers (K, n), is the order of preference. The episodes are
    read again.
    """
    config = counts.config
    offsets, shape = offset_numbers(config), (len(counts.messages), config.num_integers)
    word, rank = np.nonzero(values != NO_INTEGER)
    message, integer = words.message[word], values[word, rank]
    first = np.sort(np.unique(message * shape[1] + integer, return_index=True)[1])
    message, integer, word = message[first], integer[first], word[first]
    nothing = len(word) + 1
    preference = sp.csr_array((np.arange(1, nothing), (message, integer)), shape=shape)
    names_any = np.diff(preference.indptr) > 0
    tally = np.zeros((len(values), len(config.offsets)), dtype=np.int64)
    for ids, window, _ in counts.episodes("offsets need") if len(word) else ():
        naming = np.flatnonzero(names_any[ids])
        for part in blocks(len(naming), max(1, _CELLS // shape[1])):
            which, row = np.unique(ids[naming[part]], return_inverse=True)
            shown = window[naming[part]]
            named = preference[which].toarray()[row[:, None], np.maximum(shown, 0)]
            named[(named == 0) | (shown < 0)] = nothing
            cell, best = named.argmin(axis=1), named.min(axis=1)
            visible = np.flatnonzero(best < nothing)
            offset = offsets[mask_columns(shown[visible]), cell[visible]]
            np.add.at(tally, (word[best[visible] - 1], offset), 1)
    return tally
