"""What messages say of one variable: a table of symbols, a table of messages, and how both are smoothed.

A *variable* has K values: which cells the sender sees (the view), or the integer at an offset, counted in
the episodes in which that cell is seen. q is how often the game itself draws each value. A symbol is one in
a slot:

    symbols   p(v | s)   =  (c(s, v) + a q(v)) / (c(s) + a)              a: pseudo-episodes, of each slot
              p1(v | m)  ~  q(v) * product over slots of (p(v | s) / q(v)) ** beta        (naive Bayes)
    messages  p2(v | m)  =  (1 - w - u) c(m, v) / c(m)  +  w p1(v | m)  +  u q(v)   w, u: of each message

Nothing is tuned. a has the highest marginal likelihood of the symbols' counts, beta the highest likelihood
of episodes that are left out of them. w and u follow from a Dirichlet prior around p1 or around q, whose
concentration is from a grid; how often each of these priors fits is learned from all messages (a mixture,
Sjölander et al. 1996). Some messages follow their symbols, some do not, and some say nothing of the variable
though their symbols do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import gammaln

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.rows import FloatArray, Numbers, sum_rows
from spatial_game.language.dictionary.thresholds import ENOUGH, LEAST_OWN_WEIGHT, STANDARD_ERRORS
from spatial_game.memory import chunks

PSEUDO_EPISODES = (0.5, 2, 5, 20, 50, 200, 1000, 5000, 30000)
EXPONENTS = (0.0, 0.3, 0.5, 0.7, 0.85, 1.0)
CONCENTRATIONS = np.array([0.05, 0.2, 0.7, 2, 7, 20, 70, 300, 3000, 30000])
"""Grids of the three parameters. They only have to be wide and fine enough: the likelihood chooses."""
_FEW = 8  # a count that is at most this is small
_STEPS = 29  # of expectation-maximisation; the shares hardly change after some ten
LEAST = 1e-9
"""The least probability of a value, so that logarithms exist."""


@dataclass(frozen=True, eq=False)
class Variable:
    """What T slots of S symbols, and M messages, say of a variable with K values."""

    prior: FloatArray  # (K,), q
    symbol_counts: Numbers  # (T, S, K), episodes with each symbol in each slot
    pseudo_episodes: FloatArray  # (T,), a
    exponent: float  # beta; 0 if symbols say nothing
    message_counts: sp.csr_array[Any]  # (M, K), episodes with each message
    symbols_weight: FloatArray  # (M,), w
    prior_weight: FloatArray  # (M,), u
    informative: bool
    """Whether messages say anything of it; if not, every probability is q."""

    @cached_property
    def symbol_ratios(self) -> FloatArray:
        """Return (T, S, K), log2 of p(v | symbol) / q(v)."""
        return _symbol_ratios(self.symbol_counts, self.pseudo_episodes, self.prior)

    @cached_property
    def totals(self) -> Numbers:
        """Return (K,), all episodes by value."""
        return np.asarray(self.symbol_counts[0].sum(axis=0))

    def bits(self, p: FloatArray) -> FloatArray:
        """Return log2 of p / q, for p (..., K)."""
        return np.asarray(np.log2(np.maximum(p, LEAST) / self.prior))

    def by_symbols(self, messages: IntArray) -> FloatArray:
        """Return p1 (B, K) of messages (B, T), known or not."""
        if not self.informative:
            return np.tile(self.prior, (len(messages), 1))
        said = self.exponent * _said_by_symbols(self.symbol_ratios, messages)
        p = self.prior * np.exp2(said - said.max(axis=1, keepdims=True))
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def repeated_bits(self, messages: IntArray) -> FloatArray:
        """Return the bits (B,) that the symbols of messages (B, T) repeat, at least 0.

        They are log2 of the sum that normalises p1. If it is below 0, symbols contradict each other: then it
        is how often they meet, as a part of how often independent symbols would.
        """
        said = _said_by_symbols(self.symbol_ratios, messages)
        return np.asarray(np.maximum(_log2_norms(said, self.prior, [self.exponent])[0], 0))

    def by_messages(self, messages: IntArray, rows: Numbers) -> FloatArray:
        """Return p2 (B, K) of messages (B, T), given their rows (B,) among the known ones.

        A message that is not known, row -1, is read by its symbols.
        """
        p = self.by_symbols(messages)
        known = np.flatnonzero(rows >= 0)
        if self.informative and len(known):
            own = self.message_counts[rows[known]].toarray()
            w, u, episodes = self.weights(rows[known])
            p[known] = (1 - w - u) * own / np.maximum(episodes, 1) + w * p[known] + u * self.prior
        return p

    def weights(self, rows: Numbers) -> tuple[FloatArray, FloatArray, Numbers]:
        """Return w, u and the number of own episodes (B, 1) of messages by their rows, -1 for unknown."""
        known, at = (rows >= 0)[:, None], np.maximum(rows, 0)
        w = np.where(known, self.symbols_weight[at, None], 1.0)
        u = np.where(known, self.prior_weight[at, None], 0.0)
        return w, u, np.where(known, self._episodes[at, None], 0)

    @cached_property
    def _episodes(self) -> Numbers:
        """Return (M,), the episodes of each message that it is read with."""
        return np.asarray(self.message_counts.sum(axis=1), dtype=np.int64)

    def without_one(self, p: FloatArray, rows: Numbers) -> FloatArray:
        """Return p2 (B, K) of messages by their rows, each value without one of its episodes."""
        w, u, episodes = self.weights(rows)
        own = self.message_counts[np.maximum(rows, 0)].toarray() * (rows >= 0)[:, None]
        share = own / np.maximum(episodes, 1), np.maximum(own - 1, 0) / np.maximum(episodes - 1, 1)
        return np.asarray(p + (1 - w - u) * (share[1] - share[0]))

    def truth(
        self, p: FloatArray, rows: Numbers, sets: Mask, stable: Mask, episodes: Numbers
    ) -> tuple[FloatArray, FloatArray]:
        """Return how often sets (B, K) are true of messages, by p2 (B, K): the posterior's mean and variance.

        It is a beta distribution. Its mean is the share of a message's own episodes, with p2 as a prior that
        is worth `ENOUGH` episodes. As the own episodes have chosen the set, only those of its `stable`
        members count, (B, K): by leaving one out, this is without bias. What these and the prior change is
        part of the variance. A message that is read without its own was sent in `episodes` (B,).
        """
        own = self.weights(rows)[2][:, 0]
        p2, share, share_of_set = (p * sets).sum(axis=1), self._share(rows, stable), self._share(rows, sets)
        mean = np.where(own > 0, (own * share + ENOUGH * p2) / (own + ENOUGH), p2)
        change = np.where(own > 0, (share - mean) ** 2 + (share - share_of_set) ** 2, 0.0)
        return mean, mean * (1 - mean) / (np.where(own > 0, own, episodes) + 1) + change

    def meant(
        self, rows: Numbers, sets: Mask, episodes: Numbers, truth: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return in which share of their `episodes` (B,) messages mean sets (B, K), and its variance.

        A set is true where it is meant, and elsewhere as often as by chance. `truth`: what `truth` returned,
        for a message that is read without its own.
        """
        own, by_chance, number = self.weights(rows)[2][:, 0], sets.mean(axis=1), np.maximum(episodes, 1)
        others = np.maximum(1 - by_chance, LEAST)
        share = np.where(own > 0, (self._share(rows, sets) - by_chance) * own / number, truth[0] - by_chance)
        share /= others
        variance = np.maximum(1 - share, 0) * by_chance / others / number
        return share, np.where(own > 0, variance, truth[1])

    def _share(self, rows: Numbers, sets: Mask) -> FloatArray:
        """Return in which share (B,) of their own episodes sets (B, K) are true of messages; 0 of none."""
        counts = self.message_counts[np.maximum(rows, 0)].toarray() * (rows >= 0)[:, None]
        return np.asarray((counts * sets).sum(axis=1) / np.maximum(self.weights(rows)[2][:, 0], 1))

    def gain(self, messages: IntArray, rows: Numbers) -> FloatArray:
        """Return the bits that known messages tell beyond their symbols, (3, B).

        First by p2; then what their episodes show: by p2 of a message's counts without the episode, as these
        add their noise; then its standard error. All are means over a message's own episodes. Its symbols are
        put together by naive Bayes, with the exponent that suits the message best: some symbols repeat each
        other, and some say nothing here. They are counted as they are, since what is fitted would let symbols
        say more in larger samples.
        """
        of_slots = (slot[symbols] for slot, symbols in zip(self.symbol_counts, messages.T, strict=True))
        counted = [counts + self.prior / 2 for counts in of_slots]
        said = sum(np.log2(each / each.sum(axis=1, keepdims=True) / self.prior) for each in counted)
        cells = self.message_counts[rows].tocoo()
        row, value, count = cells.row, cells.col, cells.data
        weights = self.weights(rows)
        w, u, number = (each[row, 0] for each in weights)
        episodes = np.maximum(weights[2][:, 0], 1)
        believed = w * self.by_symbols(messages)[row, value] + u * self.prior[value]
        shares = count / number, (count - 1) / np.maximum(number - 1, 1)
        told = [np.log2(np.maximum((1 - w - u) * each + believed, LEAST)) for each in shares]
        norms, best = _log2_norms(said, self.prior), np.full((3, len(rows)), np.inf)

        def mean(bits: FloatArray) -> FloatArray:
            return np.bincount(row, count * bits, minlength=len(rows)) / episodes

        for exponent, norm in zip(EXPONENTS, norms, strict=True):
            log_p1 = np.log2(self.prior)[value] + exponent * said[row, value] - norm[row]
            more, left_out = (each - np.maximum(log_p1, math.log2(LEAST)) for each in told)
            shown = mean(left_out)
            error = np.sqrt(mean((left_out - shown[row]) ** 2) / episodes)
            best = np.where(mean(more) < best[0], [mean(more), shown, error], best)
        return best


