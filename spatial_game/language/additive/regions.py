"""What an additive model says for people: the order of the integers, the weights, and what messages mean."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.config import Offset
from spatial_game.game.episodes import IntArray, draw_episodes, mask_columns
from spatial_game.game.windows import offset_numbers
from spatial_game.language.additive.model import AdditiveModel
from spatial_game.language.counting.columns import blocks
from spatial_game.language.counting.rows import FloatArray, Numbers

CLEAR = 0.5
"""A value that is expected to be so far from the mean, in standard deviations, is called high or low."""
_WINDOWS, _BLOCK, _RIDGE = 20_000, 500, 1e-3


@dataclass(frozen=True)
class Region:
    """Where the scores lie of the windows that a message, or its first symbol, is said of."""

    centre: FloatArray
    """(S,), the mean scores, in standard deviations."""
    mask: int
    """The most probable mask column."""
    expected: FloatArray
    """(W,), the first value that is expected in each place of the window, in standard deviations; 0 at the
    mask."""


def order(model: AdditiveModel, number: int = 0) -> Numbers:
    """Return the integers (K,) by their value, the lowest first: the language's own order.

    `number`: which of the values; 0 is the strongest.
    """
    return np.argsort(model.values[number, : len(model.config.integers)], kind="stable")


def strength(model: AdditiveModel) -> FloatArray:
    """Return (R,), the share of what places add to the scores that each value moves."""
    squares = (model.weights**2).sum(axis=(1, 2))
    return np.asarray(squares / max(squares.sum(), 1e-12))


def weights_in_window(model: AdditiveModel, number: int = 0) -> FloatArray:
    """Return the weights in the shape of the window, with the scores last: (3, 3, S) in a small grid."""
    return np.reshape(model.weights[number], (*model.config.window_shape, -1))


def rank_correlation(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Return Spearman's correlation of two orders of the same integers; 0 if one of them is constant."""
    from scipy.stats import rankdata

    first, second = (rankdata(v) - (len(v) + 1) / 2 for v in (one, other))
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / scale if scale else 0.0


def first_symbols(model: AdditiveModel) -> dict[int, tuple[float, Region]]:
    """Return the share and the region of each first symbol, the most frequent first."""
    slot, share = model.slots[0], model.usual[0]
    found = _regions(model, slot.branch, len(share))
    rows = np.argsort(-share, kind="stable").tolist()
    return {int(slot.symbols[row]): (float(share[row]), found[row]) for row in rows}


@functools.lru_cache(maxsize=8)
def message_regions(model: AdditiveModel) -> list[Region]:
    """Return the region of each message of a model."""
    return _regions(model, np.arange(len(model.messages)), len(model.messages))


def _regions(model: AdditiveModel, group: Numbers, number: int) -> list[Region]:
    """Return the regions of groups of messages (M,), from 0 to number - 1."""
    mass, sums = (np.zeros((number, *each.shape[1:])) for each in _moments(model))
    for total, each in zip((mass, sums), _moments(model), strict=True):
        np.add.at(total, group, each)
    best = mass.argmax(axis=1)
    rows = np.arange(number)
    centres = sums[rows, best] / np.maximum(mass[rows, best], 1e-12)[:, None]
    return [
        Region(centre, mask, _expected(model, centre, mask))
        for centre, mask in zip(centres, best.tolist(), strict=True)
    ]


@functools.lru_cache(maxsize=8)
def _moments(model: AdditiveModel) -> tuple[FloatArray, FloatArray]:
    """Return the mass (M, W) of each message and mask column, and the sums of scores (M, W, S) with it.

    They are sums of P(message | window) over windows of the game, always the same ones.
    """
    window = draw_episodes(model.config, _WINDOWS, np.random.default_rng(0)).window
    mask, scores = mask_columns(window), model.scores(window)
    number, places = len(model.messages), model.config.window_size
    mass, sums = np.zeros((number, places)), np.zeros((number, places, scores.shape[1]))
    for column in range(places):
        rows = np.flatnonzero(mask == column)
        for block in blocks(len(rows), _BLOCK):
            seen = scores[rows[block]]
            chance = np.exp2(model.message_bits(seen))
            mass[:, column] += chance.sum(axis=0)
            sums[:, column] += chance.T @ seen
    return mass, sums


def _expected(model: AdditiveModel, centre: FloatArray, mask: int) -> FloatArray:
    """Return (W,), the first value expected in each place, by linear regression on the scores."""
    others = np.arange(model.config.window_size) != mask
    weights = model.weights[:, others]
    spread = np.einsum("rws,rwt->st", weights, weights) + _RIDGE * np.eye(weights.shape[2])
    return np.asarray((model.weights[0] @ np.linalg.solve(spread, centre - model.edges[mask])) * others)


def said(model: AdditiveModel, region: Region) -> list[tuple[Offset, IntArray, str]]:
    """Return (offset, integers, "high" or "low") of the places about which a region is clear.

    The integers are those of the upper or the lower half of the order.
    """
    config, ranked = model.config, order(model)
    half, numbers = len(ranked) // 2, offset_numbers(config)[region.mask]
    found: list[tuple[Offset, IntArray, str]] = []
    for place in np.flatnonzero(np.abs(region.expected) >= CLEAR).tolist():
        high = region.expected[place] > 0
        integers = np.sort(ranked[-half:] if high else ranked[:half])
        found.append((config.offsets[numbers[place]], integers, "high" if high else "low"))
    return found
