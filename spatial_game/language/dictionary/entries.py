"""The entries of a dictionary: what each symbol and each message says of each variable, if it is significant.

An entry names a set of values; `members` says which. It is listed if

- it tells at least `LEAST_BITS`;
- the values occur with the n-gram more often than chance explains. Each value has a p-value, the
  hypergeometric tail of its episodes with the n-gram among the episodes in which the variable is seen. Those
  of an entry are combined (Simes 1986), and of all entries of symbols, or of messages, at most 5% are false
  discoveries (Benjamini and Hochberg 1995);
- it is of a symbol, or of a message that tells at least `LEAST_BITS` more than its symbols, however far these
  are trusted. Its episodes must show this, too, by two standard errors of their mean gain.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.members import Tails
from spatial_game.language.dictionary.thresholds import (
    ENOUGH,
    LEAST_BITS,
    LEAST_LIFT,
    NEARLY_ALWAYS,
    SIGNIFICANCE,
    STANDARD_ERRORS,
)
from spatial_game.language.dictionary.variable import LEAST, Variable
from spatial_game.language.significance import q_values
from spatial_game.memory import chunks


@dataclass(frozen=True)
class Entry:
    """What a symbol or a message says of one variable."""

    ngram: NGram
    index: int
    """The index of the variable: of one of `config.offsets`, or of the view, the last."""
    values: tuple[int, ...]
    """The values that the n-gram makes more probable, in order: see `members`."""
    share: float
    """How probable it is, with this n-gram, that one of these values stands there if that is seen."""
    bits: float
    """What it tells, in bits for each episode with the n-gram in which that is seen."""
    episodes: int
    """The number of these episodes."""
    q_value: float
    """The expected share of false entries among those at least as significant."""


def symbol_entries(dictionary: Dictionary) -> list[Entry]:
    """Return the listed entries of symbols: by slot, then by symbol, then by variable."""
    return list(sets_of(dictionary).symbols)


def message_entries(dictionary: Dictionary) -> list[Entry]:
    """Return the listed entries of messages: the most frequent first, then by variable.

    Of messages of one symbol, symbols say everything.
    """
    return list(sets_of(dictionary).messages)


class Sets:
    """What the symbols and messages of a dictionary say of each variable. Tables are made when first used."""

    def __init__(self, dictionary: Dictionary) -> None:
        require_dictionary(dictionary)
        self.dictionary, self._view = dictionary, len(dictionary.config.offsets)

    @cached_property
    def symbols(self) -> list[Entry]:
        """The listed entries of symbols: by slot, then by symbol, then by variable."""
        found = []
        for index, (table, q_value) in self._symbols.items():
            variable = self.dictionary.variables[index]
            for slot, symbol in np.argwhere(table.any(axis=2)).tolist():
                p = variable.prior * np.exp2(variable.symbol_ratios[slot, symbol])
                episodes = int(variable.symbol_counts[slot, symbol].sum())
                ngram = NGram((symbol,), slot)
                values = table[slot, symbol]
                found.append(_entry(ngram, index, p, values, variable, episodes, q_value[slot, symbol]))
        return sorted(found, key=lambda entry: (entry.ngram.slot, entry.ngram.symbols, entry.index))

    @cached_property
    def messages(self) -> list[Entry]:
        """The listed entries of messages: the most frequent first, then by variable."""
        dictionary, found = self.dictionary, list[Entry]()
        if dictionary.config.message_length == 1:
            return found
        for index, said in self._messages.items():
            variable, rows = dictionary.variables[index], np.flatnonzero(said.tell_more)
            messages, episodes = dictionary.messages[rows], variable.message_counts[rows].sum(axis=1)
            p = variable.by_messages(messages, rows)
            members = self.members(index, messages, rows, p)[0]
            for i in np.flatnonzero(members.any(axis=1)).tolist():
                ngram = NGram(tuple(messages[i].tolist()), 0)
                q_value = self._q_value[index][rows[i]]
                found.append(_entry(ngram, index, p[i], members[i], variable, int(episodes[i]), q_value))
        often = dict(zip(map(tuple, dictionary.messages.tolist()), dictionary.episodes.tolist(), strict=True))
        return sorted(
            found, key=lambda entry: (-often[entry.ngram.symbols], entry.ngram.symbols, entry.index)
        )

    @property
    def adding(self) -> tuple[float, float]:
        """The least and the most episodes, as shares, whose message tells more of an offset than its symbols.

        By more is meant at least `LEAST_BITS`. The least are those of which it is known, and the most are all
        but those of which it is known that they tell no more.
        """
        episodes, none = self.dictionary.episodes, np.zeros(len(self.dictionary.episodes), dtype=bool)
        if self.dictionary.config.message_length == 1:
            return 0.0, 0.0
        total = episodes.sum()
        offsets = [said for index, said in self._messages.items() if index != self._view]
        tell_more = np.any([none, *(said.tell_more for said in offsets)], axis=0)
        tell_no_more = ~tell_more & np.all([~none, *(said.tell_no_more for said in offsets)], axis=0)
        return float(episodes[tell_more].sum() / total), float(episodes[~tell_no_more].sum() / total)

    def members(self, index: int, messages: IntArray, rows: Numbers, p: FloatArray) -> tuple[Mask, Mask]:
        """Return the sets (B, K) that messages (B, T) say of a variable, by their rows and p2 (B, K).

        The second mask has the stable members: those that would be members without one of their episodes, and
        the likeliest one.
        """
        of_symbols = _of_symbols(self._symbols[index][0], messages)
        silent = ~of_symbols.any(axis=2, keepdims=True)
        agreed = np.asarray((of_symbols | silent).all(axis=0) & of_symbols.any(axis=0))
        known = rows >= 0
        may_follow = ~known | (self.dictionary.episodes[rows] >= ENOUGH)
        nearly = _of_symbols(self._nearly_always[index], messages).any(axis=0) & may_follow[:, None]
        asked = np.flatnonzero(known & nearly.any(axis=1))
        nearly[asked] &= ~self._tells_more(index, messages[asked], rows[asked], p[asked])[0][:, None]
        said = (agreed & may_follow[:, None]) | nearly | (p > 1 / 2)
        raised, still_raised = (each[rows] & known[:, None] for each in self._raised[index])
        least, without = self._least(index), self.dictionary.variables[index].without_one(p, rows)
        members = np.asarray((p >= least) & (said | raised))
        stable = (without >= least) & (said | still_raised) | (p == p.max(axis=1, keepdims=True))
        return members, members & stable

    def _tells_more(
        self, index: int, messages: IntArray, rows: Numbers, p: FloatArray
    ) -> tuple[Mask, FloatArray]:
        """Return whether known messages (B, T) tell more of a variable than symbols, and their `gain` (3, B).

        `p` (B, K) is their p2.
        """
        variable = self.dictionary.variables[index]
        gain = variable.gain(messages, rows)
        return (divergence(p, variable.prior) >= LEAST_BITS) & (gain[0] >= LEAST_BITS), gain

    def speak_of(self, index: int, messages: IntArray, rows: Numbers) -> Mask:
        """Return which messages (B, T), or a symbol of theirs, speak of a variable, given their rows."""
        significant = (self._q_value[index][rows] <= SIGNIFICANCE) & (rows >= 0)
        return np.asarray(significant | _of_symbols(self._symbols[index][0], messages).any(axis=(0, 2)))

    def _least(self, index: int) -> FloatArray:
        """Return the least probabilities (K,) of members: of a view, any that is above the game's."""
        lift = 1 + LEAST if index == self._view else LEAST_LIFT
        return self.dictionary.variables[index].prior * lift

    @cached_property
    def _symbols(self) -> dict[int, tuple[Mask, FloatArray]]:
        """By variable: the sets of symbols (T, S, K), and the q-values of their entries (T, S)."""
        informative = self.dictionary.informative
        tails = {
            index: Tails.of(sp.csr_array(variable.symbol_counts.reshape(-1, len(variable.prior))), variable)
            for index, variable in informative.items()
        }
        tables = {
            index: variable.prior * np.exp2(variable.symbol_ratios.reshape(-1, len(variable.prior)))
            for index, variable in informative.items()
        }
        left = left_by_other_cells({i: p for i, p in tables.items() if i != self._view})
        q_value, found = _q_values(tails), {}
        for index, variable in informative.items():
            shape = variable.symbol_counts.shape
            p, by_chance = tables[index], left.get(index, variable.prior)
            says = (divergence(p, by_chance) >= LEAST_BITS) & (q_value[index] <= SIGNIFICANCE)
            members = tails[index].raised(says)[0] & (p >= self._least(index))
            found[index] = members.reshape(shape), q_value[index].reshape(shape[:2])
        return found

    @cached_property
    def _raised(self) -> dict[int, tuple[Mask, Mask]]:
        """By variable: the values (M, K) that known messages raise, and those that do without one episode."""
        return {
            index: tails.raised(self._q_value[index] <= SIGNIFICANCE) for index, tails in self._tails.items()
        }

    @cached_property
    def _nearly_always(self) -> dict[int, Mask]:
        """By variable: the sets (T, S, K) of symbols, where one of their values nearly always stands."""
        found = {index: np.zeros(sets.shape, dtype=bool) for index, (sets, _) in self._symbols.items()}
        for entry in self.symbols:
            at = entry.ngram.slot or 0, entry.ngram.symbols[0], list(entry.values)
            found[entry.index][at] = entry.share >= NEARLY_ALWAYS
        return found

    @cached_property
    def _messages(self) -> dict[int, _Said]:
        """What known messages say of each variable."""
        dictionary, said = self.dictionary, {}
        for index, variable in dictionary.informative.items():
            more = np.zeros(len(dictionary.messages), dtype=bool)
            gain, shown, error = np.zeros((3, len(more)))
            for part in chunks(len(more), 16 * len(variable.prior)):
                messages, rows = dictionary.messages[part], np.arange(len(more))[part]
                p = variable.by_messages(messages, rows)
                more[part], of_part = self._tells_more(index, messages, rows, p)
                gain[part], shown[part], error[part] = of_part
            significant = self._q_value[index] <= SIGNIFICANCE
            tell_more = more & significant & (shown >= np.maximum(STANDARD_ERRORS * error, LEAST_BITS))
            by_chance = deviation_by_chance(len(variable.prior), dictionary.episodes)
            tell_no_more = gain + STANDARD_ERRORS * by_chance < LEAST_BITS
            said[index] = _Said(tell_more, tell_no_more)
        return said

    @cached_property
    def _q_value(self) -> dict[int, FloatArray]:
        """By variable: the q-values (M,) of known messages, against chance."""
        return _q_values(self._tails)

    @cached_property
    def _tails(self) -> dict[int, Tails]:
        """By variable: the tails of known messages."""
        informative = self.dictionary.informative
        return {index: Tails.of(variable.message_counts, variable) for index, variable in informative.items()}