def fit(
    message_counts: sp.csr_array[Any], messages: IntArray, prior: FloatArray, symbol_counts: Numbers
) -> Variable:
    """Return what messages say of a variable.

    `message_counts` (M, K): episodes with each of the known messages (M, T) and each value. `symbol_counts`
    (T, S, K): those of all messages by their symbols. `prior` (K,): how often the game draws each value.
    """
    a = np.array([_pseudo_episodes(slot, prior) for slot in symbol_counts], dtype=np.float64)
    message_counts.eliminate_zeros()
    cells = _Cells.of(message_counts)
    exponent, p1_left_out = _fit_exponent(symbol_counts, a, prior, cells, messages)
    q = prior[cells.value]
    weights, p2_left_out = _fit_messages(cells, p1_left_out, q)
    own = weights.sum(axis=0) < 1 - LEAST_OWN_WEIGHT
    message_counts.data[np.repeat(~own, np.diff(message_counts.indptr))] = 0
    message_counts.eliminate_zeros()
    symbols_weight, prior_weight = np.where(own, weights, weights / weights.sum(axis=0))
    informative = _gains(np.log2(p2_left_out / q), cells.count)
    return Variable(
        prior, symbol_counts, a, exponent, message_counts, symbols_weight, prior_weight, informative
    )


