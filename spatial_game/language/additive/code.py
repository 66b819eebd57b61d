"""The code in which an additive model is written, and the precision of its numbers.

It is a two-part code, as that of a dictionary: first the model, then the messages with its help. A number is
a whole multiple q of its group's step, a power of two. The multiples of a group are coded as draws from a
two-sided geometric distribution

    P(q) = (1 - t) / (1 + t) * t**|q|

whose t, like the step, is written before them. Each step is as fine as pays: a finer one costs more bits
than it saves on the messages.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from spatial_game.language.additive.model import AdditiveModel
from spatial_game.language.counting.rows import FloatArray, Numbers

NOISE_STEP, NOISE_BITS = 2.0**-12, 12.0
"""The precision of the noise."""
GROUP_BITS = 12.0
"""Bits for the step (4) and for t (8) of a group."""
LARGEST = 1 << 20
"""Multiples are at most so large."""
_START = {
    "values": -6,
    "weights": -8,
    "edges": -6,
}  # the first step of a group that is tried, as a power of 2
MOST_POWER = 12
"""Steps are powers of two from -12 to 12."""
_POWERS = range(-MOST_POWER, 4)
_READ = 50_000  # episodes that steps are chosen with


def number_bits(multiples: npt.NDArray[Any]) -> float:
    """Return the bits to write the multiples of a group, with its step and its t."""
    mean = float(np.abs(multiples).mean()) if multiples.size else 0.0
    if mean == 0:
        return GROUP_BITS
    t = (np.sqrt(1 + mean**2) - 1) / mean  # the maximum of the likelihood
    return float(GROUP_BITS - multiples.size * (np.log2((1 - t) / (1 + t)) + mean * np.log2(t)))


def written_bits(model: AdditiveModel) -> float:
    """Return the bits to write a model: its numbers, and which of all possible messages it can say."""
    numbers = sum(number_bits(np.rint(g / model.steps[name])) for name, g in model.groups.items())
    possible = float(model.config.vocab_size) ** model.config.message_length
    known = len(model.messages)
    names = gammaln(possible + 1) - gammaln(known + 1) - gammaln(possible - known + 1)
    return numbers + NOISE_BITS + float(names / np.log(2))


def total_bits(model: AdditiveModel, cells: npt.NDArray[Any], ids: Numbers) -> float:
    """Return the bits to write a model, then the messages (B,) of episodes with cells (B, W)."""
    return written_bits(model) + _said(model, cells, ids) * len(ids)


def rounded(model: AdditiveModel, cells: npt.NDArray[Any], ids: Numbers) -> AdditiveModel:
    """Return a model with every number a multiple of its group's step, chosen to make the code shortest."""
    noise = max(1, round(model.noise / NOISE_STEP)) * NOISE_STEP
    model = dataclasses.replace(model, noise=noise)
    every = max(1, len(ids) // _READ)
    few, episodes = (cells[::every], ids[::every]), len(ids)

    def total(powers: dict[str, int]) -> float:
        tried = _with_steps(model, powers)
        return written_bits(tried) + _said(tried, *few) * episodes

    powers = {name: _START.get(name, -2) for name in model.groups}
    best = total(powers)
    for name in model.groups:
        for move in (1, -1):
            while (power := powers[name] + move) in _POWERS and (
                new := total({**powers, name: power})
            ) < best:
                powers, best = {**powers, name: power}, new
    return _with_steps(model, powers)


def _said(model: AdditiveModel, cells: npt.NDArray[Any], ids: Numbers) -> float:
    """Return the mean of -log2 P(message | window) over episodes."""
    return -float(slot_means(model, cells, ids).sum())


def slot_means(model: AdditiveModel, cells: npt.NDArray[Any], ids: Numbers) -> FloatArray:
    """Return (T,), the mean of log2 P of the symbol in each slot over episodes with cells (B, W)."""
    block, total = 1 << 13, np.zeros(len(model.slots))
    for first in range(0, len(ids), block):
        rows = slice(first, first + block)
        scores = model.contributions[cells[rows]].sum(axis=1)
        total += model.slot_bits(scores, ids[rows]).sum(axis=0)
    return np.asarray(total / max(len(ids), 1))


def _with_steps(model: AdditiveModel, powers: dict[str, int]) -> AdditiveModel:
    steps = {name: 2.0**power for name, power in powers.items()}
    new = {
        name: np.clip(np.rint(g / steps[name]), -LARGEST, LARGEST) * steps[name]
        for name, g in model.groups.items()
    }
    return with_groups(dataclasses.replace(model, steps=steps), new)


def with_groups(model: AdditiveModel, groups: dict[str, FloatArray]) -> AdditiveModel:
    """Return a model with other numbers, by the names of its groups."""
    slots = range(len(model.slots))
    return dataclasses.replace(
        model,
        values=groups["values"],
        weights=groups["weights"],
        edges=groups["edges"],
        slopes=tuple(groups[f"slopes {slot}"] for slot in slots),
        heights=tuple(groups[f"heights {slot}"] for slot in slots),
    )
