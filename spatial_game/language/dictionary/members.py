"""The members of sets: which values a symbol or a message says of a variable.

A value is a member if the n-gram makes it at least `LEAST_LIFT` times as probable as the game does, and if

- of a symbol, its episodes with the symbol are more than chance explains. The p-value of a count is the upper
  hypergeometric tail, and of those that pass, at most 5% are false by expectation (Benjamini and Hochberg
  1995). Those are tested whose symbol says anything of the variable. A symbol that raises some values lowers
  others, so few of its values are as frequent as chance has it. Their share is estimated, and makes the
  bound exact (Benjamini and Hochberg 2000);
- of a message, the posterior of the dictionary is sure of it: by 85% if all symbols of the message that say
  anything of the variable have this member, and by 95% otherwise. Symbols that disagree may mislead. Then the
  message's own episodes must be more than chance explains, too (by 1%), or the value is more probable than
  all others together. Most messages are sent too rarely for a test of their counts alone.

A message also says what holds nearly always of one of its symbols, if it does not tell more of the variable
(`entries`). The tested symbols are chosen by the same counts, so 5% is no exact bound, and a posterior is as
true as its prior. `experiments/readings.py` measures how many members are false, and how many are lost.
The tested symbols are chosen by the same counts, so 5% is no exact bound, and a posterior is as true as its
prior. `experiments/readings.py` measures how many members are false, and how many are lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammainc

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.variable import LEAST, Variable
from spatial_game.language.significance import hypergeometric_tail, q_values

LEAST_LIFT = 1.15
"""How many times as probable as in the game a member is at least."""
SIGNIFICANCE = 0.05
"""The share of false ones, by expectation, among the entries, and among the members, that pass a test."""
MIDDLE = 0.3, 0.7
"""Between them lie 40% of the p-values of values that are as frequent as chance has it, and few of others:
those of raised values are near 0, and those of lowered ones near 1."""
BY_CHANCE = 0.01
"""How probable the episodes of a member are by chance at most, if not all symbols of a message name it."""
MOST_DOUBT = 0.15
"""The most doubt about a member that all symbols of a message name. Of most of them, it is much smaller."""


def raised(counts: Mapping[int, sp.csr_array[Any]], variables: Mapping[int, Variable]) -> dict[int, Mask]:
    """Return, for each variable, which values (F, K) symbols raise, by counts (F, K) of their episodes.

    All variables are one family of tests. Symbols that are not to be tested have no counts.
    """
    cells = {index: table.tocoo() for index, table in counts.items()}
    tails = [
        hypergeometric_tail(
            each.data,
            np.asarray(counts[index].sum(axis=1))[each.row],
            variables[index].totals[each.col],
            variables[index].totals.sum(),
        )
        for index, each in cells.items()
    ]
    tests = sum(int(np.count_nonzero(table.sum(axis=1))) * table.shape[1] for table in counts.values())
    p_values = np.concatenate([np.zeros(0), *tails])
    middle = np.count_nonzero((p_values > MIDDLE[0]) & (p_values < MIDDLE[1])) / (MIDDLE[1] - MIDDLE[0])
    passed = q_values(p_values, tests) * min(middle / max(tests, 1), 1.0) <= SIGNIFICANCE
    found = {}
    for (index, each), tail in zip(cells.items(), tails, strict=True):
        found[index] = np.zeros(each.shape, dtype=bool)
        found[index][each.row, each.col], passed = passed[: len(tail)], passed[len(tail) :]
    return found


def only(counts: sp.csr_array[Any], rows: Mask) -> sp.csr_array[Any]:
    """Return counts (F, K) without those of other rows than these (F,)."""
    table = sp.csr_array(counts.multiply(rows[:, None].astype(np.int64)))
    table.eliminate_zeros()
    return table


def surely_raised(variable: Variable, messages: IntArray, rows: Numbers, p: FloatArray, agreed: Mask) -> Mask:
    """Return which values (B, K) messages (B, T) surely raise, for their p2 (B, K).

    `rows` (B,): their rows among the known ones, -1 for others. `agreed` (B, K): every symbol of the message
    that names any value of the variable names this one. If symbols disagree, p1 may be wrong. Then the
    message's own episodes must show the value, too, more often than chance explains, or the value must be
    more probable than all others together.
    """
    doubt, episodes = doubt_of(variable, messages, rows, p), variable.weights(rows)[2]
    own = variable.message_counts[rows].toarray() * (episodes > 0)
    by_chance = np.where(own > 0, gammainc(np.maximum(own, 1), episodes * variable.prior), 1)
    supported = (by_chance <= BY_CHANCE) | (p > 1 / 2)  # at least as many episodes, by Poisson
    return np.asarray(agreed & (doubt <= MOST_DOUBT) | supported & (doubt <= SIGNIFICANCE))


def doubt_of(variable: Variable, messages: IntArray, rows: Numbers, p: FloatArray) -> FloatArray:
    """Return how probable it is (B, K) that messages (B, T) do not raise a value, for their p2 (B, K).

    The posterior of a probability is a gamma distribution with the mean p2. Its variance is that of a
    message's counts, as the Dirichlet prior of these weights has it, and that of p1, by the counts of its
    symbols. A message that is read without its own counts says nothing with the probability u.
    """
    w, u, episodes = variable.weights(rows)
    own = np.maximum(1 - w - u, 0)
    of_counts = p * (1 - p) * own / (episodes + own + LEAST)
    of_symbols = (w * variable.exponent * variable.by_symbols(messages)) ** 2 * sum(
        1 / (slot[symbols] + a * variable.prior)
        for slot, symbols, a in zip(variable.symbol_counts, messages.T, variable.pseudo_episodes, strict=True)
    )
    shape = p**2 / np.maximum(of_counts + of_symbols, LEAST**2)
    nothing = np.where(episodes > 0, 0, u)
    return np.asarray(
        nothing + (1 - nothing) * gammainc(shape, shape * variable.prior / np.maximum(p, LEAST))
    )