def nothing_said(prior: FloatArray, slots: int, vocab_size: int, num_messages: int) -> Variable:
    """Return a variable with the prior (K,) of which messages say nothing."""
    nothing = np.zeros(num_messages)
    return Variable(
        prior,
        symbol_counts=np.broadcast_to(np.int64(0), (slots, vocab_size, len(prior))),  # it takes no memory
        pseudo_episodes=np.ones(slots),
        exponent=0.0,
        message_counts=sp.csr_array((num_messages, len(prior)), dtype=np.int64),
        symbols_weight=nothing,
        prior_weight=nothing + 1,
        informative=False,
    )


def count_symbols(
    counts: sp.csr_array[Any] | sp.csc_array[Any], messages: IntArray, vocab_size: int
) -> Numbers:
    """Return (T, S, K), the counts (M, K) of messages (M, T) added up by the symbol in each slot."""
    found = np.empty((messages.shape[1], vocab_size, counts.shape[1]), dtype=np.int64)
    for slot, table in zip(messages.T, found, strict=True):
        table[:] = sum_rows(counts, slot, vocab_size).toarray()
    return found


def _symbol_ratios(symbol_counts: Numbers, pseudo_episodes: FloatArray, prior: FloatArray) -> FloatArray:
    a = pseudo_episodes[:, None, None]
    total = symbol_counts.sum(axis=2, keepdims=True) + a
    return np.asarray(np.log2((symbol_counts + a * prior) / total / prior))


