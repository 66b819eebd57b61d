"""Layers in NumPy, with the names, weights and equations of torch's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray

Array = np.ndarray[Any, Any]


class Layer(Protocol):
    """A layer, from integers or vectors to vectors."""

    def __call__(self, x: Array) -> Array:
        """Return the outputs (..., O)."""


class Linear:
    """A linear layer: outputs (..., O) for x (..., I)."""

    def __init__(self, weight: Array, bias: Array) -> None:
        """Take the weight (O, I) and the bias (O,)."""
        self.matrix, self.bias = np.ascontiguousarray(weight.T), bias

    def __call__(self, x: Array) -> Array:
        """Return the outputs."""
        outputs: Array = x @ self.matrix
        outputs += self.bias
        return outputs


class Table:
    """Integers as rows of a table, whose first row belongs to `lowest`."""

    def __init__(self, rows: Array, lowest: int = 0) -> None:
        self.rows, self.lowest = rows, lowest
        self.features = rows.shape[1]

    def __call__(self, integers: IntArray) -> Array:
        """Return vectors (..., features) for integers (...)."""
        return self.rows[integers - self.lowest if self.lowest else integers]

    def then(self, linear: Linear) -> Layer:
        """Return this and a linear layer as one, a table with its output for each row."""
        return Table(linear(self.rows), self.lowest)


class Scalars:
    """Integers as single numbers, raw or scaled (`AgentConfig.scaling`)."""

    features = 1

    def __init__(self, centre: float, factor: float) -> None:
        self.centre, self.factor = centre, factor

    def __call__(self, integers: IntArray) -> Array:
        """Return vectors (..., 1) for integers (...)."""
        return ((integers.astype(np.float32) - self.centre) * self.factor)[..., None]

    def then(self, linear: Linear) -> Layer:
        """Return this and a linear layer as one."""
        return _ScalarsThenLinear(self, linear)


class _ScalarsThenLinear:
    """A linear layer of single numbers, for which a product of matrices would take longer."""

    def __init__(self, scalars: Scalars, linear: Linear) -> None:
        self.scalars, self.weight, self.bias = scalars, linear.matrix[0], linear.bias

    def __call__(self, x: Array) -> Array:
        return self.scalars(x) * self.weight + self.bias


class GRU:
    """A GRU (Cho et al. 2014) with the weights and equations of `torch.nn.GRU`."""

    def __init__(self, inputs: Table | Scalars, weights: Weights, name: str, suffix: str = "_l0") -> None:
        """Take the layer that turns integers into the GRU's inputs, and the name of its weights."""
        kinds = ("weight_ih", "bias_ih", "weight_hh", "bias_hh")
        w_ih, b_ih, w_hh, b_hh = (weights[f"{name}.{kind}{suffix}"] for kind in kinds)
        self.hidden = w_hh.shape[1]
        (u_gates, u_new), (c_gates, c_new) = (np.split(array, [2 * self.hidden]) for array in (w_hh, b_hh))
        self.of_input = inputs.then(Linear(w_ih, b_ih + np.pad(c_gates, (0, self.hidden))))
        self.gates_of_state, self.new_of_state = np.ascontiguousarray(u_gates.T), Linear(u_new, c_new)

    def step(self, state: Array, integers: IntArray) -> Array:
        """Return the states (B, H) after states (B, H) and the next integers (B,)."""
        of_input, both = self.of_input(integers), 2 * self.hidden
        gates = sigmoid(state @ self.gates_of_state + of_input[:, :both])
        reset, update = gates[:, : self.hidden], gates[:, self.hidden :]
        new = np.tanh(reset * self.new_of_state(state) + of_input[:, both:])
        return np.asarray(new + update * (state - new))

    def last_state(self, integers: IntArray, state: Array | None = None) -> Array:
        """Return the states (B, H) after integers (B, L) from a first state, by default zeros."""
        state = np.zeros((len(integers), self.hidden), np.float32) if state is None else state
        for column in integers.T:
            state = self.step(state, column)
        return state


Weights = Mapping[str, Array]
"""The weights of one agent, by their names in torch."""


def linear(weights: Weights, name: str) -> Linear:
    """Return a linear layer with the weights of this name."""
    return Linear(weights[f"{name}.weight"], weights[f"{name}.bias"])


def new_inputs(game: GameConfig, agent: AgentConfig, lowest: int, weights: Weights) -> Table | Scalars:
    """Return the layer that turns integers from `lowest` upwards into vectors."""
    size = len(game.integers)
    if agent.inputs == "scalars":
        return Scalars(*agent.scaling(size))
    if agent.inputs == "one-hot":
        return one_hot(size - lowest, lowest)
    return Table(weights["inputs.table.weight"], lowest)


def one_hot(size: int, lowest: int = 0) -> Table:
    """Return the layer that turns integers into one-hot vectors."""
    return Table(np.eye(size, dtype=np.float32), lowest)


def sigmoid(x: Array) -> Array:
    """Return the logistic function, which `tanh` computes without overflow; x is overwritten."""
    x *= 0.5
    np.tanh(x, out=x)
    x += 1
    x *= 0.5
    return x


def softmax(x: Array) -> Array:
    """Return shares that sum to 1 over the last axis."""
    shares = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))