@dataclass(frozen=True, eq=False)
class _Said:
    """Which of the M known messages tell more of a variable than their symbols."""

    tell_more: Mask  # (M,), whether their episodes show that they do
    tell_no_more: Mask  # (M,), whether their episodes show that they do not


def deviation_by_chance(num_values: int, episodes: Numbers) -> FloatArray:
    """Return the standard deviation of the bits that episodes tell of a variable of K values by chance.

    2 n ln(2) times the bits of n episodes has a chi-squared distribution of K - 1 degrees of freedom (Wilks
    1938).
    """
    return np.asarray(math.sqrt((num_values - 1) / 2) / math.log(2) / episodes)


def _of_symbols(sets: Mask, messages: IntArray) -> Mask:
    """Return (T, B, K), the sets (T, S, K) of the symbols of messages (B, T)."""
    return np.stack([slot[symbols] for slot, symbols in zip(sets, messages.T, strict=True)])


@functools.lru_cache(maxsize=4)  # a page also reads the beginnings of messages
def sets_of(dictionary: Dictionary) -> Sets:
    """Return the sets of a dictionary; the same object each time, as its tables take a moment."""
    return Sets(dictionary)


def _entry(
    ngram: NGram,
    index: int,
    p: FloatArray,
    members: Mask,
    variable: Variable,
    episodes: int,
    q_value: float,
) -> Entry:
    """Return the entry of an n-gram that says these members (K,) of a variable, with probabilities p (K,)."""
    bits = divergence(p[None], variable.prior).item()
    values = tuple(np.flatnonzero(members).tolist())
    return Entry(ngram, index, values, float(p[members].sum()), bits, episodes, float(q_value))


