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

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammainc

from spatial_game.game.episodes import Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.thresholds import MIDDLE, SIGNIFICANCE
from spatial_game.language.dictionary.variable import Variable
from spatial_game.language.significance import hypergeometric_tail, q_values

_MANY = 30
"""The p-values of counts that are larger by chance lie as close as if they had no steps."""


@dataclass(frozen=True, eq=False)
class Tails:
    """How probable it is that F n-grams have as many episodes with each of K values by chance.

    C values occur with an n-gram; the p-values of all others are 1.
    """

    variable: Variable
    episodes: Numbers  # (F,), of the n-grams
    ngram: Numbers  # (C,)
    value: Numbers  # (C,)
    count: Numbers  # (C,), their episodes together
    p_value: FloatArray  # (C,)

    @classmethod
    def of(cls, counts: sp.csr_array[Any], variable: Variable) -> Tails:
        """Return the tails of a variable by counts (F, K) of the n-grams' episodes."""
        episodes, cells = np.asarray(counts.sum(axis=1)), counts.tocoo()
        ngram, value, count = (each.astype(np.int64) for each in (cells.row, cells.col, cells.data))
        return cls(variable, episodes, ngram, value, count, _tail(variable, episodes, ngram, value, count))

    @property
    def combined(self) -> FloatArray:
        """The p-values (F,) of all values of each n-gram together, by Simes (1986)."""
        order = np.lexsort((self.p_value, self.ngram))
        ngram, p_value = self.ngram[order], self.p_value[order]
        rank = np.arange(len(ngram)) - np.searchsorted(ngram, ngram) + 1
        found = np.ones(len(self.episodes))
        np.minimum.at(found, ngram, p_value * len(self.variable.prior) / rank)
        return found

    def raised(self, tested: Mask) -> tuple[Mask, Mask]:
        """Return which values (F, K) the tested ones (F,) of the n-grams raise.

        The second mask has those that they would raise without one of the episodes, too.
        """
        episodes, cells = self.episodes[tested], np.flatnonzero(tested[self.ngram])
        tail, num_values = self.p_value[cells], len(self.variable.prior)
        in_the_middle = np.count_nonzero((tail > MIDDLE[0]) & (tail < MIDDLE[1]))
        by_chance = (in_the_middle + 1) / (_in_the_middle(episodes, self.variable.prior) + 1)
        tests = int(np.count_nonzero(episodes)) * num_values * min(by_chance, 1.0)
        found = cells[q_values(tail, tests) <= SIGNIFICANCE]
        ngram, value = self.ngram[found], self.value[found]
        without = _tail(self.variable, self.episodes, ngram, value, self.count[found] - 1)
        raised, still_raised = np.zeros((2, len(tested), num_values), dtype=bool)
        raised[ngram, value] = True
        still_raised[ngram, value] = without * tests <= SIGNIFICANCE * len(found)
        return raised, still_raised


def _tail(
    variable: Variable, episodes: Numbers, ngram: Numbers, value: Numbers, count: Numbers
) -> FloatArray:
    """Return how probable counts (C,) of values, or more, are by chance in n-grams' `episodes` (F,)."""
    totals = variable.totals
    return hypergeometric_tail(count, episodes[ngram], totals[value], totals.sum())


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