def _said_by_symbols(ratios: FloatArray, messages: IntArray) -> FloatArray:
    """Return (B, K), the sum over slots of log2 of p(v | symbol) / q(v)."""
    return np.asarray(sum(slot[symbols] for slot, symbols in zip(ratios, messages.T, strict=True)))


def _log2_norms(said: FloatArray, prior: FloatArray, exponents: Sequence[float] = EXPONENTS) -> FloatArray:
    """Return log2 of what normalises p1 with each of the exponents (E, B), by what symbols say (B, K)."""
    most = said.max(axis=1)
    less = said - most[:, None]
    return np.stack([each * most + np.log2(np.exp2(each * less) @ prior) for each in exponents])


@dataclass(frozen=True, eq=False)
class _Cells:
    """The C cells of the messages' counts that are not 0, the largest counts first."""

    message: Numbers  # (C,)
    value: Numbers  # (C,)
    count: Numbers  # (C,)
    total: Numbers  # (M,), the episodes of each message

    @classmethod
    def of(cls, message_counts: sp.csr_array[Any]) -> _Cells:
        cells, total = message_counts.tocoo(), message_counts.sum(axis=1)
        order = np.argsort(-cells.data)
        columns = (column[order] for column in (cells.row, cells.col, cells.data))
        return cls(*(column.astype(np.int64) for column in (*columns, total)))

    def log_rising(self, start: FloatArray) -> FloatArray:
        """Return `_log_rising` of each count (C,); of small ones, which most are, as a product."""
        many = np.count_nonzero(self.count > _FEW)
        few, first = self.count[many:], start[many:]
        product = first.copy()
        for step in range(1, _FEW):
            number = np.count_nonzero(few > step)
            product[:number] *= first[:number] + step
        return np.concatenate([_log_rising(self.count[:many], start[:many]), np.log(product)])

    def without_one(
        self, symbol_counts: Numbers, pseudo_episodes: FloatArray, prior: FloatArray, messages: IntArray
    ) -> FloatArray:
        """Return (C,), what symbols say of a cell without one of its episodes: log2 p / q, summed."""
        totals, q = symbol_counts.sum(axis=2), prior[self.value]
        said = np.zeros(len(self.message))
        for slot, a in enumerate(pseudo_episodes):
            symbol = messages[self.message, slot]
            own = symbol_counts[slot, symbol, self.value] - 1 + a * q
            said += np.log2(np.maximum(own, LEAST) / (totals[slot, symbol] - 1 + a) / q)
        return said


def _pseudo_episodes(symbol_counts: Numbers, prior: FloatArray) -> float:
    """Return the a of the highest marginal likelihood for symbols (S, K) of one slot."""
    symbol, value = np.nonzero(symbol_counts)
    count, total = symbol_counts[symbol, value], symbol_counts.sum(axis=1)

    def likelihood(a: float) -> float:
        of_values = gammaln(count + a * prior[value]) - gammaln(a * prior)[value]
        return float(of_values.sum() - _log_rising(total, np.array(a)).sum())

    return max(PSEUDO_EPISODES, key=likelihood)


