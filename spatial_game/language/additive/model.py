"""An additive model: each visible integer adds to a few scores, and the scores choose the message.

    z[s] = sum over the places j of a window of  sum over r of value[r, integer at j] * weight[r, j, s]
    P(symbol | window, symbols before it) = softmax over the symbols of (slope . z + height)

Noise puts another symbol there now and then: with this probability, one as frequent as in all episodes.

With one value an integer (R = 1), the values are an order of the integers: the language's own. The scores
are those of a generalised additive model (Hastie and Tibshirani 1986). The softmaxes cut their space into
regions, one for each message, symbol by symbol (a hierarchical softmax; Morin and Bengio 2005).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, IntArray
from spatial_game.language.additive.prefixes import Slot, slots_of
from spatial_game.language.counting.columns import num_columns, num_integer_columns
from spatial_game.language.counting.rows import FloatArray, Numbers, row_keys

SCORES = 4
"""The number of scores, S."""
_LEAST = 1e-300
KINDS = 3
"""A cell shows an integer or one of three other things: hidden, an integer that the game lacks, the mask."""


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """What a sender adds up, and how it names the result. All numbers are multiples of their step."""

    config: GameConfig
    messages: IntArray
    """(M, T), the distinct messages that the model can say, in lexicographic order."""
    episodes: Numbers
    """(M,), how often each was sent."""
    values: FloatArray
    """(R, K), what each integer counts; where cells may be hidden (R, K + 1), the last one for a hidden cell.
    Each row has mean 0 and standard deviation 1 over the integers."""
    weights: FloatArray
    """(R, W, S), by what each place of the window multiplies the values."""
    edges: FloatArray
    """(W, S), what the mask adds in each place."""
    slopes: tuple[FloatArray, ...]
    """For each slot (N, S), how the scores favour each branch of `slots`."""
    heights: tuple[FloatArray, ...]
    """For each slot (N,), how much each branch is favoured where all scores are 0."""
    noise: float
    """The probability that a symbol does not follow from the scores."""
    steps: Mapping[str, float]
    """The precision of each group of numbers, by the names of `groups`."""

    @property
    def groups(self) -> dict[str, FloatArray]:
        """All numbers of the model, by the name of their group."""
        slots = range(len(self.slots))
        return {
            "values": self.values,
            "weights": self.weights,
            "edges": self.edges,
            **{f"slopes {slot}": self.slopes[slot] for slot in slots},
            **{f"heights {slot}": self.heights[slot] for slot in slots},
        }

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the messages, with their branches."""
        return slots_of(self.messages)

    @cached_property
    def share(self) -> FloatArray:
        """(M,), p(message), the share of each message."""
        return np.asarray(self.episodes / max(self.episodes.sum(), 1))

    @cached_property
    def usual(self) -> tuple[FloatArray, ...]:
        """For each slot (N,), the share of each branch in the episodes of its beginning."""
        return tuple(slot.shares(self.episodes) for slot in self.slots)

    @cached_property
    def contributions(self) -> FloatArray:
        """(W * (K + 3), S), what each thing that a cell can show adds to the scores; see `cells_of`."""
        return contributions(self.config, self.values, self.weights, self.edges)

    @cached_property
    def tables(self) -> tuple[FloatArray, ...]:
        """For each slot (P, C, S + 1), slopes and heights; the height is -inf where there is no branch."""
        return tuple(
            np.concatenate([slot.padded(slopes, 0.0), slot.padded(heights[:, None], -np.inf)], axis=2)
            for slot, slopes, heights in zip(self.slots, self.slopes, self.heights, strict=True)
        )

    def scores(self, window: IntArray) -> FloatArray:
        """Return the scores z (B, S) of windows (B, W)."""
        return np.asarray(self.contributions[cells_of(self.config, window)].sum(axis=1))

    def ids(self, messages: IntArray) -> Numbers:
        """Return the number of each message (B, T) among `messages`; -1 for one that the model cannot say."""
        base = int(max(self.messages.max(initial=0), messages.max(initial=0))) + 1
        possible = (messages >= 0).all(axis=1)
        known, asked = row_keys(self.messages, base), row_keys(np.maximum(messages, 0), base)
        row = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return np.where((known[row] == asked) & possible, row, -1)

    def slot_bits(self, scores: FloatArray, ids: Numbers) -> FloatArray:
        """Return log2 P (B, T) of each symbol of messages (B,), given scores (B, S) and those before."""
        inputs, bits = with_one(scores), np.empty((len(ids), len(self.slots)))
        for number, (slot, table) in enumerate(zip(self.slots, self.tables, strict=True)):
            branch = slot.branch[ids]
            logits = logits_of(table, slot.beginning[branch], inputs)
            mass = np.exp(logits - logits.max(axis=1, keepdims=True))
            chosen = np.take_along_axis(mass, slot.rank[branch][:, None], axis=1)[:, 0] / mass.sum(axis=1)
            bits[:, number] = np.log2(self._with_noise(chosen, self.usual[number][branch]))
        return bits

    def message_bits(self, scores: FloatArray) -> FloatArray:
        """Return log2 P(message | z), (B, M), of all messages for scores (B, S)."""
        inputs, bits = with_one(scores), np.zeros((len(scores), 1))
        for slot, table, usual in zip(self.slots, self.tables, self.usual, strict=True):
            logits = (inputs @ table.reshape(-1, table.shape[2]).T).reshape(-1, *table.shape[:2])
            mass = np.exp(logits - logits.max(axis=2, keepdims=True))
            mass /= mass.sum(axis=2, keepdims=True)
            chosen = self._with_noise(mass[:, slot.beginning, slot.rank], usual)
            bits = bits[:, slot.beginning] + np.log2(chosen)
        return bits[:, self.slots[-1].branch]

    def _with_noise(self, chosen: FloatArray, usual: FloatArray) -> FloatArray:
        return np.asarray(np.maximum((1 - self.noise) * chosen + self.noise * usual, _LEAST))

    def evidence(self, cells: Numbers, ids: Numbers) -> FloatArray:
        """Return log2 P(message | window) / p(message), (B,), of messages (B,) that the model can say.

        `cells` (B, W) are those of `cells_of`. Where the game hides cells and these show them, P is the mean
        over all ways to hide them.
        """
        usual, said = np.log2(self.share[ids]), []
        for hidden in self._ways_to_hide(cells):
            scores = self.contributions[hidden].sum(axis=1)
            said.append(self.slot_bits(scores, ids).sum(axis=1) - usual)
        return np.asarray(np.logaddexp2.reduce(said, axis=0) - np.log2(len(said)))

    def _ways_to_hide(self, cells: Numbers) -> Iterator[Numbers]:
        """Yield the cells with as many hidden as the sender does not see, in all ways."""
        config, rows = self.config, np.arange(len(cells))
        size = len(config.integers) + KINDS
        if not config.num_hidden or (cells % size == size - KINDS).any():
            yield cells
            return
        mask = (cells % size == size - 1).argmax(axis=1)
        for others in itertools.combinations(range(config.window_size - 1), config.num_hidden):
            hidden = cells.copy()
            for other in others:
                place = other + (other >= mask)
                hidden[rows, place] = place * size + size - KINDS
            yield hidden


