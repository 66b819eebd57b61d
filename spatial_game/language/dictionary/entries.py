"""The entries of a dictionary: what each letter and each word says of each place, if it is significant.

An entry names a set of values: those that are more probable with the form than without it. It is listed if

- it tells at least `LEAST_BITS`; of a word, beyond what its letters tell;
- the values occur with the form more often than chance explains. Each value has a p-value, the hypergeometric
  tail of its episodes with the form among the episodes in which the place is seen. Those of an entry are
  combined (Simes 1986), and of all entries of letters, or of words, at most 5% are false discoveries
  (Benjamini and Hochberg 1995).

The test asks whether a form goes with a place at all. What a word tells beyond its letters is an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.counting.rows import FloatArray, Numbers, blocks
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.variable import LEAST, Variable
from spatial_game.language.significance import hypergeometric_tail, q_values

LEAST_BITS = 0.1
"""The least information of an entry: what tells less is not worth a line."""
SIGNIFICANCE = 0.05
"""The share of false entries, by expectation, among those that pass the test."""
_CELLS = 1 << 22  # of tables that are made at a time


@dataclass(frozen=True)
class Entry:
    """What a letter or a word says of one place."""

    form: NGram
    place: int
    """The number of the place: of one of `config.offsets`, or the view, the last."""
    values: tuple[int, ...]
    """The values that the form makes more probable, in order."""
    share: float
    """How probable it is, with this form, that one of these values stands there if the place is seen."""
    bits: float
    """What it tells, in bits for each episode with the form in which the place is seen."""
    episodes: int
    """The number of these episodes."""
    q_value: float
    """The expected share of false entries among those at least as significant."""


def letter_entries(dictionary: Dictionary) -> list[Entry]:
    """Return the listed entries of letters: by slot, then by symbol, then by place."""
    require_dictionary(dictionary)
    config = dictionary.config
    forms = [
        NGram((symbol,), slot) for slot in range(config.message_length) for symbol in range(config.vocab_size)
    ]
    counts = {
        place: sp.csr_array(variable.letters.reshape(len(forms), -1))
        for place, variable in dictionary.informative.items()
    }

    def said(variable: Variable, rows: Numbers) -> tuple[FloatArray, FloatArray]:
        ratios = variable.letter_ratios.reshape(len(forms), -1)[rows]
        return variable.prior * np.exp2(ratios), variable.prior

    listed = _listed(dictionary, forms, counts, said)
    return sorted(listed, key=lambda entry: (entry.form.slot, entry.form.symbols, entry.place))


def word_entries(dictionary: Dictionary) -> list[Entry]:
    """Return the listed entries of words: the most frequent word first, then by place.

    Of messages of one symbol, letters say everything.
    """
    require_dictionary(dictionary)
    messages = dictionary.messages
    if dictionary.config.message_length == 1:
        return []
    forms = [NGram(tuple(symbols), 0) for symbols in messages.tolist()]
    counts = {place: variable.words for place, variable in dictionary.informative.items()}

    def said(variable: Variable, rows: Numbers) -> tuple[FloatArray, FloatArray]:
        return variable.by_words(messages[rows], rows), variable.by_letters(messages[rows])

    often = dict(zip(forms, dictionary.episodes.tolist(), strict=True))
    listed = _listed(dictionary, forms, counts, said)
    return sorted(listed, key=lambda entry: (-often[entry.form], entry.form.symbols, entry.place))


def _listed(
    dictionary: Dictionary,
    forms: Sequence[NGram],
    counts: Mapping[int, sp.csr_array[Any]],
    said: Callable[[Variable, Numbers], tuple[FloatArray, FloatArray]],
) -> Iterator[Entry]:
    """Yield the entries that are significant among those of all forms (F,) and places, and tell enough.

    `counts`: for each place the episodes (F, K) of the forms by value. `said` returns, for rows of the forms
    (n,), p (n, K) and what is known without them; only the bits beyond that count.
    """
    for place, rows, q_value in _significant(dictionary, counts):
        variable, episodes = dictionary.variables[place], counts[place].sum(axis=1)
        for part in blocks(len(rows), max(1, _CELLS // len(variable.prior))):
            p, known = said(variable, rows[part])
            named, bits = p > variable.prior, divergence(p, variable.prior)
            share, tells_enough = (p * named).sum(axis=1), divergence(p, known) >= LEAST_BITS
            for i in np.flatnonzero(tells_enough).tolist():
                row = int(rows[part][i])
                yield Entry(
                    forms[row],
                    place,
                    tuple(np.flatnonzero(named[i]).tolist()),
                    float(share[i]),
                    float(bits[i]),
                    int(episodes[row]),
                    float(q_value[part][i]),
                )


def _significant(
    dictionary: Dictionary, counts: Mapping[int, sp.csr_array[Any]]
) -> Iterator[tuple[int, Numbers, FloatArray]]:
    """Yield, for each place, the rows of the significant forms and their q-values, for these `counts`."""
    tested = {}
    for place, table in counts.items():
        episodes = np.asarray(table.sum(axis=1), dtype=np.int64)
        p_value = combined_p_value(table, episodes, dictionary.variables[place].letters[0].sum(axis=0))
        tested[place] = np.flatnonzero(episodes), p_value[episodes > 0]
    p_values = np.concatenate([np.zeros(0), *(p_value for _, p_value in tested.values())])
    remaining = q_values(p_values)
    for place, (rows, p_value) in tested.items():
        q_value, remaining = np.split(remaining, [len(p_value)])
        kept = q_value <= SIGNIFICANCE
        yield place, rows[kept], q_value[kept]


def combined_p_value(counts: sp.csr_array[Any], episodes: Numbers, totals: Numbers) -> FloatArray:
    """Return the p-values (F,) of the values of each form together, by Simes (1986).

    `counts` (F, K) are those of the forms' `episodes` (F,), and `totals` (K,) those of all episodes in which
    the place is seen.
    """
    cells = counts.tocoo()
    tail = hypergeometric_tail(cells.data, episodes[cells.row], totals[cells.col], totals.sum())
    order = np.lexsort((tail, cells.row))
    row, tail = cells.row[order], tail[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row) + 1
    found = np.ones(len(episodes))
    np.minimum.at(found, row, tail * len(totals) / rank)
    return found


def divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the bits (F,) that tell p (F, K) from q (F, K) or (K,): Kullback-Leibler divergence."""
    return np.asarray((p * np.log2(np.maximum(p, LEAST) / np.maximum(q, LEAST))).sum(axis=1))
