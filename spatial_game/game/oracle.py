"""The oracle: a sender and a receiver with a fixed code, whose choice is always right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import MASK, IntArray, Mask, mask_columns
from spatial_game.game.windows import OffsetSteps, cell_coordinates, offset_numbers, offset_steps


@dataclass(frozen=True)
class OracleCode:
    """The fixed code of the oracle pair: the meaning of each message, as data.

    A window whose mask is off centre on every axis has one meaning, its edge: with one axis, any of the 2r
    edges; in a grid, one of the (2r)**axes near a corner. Any other window names one of its visible integers,
    the one whose number is (their sum) mod (how many they are), counted row by row without the mask, so every
    integer and every offset occurs. Its meaning is that integer and its offset. With one axis there are 2r
    offsets, -r..r. In a grid that is seen in full, only integers at most r away on each axis are named, at
    one of (2r+1)**axes - 1 offsets. Where cells are hidden, any visible integer may be named, at the offsets
    that are at most r on at least one axis.

    The code has one of two forms, the first if it fits:

    - **compositional**: slot 0 says the offset, one symbol each, in order; the other slots spell the integer
      in base vocab_size, its highest digit first. An edge is a whole message that starts with the symbol
      after the offsets' and spells a number that is not an integer of the game, as far as there are such
      numbers, so what spells an integer has no other meaning. Needs more symbols than offsets, and
      vocab_size**(message_length-1) >= num_integers.
    - **holistic**: all meanings have numbers, the edges first, and a message spells the number in base
      vocab_size. Needs vocab_size**message_length >= edges + offsets * num_integers.

    Raises `ValueError` for a config with too few messages for either.
    """

    config: GameConfig

    def __post_init__(self) -> None:
        config = self.config
        if not self.compositional and not _can_spell(self.num_meanings, config, config.message_length):
            raise UserError(
                f"the oracle's code needs vocab_size**message_length >= {self.num_meanings}, its number of "
                f"meanings; got {config.vocab_size}**{config.message_length}"
            )

    @cached_property
    def compositional(self) -> bool:
        """Whether the code is compositional; otherwise it is holistic."""
        config = self.config
        slots = config.message_length - 1
        return config.vocab_size > self.num_offsets and _can_spell(config.num_integers, config, slots)

    @cached_property
    def num_offsets(self) -> int:
        """Number of offsets at which integers are named."""
        return int(self._nameable.sum())

    @cached_property
    def num_meanings(self) -> int:
        """Number of meanings: edges, and pairs of an integer and an offset."""
        return len(self._corners) + self.num_offsets * self.config.num_integers

    def meanings(self, window: IntArray) -> IntArray:
        """Return the number (B,) of the meaning to send for windows (B, W).

        The E edges have the numbers 0..E-1. The number of (integer, offset) is E + O * integer + k, where the
        offset is the k-th of the code's O offsets, from 0.
        """
        column = mask_columns(window)
        named = self._named(window, column)
        integer = window[np.arange(len(window)), named].astype(np.int64)
        edge = self._edge_of_column[column]
        numbers: IntArray = len(self._corners) + self.num_offsets * integer + self._offset_at[column, named]
        return np.where(edge < 0, numbers, edge)

    def _named(self, window: IntArray, column: IntArray) -> IntArray:
        """Return the cell (B,) of the integer to name in windows (B, W) with these mask columns."""
        width, axes = window.shape[1], len(self.config.shape)
        # Products with ones take a fraction of the time of sums along short rows.
        if axes == 1 and not self.config.num_hidden:  # every cell but the mask's
            number = (window @ np.ones(width, dtype=np.int64) - MASK) % (width - 1)
            return np.asarray(number + (number >= column))
        nameable = window >= 0
        if not self.config.num_hidden:
            nameable &= self._nameable_at[column]
        ones = np.ones(width, dtype=np.int16)
        total = np.einsum("bw,bw->b", window, nameable, dtype=np.int64)
        number = (total % (nameable @ ones)).astype(np.int16)
        return np.asarray((nameable.cumsum(axis=1, dtype=np.int16) <= number[:, None]) @ ones)

    def spell(self, meanings: IntArray) -> IntArray:
        """Return the messages (B, T) for the meanings with these numbers (B,)."""
        length, edges, offsets = self.config.message_length, len(self._corners), self.num_offsets
        if not self.compositional:
            return self._digits(meanings, length)
        edge = meanings < edges
        integer, offset = np.divmod(meanings - edges, offsets)
        messages = np.empty((len(meanings), length), dtype=np.int16)
        messages[:, 0] = np.where(edge, offsets, offset)
        numbers = np.where(edge, self._first_edge_number + meanings, integer)
        messages[:, 1:] = self._digits(numbers, length - 1)
        return messages

    def read(self, messages: IntArray) -> IntArray:
        """Return the numbers (B,) of the meanings of messages (B, T); -1 for those outside the code."""
        edges, offsets, most = len(self._corners), self.num_offsets, self.num_meanings
        first, number = messages[:, 0].astype(np.int64), np.zeros(len(messages), dtype=np.int64)
        for symbol in messages.T[int(self.compositional) :]:
            number = np.minimum(number * self.config.vocab_size + symbol, most)  # so it cannot overflow
        if not self.compositional:
            return np.where(number < most, number, -1)
        edge = number - self._first_edge_number
        says_edge = (first == offsets) & (edge >= 0) & (edge < edges)
        says_integer = (first < offsets) & (number < self.config.num_integers)
        return np.where(says_edge, edge, np.where(says_integer, edges + offsets * number + first, -1))

    def target_position(self, meanings: IntArray, sequence: IntArray) -> IntArray:
        """Return the cell (B,) of sequences (B, L) that each meaning points at; -1 if it points at none."""
        length, edges, (steps, inside) = sequence.shape[1], len(self._corners), self._back
        integer, offset = np.divmod(np.maximum(meanings - edges, 0), self.num_offsets)
        here = sequence == integer[:, None].astype(np.int16)  # wider ones would widen the sequence
        named = here.argmax(axis=1)
        target = named + steps[offset]
        present = here[np.arange(len(here)), named] & inside[named % len(inside), offset]
        beside = np.where(present & (target >= 0) & (target < length), target, -1)
        edge = _edge_cells(self, length)[np.minimum(meanings, edges - 1)]
        return np.where(meanings < 0, -1, np.where(meanings < edges, edge, beside))

    @cached_property
    def _first_edge_number(self) -> int:
        """The number that the first edge of a compositional code spells: above the integers, if possible."""
        room: int = self.config.vocab_size ** (self.config.message_length - 1)
        return min(self.config.num_integers, room - len(self._corners))

    @cached_property
    def _corners(self) -> IntArray:
        """The mask columns (E,) that are off centre on every axis: one for each edge."""
        off_centre = (cell_coordinates(self.config) != self.config.window_radius).all(axis=1)
        return np.flatnonzero(off_centre)

    @cached_property
    def _edge_of_column(self) -> IntArray:
        """The number (W,) of each mask column's edge; -1 for the others."""
        numbers = np.full(self.config.window_size, -1)
        numbers[self._corners] = np.arange(len(self._corners))
        return numbers

    @cached_property
    def _nameable(self) -> Mask:
        """Which of the game's offsets the code names."""
        radius, axes = self.config.window_radius, len(self.config.shape)
        near = np.abs(np.reshape(self.config.offsets, (-1, axes))) <= radius
        return np.asarray(near.any(axis=1) if self.config.num_hidden else near.all(axis=1))

    @cached_property
    def _back(self) -> OffsetSteps:
        """The way from a named integer to the target: in order, the opposites of the code's offsets."""
        steps, inside = offset_steps(self.config)
        return OffsetSteps(steps[self._nameable][::-1], inside[:, self._nameable][:, ::-1])

    @cached_property
    def _nameable_at(self) -> Mask:
        """Whether the code names the offset from each mask column to each cell of the window, (W, W)."""
        return self._nameable[offset_numbers(self.config)]

    @cached_property
    def _offset_at(self) -> IntArray:
        """The number (W, W) of the code's offset from each mask column to each cell of the window."""
        numbers: IntArray = np.cumsum(self._nameable)[offset_numbers(self.config)] - 1
        return numbers

    def _digits(self, numbers: IntArray, slots: int) -> IntArray:
        """Return numbers (B,) in base vocab_size, (B, slots), highest digit first."""
        digits = np.empty((len(numbers), slots), dtype=np.int16)
        for slot in reversed(range(slots)):
            numbers, digits[:, slot] = np.divmod(numbers, self.config.vocab_size)
        return digits


