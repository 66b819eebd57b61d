"""Who plays: what a sender and a receiver are, and the scripted ones.

Everything that plays (trained pairs, reinforcement-learning models, scripts, a lexicon, a person) satisfies
the two protocols. Policies are batched: arrays of integers in, arrays of integers out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray, mask_columns

Message = tuple[int, ...]


@runtime_checkable
class Sender(Protocol):
    """Sees the window around the target and sends a message."""

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) of symbols in 0..vocab_size-1 for windows (B, W)."""
        ...


@runtime_checkable
class Receiver(Protocol):
    """Reads the message, sees the whole sequence, and picks one of the candidates."""

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,), indices into candidates (B, C), for messages (B, T) and sequences (B, L)."""
        ...


class RandomSender:
    """Sends uniformly random symbols, whatever it sees; the same ones however batches are cut."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        shape = (len(window), self.config.message_length)
        return _uniform(self.config.vocab_size, shape, self._rng)


class RandomReceiver:
    """Picks a candidate uniformly at random, whatever it is told; the same ones however batches are cut."""

    def __init__(self, config: GameConfig, rng: np.random.Generator) -> None:
        self.config = config
        self._rng = rng

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        return _uniform(candidates.shape[1], (len(candidates),), self._rng)


def _uniform(bound: int, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Integers in 0..bound-1. (Drawn as int16, what a generator yields would depend on the calls' sizes.)"""
    return rng.integers(0, bound, shape, dtype=np.int32).astype(np.int16)


@dataclass(frozen=True)
class OracleCode:
    """The fixed code in which the oracle pair speaks: what each message means, as data.

    A window whose mask is off centre has one meaning, its edge. A window of the middle names one of its 2r
    visible integers, the one in column (their sum) mod 2r, counted from the left without the mask: every
    integer and every offset comes up. Its meaning is that integer and its offset, the signed distance from
    the target (negative to the left).

    Two forms, the first wherever it fits:

    - **compositional**: slot 0 says the offset, one symbol each, 0..2r-1 for -r..r; the other slots spell
      the integer in base vocab_size, its highest digit first. An edge is a whole message that starts with
      the reserved symbol 2r and spells a number that is no integer, as far as there are such numbers: then
      the word of an integer never says anything else. Needs vocab_size >= 2r+1 and
      vocab_size**(message_length-1) >= num_integers.
    - **holistic**: all meanings are numbered, the 2r edges first, and a message spells the number in base
      vocab_size. Needs vocab_size**message_length >= 2r * (num_integers+1).

    Raises `ValueError` for a config whose messages are too few for either.
    """

    config: GameConfig

    def __post_init__(self) -> None:
        config = self.config
        if not self.compositional and not _can_spell(self.num_meanings, config, config.message_length):
            raise ValueError(
                f"the oracle's code needs vocab_size**message_length >= {self.num_meanings}, its number of "
                f"meanings; got {config.vocab_size}**{config.message_length}"
            )

    @cached_property
    def compositional(self) -> bool:
        """Whether the code is of the compositional form; otherwise it is holistic."""
        config = self.config
        slots = config.message_length - 1
        return config.vocab_size > self._sides and _can_spell(len(config.integers), config, slots)

    @property
    def num_meanings(self) -> int:
        """Edges, and pairs of an integer and an offset."""
        return self._sides * (1 + len(self.config.integers))

    @cached_property
    def edges(self) -> dict[str, Message]:
        """The whole message of each edge."""
        names = (name for name in self.config.edges if name != "middle")
        return dict(zip(names, self._listed(np.arange(self._sides)), strict=True))

    @cached_property
    def offsets(self) -> dict[int, int]:
        """The symbol in slot 0 of each offset; empty for a holistic code."""
        return dict(zip(self._offsets, range(self._sides), strict=True)) if self.compositional else {}

    @cached_property
    def integers(self) -> dict[int, Message]:
        """The symbols from slot 1 on of each integer; empty for a holistic code."""
        if not self.compositional:
            return {}
        first_pairs = self._listed(self._sides * (1 + np.arange(len(self.config.integers))))
        return {integer: message[1:] for integer, message in enumerate(first_pairs)}

    @cached_property
    def holistic(self) -> dict[tuple[int, int], Message]:
        """The whole message of each (integer, offset); empty for a compositional code."""
        if self.compositional:
            return {}
        pairs = ((integer, offset) for integer in self.config.integers for offset in self._offsets)
        return dict(zip(pairs, self._listed(np.arange(self._sides, self.num_meanings)), strict=True))

    def meanings(self, window: IntArray) -> IntArray:
        """The number (B,) of what is to be said of windows (B, W).

        An edge's number is its place among the edges; of (integer, offset) it is 2r * (1 + integer) + k,
        where k is the offset's place among -r..r.
        """
        radius, sides = self.config.window_radius, self._sides
        column = mask_columns(window)
        edge = column - (column > radius)
        # The mask holds -1, so the sum of all cells is one less than the sum of the visible integers.
        place = (window.sum(axis=1, dtype=np.int64) - MASK) % sides
        named = np.take_along_axis(window, (place + (place >= radius))[:, None], axis=1)[:, 0]
        numbers: IntArray = np.where(column == radius, sides * (1 + named.astype(np.int64)) + place, edge)
        return numbers

    def spell(self, meanings: IntArray) -> IntArray:
        """The messages (B, T) that say the meanings of these numbers (B,)."""
        length, sides = self.config.message_length, self._sides
        if not self.compositional:
            return self._digits(meanings, length)
        edge = meanings < sides
        first = np.where(edge, sides, meanings % sides)
        numbers = np.where(edge, self._first_edge_number + meanings, meanings // sides - 1)
        rest = self._digits(numbers, length - 1)
        return np.concatenate((first[:, None], rest), axis=1).astype(np.int16)

    def read(self, messages: IntArray) -> IntArray:
        """The numbers (B,) of what messages (B, T) mean; -1 where a message is outside the code."""
        sides = self._sides
        if not self.compositional:
            return self._number(messages, self.num_meanings)
        first, edge = messages[:, 0].astype(np.int64), messages[:, 0] == sides
        first_edge, num_integers = self._first_edge_number, len(self.config.integers)
        rest = self._number(messages[:, 1:], max(num_integers, first_edge + sides))
        meanings = np.where(edge, rest - first_edge, sides * (1 + rest) + first)
        wrong_edge = edge & ((rest < first_edge) | (rest >= first_edge + sides))
        wrong_integer = ~edge & ((first > sides) | (rest >= num_integers))
        return np.where((rest < 0) | wrong_edge | wrong_integer, -1, meanings)

    @property
    def _first_edge_number(self) -> int:
        """The number that the first edge of a compositional code spells: past the integers, if it can."""
        room: int = self.config.vocab_size ** (self.config.message_length - 1)
        return min(len(self.config.integers), room - self._sides)

    @property
    def _sides(self) -> int:
        """Cells beside the mask, 2r: as many as there are edges, and offsets of the middle."""
        return 2 * self.config.window_radius

    @property
    def _offsets(self) -> tuple[int, ...]:
        """The offsets of a window of the middle: -r..r without 0."""
        radius = self.config.window_radius
        return (*range(-radius, 0), *range(1, radius + 1))

    def _listed(self, meanings: IntArray) -> list[Message]:
        return [tuple(message) for message in self.spell(meanings).tolist()]

    def _digits(self, numbers: IntArray, slots: int) -> IntArray:
        """Numbers (B,) in base vocab_size, (B, slots), the highest digit first."""
        digits = np.empty((len(numbers), slots), dtype=np.int16)
        for slot in reversed(range(slots)):
            numbers, digits[:, slot] = np.divmod(numbers, self.config.vocab_size)
        return digits

    def _number(self, digits: IntArray, bound: int) -> IntArray:
        """The numbers (B,) that `_digits` made these of; -1 where not below `bound`."""
        numbers = np.zeros(len(digits), dtype=np.int64)
        for slot in range(digits.shape[1]):
            # Held at the bound, so that long messages outside the code cannot overflow.
            numbers = np.minimum(numbers * self.config.vocab_size + digits[:, slot], bound)
        return np.where(numbers < bound, numbers, -1)


class OracleSender:
    """Says where the target is in the fixed code of `OracleCode`."""

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self.code = OracleCode(config)

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        return self.code.spell(self.code.meanings(window))


class OracleReceiver:
    """Finds the target that a message of `OracleCode` points at; wins every episode with `OracleSender`.

    It also plays sequences of another length. On a message outside the code, or one that points at no
    candidate, it chooses the first candidate.
    """

    def __init__(self, config: GameConfig) -> None:
        self.config = config
        self.code = OracleCode(config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,) for messages (B, T), sequences (B, L) and candidates (B, C)."""
        position = self._target_position(self.code.read(messages), sequence)
        outside = (position < 0) | (position >= sequence.shape[1])
        target = np.take_along_axis(sequence, np.where(outside, 0, position)[:, None], axis=1)
        found = (candidates == target) & ~outside[:, None]
        choices: IntArray = found.argmax(axis=1).astype(np.int16)
        return choices

    def _target_position(self, meanings: IntArray, sequence: IntArray) -> IntArray:
        """The place (B,) in sequences (B, L) that each meaning points at; -1 where it points at none."""
        radius = self.code.config.window_radius
        sides, length = 2 * radius, sequence.shape[1]
        at_edge = np.where(meanings < radius, meanings, length - sides + meanings)
        integer, place = np.divmod(meanings - sides, sides)
        offset = place - radius + (place >= radius)
        here = sequence == integer[:, None]
        beside = np.where(here.any(axis=1), here.argmax(axis=1) - offset, -1)
        pointed_at = np.where(meanings < sides, at_edge, beside)
        return np.where(meanings < 0, -1, pointed_at)


def _can_spell(count: int, config: GameConfig, slots: int) -> bool:
    """Whether so many slots can tell so many things apart."""
    return bool(config.vocab_size**slots >= count)
