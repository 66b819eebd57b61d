"""The networks of `spatial_agents.networks` in NumPy, with which trained pairs play. Nothing loads torch.

Names, weights and equations are those of torch. Senders return logits (B, T, V) of symbols for windows
(B, W); receivers return logits (B, C) for messages (B, T), sequences (B, L) and candidates (B, C). All
numbers that come in are integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from spatial_agents.network_config import BLANK, EXCLUDED_SCORE, SHARP, NetworkConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, mask_columns
from spatial_game.game.rules import lowest_in_window
from spatial_game.game.windows import integers_around, offset_numbers, offset_steps, values_around

Array = np.ndarray[Any, Any]

Weights = Mapping[str, Array]
"""The weights of one agent, by their names in torch, whose shapes `spatial_agents.networks` states."""


def networks_of(network_config: NetworkConfig) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the classes of the sender and of the receiver for a config."""
    return network_config.classes_among(globals())


def linear(weights: Weights, name: str) -> Linear:
    """Return the linear layer of this name."""
    return Linear(weights[f"{name}.weight"], weights[f"{name}.bias"])


# --- Layers -------------------------------------------------------------------------------------------------


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


class Lookup:
    """Integers as rows of a table, whose first row belongs to `lowest`."""

    def __init__(self, rows: Array, lowest: int = 0) -> None:
        self.rows, self.lowest = rows, lowest

    def __call__(self, integers: IntArray) -> Array:
        """Return vectors (..., features) for integers (...)."""
        return self.rows[integers - self.lowest if self.lowest else integers]

    def then(self, linear: Linear) -> Lookup:
        """Return this and a linear layer as one, a table with its output for each row."""
        return Lookup(linear(self.rows), self.lowest)


class OneHot:
    """Integers as one-hot vectors; the first column belongs to `lowest`."""

    def __init__(self, size: int, lowest: int = 0) -> None:
        """Take the number of integers, 0..size-1 without those below 0."""
        self.lowest, self.columns = lowest, np.arange(lowest, size)

    def __call__(self, integers: IntArray) -> Array:
        """Return vectors (..., size - lowest) for integers (...)."""
        return (integers[..., None] == self.columns).astype(np.float32)

    def then(self, linear: Linear) -> Lookup:
        """Return this and a linear layer as one, a table with its output for each integer."""
        return Lookup(linear.matrix + linear.bias, self.lowest)


class ScaledNumbers:
    """Integers as single numbers, raw or scaled (`NetworkConfig.scaling`); a linear layer may follow."""

    def __init__(self, centre: float, factor: float, linear: Linear | None = None) -> None:
        self.centre, self.factor, self.linear = centre, factor, linear

    def __call__(self, integers: IntArray) -> Array:
        """Return vectors (..., 1) for integers (...); with a linear layer, its outputs."""
        numbers = ((integers.astype(np.float32) - self.centre) * self.factor)[..., None]
        return numbers if self.linear is None else numbers * self.linear.matrix[0] + self.linear.bias

    def then(self, linear: Linear) -> ScaledNumbers:
        """Return this and a linear layer as one, for which a product of matrices would take longer."""
        return ScaledNumbers(self.centre, self.factor, linear)


InputLayer = Lookup | OneHot | ScaledNumbers
"""A layer that turns integers into vectors."""


def new_inputs(
    config: GameConfig, network_config: NetworkConfig, lowest: int, weights: Weights
) -> InputLayer:
    """Return the layer for integers from `lowest` upwards that `NetworkConfig.inputs` says."""
    size = config.num_integers
    if network_config.inputs == "scalars":
        return ScaledNumbers(*network_config.scaling(size))
    if network_config.inputs == "one-hot":
        return OneHot(size, lowest)
    return Lookup(weights["inputs.table.weight"], lowest)


class GRU:
    """A GRU (Cho et al. 2014) with the weights and equations of `torch.nn.GRU`."""

    def __init__(self, inputs: InputLayer, weights: Weights, name: str, suffix: str = "_l0") -> None:
        """Take the layer that turns integers into the GRU's inputs, and the name of its weights."""
        kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        w_ih, w_hh, b_ih, b_hh = (weights[f"{name}.{kind}{suffix}"] for kind in kinds)
        self.hidden = hidden = w_hh.shape[1]
        (u_gates, u_new), (c_gates, c_new) = (np.split(array, [2 * hidden]) for array in (w_hh, b_hh))
        self.of_input = inputs.then(Linear(w_ih, b_ih + np.pad(c_gates, (0, hidden))))
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


def flattened(vectors: Array) -> Array:
    """Return vectors (..., n, features) as one vector each (..., n * features)."""
    *rows, count, features = vectors.shape
    return vectors.reshape(*rows, count * features)


def inner_products(offered: Array, state: Array) -> Array:
    """Return the inner products (B, C) of vectors (B, C, H) with vectors (B, H)."""
    return np.asarray((offered @ state[:, :, None])[:, :, 0])


# --- Senders and receivers ----------------------------------------------------------------------------------


