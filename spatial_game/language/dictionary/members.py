"""The members of sets: which values a symbol or a message says of a variable, each by a test of its own.

A value is a member if the n-gram makes it at least `LEAST_LIFT` times as probable as the game does, and

- its episodes with the n-gram are more than chance explains. The p-value of a count is the upper
  hypergeometric tail, and of those that pass, at most 5% are false by expectation (Benjamini and Hochberg
  1995). Those are tested whose n-gram says anything of the variable. A symbol that raises some values lowers
  others, so few of its values are as frequent as chance has it. Their share is estimated, and makes the
  bound exact (Benjamini and Hochberg 2000);
- or, for a message that is sent too rarely for this, the posterior of the dictionary is sure of it, by 95%,
  and the value is more probable than all others together, or each of its symbols that says anything of the
  variable has it as a member. What holds in nine of ten episodes of a symbol is also said by messages that do
  not tell more of the variable. Both need enough episodes of the message.

The tested n-grams are chosen by the same counts, so 5% is no exact bound. In the languages of
`experiments/readings.py`, at most 2% of the integers that symbols name are false.
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


def raised(
    counts: Mapping[int, sp.csr_array[Any]], variables: Mapping[int, Variable], *, adaptive: bool
) -> dict[int, Mask]:
    """Return, for each variable, which values (F, K) n-grams raise, by counts (F, K) of their episodes.

    All variables are one family of tests. N-grams that are not to be tested have no counts. `adaptive`: the
    share of values that are as frequent as chance has it is estimated. This needs n-grams with many episodes,
    as p-values of few episodes are few different ones.
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
    unmoved = min(middle / max(tests, 1), 1.0) if adaptive else 1.0
    passed = q_values(p_values, tests) * unmoved <= SIGNIFICANCE
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


def doubt(variable: Variable, messages: IntArray, rows: Numbers, p: FloatArray) -> FloatArray:
    """Return the posterior (B, K) that messages (B, T) do not raise a value, for their p2 (B, K).

    `rows` (B,): their rows among the known ones, -1 for others. The posterior of a probability is a gamma
    distribution with the mean p2. Its variance is that of a message's counts, as the Dirichlet prior of these
    weights has it, and that of p1, by the counts of its symbols. With the weight of q, it says nothing.
    """
    w, u, episodes = variable.weights(rows)
    own = np.maximum(1 - w - u, 0)
    of_counts = p * (1 - p) * own / (episodes + own + LEAST)
    of_symbols = (w * variable.exponent * variable.by_symbols(messages)) ** 2 * sum(
        1 / (slot[symbols] + a * variable.prior)
        for slot, symbols, a in zip(variable.symbol_counts, messages.T, variable.pseudo_episodes, strict=True)
    )
    shape = p**2 / np.maximum(of_counts + of_symbols, LEAST**2)
    return np.asarray(u + (1 - u) * gammainc(shape, shape * variable.prior / np.maximum(p, LEAST)))