def cells_of(config: GameConfig, window: IntArray) -> Numbers:
    """Return the row (B, W) of `contributions` of each cell of windows (B, W).

    A place has K + 3 rows: integer k, then hidden, an integer that the game lacks (it adds 0), the mask.
    """
    size = len(config.integers)
    cells = np.where(window >= size, size + 1, window).astype(np.int64)
    cells[window == HIDDEN] = size
    cells[window == MASK] = size + 2
    return np.asarray(cells + (size + KINDS) * np.arange(window.shape[1]))


def cells_of_columns(config: GameConfig, played: GameConfig, columns: Numbers) -> Numbers:
    """Return the rows of `contributions` for columns (..., W) of windows of the game `played`.

    See `counting.columns`. The column after the last is a hidden cell if the game has some.
    """
    size, first = len(config.integers), num_integer_columns(played)
    other = size if config.num_hidden else size + 1
    value = columns % len(played.integers)
    kinds = np.where(columns < num_columns(played), size + 2, other)
    cells = np.where(columns < first, np.where(value < size, value, size + 1), kinds)
    return np.asarray(cells + (size + KINDS) * np.arange(columns.shape[-1]))


def mask_cell(config: GameConfig, place: int) -> int:
    """Return the row of `contributions` of the mask in a place."""
    return (place + 1) * (len(config.integers) + KINDS) - 1


def contributions(
    config: GameConfig, values: FloatArray, weights: FloatArray, edges: FloatArray
) -> FloatArray:
    """Return (W * (K + 3), S), what each thing that a cell can show adds to the scores."""
    size, (_, places, scores) = len(config.integers), weights.shape
    table = np.zeros((places, size + KINDS, scores), dtype=values.dtype)
    table[:, : values.shape[1]] = np.tensordot(weights, values, axes=(0, 0)).transpose(0, 2, 1)
    table[:, -1] = edges
    return table.reshape(-1, scores)


def num_values(config: GameConfig) -> int:
    """Return the number of values in a row: one an integer, and one for a hidden cell if there are any."""
    return len(config.integers) + bool(config.num_hidden)


def with_one(scores: FloatArray) -> FloatArray:
    """Return scores (B, S) with a column of ones, which heights are multiplied by."""
    return np.concatenate([scores, np.ones((len(scores), 1), dtype=scores.dtype)], axis=1)


def logits_of(table: FloatArray, beginning: Numbers, inputs: FloatArray) -> FloatArray:
    """Return (B, C), the logits of the branches after beginnings (B,), for scores with ones (B, S + 1)."""
    if len(table) == 1:
        slopes, heights = table[0, :, :-1], table[0, :, -1]
        return np.asarray(inputs[:, :-1] @ slopes.T + heights)
    rows = table[beginning]
    return np.asarray(np.matmul(rows[:, :, :-1], inputs[:, :-1, None])[:, :, 0] + rows[:, :, -1])
