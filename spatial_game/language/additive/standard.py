"""The standard form of an additive model: of all models that say the same, one by rule.

Scores may be mixed, shifted and scaled, and so may values, if the other numbers undo it. In standard form

- values have mean 0, standard deviation 1 and no correlation over the integers. The first value moves the
  scores most. Its sign is such that it does not fall with the integers' size (Pearson's correlation);
- scores have mean 0, standard deviation 1 and no correlation over the episodes whose target is not near an
  end. They are ordered by how much they decide about the first symbol there. The largest weight of each, by
  its size, is positive;
- slopes and heights have mean 0 over the branches of a beginning.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.language.additive.model import AdditiveModel, mask_cell
from spatial_game.language.counting.columns import middle_column
from spatial_game.language.counting.rows import FloatArray, Numbers

_LEAST_SPREAD = 1e-6
"""Scores that vary less than this share of the strongest one are not scaled up."""


def standardised(model: AdditiveModel, cells: npt.NDArray[Any], ids: Numbers) -> AdditiveModel:
    """Return the same model in standard form, for episodes with cells (B, W) and messages (B,)."""
    centred, middle = _centred(model), middle_column(model.config)
    inside = np.flatnonzero(cells[:, middle] == mask_cell(model.config, middle))
    if len(inside) > 1:
        cells, ids = cells[inside], ids[inside]
    scores = centred.contributions[cells].sum(axis=1)
    mean, spread = scores.mean(axis=0), np.linalg.eigh(np.cov(scores.T))
    deviation = np.sqrt(np.maximum(spread.eigenvalues, _LEAST_SPREAD * spread.eigenvalues.max() + 1e-300))
    # Scores become (z - mean) @ whitening, and slopes their product with the inverse.
    white, back = spread.eigenvectors / deviation, (spread.eigenvectors * deviation).T
    share = np.bincount(centred.slots[0].branch[ids], minlength=len(centred.slopes[0])) / len(ids)
    first = centred.slopes[0] @ back.T
    first = np.sqrt(share)[:, None] * (first - share @ first)
    turn = np.linalg.svd(first)[2].T
    white, back = white @ turn, turn.T @ back
    return _with_signs(_with_values(_mixed(centred, mean, white, back)))


def _centred(model: AdditiveModel) -> AdditiveModel:
    """Return the same model with values of mean 0; the mask adds the means instead."""
    mean = model.values[:, : len(model.config.integers)].mean(axis=1)
    moved = np.tensordot(mean, model.weights, axes=1)  # (W, S)
    return dataclasses.replace(
        model, values=model.values - mean[:, None], edges=model.edges + moved.sum(axis=0) - moved
    )


def _mixed(model: AdditiveModel, mean: FloatArray, white: FloatArray, back: FloatArray) -> AdditiveModel:
    """Return the same model with the scores (z - mean) @ white, where white @ back is the identity."""
    slopes, heights = [], []
    for slot, slope, height in zip(model.slots, model.slopes, model.heights, strict=True):
        number = np.bincount(slot.beginning)
        turned, raised = slope @ back.T, height + slope @ mean
        for column in (*turned.T, raised):  # in place
            column -= (np.bincount(slot.beginning, weights=column) / number)[slot.beginning]
        slopes.append(turned)
        heights.append(raised)
    return dataclasses.replace(
        model,
        weights=model.weights @ white,
        edges=(model.edges - mean) @ white,
        slopes=tuple(slopes),
        heights=tuple(heights),
    )


def _with_values(model: AdditiveModel) -> AdditiveModel:
    """Return the same model with standardised values: the singular vectors of integers x (place, score)."""
    number, size = len(model.values), len(model.config.integers)
    added = np.tensordot(model.values[:, :size].T, model.weights, axes=1).reshape(size, -1)
    left, strength, right = np.linalg.svd(added, full_matrices=False)
    values = np.sqrt(size) * left[:, :number].T
    weights = strength[:number, None] * right[:number] / np.sqrt(size)
    if model.values.shape[1] > size:  # the same mixture for hidden cells
        mixture = np.linalg.lstsq(model.values[:, :size].T, values.T, rcond=None)[0].T
        values = np.concatenate([values, mixture @ model.values[:, size:]], axis=1)
    return dataclasses.replace(model, values=values, weights=weights.reshape(model.weights.shape))


def _with_signs(model: AdditiveModel) -> AdditiveModel:
    """Return the same model with the signs of values and scores by rule."""
    size = len(model.config.integers)
    falling = np.where(model.values[:, :size] @ (np.arange(size) - (size - 1) / 2) < 0, -1.0, 1.0)
    weights = model.weights * falling[:, None, None]
    flat = weights.reshape(-1, weights.shape[2])
    sign = np.where(np.take_along_axis(flat, np.abs(flat).argmax(axis=0)[None], axis=0)[0] < 0, -1.0, 1.0)
    return dataclasses.replace(
        model,
        values=model.values * falling[:, None],
        weights=weights * sign,
        edges=model.edges * sign,
        slopes=tuple(slope * sign for slope in model.slopes),
    )
