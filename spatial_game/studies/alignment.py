"""Which visible integer each message names, and whether its slots name integer and offset separately.

A window shows several integers, and a message may name any of them. Messages are aligned with the visible
cells in the way that words are aligned with a translation (Brown et al. 1993, model 1); each offset has a
propensity to be named. If only one cell is visible, the message names it.

Only windows with the mask in the middle are used, because windows at a border have other offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask, mask_columns
from spatial_game.language.counting.places import middle_column, num_integer_columns, window_columns
from spatial_game.language.counting.rows import UNKNOWN, FloatArray, Numbers, distinct_rows, find_rows
from spatial_game.language.measures import miller_madow_entropy

TOLD = 0.8
"""A part tells something if messages with this part name it in at least this share of their uses."""

_ROUNDS = 30


@dataclass(frozen=True)
class Aligned:
    """M distinct messages, and the columns (see `counting.places`) of the cells that they name."""

    config: GameConfig
    messages: IntArray  # (M, T)
    number: Numbers  # (B,), the message of each episode with the mask in the middle
    named: Numbers  # (B,), the column of the cell that it names

    @cached_property
    def uses(self) -> Numbers:
        """(M, O, N), how often each message names each integer at each offset."""
        size = num_integer_columns(self.config)
        uses = np.bincount(self.number * size + self.named, minlength=len(self.messages) * size)
        return uses.reshape(len(self.messages), -1, self.config.num_integers)

    @property
    def usual(self) -> Numbers:
        """(M,), the column of the cell that each message most often names; the last of several."""
        uses = self.uses.reshape(len(self.messages), -1)
        return np.asarray(uses.shape[1] - 1 - uses[:, ::-1].argmax(axis=1))

    @property
    def integer_bits(self) -> float:
        """Information of a message about the integer of the cell that it names."""
        return _information(self.uses.sum(axis=1))

    @property
    def offset_bits(self) -> float:
        """Information of a message about the offset of the cell that it names."""
        return _information(self.uses.sum(axis=2))

    @property
    def split_share(self) -> float:
        """The share of the episodes whose message splits into an integer and an offset.

        It splits if its slots fall into two sets. Other messages with the same symbols in the first set name
        its integers, also at other offsets; other messages with the same symbols in the second set name its
        offset, also with other integers. Both are true in at least `TOLD` of the uses. (The integers of a
        message are those that it names at least half as often as its most frequent one.)
        """
        offset, integer = np.divmod(self.usual, self.config.num_integers)
        splits = np.zeros(len(self.messages), dtype=bool)
        for first, second in divisions(self.messages.shape[1]):
            tells_integer = _tells(self.messages[:, first], self.uses.sum(axis=1), offset)
            splits |= tells_integer & _tells(self.messages[:, second], self.uses.sum(axis=2), integer)
        return float(splits[self.number].mean())

    def name(self, window: IntArray, message: IntArray) -> tuple[Numbers, Numbers]:
        """Return the offset (its number) and the integer (B,) of the cell that each message most often names.

        The offset is -1 if the message is unknown or has named none of the cells. The windows (B, W) have
        their mask in the middle.
        """
        columns = visible_cells(self.config, window)
        number = find_rows(self.messages, message, self.config.vocab_size)
        often = self.uses.reshape(len(self.messages), -1)[number[:, None], columns]
        often = np.where((number != UNKNOWN)[:, None], often, 0)
        rows, best = np.arange(len(columns)), often.argmax(axis=1)
        offset, integer = np.divmod(columns[rows, best], self.config.num_integers)
        return np.where(often[rows, best] > 0, offset, -1), integer


def align(config: GameConfig, window: IntArray, message: IntArray, rng: np.random.Generator) -> Aligned:
    """Align messages (B, T) with the visible cells of windows (B, W).

    The cell that a message names is drawn by its probability. Raises `ValueError` if no window has its mask
    in the middle.
    """
    central = mask_columns(window) == middle_column(config)
    if not central.any():
        raise ValueError("windows must include some with the mask in the middle; got none")
    columns = visible_cells(config, window[central])
    messages, number = distinct_rows(message[central])
    share = _probabilities(columns, number, config)
    drawn = (share.cumsum(axis=1) < rng.random((len(share), 1))).sum(axis=1).clip(max=share.shape[1] - 1)
    return Aligned(config, messages, number, columns[np.arange(len(columns)), drawn])


def visible_cells(config: GameConfig, window: IntArray) -> Numbers:
    """Return the columns (B, n) of the integers that the sender sees in windows (B, W) with a full number."""
    columns = window_columns(config, window)
    return columns[columns < num_integer_columns(config)].reshape(len(window), -1)


def divisions(num_slots: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every division of the slots into two sets that are not empty."""
    for size in range(1, num_slots):
        for first in combinations(range(num_slots), size):
            yield first, tuple(slot for slot in range(num_slots) if slot not in first)


def _probabilities(columns: Numbers, number: Numbers, config: GameConfig) -> FloatArray:
    """Return the probability that message `number` (B,) names each of the visible cells (B, n).

    The model: the sender names one visible cell, in proportion to the propensity of its offset, and sends a
    message that depends only on this cell. Both are estimated by expectation maximisation.
    """
    size, width = num_integer_columns(config), columns.shape[1]
    pairs, pair = np.unique(number[:, None] * size + columns, return_inverse=True)
    pair, offset = pair.reshape(columns.shape), columns // config.num_integers
    propensity = np.ones(len(config.offsets))
    share = np.full(columns.shape, 1 / width)
    for _ in range(_ROUNDS if width > 1 else 0):
        often = np.bincount(pair.ravel(), share.ravel())
        of_message = often / np.bincount(pairs % size, often)[pairs % size]
        total = propensity[offset].sum(axis=1, keepdims=True)
        chances = np.bincount(offset.ravel(), (1 / total).repeat(width), minlength=len(propensity))
        uses = np.bincount(offset.ravel(), share.ravel(), minlength=len(propensity))
        propensity = np.divide(uses, chances, out=propensity, where=chances > 0)
        share = of_message[pair] * propensity[offset]
        share /= share.sum(axis=1, keepdims=True)
    return share


def _tells(part: IntArray, uses: Numbers, other: Numbers) -> Mask:
    """Return whether a part (M, n) of each message tells what the message names, from its uses (M, V).

    This must be true among all messages with the same part, and among the ones of these that differ in
    `other` (M,). A message that names what most messages name tells nothing.
    """
    own = 2 * uses >= uses.max(axis=1, keepdims=True)
    group = distinct_rows(part)[1]
    same = distinct_rows(np.column_stack([group, other]))[1]
    whole, of_same = (_totals(codes, uses) for codes in (group, same))
    tells = 2 * (uses.sum(axis=0) * own).sum(axis=1) <= uses.sum()
    for of_part in (whole, whole - of_same):
        agreeing = (of_part * own).sum(axis=1)
        tells &= (agreeing > 0) & (agreeing >= TOLD * of_part.sum(axis=1))
    return np.asarray(tells)


def _totals(group: Numbers, uses: Numbers) -> Numbers:
    """Return the uses (M, V) of all messages of the same group (M,)."""
    total = np.zeros((group.max() + 1, uses.shape[1]), dtype=np.int64)
    np.add.at(total, group, uses)
    return total[group]


def _information(uses: Numbers) -> float:
    """Return the information of rows about columns, in bits; 0 if the correction makes it negative."""
    of_columns, of_rows, together = map(miller_madow_entropy, (uses.sum(axis=0), uses.sum(axis=1), uses))
    return max(0.0, of_columns + of_rows - together)
