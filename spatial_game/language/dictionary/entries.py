"""The entries of a dictionary: what each letter and each word says of each place, if it is significant.

An entry names a set of values: those that are more probable with the form than without it. It is listed if

- it tells at least `LEAST_BITS`; of a word, beyond what its letters tell;
- the values occur with the form more often than chance explains. Each value has a p-value, the hypergeometric
  tail of its episodes with the form among the episodes in which the place is seen. Those of an entry are
  combined (Simes 1986), and of all entries of letters, or of words, at most 5% are false discoveries
  (Benjamini and Hochberg 1995).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.game.episodes import Mask
from spatial_game.language.association import hypergeometric_tail
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import blocks
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.lexicon import Lexicon, require_lexicon
from spatial_game.language.dictionary.variable import LEAST, Variable

LEAST_BITS = 0.1
"""The least information of an entry: what tells less is not worth a line."""
SIGNIFICANCE = 0.05
"""The share of false entries, by expectation, among those that are listed."""
_CELLS = 1 << 22  # of tables that are made at a time


@dataclass(frozen=True)
class Entry:
    """What a letter or a word says of one place."""

    form: Form
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


@dataclass(frozen=True)
class _Tested:
    """The F forms that were tested on one place."""

    form: Callable[[int], Form]
    place: int
    number: Numbers  # (F,), what `form` takes
    named: Mask  # (F, K), the values that each form makes more probable
    share: FloatArray  # (F,)
    bits: FloatArray  # (F,)
    episodes: Numbers  # (F,)
    p_value: FloatArray  # (F,)
    worth: Mask  # (F,), whether they tell enough

    @classmethod
    def of(
        cls,
        form: Callable[[int], Form],
        place: int,
        number: Numbers,
        p: FloatArray,
        counts: sp.csr_array[Any],
        variable: Variable,
        known: FloatArray,
    ) -> _Tested:
        """Test forms by their probabilities p (F, K) and counts (F, K).

        `known`: what is known without the form; only bits beyond it are worth an entry.
        """
        episodes = np.asarray(counts.sum(axis=1), dtype=np.int64)
        p_value = combined_p_value(counts, episodes, variable.letters[0].sum(axis=0))
        named = p > variable.prior
        share, bits = (p * named).sum(axis=1), divergence(p, variable.prior)
        kept = episodes > 0
        worth = divergence(p, known) >= LEAST_BITS
        columns: list[npt.NDArray[Any]] = [number, named, share, bits, episodes, p_value, worth]
        return cls(form, place, *(column[kept] for column in columns))

    def entries(self, q_value: FloatArray) -> Iterator[Entry]:
        """Yield the entries that are significant by their q-values (F,), and worth it."""
        for row in np.flatnonzero(self.worth & (q_value <= SIGNIFICANCE)).tolist():
            yield Entry(
                self.form(int(self.number[row])),
                self.place,
                tuple(np.flatnonzero(self.named[row]).tolist()),
                float(self.share[row]),
                float(self.bits[row]),
                int(self.episodes[row]),
                float(q_value[row]),
            )


def letter_entries(lexicon: Lexicon) -> list[Entry]:
    """Return the listed entries of letters: by slot, then by symbol, then by place."""
    require_lexicon(lexicon)
    tested = []
    for place, variable in _informative(lexicon):
        every = variable.prior * np.exp2(variable.letter_ratios)
        for slot, (p, letters) in enumerate(zip(every, variable.letters, strict=True)):
            tested.append(
                _Tested.of(
                    partial(_letter, slot),
                    place,
                    np.arange(len(p)),
                    p,
                    sp.csr_array(letters),
                    variable,
                    variable.prior,
                )
            )
    return sorted(_significant(tested), key=lambda entry: (entry.form.slot, entry.form.symbols, entry.place))


def word_entries(lexicon: Lexicon) -> list[Entry]:
    """Return the listed entries of words: the most frequent word first, then by place.

    Of messages of one symbol, letters say everything.
    """
    require_lexicon(lexicon)
    messages, tested = lexicon.messages, []
    if lexicon.config.message_length == 1:
        return []
    for place, variable in _informative(lexicon):
        for rows in blocks(len(messages), max(1, _CELLS // len(variable.prior))):
            number = np.arange(len(messages))[rows]
            p, by_letters = variable.by_words(messages[rows], number), variable.by_letters(messages[rows])
            tested.append(
                _Tested.of(
                    lambda row: Form(tuple(messages[row].tolist()), 0),
                    place,
                    number,
                    p,
                    variable.words[rows],
                    variable,
                    by_letters,
                )
            )
    often = dict(zip(map(tuple, messages.tolist()), lexicon.episodes.tolist(), strict=True))
    return sorted(_significant(tested), key=lambda e: (-often[e.form.symbols], e.form.symbols, e.place))


def _letter(slot: int, symbol: int) -> Form:
    return Form((symbol,), slot)


def _informative(lexicon: Lexicon) -> Iterator[tuple[int, Variable]]:
    return ((place, each) for place, each in enumerate(lexicon.variables) if each.informative)


def _significant(tested: list[_Tested]) -> Iterator[Entry]:
    """Yield the entries that are significant among all that were tested together."""
    from scipy.stats import false_discovery_control  # it takes half a second to import

    p_value = np.concatenate([np.zeros(0), *(part.p_value for part in tested)])
    q_value = false_discovery_control(p_value) if len(p_value) else p_value
    ends = np.cumsum([len(part.p_value) for part in tested])
    for part, end in zip(tested, ends.tolist(), strict=True):
        yield from part.entries(q_value[end - len(part.p_value) : end])


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
