"""Three estimators of NPMI: functions from counts to the probabilities of form and referent.

`exact` takes every probability from the counted episodes. `text` and `code` follow the paper: its printed
equations, and its published program. Their probabilities need not agree with each other, so their NPMI can
leave [-1, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from spatial_game.language.association import raw_npmi
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import ANY, occurrences
from spatial_game.language.counting.places import edges_of, share_showing
from spatial_game.language.counting.rows import FloatArray, Numbers, table_of_ones
from spatial_game.language.npmi.associations import NO_INTEGER, Associations
from spatial_game.language.npmi.settings import Estimator

OFFSET_FACTOR = 10
"""The published program multiplies the NPMI of offsets by this."""


def exact(pairs: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) in which all probabilities are shares of the counted episodes."""
    total = max(pairs.total, 1)
    return raw_npmi(pairs.joint / total, pairs.form_total / total, pairs.referent_total / total)


def text(pairs: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) by the equations that the paper prints, appendix D.

    All shares are of all episodes. An integer has probability 1/N, wherever it is, and one of several has the
    probability of equation 1. An n-gram at any slot is divided by the number of slots where it could be. For
    offsets, the probability of the n-gram is printed as the joint one, and that of the offset is the share of
    the windows that have a cell there.
    """
    total = max(counts.total, 1)
    joint, form, referent = (n / total for n in (pairs.joint, pairs.form_total, pairs.referent_total))
    if pairs.kind == "integer":
        form = form / _slots(pairs, counts)
    if pairs.kind in ("integer", "integer_at"):
        number = _number_of_integers(pairs)
        referent = np.where(number == 1, 1 / counts.config.num_integers, _shares_showing(number, counts))
    if pairs.kind == "offset":
        form, referent = joint, share_with_cell(pairs, counts)
    return raw_npmi(joint, form, referent)


def code(pairs: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) as the published program estimates it, with its factor of 10 for offsets.

    All shares are of all episodes, also those of n-grams for offsets. Equation 1 holds for one integer, too:
    the share of the windows that show it, 2r/N. Of an n-gram at any slot, the joint share is also divided by
    the number of slots.
    """
    total, factor = max(counts.total, 1), 1
    joint, form, referent = (n / total for n in (pairs.joint, pairs.form_total, pairs.referent_total))
    if pairs.kind == "integer":
        slots = _slots(pairs, counts)
        joint, form = joint / slots, form / slots
    if pairs.kind in ("integer", "integer_at"):
        referent = _shares_showing(_number_of_integers(pairs), counts)
    if pairs.kind == "offset":
        at = occurrences(pairs.table, counts.messages)
        having = table_of_ones(at.form, at.message, (len(pairs.table), len(counts.messages)))
        form, factor = (having @ counts.message_totals)[pairs.form] / total, OFFSET_FACTOR
        referent = share_with_cell(pairs, counts)
    return factor * raw_npmi(joint, form, referent)


ESTIMATORS: dict[Estimator, Callable[[Associations, Counts], FloatArray]] = {
    "exact": exact,
    "text": text,
    "code": code,
}


def with_npmi(pairs: Associations, counts: Counts, estimator: Estimator) -> Associations:
    """Return the same with the NPMI by an estimator."""
    return replace(pairs, raw_npmi=ESTIMATORS[estimator](pairs, counts))


def _slots(pairs: Associations, counts: Counts) -> FloatArray:
    """Return (E,), the number of slots at which each form could be."""
    forms = pairs.forms
    return np.where(forms.slot == ANY, counts.config.message_length + 1.0 - forms.length, 1.0)


def _number_of_integers(pairs: Associations) -> Numbers:
    return np.asarray((pairs.integers != NO_INTEGER).sum(axis=1))


def _shares_showing(number: Numbers, counts: Counts) -> FloatArray:
    """Return (E,), the share of the windows that show one of these numbers of integers (equation 1)."""
    shares = [share_showing(counts.config, n) for n in range(int(number.max(initial=0)) + 1)]
    return np.asarray(np.array(shares)[number])


def share_with_cell(pairs: Associations, counts: Counts) -> FloatArray:
    """Return (E,), the share of the windows that have a cell at each offset."""
    with_cell = edges_of(counts.config).shown.T @ counts.edges.sum(axis=0)
    return np.asarray(with_cell[pairs.place] / max(counts.total, 1))
