"""The entries of a dictionary: what each letter and each word says of each place, if it is significant.

An entry names a set of values; `members` says which. It is listed if

- it tells at least `LEAST_BITS`; of a word, also beyond what its letters tell;
- the values occur with the form more often than chance explains. Each value has a p-value, the hypergeometric
  tail of its episodes with the form among the episodes in which the place is seen. Those of an entry are
  combined (Simes 1986), and of all entries of letters, or of words, at most 5% are false discoveries
  (Benjamini and Hochberg 1995);
- of a word, the same holds against messages that follow their letters: the p-values are binomial tails by p1,
  with letters that are counted in all other messages.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import betainc

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.counting.rows import FloatArray, Numbers, blocks
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.members import LEAST_LIFT, SIGNIFICANCE, doubt, only, raised
from spatial_game.language.dictionary.variable import LEAST, Variable
from spatial_game.language.significance import hypergeometric_tail, q_values

LEAST_BITS = 0.1
"""The least information of an entry: what tells less is not worth a line."""
NEARLY_ALWAYS = 0.9
"""If a letter's set holds in this share of its episodes, a message with the letter says it, too."""
_CELLS = 1 << 22  # of tables that are made at a time


@dataclass(frozen=True)
class Entry:
    """What a letter or a word says of one place."""

    form: NGram
    place: int
    """The number of the place: of one of `config.offsets`, or the view, the last."""
    values: tuple[int, ...]
    """The values that the form makes more probable, in order: see `members`."""
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
    return list(sets_of(dictionary).letters)


def word_entries(dictionary: Dictionary) -> list[Entry]:
    """Return the listed entries of words: the most frequent word first, then by place.

    Of messages of one symbol, letters say everything.
    """
    return list(sets_of(dictionary).words)