def _fit_exponent(
    symbol_counts: Numbers, pseudo_episodes: FloatArray, prior: FloatArray, cells: _Cells, messages: IntArray
) -> tuple[float, FloatArray]:
    """Return the best beta, and by it p1 of each cell without one of the cell's episodes (C,).

    What normalises p1 still has the episode. So this p1 is a little too low where the episode counts for
    much, and there a message seems to follow its symbols less than it does.
    """
    ratios, log_q = _symbol_ratios(symbol_counts, pseudo_episodes, prior), np.log2(prior[cells.value])
    left_out = cells.without_one(symbol_counts, pseudo_episodes, prior, messages)
    norms = np.empty((len(EXPONENTS), len(messages)))
    for rows in chunks(len(messages), 32 * len(prior)):
        norms[:, rows] = _log2_norms(_said_by_symbols(ratios, messages[rows]), prior)

    def log_p1(number: int) -> FloatArray:
        return np.asarray(log_q + EXPONENTS[number] * left_out - norms[number][cells.message])

    best = max(range(len(EXPONENTS)), key=lambda number: float(cells.count @ log_p1(number)))
    return EXPONENTS[best], np.maximum(np.exp2(np.minimum(log_p1(best), 0)), LEAST)


def _fit_messages(cells: _Cells, p1_left_out: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weights of symbols and of q (2, M), and p2 of each cell without one of its episodes (C,).

    `p1_left_out` and `q` are those of the cells (C,). By p1 with all of its episodes, a message would seem to
    follow its symbols, because they have counted it. A message without episodes fits all priors equally, so
    it changes no share.

    The priors of the mixture have shares, learned by expectation-maximisation over all messages. Leaving out
    an episode also takes it from what a message's counts say of its prior: the mean over the priors, weighted
    without the episode, is a harmonic mean with all episodes.
    """
    number, priors = len(cells.total), list(itertools.product((p1_left_out, q), CONCENTRATIONS))
    same, pair = _distinct(q, cells.count)  # the game draws most values alike
    rising = itertools.chain(
        (cells.log_rising(a * p1_left_out) for a in CONCENTRATIONS),
        (_log_rising(cells.count[same], a * q[same])[pair] for a in CONCENTRATIONS),
    )
    of_cells = np.stack([np.bincount(cells.message, each, minlength=number) for each in rising], axis=1)
    fit = of_cells - np.tile(_log_rising(cells.total[:, None], CONCENTRATIONS), 2)
    likelihood = np.exp(fit - fit.max(axis=1, keepdims=True))
    share = np.full(len(priors), 1 / len(priors))
    for _ in range(_STEPS):
        expected = share * (likelihood.T @ (1 / (likelihood @ share)))
        share = (expected + 0.1) / (number + 0.1 * len(share))
    weight = likelihood * share
    weight /= weight.sum(axis=1, keepdims=True)
    others = sum(
        (weight[:, j] * (cells.total - 1 + a))[cells.message] / (cells.count - 1 + a * p)
        for j, (p, a) in enumerate(priors)
    )
    a = CONCENTRATIONS
    weights = weight.reshape(number, 2, len(a)) * (a / (cells.total[:, None, None] + a))
    return weights.sum(axis=2).T, 1 / others


def _distinct(q: FloatArray, count: Numbers) -> tuple[Numbers, Numbers]:
    """Return the first cell of each distinct pair of q and count, and the number of each cell's pair (C,)."""
    level = np.unique(q, return_inverse=True)[1]
    _, first, pair = np.unique(
        level * (count.max(initial=0) + 1) + count, return_index=True, return_inverse=True
    )
    return first, pair


def _log_rising(count: npt.NDArray[Any], start: FloatArray) -> FloatArray:
    """Return the logarithm of start * (start + 1) * ... * (start + count - 1)."""
    return np.asarray(gammaln(count + start) - gammaln(start))


def _gains(gain: FloatArray, count: Numbers) -> bool:
    """Return whether left-out episodes gain, for the bits of each cell and its number of episodes."""
    total = max(count.sum(), 1)
    mean = count @ gain / total
    error = np.sqrt(count @ (gain - mean) ** 2) / total
    return bool(mean > STANDARD_ERRORS * error)
