"""Speaking and reading by statistics alone: what the counts of messages say, with no dictionary.

A message is modelled by what stands around its targets: for each offset how often which integer, and how
often which mask column. A message may have several *senses*, each with such a profile; within a sense the
cells are taken to be independent (naive Bayes). What remains unexplained is what agents know beyond that.

The reader adds up, over the cells around a candidate, the evidence that the message gives for each of them;
the speaker says the message that is most probable for its window. Every number is a share of episodes that
a person can look up: `profile` shows them, and says in words what dominates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import (
    Columns,
    blocks,
    candidate_columns,
    num_columns,
    window_columns,
)
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.recording import ANALYSED

FloatArray = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]

STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0)
REACHES = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0)
"""What `choose_smoothing` tries."""
_ITERATIONS = 12
_EDGE_STRENGTH = 1.0
# Rows that are scored at a time, and cells of the speaker's scores.
_BLOCK = 1 << 13
_CELLS = 1 << 23


@dataclass(frozen=True)
class Smoothing:
    """How profiles are made from counts, which are few for rare messages."""

    strength: float = 1.0
    """Episodes that are added to every offset of every profile, spread evenly over the integers."""
    reach: float = 0.0
    """Each episode with integer k counts for its neighbours too, with the weights of a normal distribution of
    this standard deviation. 0: integers are names, alike or not; more: they are magnitudes."""


@dataclass(frozen=True)
class MessageModel:
    """M messages with K senses each, as evidence: log P(cell | message, sense) - log P(cell)."""

    counts: Counts
    smoothing: Smoothing
    sense_share: FloatArray  # (M, K), how often a message is meant in each sense
    evidence: Floats  # (M, K, columns+1), the columns of `views`; 0 in the last one

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

        With `senses` above 1 the episodes are read again and parted by expectation maximisation, from a
        random start that `rng` draws. Raises `ValueError` without messages, and for senses without rng or
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
            return _part_senses(counts, senses, smoothing, rng)
        table = np.concatenate([counts.integers_at.toarray(), counts.mask_columns], axis=1)
        evidence = _evidence(table.astype(np.float64), smoothing, counts.config)[:, None]
        return cls(counts, smoothing, np.ones((len(table), 1)), evidence)

    @property
    def config(self) -> GameConfig:
        """The game of the counts."""
        return self.counts.config

    @property
    def senses(self) -> int:
        """Senses of each message (K)."""
        return int(self.sense_share.shape[1])


class StatisticalReader:
    """Reads messages by a model of them: the statistical reader. A `Receiver`."""

    def __init__(self, model: MessageModel) -> None:
        self.model = model

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Choices (B,): the candidate with the most evidence; the first one for a message that is unknown."""
        choice: IntArray = self.scores(messages, sequence, candidates).argmax(axis=1).astype(np.int16)
        return choice

    def scores(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> FloatArray:
        """The evidence (B, C) that messages (B, T) give for candidates (B, C) of sequences (B, L).

        Up to a constant of each row the logarithm of the candidate's probability; 0 for unknown messages.
        """
        model = self.model
        scores = np.zeros(candidates.shape)
        ids = message_ids(model.counts, messages)
        for rows in blocks(len(messages), _BLOCK):
            known = np.flatnonzero(ids[rows] >= 0) + rows.start
            columns = candidate_columns(model.config, sequence[known], candidates[known])
            of_senses = [
                _sum_cells(model.evidence[:, k], ids[known], columns)
                + np.log(model.sense_share[ids[known], k])[:, None]
                for k in range(model.senses)
            ]
            scores[known] = np.logaddexp.reduce(of_senses, axis=0)
        return scores


class StatisticalSpeaker:
    """Says the message that a model makes most probable: the statistical speaker. A `Sender`."""

    def __init__(self, model: MessageModel) -> None:
        self.model = model
        share = model.counts.message_totals / model.counts.total
        self._start = np.log(share[:, None] * model.sense_share).astype(np.float32)  # (M, K)
        by_column = model.evidence.transpose(2, 1, 0)  # (columns+1, K, M)
        self._by_column = np.ascontiguousarray(by_column)

    def send(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W)."""
        model = self.model
        best = np.zeros(len(window), dtype=np.intp)
        for rows in blocks(len(window), max(1, _CELLS // self._start.size)):
            best[rows] = self.scores(window_columns(model.config, window[rows])).argmax(axis=1)
        messages: IntArray = model.counts.messages[best]
        return messages

    def scores(self, columns: Columns) -> Floats:
        """log P(message, view), up to a constant of the view, (B, M), for the columns (B, W) of views."""
        scores = np.repeat(self._start.T[None], len(columns), axis=0)
        for column in columns.T:
            scores += self._by_column[column]
        if scores.shape[1] == 1:
            return scores[:, 0]
        highest = scores.max(axis=1)
        scores -= highest[:, None]
        return np.asarray(highest + np.log(np.exp(scores, out=scores).sum(axis=1)))


# --- Estimating -----------------------------------------------------------------------------------------


def choose_smoothing(counts: Counts) -> Smoothing:
    """The smoothing that predicts the integers of the counted episodes best, each left out in its turn."""
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
            # Rounding may leave a little less than nothing of a count that was one episode's own.
            likelihood = np.sum(cells.data * np.log(np.maximum(share, 1e-12)))
            tried.append((float(likelihood), Smoothing(strength, reach)))
    return max(tried, key=lambda pair: pair[0])[1]


def _evidence(table: FloatArray, smoothing: Smoothing, config: GameConfig) -> Floats:
    """log P(cell | row) - log P(cell), (S, columns+1), of weighted episodes (S, columns)."""
    num_integers, num_offsets = len(config.integers), len(config.offsets)
    size = num_integers * num_offsets
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


def edge_prior(config: GameConfig) -> FloatArray:
    """(W,), how often each mask column occurs in drawn episodes."""
    prior = np.full(config.window_size, 1 / config.sequence_length)
    prior[config.window_radius] = (config.sequence_length - 2 * config.window_radius) / config.sequence_length
    return prior


def _kernel(num_integers: int, reach: float) -> FloatArray:
    """(N, N), the weight with which an integer counts for each; rows add to 1."""
    if reach == 0:
        return np.eye(num_integers)
    distance = np.arange(num_integers)[:, None] - np.arange(num_integers)
    weight = np.exp(-0.5 * (distance / reach) ** 2)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _part_senses(counts: Counts, senses: int, smoothing: Smoothing, rng: np.random.Generator) -> MessageModel:
    """Expectation maximisation: a mixture of `senses` profiles for each message."""
    ids, columns = _all_episodes(counts)
    belief = rng.dirichlet(np.full(senses, 0.3), size=len(ids))
    size = len(counts.messages)
    for _ in range(_ITERATIONS):
        share = np.empty((size, senses))
        evidence = np.empty((size, senses, num_columns(counts.config) + 1), dtype=np.float32)
        for k in range(senses):
            share[:, k] = np.bincount(ids, weights=belief[:, k], minlength=size) + 0.5
            table = _weighted_table(ids, columns, belief[:, k], counts)
            evidence[:, k] = _evidence(table, smoothing, counts.config)
        share /= share.sum(axis=1, keepdims=True)
        for rows in blocks(len(ids)):
            for k in range(senses):
                belief[rows, k] = _sum_cells(evidence[:, k], ids[rows], columns[rows])
            belief[rows] += np.log(share[ids[rows]])
            belief[rows] -= np.logaddexp.reduce(belief[rows], axis=1)[:, None]
        np.exp(belief, out=belief)
    order = np.argsort(-share, axis=1, kind="stable")
    share = np.take_along_axis(share, order, axis=1)
    return MessageModel(counts, smoothing, share, np.take_along_axis(evidence, order[:, :, None], axis=1))


def _all_episodes(counts: Counts) -> tuple[npt.NDArray[np.intp], Columns]:
    """The messages (B,), as rows of `counts.messages`, and cells (B, W) of all counted episodes."""
    found = [
        (message_ids(counts, block.message), window_columns(counts.config, block.window))
        for source in counts.sources
        for block in source.blocks(columns=ANALYSED)
    ]
    ids, columns = zip(*found, strict=True)
    return np.concatenate(ids), np.concatenate(columns)


def _weighted_table(
    ids: npt.NDArray[np.intp], columns: Columns, weights: FloatArray, counts: Counts
) -> FloatArray:
    """(M, columns), the weights of the episodes with each message and cell."""
    width, size = num_columns(counts.config), len(counts.messages)
    table = np.zeros(size * width)
    for cell in columns.T:
        table += np.bincount(ids * width + cell, weights=weights, minlength=size * width)
    return table.reshape(size, width)


def _sum_cells(evidence: Floats, ids: npt.NDArray[np.intp], columns: Columns) -> FloatArray:
    """The evidence of messages (B,) for views (B, ..., W), added over their cells."""
    rows = ids.reshape(-1, *[1] * (columns.ndim - 2))
    total = np.zeros(columns.shape[:-1])
    for cell in range(columns.shape[-1]):
        total += evidence[rows, columns[..., cell]]
    return total