class Sets:
    """What the letters and the words of a dictionary say of each place. Tables are made when first used."""

    def __init__(self, dictionary: Dictionary) -> None:
        require_dictionary(dictionary)
        self.dictionary, self._view = dictionary, len(dictionary.config.offsets)

    @cached_property
    def letters(self) -> list[Entry]:
        """The listed entries of letters: by slot, then by symbol, then by place."""
        found = []
        for place, (table, q_value) in self._letters.items():
            variable = self.dictionary.variables[place]
            for slot, symbol in np.argwhere(table.any(axis=2)).tolist():
                p = variable.prior * np.exp2(variable.letter_ratios[slot, symbol])
                episodes = int(variable.letters[slot, symbol].sum())
                form = NGram((symbol,), slot)
                values = table[slot, symbol]
                found.append(_entry(form, place, p, values, variable, episodes, q_value[slot, symbol]))
        return sorted(found, key=lambda entry: (entry.form.slot, entry.form.symbols, entry.place))

    @cached_property
    def words(self) -> list[Entry]:
        """The listed entries of words: the most frequent word first, then by place."""
        dictionary, found = self.dictionary, list[Entry]()
        if dictionary.config.message_length == 1:
            return found
        for place, (q_value, adds, _) in self._words.items():
            variable = dictionary.variables[place]
            rows = np.flatnonzero(adds)
            messages, episodes = dictionary.messages[rows], variable.words[rows].sum(axis=1)
            p = variable.by_words(messages, rows)
            members = self.members(place, messages, rows, p)
            found += [
                _entry(
                    NGram(tuple(message), 0),
                    place,
                    p[i],
                    members[i],
                    variable,
                    int(episodes[i]),
                    q_value[row],
                )
                for i, (row, message) in enumerate(zip(rows.tolist(), messages.tolist(), strict=True))
                if members[i].any()
            ]
        often = dict(zip(map(tuple, dictionary.messages.tolist()), dictionary.episodes.tolist(), strict=True))
        return sorted(found, key=lambda entry: (-often[entry.form.symbols], entry.form.symbols, entry.place))

    def members(self, place: int, messages: IntArray, rows: Numbers, p: FloatArray) -> Mask:
        """Return the sets (B, K) that messages (B, T) say of a place, by their rows and their p2 (B, K)."""
        variable = self.dictionary.variables[place]
        least = variable.prior * (LEAST_LIFT if place != self._view else 1 + LEAST)
        follows = (rows < 0) | ~self._words[place][1][rows]
        more = np.where(follows[:, None], np.maximum(p, variable.by_letters(messages)), p) >= least
        own = self._words[place][2][rows] & (rows >= 0)[:, None]
        sets, slots = self._letters[place][0], list(enumerate(messages.T))
        of_letters = np.stack([sets[slot, symbols] for slot, symbols in slots])
        silent = ~of_letters.any(axis=2, keepdims=True)
        by_letters = (of_letters | silent).all(axis=0) & of_letters.any(axis=0)
        sure = doubt(variable, messages, rows, p) <= SIGNIFICANCE
        nearly = np.any([self._nearly_always[place][slot, symbols] for slot, symbols in slots], axis=0)
        named = by_letters & sure | (nearly & follows[:, None])
        return np.asarray(more & (own | named | sure & (p > 1 / 2)))

    def speak_of(self, place: int, messages: IntArray, rows: Numbers) -> Mask:
        """Return which messages (B, T), or a letter of theirs, speak of a place, by their rows as words."""
        speaks = np.asarray((self._words[place][0][rows] <= SIGNIFICANCE) & (rows >= 0))
        for slot, symbols in zip(self._letters[place][0], messages.T, strict=True):
            speaks |= slot[symbols].any(axis=1)
        return speaks

    @cached_property
    def _letters(self) -> dict[int, tuple[Mask, FloatArray]]:
        """By place: the sets of letters (T, S, K), and the q-values of their entries (T, S)."""
        informative = self.dictionary.informative
        counts = {
            place: sp.csr_array(variable.letters.reshape(-1, len(variable.prior)))
            for place, variable in informative.items()
        }
        q_value, p = _q_values(counts, informative), {}
        for place, variable in informative.items():
            p[place] = variable.prior * np.exp2(variable.letter_ratios.reshape(counts[place].shape))
            tells = divergence(p[place], variable.prior) >= LEAST_BITS
            counts[place] = only(counts[place], tells & (q_value[place] <= SIGNIFICANCE))
        found = {}
        for place, table in raised(counts, informative).items():
            least = informative[place].prior * (LEAST_LIFT if place != self._view else 1 + LEAST)
            shape = informative[place].letters.shape
            found[place] = (table & (p[place] >= least)).reshape(shape), q_value[place].reshape(shape[:2])
        return found

    @cached_property
    def _nearly_always(self) -> dict[int, Mask]:
        """By place: the sets (T, S, K) of letters, where one of their values nearly always stands."""
        found = {place: np.zeros(sets.shape, dtype=bool) for place, (sets, _) in self._letters.items()}
        for entry in self.letters:
            at = entry.form.slot or 0, entry.form.symbols[0], list(entry.values)
            found[entry.place][at] = entry.share >= NEARLY_ALWAYS
        return found

    @cached_property
    def _words(self) -> dict[int, tuple[FloatArray, Mask, Mask]]:
        """By place: the q-values of words (M,), which of them tell more than their letters (M,), and what
        they raise (M, K)."""
        dictionary, informative = self.dictionary, self.dictionary.informative
        counts = {place: variable.words for place, variable in informative.items()}
        q_value, against, adds, tested = _q_values(counts, informative), [], {}, {}
        for place, variable in informative.items():
            size = max(1, _CELLS // len(variable.prior))
            tells, differs = np.zeros((2, len(dictionary.messages)), dtype=bool)
            for part in blocks(len(dictionary.messages), size):
                rows = np.arange(len(dictionary.messages))[part]
                p1, p2 = (
                    variable.by_letters(dictionary.messages[part]),
                    variable.by_words(dictionary.messages[part], rows),
                )
                tells[part] = divergence(p2, variable.prior) >= LEAST_BITS
                differs[part] = divergence(p2, p1) >= LEAST_BITS
            significant, speaks = q_value[place] <= SIGNIFICANCE, np.zeros(len(tells), dtype=bool)
            for slot, symbols in zip(self._letters[place][0], dictionary.messages.T, strict=True):
                speaks |= slot[symbols].any(axis=1)
            tested[place] = only(counts[place], tells & (significant | speaks))
            adds[place] = tells & differs & significant
            against.append(_against_letters(variable, dictionary.messages, np.flatnonzero(adds[place])))
        passed = q_values(np.concatenate([np.zeros(0), *against])) <= SIGNIFICANCE
        for each in adds.values():
            number = np.count_nonzero(each)
            each[each], passed = passed[:number], passed[number:]
        own = raised(tested, informative)
        return {place: (q_value[place], adds[place], own[place]) for place in informative}


@functools.lru_cache(maxsize=2)
def sets_of(dictionary: Dictionary) -> Sets:
    """Return the sets of a dictionary; the same object each time, as its tables take a moment."""
    return Sets(dictionary)


def _entry(
    form: NGram,
    place: int,
    p: FloatArray,
    members: Mask,
    variable: Variable,
    episodes: int,
    q_value: float,
) -> Entry:
    """Return the entry of a form that says these members (K,) of a place, with probabilities p (K,)."""
    bits = divergence(p[None], variable.prior).item()
    values = tuple(np.flatnonzero(members).tolist())
    return Entry(form, place, values, float(p[members].sum()), bits, episodes, float(q_value))


def _q_values(
    counts: Mapping[int, sp.csr_array[Any]], variables: Mapping[int, Variable]
) -> dict[int, FloatArray]:
    """Return, for each place, the q-values (F,) of all forms against chance, by their counts (F, K)."""
    episodes = {place: np.asarray(table.sum(axis=1), dtype=np.int64) for place, table in counts.items()}
    p_values = [
        combined_p_value(table, episodes[place], variables[place].totals)[episodes[place] > 0]
        for place, table in counts.items()
    ]
    remaining, found = q_values(np.concatenate([np.zeros(0), *p_values])), {}
    for place, number in episodes.items():
        found[place] = np.ones(len(number))
        found[place][number > 0], remaining = np.split(remaining, [np.count_nonzero(number)])
    return found


def combined_p_value(counts: sp.csr_array[Any], episodes: Numbers, totals: Numbers) -> FloatArray:
    """Return the p-values (F,) of the values of each form together, by Simes (1986).

    `counts` (F, K) are those of the forms' `episodes` (F,), and `totals` (K,) those of all episodes in which
    the place is seen.
    """
    cells = counts.tocoo()
    tail = hypergeometric_tail(cells.data, episodes[cells.row], totals[cells.col], totals.sum())
    return _simes(cells.row, tail, counts.shape)


def _against_letters(variable: Variable, messages: IntArray, rows: Numbers) -> FloatArray:
    """Return the p-values (n,) of rows of the words, if these words said what their letters say."""
    found = [np.zeros(0)]
    for part in blocks(len(rows), max(1, _CELLS // len(variable.prior))):
        cells = sp.csr_array(variable.words[rows[part]]).tocoo()
        p = variable.by_other_letters(messages[rows[part]], rows[part])[cells.row, cells.col]
        total = np.asarray(variable.words[rows[part]].sum(axis=1))[cells.row]
        tail = betainc(cells.data, total - cells.data + 1, p)  # of the binomial distribution
        found.append(_simes(cells.row, tail, (len(rows[part]), len(variable.prior))))
    return np.concatenate(found)


def _simes(row: npt.NDArray[Any], tail: npt.NDArray[Any], shape: tuple[int, int]) -> FloatArray:
    """Return the combined p-values (F,) of cells by their rows, those of `shape` (F, K) that are not 1."""
    order = np.lexsort((tail, row))
    row, tail = row[order], tail[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row) + 1
    found = np.ones(shape[0])
    np.minimum.at(found, row, tail * shape[1] / rank)
    return found


def divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the bits (F,) that tell p (F, K) from q (F, K) or (K,): Kullback-Leibler divergence."""
    return np.asarray((p * np.log2(np.maximum(p, LEAST) / np.maximum(q, LEAST))).sum(axis=1))
