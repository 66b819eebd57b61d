"""A statistical model of messages: what the counts of messages say, without a lexicon.

A message is modelled by what stands around its targets: for each offset how often which integer, and how
often which mask column. A message may have several *senses*, each with such frequencies; within a sense the
cells are taken to be independent (naive Bayes). What the model leaves unexplained, the agents do beyond that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.columns import (
    Columns,
    blocks,
    edge_prior,
    num_columns,
    num_integer_columns,
    window_columns,
)
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray

Floats = npt.NDArray[np.float32]

STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0)
REACHES = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0)
"""What `choose_smoothing` tries."""
_ITERATIONS = 12
_EDGE_STRENGTH = 1.0


@dataclass(frozen=True)
class Smoothing:
    """How frequencies are estimated from counts, which are few for rare messages."""

    strength: float = 1.0
    """Episodes that are added at every offset of every message, spread evenly over the integers."""
    reach: float = 0.0
    """Each episode with integer k also counts for its neighbours, with the weights of a normal distribution
    of this standard deviation. 0: integers are names, alike or not; more: they are magnitudes."""


@dataclass(frozen=True)
class MessageModel:
    """M messages with K senses each, as evidence: log P(cell | message, sense) - log P(cell)."""

    counts: Counts
    smoothing: Smoothing
    sense_share: FloatArray  # (M, K), how often a message is meant in each sense
    evidence: Floats  # (M, K, columns+1), by `counting.columns`; 0 in the last column
    bits: FloatArray  # (M, K, O), what is told about each of `config.offsets`; not smoothed

    @classmethod
    def from_counts(
        cls,
        counts: Counts,
        *,
        senses: int = 1,
        smoothing: Smoothing | None = None,
        rng: np.random.Generator | None = None,
    ) -> MessageModel:
        """Model the messages of counts. `smoothing`: by default what `choose_smoothing` finds.

        With `senses` above 1 the episodes are read again, and are divided by expectation maximisation from a
        random start, which `rng` draws. Raises `ValueError` without messages, and for senses without `rng` or
        episodes.
        """
        if senses < 1:
            raise ValueError(f"senses must be at least 1; got {senses}")
        if len(counts.messages) == 0:
            raise ValueError("a model needs counts of at least one message; got none")
        smoothing = smoothing or choose_smoothing(counts)
        if senses > 1:
            if rng is None or not counts.sources:
                raise ValueError("senses above 1 need a generator in rng and counts with their episodes")
            return _divide_senses(counts, senses, smoothing, rng)
        table = counts.table.toarray().astype(np.float64)
        evidence = _evidence(table, smoothing, counts.config)[:, None]
        bits = divergence_bits(integers_at(table, counts.config))[:, None]
        return cls(counts, smoothing, np.ones((len(table), 1)), evidence, bits)

    @property
    def config(self) -> GameConfig:
        """The game of the counts."""
        return self.counts.config

    @property
    def senses(self) -> int:
        """Senses of each message (K)."""
        return int(self.sense_share.shape[1])

    def of_cells(self, sense: int, ids: npt.NDArray[np.intp], columns: Columns) -> FloatArray:
        """Return (B, ...) the evidence of messages (B,) in a sense for all cells of windows (B, ..., W)."""
        return _of_cells(self.evidence[:, sense], ids, columns)


def choose_smoothing(counts: Counts) -> Smoothing:
    """Return the smoothing that predicts the integers of the counted episodes best (leave one out)."""
    cells = counts.integers_at.tocoo()
    num_integers = len(counts.config.integers)
    offset, value = np.divmod(cells.col, num_integers)
    of_offset = cells.row * len(counts.config.offsets) + offset
    totals = np.bincount(of_offset, weights=cells.data)[of_offset]
    dense = counts.integers_at.toarray().reshape(-1, num_integers)
    tried = []
    for reach in REACHES:
        kernel = _kernel(num_integers, reach)
        others = (dense @ kernel)[of_offset, value] - kernel.diagonal()[value]
        for strength in STRENGTHS:
            share = (others + strength / num_integers) / (totals - 1 + strength)
            # Rounding can make a share of nothing slightly negative.
            likelihood = np.sum(cells.data * np.log(np.maximum(share, 1e-12)))
            tried.append((float(likelihood), Smoothing(strength, reach)))
    return max(tried, key=lambda pair: pair[0])[1]


def integers_at(table: FloatArray, config: GameConfig) -> FloatArray:
    """Return (M, O, N) the integers at each of `config.offsets`, of (M, columns)."""
    return table[:, : num_integer_columns(config)].reshape(len(table), len(config.offsets), -1)


def divergence_bits(seen: FloatArray) -> FloatArray:
    """Return (...,) how much episodes with integers (..., N) tell: their divergence from uniform integers.

    The plug-in estimate in bits, corrected for its bias to first order (Miller 1955), and not smoothed. It is
    0 without episodes.
    """
    total = seen.sum(axis=-1)
    share = seen / np.maximum(total, 1e-300)[..., None]
    divergence = np.sum(share * np.log2(np.maximum(share, 1e-300) * seen.shape[-1]), axis=-1)
    spare = np.maximum((seen > 0.5).sum(axis=-1) - 1, 0)
    return np.asarray(np.maximum(divergence - spare / (2 * np.log(2) * np.maximum(total, 1)), 0))


def _evidence(table: FloatArray, smoothing: Smoothing, config: GameConfig) -> Floats:
    """Return log P(cell | row) - log P(cell), (S, columns+1), of weighted episodes (S, columns)."""
    num_integers, size = len(config.integers), num_integer_columns(config)
    seen = table[:, :size].reshape(-1, num_integers) @ _kernel(num_integers, smoothing.reach)
    share = (seen + smoothing.strength / num_integers) / (
        seen.sum(axis=1, keepdims=True) + smoothing.strength
    )
    prior = edge_prior(config)
    edges = table[:, size:] + _EDGE_STRENGTH * prior
    edges /= edges.sum(axis=1, keepdims=True)
    evidence = np.zeros((len(table), num_columns(config) + 1), dtype=np.float32)
    evidence[:, :size] = np.log(share * num_integers).reshape(len(table), size)
    evidence[:, size:-1] = np.log(edges / prior)
    return evidence


def _kernel(num_integers: int, reach: float) -> FloatArray:
    """Return (N, N) the weight with which an integer counts for each other one; rows add to 1."""
    if reach == 0:
        return np.eye(num_integers)
    distance = np.arange(num_integers)[:, None] - np.arange(num_integers)
    weight = np.exp(-0.5 * (distance / reach) ** 2)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _divide_senses(
    counts: Counts, senses: int, smoothing: Smoothing, rng: np.random.Generator
) -> MessageModel:
    """Model each message as a mixture of `senses`, by expectation maximisation."""
    blocks_read = [
        (ids, window_columns(counts.config, window)) for ids, window in counts.episodes("senses need")
    ]
    ids, columns = (np.concatenate(column) for column in zip(*blocks_read, strict=True))
    belief = rng.dirichlet(np.full(senses, 0.3), size=len(ids))
    size, width = len(counts.messages), num_columns(counts.config)
    bits = np.empty((size, senses, len(counts.config.offsets)))
    for _ in range(_ITERATIONS):
        share = np.empty((size, senses))
        evidence = np.empty((size, senses, width + 1), dtype=np.float32)
        for k in range(senses):
            share[:, k] = np.bincount(ids, weights=belief[:, k], minlength=size) + 0.5
            cells = np.zeros(size * (width + 1))  # the last column is that of what is not seen
            for cell in columns.T:
                cells += np.bincount(ids * (width + 1) + cell, weights=belief[:, k], minlength=len(cells))
            table = cells.reshape(size, width + 1)[:, :width]
            evidence[:, k] = _evidence(table, smoothing, counts.config)
            bits[:, k] = divergence_bits(integers_at(table, counts.config))
        share /= share.sum(axis=1, keepdims=True)
        for rows in blocks(len(ids)):
            for k in range(senses):
                belief[rows, k] = _of_cells(evidence[:, k], ids[rows], columns[rows])
            belief[rows] += np.log(share[ids[rows]])
            belief[rows] -= np.logaddexp.reduce(belief[rows], axis=1)[:, None]
        np.exp(belief, out=belief)
    order = np.argsort(-share, axis=1, kind="stable")
    share = np.take_along_axis(share, order, axis=1)
    evidence = np.take_along_axis(evidence, order[:, :, None], axis=1)
    return MessageModel(
        counts, smoothing, share, evidence, np.take_along_axis(bits, order[:, :, None], axis=1)
    )


def _of_cells(evidence: Floats, ids: npt.NDArray[np.intp], columns: Columns) -> FloatArray:
    rows = ids.reshape(-1, *[1] * (columns.ndim - 2))
    total = np.zeros(columns.shape[:-1])
    for cell in range(columns.shape[-1]):
        total += evidence[rows, columns[..., cell]]
    return total