def _q_values(tails: Mapping[int, Tails]) -> dict[int, FloatArray]:
    """Return, for each variable, the q-values (F,) of all n-grams against chance."""
    p_values = [each.combined[each.episodes > 0] for each in tails.values()]
    remaining, found = q_values(np.concatenate([np.zeros(0), *p_values])), {}
    for index, each in tails.items():
        found[index] = np.ones(len(each.episodes))
        found[index][each.episodes > 0], remaining = np.split(remaining, [np.count_nonzero(each.episodes)])
    return found


def divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the bits (F,) that tell p (F, K) from q (F, K) or (K,): Kullback-Leibler divergence."""
    return np.asarray((p * np.log2(np.maximum(p, LEAST) / np.maximum(q, LEAST))).sum(axis=1))


def two_way_divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the bits (F,) that tell the probability p (F,) of an event from q (F,)."""
    return divergence(*(np.stack([each, 1 - each], axis=1) for each in (p, q)))


def left_by_other_cells(tables: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
    """Return how probable integers (F, K) are at each offset if only the other offsets tell anything.

    `tables` are p (F, K) by offset. An integer that stands at another offset does not stand here. In a small
    game this leaves only a few.
    """
    total = sum(tables.values())
    left = {index: np.maximum(1 - (total - p), 0) + LEAST for index, p in tables.items()}
    return {index: each / each.sum(axis=1, keepdims=True) for index, each in left.items()}
