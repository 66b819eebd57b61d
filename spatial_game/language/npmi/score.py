"""Step 2 of the paper's analysis: how strongly n-grams and referents go together, and how significantly.

An estimator of NPMI is a function from counts to the probabilities of n-gram and referent. `exact` takes all
of them from the counted episodes. `text` and `code` follow the paper: its printed equations, and its program.
Their probabilities need not agree with each other, so their NPMI can leave [-1, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.ngrams import ANY, occurrences
from spatial_game.language.counting.rows import FloatArray, Numbers, table_of_ones
from spatial_game.language.npmi.associations import Associations, ScoredAssociations
from spatial_game.language.npmi.referents import NO_INTEGER, Integers, IntegersAtOffsets, Offsets
from spatial_game.language.npmi.settings import Estimator, NpmiSettings
from spatial_game.language.significance import hypergeometric_tail, q_values

OFFSET_FACTOR = 10
"""The published program multiplies the NPMI of offsets by this."""


def score(associations: Associations, counts: Counts, settings: NpmiSettings) -> ScoredAssociations:
    """Return associations with their NPMI, by the estimator of the settings, and their significance.

    The family of tests is all n-grams with all referents, each of at least `min_count` episodes, also those
    that never occur together.
    """
    p_value = hypergeometric_tail(
        associations.joint, associations.ngram_total, associations.referent_total, associations.total
    )
    q_value = np.ones(len(associations))
    tested = np.minimum(associations.ngram_total, associations.referent_total) >= settings.min_count
    q_value[tested] = q_values(p_value[tested], associations.num_tests)
    raw_npmi = ESTIMATORS[settings.estimator](associations, counts)
    return ScoredAssociations(**vars(associations), raw_npmi=raw_npmi, p_value=p_value, q_value=q_value)


# --- Three estimators ---------------------------------------------------------------------------------------


def exact(associations: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) in which all probabilities are shares of the counted episodes."""
    return raw_npmi(*_shares(associations, associations.total))


def text(associations: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) by the equations that the paper prints, appendix D.

    All shares are of all episodes. An integer has probability 1/N, wherever it is, and one of several has the
    probability of equation 1. An n-gram at any slot is divided by the number of slots where it could be. For
    offsets, the probability of the n-gram is printed as the joint one, and that of the offset is the share of
    the windows that have a cell there.
    """
    joint, ngram, referent = _shares(associations, counts.total)
    match associations.referents:
        case IntegersAtOffsets(integers=integers) | Integers(integers=integers):
            ngram = ngram / _slots(associations, counts)
            alone = (integers != NO_INTEGER).sum(axis=1) == 1
            referent = np.where(alone, 1 / counts.config.num_integers, _shares_showing(integers, counts))
        case Offsets():
            ngram, referent = joint, share_with_cell(associations.referents, counts)
    return raw_npmi(joint, ngram, referent)


def code(associations: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI (E,) as the published program estimates it, with its factor of 10 for offsets.

    All shares are of all episodes, also those of n-grams for offsets. Equation 1 holds for one integer, too:
    the share of the windows that show it, 2r/N. Of an n-gram at any slot, the joint share is also divided by
    the number of slots.
    """
    joint, ngram, referent = _shares(associations, counts.total)
    match associations.referents:
        case IntegersAtOffsets(integers=integers) | Integers(integers=integers):
            slots = _slots(associations, counts)
            joint, ngram, referent = joint / slots, ngram / slots, _shares_showing(integers, counts)
        case Offsets():
            at = occurrences(associations.table, counts.messages)
            having = table_of_ones(at.ngram, at.message, (len(associations.table), len(counts.messages)))
            ngram = (having @ counts.message_totals)[associations.ngram] / max(counts.total, 1)
            return OFFSET_FACTOR * raw_npmi(joint, ngram, share_with_cell(associations.referents, counts))
    return raw_npmi(joint, ngram, referent)


ESTIMATORS: dict[Estimator, Callable[[Associations, Counts], FloatArray]] = {
    "exact": exact,
    "text": text,
    "code": code,
}


# --- NPMI ---------------------------------------------------------------------------------------------------


def raw_npmi(joint: npt.ArrayLike, ngram: npt.ArrayLike, referent: npt.ArrayLike) -> FloatArray:
    """Return the NPMI of two events from their probabilities (Bouma 2009); arguments broadcast.

    Never together is -1, independent 0, always together 1. By definition a joint probability of 0 gives -1;
    otherwise an event that always occurs, and so tells nothing, gives 0. Probabilities that do not agree with
    each other, as those of the paper's equations, can leave [-1, 1] and even be infinite. It is never NaN.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(joint) - np.log(ngram) - np.log(referent)
        value = np.where(np.equal(joint, 0), -1.0, pmi / np.abs(np.log(joint)))
    # NaN is left where 0 is divided by 0: for an event of every episode, and without episodes. Rounding keeps
    # equal values equal on every machine, because their order decides on the best referent.
    return np.round(np.nan_to_num(value, nan=0.0, posinf=np.inf, neginf=-np.inf), 12) + 0.0


def npmi_of_integer_ngram(config: GameConfig) -> float:
    """Return the NPMI of an n-gram that names an integer at one offset, if all integers have such an n-gram.

    This is a mark to compare with, by the estimator `exact` and for one integer (top_n 1). On one axis, an
    integer is visible in 2r/N of all episodes whatever the message is, so such an n-gram, which is always
    right, has ln(N/2r) / -ln p(n-gram): about .65 for 60 integers, .50 for 20. One that is used whenever its
    integer is visible has 1.
    """
    visible = config.num_shown / config.num_integers
    middle = math.prod(side - 2 * config.window_radius for side in config.shape) / config.sequence_length
    ngram = middle / config.num_integers
    return math.log(visible) / math.log(ngram)


def _shares(associations: Associations, total: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the episodes with both, with the n-gram and with the referent (E,), as shares of this total."""
    total = max(total, 1)
    return associations.joint / total, associations.ngram_total / total, associations.referent_total / total


def _slots(associations: Associations, counts: Counts) -> FloatArray:
    """Return (E,), the number of slots at which each n-gram could be."""
    ngrams = associations.ngrams
    return np.where(ngrams.slot == ANY, counts.config.message_length + 1.0 - ngrams.length, 1.0)


def share_showing(config: GameConfig, number: int) -> float:
    """Return the share of the windows that show one of `number` integers (appendix D, equation 1)."""
    integers, shown = config.num_integers, config.num_shown
    return 1 - math.comb(max(integers - number, 0), shown) / math.comb(integers, shown)


def _shares_showing(integers: Numbers, counts: Counts) -> FloatArray:
    """Return (E,), the share of the windows that show one of the integers (E, n) (equation 1)."""
    number = (integers != NO_INTEGER).sum(axis=1)
    shares = [share_showing(counts.config, n) for n in range(integers.shape[1] + 1)]
    return np.asarray(np.array(shares)[number])


def share_with_cell(offsets: Offsets, counts: Counts) -> FloatArray:
    """Return (E,), the share of the windows that have a cell at each offset."""
    edges = counts.edges.sum(axis=0)
    with_cell = columns_of(counts.config).has_cell.T @ [*edges, counts.total - edges.sum()]
    return np.asarray(with_cell[offsets.offset] / max(counts.total, 1))