@lru_cache(maxsize=64)
def _edge_cells(code: OracleCode, length: int) -> IntArray:
    """Return the cell (E,) of each edge in sequences of this length: a grid of another height."""
    config = code.config
    shape = (length // math.prod(config.shape[1:]), *config.shape[1:])
    corner = cell_coordinates(config)[code._corners]
    from_end = np.subtract(shape, config.window_shape) + corner
    cells = np.where(corner < config.window_radius, corner, from_end)
    return np.asarray(np.ravel_multi_index(tuple(cells.T), shape, mode="clip"))


class _Oracle:
    """The base of both oracles: their config and its code."""

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self.code = OracleCode(config)

    def incompatibility(self, config: GameConfig) -> str | None:
        """Return why it cannot play this game, None if it can: its code numbers the integers of its own."""
        return self.config.incompatibility(config, embedding=True)


class OracleSender(_Oracle):
    """Says where the target is in the fixed code of `OracleCode`."""

    fixed = True

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self.code.spell(self.code.meanings(window))


class OracleReceiver(_Oracle):
    """Chooses the target that a message of `OracleCode` points at, and is always right with `OracleSender`.

    It also plays sequences of another length. If a message is outside the code, or points at no candidate, it
    chooses the first candidate.
    """

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        meanings = self.code.read(messages)
        position = self.code.target_position(meanings, sequence)
        target = sequence[np.arange(len(sequence)), position]
        meant = (candidates == target[:, None]) & (position >= 0)[:, None]
        return np.asarray(meant.argmax(axis=1))


def _can_spell(count: int, config: GameConfig, slots: int) -> bool:
    """Return whether this number of slots has enough messages for this number of meanings."""
    return bool(config.vocab_size**slots >= count)
