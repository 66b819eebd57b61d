"""Known languages, each with a receiver that knows its rule and one that knows what was sent by heart.

A code says one or several cells of the window. A share of what it could say is never said: the sender then
says something else that is true.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import Agents
from spatial_game.language.counting.columns import columns_of

CONFIG = GameConfig(60)
FEWER = GameConfig(20)
BLANK = 25
"""In a slot that says nothing."""


def keys(messages):
    return np.asarray(messages, dtype=np.int64) @ 100 ** np.arange(np.shape(messages)[-1])


@dataclass
class CellCode:
    """Says one visible cell, whose message is that of its offset and integer in a table (O, N, T)."""

    table: np.ndarray
    unsaid: float = 0.0
    config: GameConfig = CONFIG
    never: np.ndarray = field(init=False)

    def __post_init__(self):
        self.never = np.random.default_rng(1).random(self.table.shape[:2]) < self.unsaid

    def send(self, window):
        integer = columns_of(self.config).at_offsets(window)
        sayable = integer >= 0
        sayable &= ~self.never[np.arange(len(integer.T)), np.maximum(integer, 0)]
        order = np.random.default_rng(int(window.astype(np.int64).sum())).random(integer.shape)
        offset = np.where(sayable, order, -1).argmax(axis=1)
        return self.table[offset, np.maximum(integer[np.arange(len(window)), offset], 0)].astype(np.int16)

    def fits(self, messages, integer):
        """Return (B, C), whether messages are true of candidates with these integers (B, C, O)."""
        said = self.table[np.arange(integer.shape[2]), np.maximum(integer, 0)]
        return ((keys(said) == keys(messages)[:, None, None]) & (integer >= 0)).any(axis=2)


@dataclass
class SlotCode:
    """Says in each slot the class of the integer at one offset; the last slot is blank if that is unsaid."""

    classes: np.ndarray  # (T, N)
    offsets: tuple[int, ...]  # (T,)
    unsaid: float = 0.0
    config: GameConfig = CONFIG

    def _said(self, integer):
        at = integer[..., [self.config.offsets.index(offset) for offset in self.offsets]]
        said = self.classes[np.arange(len(self.offsets)), np.maximum(at, 0)]
        return np.where(at >= 0, said, BLANK)

    def send(self, window):
        said = self._said(columns_of(self.config).at_offsets(window)).astype(np.int16)
        said[keys(said) * 2654435761 % 1000 < 1000 * self.unsaid, -1] = BLANK
        return said

    def fits(self, messages, integer):
        said = self._said(integer)
        return ((said == messages[:, None]) | (messages[:, None] == BLANK)).all(axis=2)


@dataclass
class Follows:
    """A receiver that chooses a candidate of which the message is true, and guesses otherwise."""

    code: CellCode | SlotCode
    by_heart: np.ndarray | None = None  # the keys of messages that it knows; None: it knows the rule
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def choose(self, messages, sequence, candidates):
        columns = columns_of(self.code.config)
        integer = [columns.at_offsets(columns.around(sequence, each)) for each in candidates.T]
        true = self.code.fits(messages, np.stack(integer, axis=1)).astype(float)
        if self.by_heart is not None:
            true[~np.isin(keys(messages), self.by_heart)] = 0
        return (true + self.rng.random(true.shape) / 2).argmax(axis=1)


@dataclass
class Noisy:
    """A sender of which one in ten symbols is replaced by another one."""

    code: CellCode
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(4))

    def send(self, window):
        said = self.code.send(window)
        wrong = self.rng.random(said.shape) < 0.1
        return np.where(wrong, self.rng.integers(0, 26, said.shape), said).astype(np.int16)


def agents(code, *, combines, noisy=False):
    """Return the sender of a code with a receiver that knows its rule, or what was sent by heart."""
    episodes = draw_episodes(code.config, 60_000, np.random.default_rng(5))
    known = None if combines else np.unique(keys(code.send(episodes.window)))
    return Agents(Noisy(code) if noisy else code, Follows(code, known), code.config)


def digits(order=None):
    """Return (O, N, 3), an offset and two digits of the integer, or of its place in an order (O, N)."""
    offset, integer = np.indices((8, 60))
    place = integer if order is None else order
    return np.stack([16 + offset, place // 8, 8 + place % 8], axis=2)


def by_table():
    """Return (O, N, 3), messages without parts, of the symbols that the digits have."""
    drawn = np.random.default_rng(6).choice(8**3, 480, replace=False)
    used = np.stack(np.unravel_index(drawn, (8, 8, 8)), axis=1)
    return (used + np.array([16, 0, 8])).reshape(8, 60, 3)


def half_and_half():
    """Return the digits of even integers; a table holds the messages of the others."""
    rng, code = np.random.default_rng(7), digits()
    odd = code[:, 1::2].reshape(-1, 3)
    code[:, 1::2] = rng.permutation(odd).reshape(8, 30, 3)
    return code


def classes(number, integers, slots):
    """Return (slots, integers), in each slot a random class of each integer, evenly."""
    rng = np.random.default_rng(8)
    return np.stack([rng.permutation(integers) % number for _ in range(slots)])


CODES = {
    "offset and digits": lambda unsaid: CellCode(digits(), unsaid),
    "a random table": lambda unsaid: CellCode(by_table(), unsaid),
    "digits shuffled for each offset": lambda unsaid: CellCode(
        digits(np.stack([np.random.default_rng(o).permutation(60) for o in range(8)])), unsaid
    ),
    "half and half": lambda unsaid: CellCode(half_and_half(), unsaid),
    "a class in each slot": lambda unsaid: SlotCode(classes(10, 60, 3), (-2, -1, 1), unsaid),
    "two neighbours": lambda unsaid: SlotCode(
        classes(20, 20, 2), (-1, 1), unsaid, GameConfig(20, message_length=2)
    ),
}
"""Codes by name: functions of the share that is never said."""
