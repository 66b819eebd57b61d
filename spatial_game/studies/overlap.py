"""How many episodes of an evaluation also occur in training, and how many would by chance.

A pair can only have memorised episodes that occur in both. Whole sequences almost never do, but windows with
their targets do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion
from spatial_game.tables import Table, between

Hashes = npt.NDArray[np.uint64]

# Rows that are hashed at a time, which bounds the memory that 64-bit copies of sequences take.
_BLOCK = 1 << 14


@dataclass(frozen=True)
class Overlap:
    """Evaluation episodes of which a part also occurs in training episodes."""

    config: GameConfig
    training: int
    """Number of training episodes (n)."""
    sequences: Proportion
    """The whole sequence occurs, whatever the target."""
    windows: Proportion
    """The window occurs with the same target in the same place: the whole task, apart from the rest of the
    sequence."""
    expected_sequences: float
    expected_windows: float
    """The shares by chance."""

    @property
    def table(self) -> Table:
        """A row for each part."""
        heading = (
            "Of the evaluation episodes, also in training | Number :, | Share :.4% | 95% interval | "
            "Expected by chance :.4%"
        )
        parts = (
            ("the whole sequence", self.sequences, self.expected_sequences),
            ("the window and its target", self.windows, self.expected_windows),
        )
        rows = (
            (name, part.successes, part.accuracy, between(part.interval, ".4%"), expected)
            for name, part, expected in parts
        )
        return Table.of(heading, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return all results for JSON."""
        return {
            "training_episodes": self.training,
            "sequences": {**self.sequences.to_dict(), "expected": self.expected_sequences},
            "windows": {**self.windows.to_dict(), "expected": self.expected_windows},
            "signature": f"{self.config.signature} | n{self.training} | {spatial_game.__version__}",
        }


def overlap(config: GameConfig, training: Iterable[Episodes], evaluation: Episodes) -> Overlap:
    """Count the evaluation episodes whose sequence, or window with target, is among the training episodes.

    `training` yields batches of episodes; only hashes of the evaluation are kept in memory. Hashes have 64
    bits: among n and m episodes, a false match has a probability of about n*m / 2**64.
    """
    if len(evaluation) == 0:
        raise ValueError("evaluation must have at least one episode; got 0")
    hashes, rows = zip(*(np.unique(key(evaluation), return_inverse=True) for key in _KEYS), strict=True)
    seen = [np.zeros(len(known), dtype=bool) for known in hashes]
    number = 0
    for batch in training:
        number += len(batch)
        for key, known, marks in zip(_KEYS, hashes, seen, strict=True):
            found = key(batch)
            at = np.minimum(np.searchsorted(known, found), len(known) - 1)
            marks[at[known[at] == found]] = True
    sequences, windows = (
        Proportion(int(np.count_nonzero(marks[of])), len(evaluation))
        for marks, of in zip(seen, rows, strict=True)
    )
    expected = expected_sequences(config, number), expected_windows(config, number)
    return Overlap(config, number, sequences, windows, *expected)


def expected_sequences(config: GameConfig, training: int) -> float:
    """Return the probability that n sequences include a fresh one: 1 - (1 - 1/M)**n for M possible ones."""
    possible = math.lgamma(len(config.integers) + 1)
    possible -= math.lgamma(len(config.integers) - config.sequence_length + 1)
    return _any_of(math.exp(-possible), training)


def expected_windows(config: GameConfig, training: int) -> float:
    """Return the probability that a fresh window, with its target, is among n.

    A window is one of N!/(N-W)! rows of integers at one of W mask columns. A column near an end has the
    probability 1/L, the middle one the rest.
    """
    rows = math.perm(len(config.integers), config.window_size)
    edge = 1 / config.sequence_length
    middle = 1 - 2 * config.window_radius * edge
    columns = [edge] * (2 * config.window_radius) + [middle]
    return math.fsum(share * _any_of(share / rows, training) for share in columns)


def _any_of(probability: float, trials: int) -> float:
    """Return the probability of at least one success in independent trials."""
    if probability >= 1:
        return float(trials > 0)
    return -math.expm1(trials * math.log1p(-probability))


def sequence_keys(episodes: Episodes) -> Hashes:
    """Return a hash (B,) of each sequence."""
    return row_hashes(episodes.sequence)


def window_keys(episodes: Episodes) -> Hashes:
    """Return a hash (B,) of each window with its target in place of the mask, and of the mask's place."""
    whole = np.concatenate([episodes.window, episodes.mask_column[:, None]], axis=1)
    rows = np.arange(len(whole))
    whole[rows, episodes.mask_column] = episodes.target
    return row_hashes(whole)


_KEYS = (sequence_keys, window_keys)


def row_hashes(rows: IntArray) -> Hashes:
    """Return a hash (B,) of each row (B, K) of integers: a sum with fixed random weights, modulo 2**64."""
    weights = np.random.default_rng(0x5EED).integers(0, 2**64, rows.shape[1], dtype=np.uint64) | np.uint64(1)
    hashes = np.empty(len(rows), dtype=np.uint64)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK].astype(np.int64).view(np.uint64)
        hashes[start : start + _BLOCK] = (block * weights).sum(axis=1, dtype=np.uint64)
    return hashes
