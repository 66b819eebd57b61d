"""Fitting an additive model to recorded episodes, by stochastic gradients (Adam; Kingma and Ba 2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.language.additive.code import rounded, total_bits
from spatial_game.language.additive.model import (
    SCORES,
    AdditiveModel,
    cells_of,
    contributions,
    logits_of,
    num_values,
    with_one,
)
from spatial_game.language.additive.prefixes import Slot, slots_of
from spatial_game.language.additive.standard import standardised
from spatial_game.language.counting.counts import Counts, held_out_rows, message_ids
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.recording import ANALYSED

LEAST = 4
"""A message needs this number of episodes: with fewer, its own numbers cost more bits than they save."""
MOST_MESSAGES, MOST_EPISODES = 1 << 14, 1 << 20
"""What a model is fitted to: the most frequent messages, and the first episodes."""
VALUES = (1, 3)
"""The numbers of values an integer that are tried."""
SHORTER = 0.95
"""More values must shorten the whole description to this share: a single order is easier to read."""
BATCH, RATE, STEPS, PASSES = 2048, 0.08, (1500, 3000), 25
"""Episodes of a step, the first learning rate, the fewest and most steps, and passes through the episodes."""
STARTS, SHORT = 4, 250
"""Random starts that are tried, and the steps of each."""
_MEMORY = 1 << 24  # numbers in a table of a step
_NOISE = 0.01  # what the noise starts from
_MEANS = (0.9, 0.99)  # how much of the two running means of Adam a step keeps

Floats = npt.NDArray[Any]
Parameters = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class Sample:
    """Episodes of known messages, as a model is fitted to them."""

    config: GameConfig
    messages: npt.NDArray[np.integer[Any]]  # (M, T), the messages that the model can say
    episodes: Numbers  # (M,), how often each was sent, in all episodes
    cells: npt.NDArray[np.int32]  # (B, W), see `cells_of`
    ids: Numbers  # (B,), the message of each episode
    held_cells: npt.NDArray[np.int32]  # the same of the held-out episodes
    held_ids: Numbers
    known: float  # the share of all episodes whose message the model can say


def sample(counts: Counts) -> Sample:
    """Read the episodes of counts. Raises `ValueError` if there are none, or fewer than two messages."""
    if not counts.sources:
        raise ValueError("an additive model needs the episodes; got counts without sources")
    building, totals = counts.building().message_totals, counts.message_totals
    kept = np.flatnonzero(building >= LEAST)
    kept = np.sort(kept[np.argsort(-building[kept], kind="stable")[:MOST_MESSAGES]])
    if len(kept) < 2:
        rule = f"an additive model needs two messages with at least {LEAST} episodes each"
        raise ValueError(f"{rule}; got {len(kept)}")
    number = np.full(len(totals) + 1, -1)
    number[kept] = np.arange(len(kept))
    parts = [
        _part(counts, block, number) for source in counts.sources for block in source.blocks(columns=ANALYSED)
    ]
    cells, ids, held = (np.concatenate(column) for column in zip(*parts, strict=True))
    build, test = np.flatnonzero(~held)[:MOST_EPISODES], np.flatnonzero(held)
    share = float(totals[kept].sum() / totals.sum())
    return Sample(
        counts.config,
        counts.messages[kept],
        totals[kept],
        cells[build],
        ids[build],
        cells[test],
        ids[test],
        share,
    )


def _part(counts: Counts, block: Any, number: Numbers) -> tuple[Floats, Numbers, Floats]:
    """Return the cells, messages and held-out marks of the episodes of a block with known messages."""
    held = np.zeros(len(block), dtype=bool)
    held[held_out_rows(block)] = True
    ids = number[message_ids(counts, block.message)]
    rows = np.flatnonzero(ids >= 0)
    cells = cells_of(counts.config, block.window[rows]).astype(np.int32)
    return cells, ids[rows], held[rows]


def fit(known: Sample, rng: np.random.Generator, values: Sequence[int] = VALUES) -> AdditiveModel:
    """Return the additive model of a language, with as many values an integer as make its code shortest.

    It is fitted without the held-out episodes. The same generator gives the same model.
    """
    best, shortest = None, np.inf
    for number in values:
        model = fit_values(known, number, rng)
        bits = total_bits(model, known.cells, known.ids)
        if bits < SHORTER * shortest:
            best, shortest = model, bits
    assert best is not None
    return best


def fit_values(
    known: Sample, number: int, rng: np.random.Generator, steps: int | None = None
) -> AdditiveModel:
    """Return the model with this number of values an integer, in standard form and rounded.

    Of several short runs from random starts, the best one goes on.
    """
    slots = slots_of(known.messages)
    steps = steps or int(np.clip(PASSES * len(known.ids) / BATCH, *STEPS))
    runs = [_Run(known, slots, start(known, slots, number, rng)) for _ in range(STARTS)]
    for run in runs:
        run.go([RATE] * SHORT, rng)
    best = min(runs, key=lambda run: run.loss)
    best.go((RATE * 0.5 * (1 + np.cos(np.pi * np.arange(steps) / steps))).tolist(), rng)
    found = {name: parameter.astype(np.float64) for name, parameter in best.parameters.items()}
    model = _model(known, slots, best.noise, found)
    return rounded(standardised(model, known.cells, known.ids), known.cells, known.ids)


class _Run:
    """A fit from one start: parameters, noise, the running means of Adam, and that of the loss."""

    def __init__(self, known: Sample, slots: Sequence[Slot], parameters: Parameters) -> None:
        self.known, self.slots, self.parameters = known, slots, parameters
        self.usual = [slot.shares(known.episodes) for slot in slots]
        self.means = {name: (np.zeros_like(p), np.zeros_like(p)) for name, p in parameters.items()}
        self.noise, self.loss, self.steps = _NOISE, np.inf, 0
        self.left = np.zeros(0, dtype=np.int64)  # of this pass through the episodes
        widest = max(slot.shape[1] for slot in slots)
        self.batch = max(1, min(BATCH, len(known.ids), _MEMORY // (widest * (SCORES + 1))))

    def go(self, rates: Sequence[float], rng: np.random.Generator) -> None:
        """Take a step for each learning rate."""
        known = self.known
        for rate in rates:
            if len(self.left) < self.batch:
                self.left = rng.permutation(len(known.ids))
            rows, self.left = self.left[: self.batch], self.left[self.batch :]
            episodes = known.cells[rows], known.ids[rows]
            new, gradient, seen = loss(
                self.parameters, self.noise, known.config, self.slots, self.usual, *episodes
            )
            self.noise += (1 - _MEANS[1]) * (seen - self.noise)
            self.loss = new if np.isinf(self.loss) else self.loss + 0.05 * (new - self.loss)
            self.steps += 1
            for name, parameter in self.parameters.items():
                _adam(parameter, gradient[name], self.means[name], rate, self.steps)


def start(known: Sample, slots: Sequence[Slot], number: int, rng: np.random.Generator) -> Parameters:
    """Return parameters to start from: random values and weights; symbols as frequent as they are."""
    size, places = num_values(known.config), known.config.window_size
    values = rng.normal(size=(number, size))
    values[:, len(known.config.integers) :] = 0.0
    weights = rng.normal(size=(number, places, SCORES)) / np.sqrt(places * number)
    parameters = {"values": values, "weights": weights, "edges": np.zeros((places, SCORES))}
    for i, slot in enumerate(slots):
        table = np.zeros((*slot.shape, SCORES + 1))
        table[:, :, -1] = slot.padded(np.log(slot.shares(known.episodes)), -np.inf)
        parameters[f"table {i}"] = table
    return {name: parameter.astype(np.float32) for name, parameter in parameters.items()}


def loss(
    parameters: Mapping[str, Floats],
    noise: float,
    config: GameConfig,
    slots: Sequence[Slot],
    usual: Sequence[FloatArray],
    cells: npt.NDArray[Any],
    ids: Numbers,
) -> tuple[float, Parameters, float]:
    """Return the mean of -ln P(message | window) over episodes (B,), its gradient, and the noise seen.

    That is the mean probability, by the model, that a symbol was noise (a step of expectation maximisation).
    """
    values, weights, edges = (parameters[name] for name in ("values", "weights", "edges"))
    added = contributions(config, values, weights, edges)
    number, places = cells.shape
    shown, rows = _incidence(cells, len(added), added.dtype), np.arange(number)
    inputs = with_one(np.asarray(shown @ added))
    by_score, total, seen, gradient = np.zeros((number, SCORES), added.dtype), 0.0, 0.0, {}
    for i, slot in enumerate(slots):
        table, branch = parameters[f"table {i}"], slot.branch[ids]
        beginning, rank = slot.beginning[branch], slot.rank[branch]
        logits = logits_of(table, beginning, inputs)
        error = np.exp(logits - logits.max(axis=1, keepdims=True))
        error /= error.sum(axis=1, keepdims=True)
        meant, disturbed = (1 - noise) * error[rows, rank], noise * usual[i][branch]
        total -= float(np.log(meant + disturbed).mean())
        sound = meant / (meant + disturbed)
        seen += float(1 - sound.mean()) / len(slots)
        error[rows, rank] -= 1
        error *= (sound / number).astype(error.dtype)[:, None]
        gradient[f"table {i}"] = _sums(error, inputs, beginning, len(table))
        by_score += _back(table, beginning, error)
    of_cells = np.asarray(shown.T @ by_score).reshape(places, -1, SCORES)
    of_values = of_cells[:, : values.shape[1]]
    gradient["values"] = np.einsum("wks,rws->rk", of_values, weights, optimize=True)
    gradient["weights"] = np.einsum("wks,rk->rws", of_values, values, optimize=True)
    gradient["edges"] = of_cells[:, -1]
    return total, gradient, seen


def _incidence(cells: npt.NDArray[Any], rows: int, dtype: npt.DTypeLike) -> sp.csr_array[Any]:
    """Return (B, rows), which of the rows of `contributions` each episode adds up."""
    number, places = cells.shape
    ends = np.arange(0, number * places + 1, places, dtype=np.int32)
    return sp.csr_array((np.ones(cells.size, dtype), cells.reshape(-1), ends), shape=(number, rows))


def _sums(error: Floats, inputs: Floats, beginning: Numbers, size: int) -> Floats:
    """Return (P, C, S + 1), the products of errors (B, C) and inputs (B, S + 1), summed by beginning."""
    if size == 1:
        return np.asarray(error.T @ inputs)[None]
    products = (error[:, :, None] * inputs[:, None, :]).reshape(len(error), -1)
    gather = _incidence(beginning[:, None], size, error.dtype).T
    return np.asarray(gather @ products).reshape(size, error.shape[1], -1)


def _back(table: Floats, beginning: Numbers, error: Floats) -> Floats:
    """Return (B, S), the gradient by the scores."""
    if len(table) == 1:
        return np.asarray(error @ table[0, :, :-1])
    return np.asarray(np.matmul(error[:, None, :], table[beginning][:, :, :-1])[:, 0])


def _adam(parameter: Floats, gradient: Floats, means: tuple[Floats, Floats], rate: float, step: int) -> None:
    """Move a parameter one step against its gradient, in place."""
    first, second = means
    first += (1 - _MEANS[0]) * (gradient - first)
    second += (1 - _MEANS[1]) * (gradient * gradient - second)
    size = np.sqrt(second / (1 - _MEANS[1] ** step)) + 1e-8
    parameter -= (rate / (1 - _MEANS[0] ** step)) * first / size


def _model(
    known: Sample, slots: Sequence[Slot], noise: float, parameters: Mapping[str, FloatArray]
) -> AdditiveModel:
    rows = [parameters[f"table {i}"][slot.beginning, slot.rank] for i, slot in enumerate(slots)]
    return AdditiveModel(
        known.config,
        known.messages,
        known.episodes,
        parameters["values"],
        parameters["weights"],
        parameters["edges"],
        tuple(row[:, :-1] for row in rows),
        tuple(row[:, -1] for row in rows),
        noise,
        {},
    )