class SequentialSender:
    """Reads the window with a GRU, whose last state is the first of the GRU cell that writes the message.

    Senders that read in another way override `add_reader` and `read`.
    """

    def __init__(self, config: GameConfig, network_config: NetworkConfig, weights: Weights) -> None:
        self.message_length, symbols = config.message_length, config.vocab_size
        self.inputs = new_inputs(config, network_config, lowest_in_window(config), weights)
        self.add_reader(weights)
        vectors = OneHot(symbols).then(linear(weights, "symbol_to_hidden")).rows
        self.start = symbols  # the number of the vector before the first symbol
        table = Lookup(np.vstack([vectors, weights["start"]]))
        self.message_cell = GRU(table, weights, "message_cell", suffix="")
        self.hidden_to_symbol = linear(weights, "hidden_to_symbol")

    def add_reader(self, weights: Weights) -> None:
        """Add the GRU that reads."""
        self.window_gru = GRU(self.inputs, weights, "window_gru")

    def read(self, window: IntArray) -> Array:
        """Return the states (B, H) after windows (B, W)."""
        return self.window_gru.last_state(window)

    def __call__(self, window: IntArray) -> Array:
        """Return the logits of symbols, each after the likeliest before it."""
        state, symbol = self.read(window), np.full(len(window), self.start)
        logits = []
        for _ in range(self.message_length):
            state = self.message_cell.step(state, symbol)
            logits.append(self.hidden_to_symbol(state))
            symbol = logits[-1].argmax(axis=1)
        return np.stack(logits, axis=1)


class SequentialReceiver:
    """Reads the message with a GRU, whose last state is the first of the GRU that reads the sequence."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig, weights: Weights) -> None:
        inputs = new_inputs(config, network_config, 0, weights)
        self.message_gru = GRU(OneHot(config.vocab_size), weights, "message_gru")
        self.sequence_gru = GRU(inputs, weights, "sequence_gru")
        self.candidate_to_hidden = inputs.then(linear(weights, "candidate_to_hidden"))

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return the logits of the candidates."""
        state = self.sequence_gru.last_state(sequence, self.message_gru.last_state(message))
        offered = np.maximum(self.candidate_to_hidden(candidates), 0)
        return inner_products(offered, state)


class LocalSender(SequentialSender):
    """Reads the window with two linear layers. Their output is the first state of the message's GRU cell."""

    def add_reader(self, weights: Weights) -> None:
        """Add the two layers."""
        self.window_to_wide = linear(weights, "window_to_wide")
        self.wide_to_state = linear(weights, "wide_to_state")

    def read(self, window: IntArray) -> Array:
        """Return the states (B, H) after windows (B, W)."""
        vectors = flattened(self.inputs(window))
        return self.wide_to_state(np.maximum(self.window_to_wide(vectors), 0))


class LocalReceiver:
    """Scores each candidate by the cells at the game's offsets from it."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig, weights: Weights) -> None:
        self.offset_steps = offset_steps(config)
        self.inputs = new_inputs(config, network_config, BLANK, weights)
        self.message_gru = GRU(OneHot(config.vocab_size), weights, "message_gru")
        self.around_to_wide = linear(weights, "around_to_wide")
        self.wide_to_state = linear(weights, "wide_to_state")

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return the logits of candidates that stand in the sequences."""
        vectors = flattened(self.inputs(integers_around(self.offset_steps, sequence, candidates, BLANK)))
        offered = self.wide_to_state(np.maximum(self.around_to_wide(vectors), 0))
        return inner_products(offered, self.message_gru.last_state(message))


class LandmarkSender:
    """Attends to one neighbour, and says it in symbols whose logits are linear in its vector."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig, weights: Weights) -> None:
        self.shape = config.message_length, config.vocab_size
        self.inputs = new_inputs(config, network_config, lowest_in_window(config), weights)
        # Vectors (W, W, features) of the offset of each cell from each cell of the mask; any at the mask.
        self.offsets = weights["offsets.weight"][offset_numbers(config).clip(0)]
        self.neighbour_to_score = linear(weights, "neighbour_to_score")
        self.landmark_to_symbols = linear(weights, "landmark_to_symbols")

    def __call__(self, window: IntArray) -> Array:
        """Return the logits of symbols."""
        neighbours = self.inputs(window) + self.offsets[mask_columns(window)]  # (B, W, features)
        scores = SHARP * self.neighbour_to_score(neighbours)[:, :, 0]
        shares = softmax(np.where(window < 0, np.float32(EXCLUDED_SCORE), scores))
        landmark = (shares[:, None] @ neighbours)[:, 0]
        return self.landmark_to_symbols(landmark).reshape(-1, *self.shape)


class LandmarkReceiver:
    """Scores each candidate by the integer at the message's offset from it."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig, weights: Weights) -> None:
        self.offset_steps = offset_steps(config)
        self.inputs = new_inputs(config, network_config, BLANK, weights)
        self.symbols = OneHot(config.vocab_size)
        # How much the symbols of each slot count (2, T, 1) for the offset and for the integer.
        self.attention = (config.message_length * softmax(weights["attention.weight"]))[:, :, None]
        self.message_to_offset = linear(weights, "message_to_offset")
        self.message_to_integer = linear(weights, "message_to_integer")

    def __call__(self, message: IntArray, sequence: IntArray, candidates: IntArray) -> Array:
        """Return the logits of candidates that stand in the sequences."""
        for_offset, for_integer = (flattened(self.symbols(message) * slots) for slots in self.attention)
        offset = softmax(SHARP * self.message_to_offset(for_offset))
        integer = self.message_to_integer(for_integer)
        cells = np.pad(sequence, ((0, 0), (0, 1)), constant_values=BLANK)
        fits = inner_products(self.inputs(cells), integer)  # how well the message's integer fits each cell
        return inner_products(values_around(self.offset_steps, sequence, candidates, fits), offset)
