"""Which of the visible integers each message names.

A window shows several integers, and a message may name any of them. Messages are aligned with the visible
cells in the way that words are aligned with a translation (Brown et al. 1993, model 1); each offset has a
propensity to be named. If only one cell is visible, the message names it.

Only windows with the mask in the middle are used, because windows at a border have other offsets. A cell has
the number of its column: see `Columns`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import UNKNOWN, FloatArray, Numbers, distinct_rows, find_rows
from spatial_game.language.entropy import entropy
from spatial_game.memory import require_memory

_ROUNDS = 30
"""Rounds of expectation maximisation."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """M distinct messages, and the cells that they name in B episodes with the mask in the middle."""

    config: GameConfig
    messages: IntArray  # (M, T)
    number: Numbers  # (B,), the message of each episode
    named: Numbers  # (B,), the cell that it names

    @cached_property
    def uses(self) -> Numbers:
        """(M, O, N), how often each message names each integer at each offset."""
        size, number = columns_of(self.config).of_integers.stop, len(self.messages)
        require_memory("messages", f"{number:,} different ones", 24 * number * size, "use fewer episodes")
        uses = np.bincount(self.number * size + self.named, minlength=len(self.messages) * size)
        return uses.reshape(len(self.messages), -1, self.config.num_integers)

    @property
    def integer_bits(self) -> float:
        """Information of a message about the integer of the cell that it names."""
        return _information(self.uses.sum(axis=1))

    @property
    def offset_bits(self) -> float:
        """Information of a message about the offset of the cell that it names."""
        return _information(self.uses.sum(axis=2))

    def name(self, window: IntArray, message: IntArray) -> tuple[Numbers, Numbers]:
        """Return the offset (its number) and the integer (B,) of the cell that each message most often names.

        The offset is -1 if the message is unknown or has named none of the cells. The windows (B, W) have
        their mask in the middle.
        """
        cells, rows = visible_cells(self.config, window), np.arange(len(window))
        number = find_rows(self.messages, message, self.config.vocab_size)
        often = self.uses.reshape(len(self.messages), -1)[number[:, None], cells]
        often[number == UNKNOWN] = 0
        best = often.argmax(axis=1)
        offset, integer = columns_of(self.config).decode(cells[rows, best])
        return np.where(often[rows, best] > 0, offset, -1), integer


def align(config: GameConfig, window: IntArray, message: IntArray, rng: np.random.Generator) -> Aligned:
    """Align messages (B, T) with the visible cells of windows (B, W).

    The cell that a message names is drawn by its probability. Raises `ValueError` if no window has its mask
    in the middle.
    """
    central = mask_columns(window) == columns_of(config).middle
    if not central.any():
        raise UserError("windows must include some with the mask in the middle; got none")
    cells = visible_cells(config, window[central])
    messages, number = distinct_rows(message[central])
    share = _probabilities(cells, number, config)
    drawn = (share.cumsum(axis=1) < rng.random((len(share), 1))).sum(axis=1).clip(max=share.shape[1] - 1)
    return Aligned(config, messages, number, cells[np.arange(len(cells)), drawn])


def visible_cells(config: GameConfig, window: IntArray) -> Numbers:
    """Return the cells (B, n) that the sender sees in windows (B, W) with their mask in the middle."""
    columns = columns_of(config)
    cells = columns.of(window)
    return cells[cells < columns.of_integers.stop].reshape(len(window), -1)


def _probabilities(cells: Numbers, number: Numbers, config: GameConfig) -> FloatArray:
    """Return the probability that message `number` (B,) names each of the visible cells (B, n).

    The model: the sender names one visible cell, in proportion to the propensity of its offset, and sends a
    message that depends only on this cell. Both are estimated by expectation maximisation.
    """
    columns, width = columns_of(config), cells.shape[1]
    size = columns.of_integers.stop
    pairs, pair = np.unique(number[:, None] * size + cells, return_inverse=True)  # of a message and a cell
    pair, (offset, _), cell = pair.reshape(cells.shape), columns.decode(cells), pairs % size
    propensity = np.ones(len(config.offsets))
    share = np.full(cells.shape, 1 / width)
    for _ in range(_ROUNDS if width > 1 else 0):
        uses = np.bincount(pair.ravel(), share.ravel())
        message_given_cell = uses / np.bincount(cell, uses)[cell]
        total = propensity[offset].sum(axis=1, keepdims=True)
        expected = np.bincount(offset.ravel(), (1 / total).repeat(width), minlength=len(propensity))
        named = np.bincount(offset.ravel(), share.ravel(), minlength=len(propensity))
        propensity = np.divide(named, expected, out=propensity, where=expected > 0)
        share = message_given_cell[pair] * propensity[offset]
        share /= share.sum(axis=1, keepdims=True)
    return share


def _information(uses: Numbers) -> float:
    """Return the information of rows about columns, in bits; 0 if the correction makes it negative."""
    of_columns, of_rows, together = map(entropy, (uses.sum(axis=0), uses.sum(axis=1), uses))
    return max(0.0, of_columns + of_rows - together)
