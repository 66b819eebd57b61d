"""The members of sets: which values a symbol or a message says of a variable.

A value is a member if the n-gram makes it at least `LEAST_LIFT` times as probable as the game does, and if

- its episodes with the n-gram are more than chance explains. The p-value of a count is the upper
  hypergeometric tail, and of those that pass, at most 5% are false by expectation (Benjamini and Hochberg
  1995). Those are tested whose n-gram says anything of the variable. An n-gram that raises some values lowers
  others, so few of its values are as frequent as chance has it. Their share is estimated, and makes the bound
  exact (Benjamini and Hochberg 2000). The symbols are one family of tests for each variable, and the messages
  another;
- or the n-gram is a message that is too rare for this test. Then all of its symbols that say anything of the
  variable have this member, or the value is more probable than all others together.

A message also says what holds nearly always of one of its symbols, if it does not tell more of the variable
(`entries`). The tested n-grams are chosen by the same counts, so 5% is no exact bound.
`experiments/readings.py` measures how many members are false, and how many are lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammainc

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.variable import Variable
from spatial_game.language.significance import hypergeometric_tail, q_values

LEAST_LIFT = 1.15
"""How many times as probable as in the game a member is at least."""
SIGNIFICANCE = 0.05
"""The share of false ones, by expectation, among the entries, and among the members, that pass a test."""
MIDDLE = 0.3, 0.7
"""Between them lie 40% of the p-values of values that are as frequent as chance has it, and few of others:
those of raised values are near 0, and those of lowered ones near 1."""
_MANY = 30
"""The p-values of counts that are larger by chance lie as close as if they had no steps."""


def raised(counts: sp.csr_array[Any], variable: Variable) -> Mask:
    """Return which values (F, K) of a variable n-grams raise, by counts (F, K) of their episodes.

    N-grams that are not to be tested have no counts.
    """
    episodes, cells = np.asarray(counts.sum(axis=1)), counts.tocoo()
    tail = hypergeometric_tail(
        cells.data, episodes[cells.row], variable.totals[cells.col], variable.totals.sum()
    )
    in_the_middle = np.count_nonzero((tail > MIDDLE[0]) & (tail < MIDDLE[1]))
    by_chance = (in_the_middle + 1) / (_in_the_middle(episodes, variable.prior) + 1)  # all, where it is empty
    tests = int(np.count_nonzero(episodes)) * counts.shape[1]
    found = np.zeros(counts.shape, dtype=bool)
    found[cells.row, cells.col] = q_values(tail, tests) * min(by_chance, 1.0) <= SIGNIFICANCE
    return found


def only(counts: sp.csr_array[Any], rows: Mask) -> sp.csr_array[Any]:
    """Return counts (F, K) without those of other rows than these (F,)."""
    table = sp.csr_array(counts.multiply(rows[:, None].astype(np.int64)))
    table.eliminate_zeros()
    return table


def _in_the_middle(episodes: Numbers, prior: FloatArray) -> float:
    """Return how many p-values of counts (F, K) lie in the middle if all are by chance, by Poisson.

    `episodes` (F,) are those of the n-grams. Counts go in steps. The middle may lie between two of them.
    """
    sizes, ngrams = np.unique(episodes, return_counts=True)
    shares, values = np.unique(prior, return_counts=True)
    mean, number = np.outer(sizes, shares).ravel(), np.outer(ngrams, values).ravel()
    few = mean <= _MANY
    tail = gammainc(np.arange(1, 4 * _MANY), mean[few, None])  # of at least that many
    middle = (tail[:, :-1] > MIDDLE[0]) & (tail[:, :-1] < MIDDLE[1])
    in_steps = number[few] @ (-np.diff(tail) * middle).sum(axis=1)
    return float(in_steps + (MIDDLE[1] - MIDDLE[0]) * number[~few].sum())
