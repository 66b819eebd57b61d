"""The sender and the receiver as graphs: what `spatial_agents.networks` computes when a trained pair plays.

The sender is greedy. Batches, sequences and numbers of candidates can have any size. Weights have the names
and shapes that they have in torch; the graphs bring them into the order that ONNX wants.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from spatial_agents.graphs.graph import Graph
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK

END = 0
"""The symbol that ends a message, in pairs with an end symbol."""

FLOAT = 1
"""The code of float32 in the operator Cast."""


@functools.lru_cache(maxsize=16)
def sender_graph(game: GameConfig, agent: AgentConfig) -> Graph:
    """Return the graph from `window` (B, W) to `message` (B, T), with `logits` (B, T, V)."""
    graph = Graph("sender")
    window = graph.input("window", "int64", "batch", game.window_size)
    cells = _CELLS[agent.cell](graph, game, agent)
    hidden, vocabulary = agent.hidden_size, game.vocab_size
    state = cells.read(window)
    batch = graph.add("Concat", graph.add("Shape", window, end=1), numbers(hidden), axis=0)
    last = graph.add("Expand", cells.weight("start", hidden), batch)
    symbols: list[str] = []
    logits = []
    for _ in range(game.message_length):
        output, state = cells.advance(last, state)
        logits.append(cells.linear("hidden_to_symbol", output, hidden, vocabulary))
        symbol = graph.add("ArgMax", logits[-1], axis=-1, keepdims=0)
        if agent.end_symbol and symbols:
            symbol = graph.add("Where", graph.add("Equal", symbols[-1], np.int64(END)), np.int64(END), symbol)
        symbols.append(symbol)
        last = cells.linear_of_symbol("symbol_to_hidden", symbol)
    graph.output("message", cells.stack(symbols), "int64", "batch", game.message_length)
    graph.output("logits", cells.stack(logits), "float32", "batch", game.message_length, vocabulary)
    return graph


@functools.lru_cache(maxsize=16)
def receiver_graph(game: GameConfig, agent: AgentConfig) -> Graph:
    """Return the graph from `message`, `sequence` and `candidates` to `choice` (B,), with `logits` (B, C)."""
    graph = Graph("receiver")
    message = graph.input("message", "int64", "batch", game.message_length)
    sequence = graph.input("sequence", "int64", "batch", "length")
    candidates = graph.input("candidates", "int64", "batch", "candidates")
    cells = _CELLS[agent.cell](graph, game, agent)
    if agent.end_symbol:
        is_end = graph.add("Cast", graph.add("Equal", message, np.int64(END)), to=7)
        ended = graph.add("Greater", graph.add("CumSum", is_end, np.int64(1)), np.int64(0))
        message = graph.add("Where", ended, np.int64(END), message)
    state = cells.understand(message, sequence)
    vectors = cells.linear("candidate_to_hidden", cells.embed(candidates), cells.features, agent.hidden_size)
    products = graph.add("MatMul", graph.add("Relu", vectors), graph.add("Unsqueeze", state, numbers(2)))
    logits = graph.add("Squeeze", products, numbers(2))
    graph.output("choice", graph.add("ArgMax", logits, axis=-1, keepdims=0), "int64", "batch")
    graph.output("logits", logits, "float32", "batch", "candidates")
    return graph


def numbers(*values: int) -> np.ndarray:
    """Return whole numbers as operators take axes and shapes."""
    return np.array(values, dtype=np.int64)


class Layers:
    """The layers that all networks share. Every method adds nodes and returns the name of their result."""

    def __init__(self, graph: Graph, game: GameConfig, agent: AgentConfig) -> None:
        self.add, self.add_several = graph.add, graph.add_several
        self.prefix, self.weights = graph.name, graph.weight
        self.game, self.agent, self.hidden = game, agent, agent.hidden_size
        self.lowest = MASK if graph.name == "sender" else 0
        self.rows = len(game.integers) - self.lowest
        self.features = {"scalars": 1, "embedding": agent.embedding_size, "one-hot": self.rows}[agent.inputs]

    def weight(self, name: str, *shape: int) -> str:
        """Return the name of a weight of this network."""
        return self.weights(f"{self.prefix}.{name}", *shape)

    def embed(self, integers: str) -> str:
        """Return vectors (..., features) for integers (...)."""
        if self.agent.inputs == "scalars":
            half, reach = (len(self.game.integers) - 1) / 2, self.agent.scalar_reach
            centre, factor = (half, reach / half) if reach else (0.0, 1.0)
            centred = self.add("Sub", self.add("Cast", integers, to=FLOAT), np.float32(centre))
            return self.add("Unsqueeze", self.add("Mul", centred, np.float32(factor)), numbers(-1))
        rows = self.add("Sub", integers, np.int64(self.lowest))
        if self.agent.inputs == "one-hot":
            return self.one_hot(rows, self.rows)
        return self.add("Gather", self.weight("inputs.table.weight", self.rows, self.features), rows)

    def one_hot(self, indices: str, size: int) -> str:
        """Return rows (..., size) for indices (...)."""
        return self.add("OneHot", indices, np.int64(size), np.array([0, 1], np.float32))

    def linear(self, name: str, x: str, inputs: int, outputs: int) -> str:
        """Return the output (..., outputs) of a linear layer for x (..., inputs)."""
        weight = self.add("Transpose", self.weight(f"{name}.weight", outputs, inputs), perm=[1, 0])
        return self.add("Add", self.add("MatMul", x, weight), self.weight(f"{name}.bias", outputs))

    def linear_of_symbol(self, name: str, symbols: str) -> str:
        """Return the output (..., H) of a linear layer for symbols (...), as if they were one-hot."""
        weight = self.weight(f"{name}.weight", self.hidden, self.game.vocab_size)
        rows = self.add("Gather", self.add("Transpose", weight, perm=[1, 0]), symbols)
        return self.add("Add", rows, self.weight(f"{name}.bias", self.hidden))

    def stack(self, slots: list[str]) -> str:
        """Return values (B, T, ...) for T values (B, ...)."""
        return self.add("Concat", *[self.add("Unsqueeze", slot, numbers(1)) for slot in slots], axis=1)


class Recurrent(Layers):
    """The networks with GRUs. A state is a list: the hidden state (1, B, H) and, of LSTMs, the cell's."""

    order: tuple[int, ...] = (1, 0, 2)  # of the gates in ONNX, by their place in torch
    attributes: Mapping[str, int] = MappingProxyType({"linear_before_reset": 1})  # as torch: after W_hn
    outputs: tuple[bool, ...] = (False, True)  # all hidden states, the last, and of LSTMs the cell's

    def walk(self, name: str, suffix: str, inputs: str, features: int, first: list[str]) -> list[str]:
        """Return the last state for inputs (L, B, features) and a first state; no first state is zeros."""
        width = len(self.order) * self.hidden

        def gates(kind: str, *shape: int) -> str:
            weight = self.weight(f"{name}.{kind}{suffix}", width, *shape)
            split = self.add("Reshape", weight, numbers(len(self.order), self.hidden, *shape))
            ordered = self.add("Gather", split, numbers(*self.order))
            return self.add("Reshape", ordered, numbers(1, width, *shape))

        bias = self.add("Concat", gates("bias_ih"), gates("bias_hh"), axis=1)
        weights = gates("weight_ih", features), gates("weight_hh", self.hidden), bias
        operator = self.agent.cell.upper()
        settings = {"hidden_size": self.hidden, **self.attributes}
        return self.add_several(operator, inputs, *weights, "", *first, outputs=self.outputs, **settings)

    def read(self, window: str) -> list[str]:
        """Return the sender's state after the window (B, W)."""
        by_cell = self.embed(self.add("Transpose", window, perm=[1, 0]))
        return self.walk(f"window_{self.agent.cell}", "_l0", by_cell, self.features, [])

    def advance(self, last: str, state: list[str]) -> tuple[str, list[str]]:
        """Return the vectors (B, H) from which the next symbols follow, and the next state."""
        inputs = self.add("Unsqueeze", last, numbers(0))
        state = self.walk("message_cell", "", inputs, self.hidden, state)
        return self.add("Squeeze", state[0], numbers(0)), state

    def understand(self, message: str, sequence: str) -> str:
        """Return the receiver's state (B, H) after the message (B, T) and the sequence (B, L)."""
        cell, size = self.agent.cell, self.game.vocab_size
        said = self.one_hot(self.add("Transpose", message, perm=[1, 0]), size)
        by_cell = self.embed(self.add("Transpose", sequence, perm=[1, 0]))
        first = self.walk(f"message_{cell}", "_l0", said, size, [])
        last = self.walk(f"sequence_{cell}", "_l0", by_cell, self.features, first)
        return self.add("Squeeze", last[0], numbers(0))


class RecurrentLSTM(Recurrent):
    """The networks with LSTMs."""

    order, attributes, outputs = (0, 3, 1, 2), MappingProxyType({}), (False, True, True)


class Transformer(Layers):
    """The networks with small Transformers."""

    blocks, heads = 2, 4

    def read(self, window: str) -> str:
        """Return the tokens (B, W, H) of the window (B, W)."""
        return self.linear("input_to_hidden", self.embed(window), self.features, self.hidden)

    def advance(self, last: str, state: str) -> tuple[str, str]:
        """Return the vectors (B, H) from which the next symbols follow, and all tokens so far."""
        tokens = self.add("Concat", state, self.add("Unsqueeze", last, numbers(1)), axis=1)
        return self.encode(self.at_places(tokens)), tokens

    def understand(self, message: str, sequence: str) -> str:
        """Return the receiver's state (B, H) after the message (B, T) and the sequence (B, L)."""
        cells = self.linear("input_to_hidden", self.embed(sequence), self.features, self.hidden)
        symbols = self.at_places(self.linear_of_symbol("symbol_to_hidden", message))
        kinds = self.weight("kind.weight", 2, self.hidden)
        symbols = self.add("Add", symbols, self.add("Gather", kinds, np.int64(0)))
        batch = self.add("Shape", message, end=1)
        size = self.add("Concat", batch, numbers(1, self.hidden), axis=0)
        last = self.add("Expand", self.add("Gather", kinds, np.int64(1)), size)
        return self.encode(self.add("Concat", self.at_places(cells), symbols, last, axis=1))

    def at_places(self, tokens: str) -> str:
        """Return tokens (B, N, H) plus sines and cosines that tell places 0..N-1 apart."""
        rates = np.exp(np.arange(0, self.hidden, 2, dtype=np.float32) * (-math.log(1000.0) / self.hidden))
        count = self.add("Squeeze", self.add("Shape", tokens, start=1, end=2), numbers(0))
        places = self.add("Cast", self.add("Range", np.int64(0), count, np.int64(1)), to=FLOAT)
        angles = self.add("Mul", self.add("Unsqueeze", places, numbers(1)), rates.astype(np.float32))
        both = [self.add("Unsqueeze", self.add(name, angles), numbers(2)) for name in ("Sin", "Cos")]
        marks = self.add("Reshape", self.add("Concat", *both, axis=2), numbers(-1, self.hidden))
        return self.add("Add", tokens, marks)

    def encode(self, tokens: str) -> str:
        """Return the output (B, H) of the last of the tokens (B, N, H)."""
        for index in range(self.blocks):
            tokens = self.block(f"encoder.blocks.{index}", tokens)
        return self.norm("encoder.norm", self.add("Gather", tokens, np.int64(-1), axis=1))

    def block(self, name: str, tokens: str) -> str:
        """Return tokens plus what they see of each other, plus the output of a hidden layer."""
        width = self.hidden
        normed = self.norm(f"{name}.before_attention", tokens)
        parts = self.linear(f"{name}.to_attention", normed, width, 3 * width)
        seen = self.linear(f"{name}.from_attention", self.attend(parts), width, width)
        tokens = self.add("Add", tokens, seen)
        normed = self.norm(f"{name}.before_hidden", tokens)
        hidden = self.gelu(self.linear(f"{name}.to_hidden", normed, width, 2 * width))
        return self.add("Add", tokens, self.linear(f"{name}.from_hidden", hidden, 2 * width, width))

    def attend(self, parts: str) -> str:
        """Return what each token (B, N, H) sees, from queries, keys and values side by side (B, N, 3H)."""
        each = self.hidden // self.heads
        split = self.add("Reshape", parts, numbers(0, 0, 3, self.heads, each))
        query, key, value = (self.add("Gather", split, np.int64(i), axis=2) for i in range(3))
        query = self.add("Transpose", query, perm=[0, 2, 1, 3])
        scores = self.add("MatMul", query, self.add("Transpose", key, perm=[0, 2, 3, 1]))
        shares = self.add("Softmax", self.add("Mul", scores, np.float32(each**-0.5)), axis=-1)
        seen = self.add("MatMul", shares, self.add("Transpose", value, perm=[0, 2, 1, 3]))
        joined = self.add("Transpose", seen, perm=[0, 2, 1, 3])
        return self.add("Reshape", joined, numbers(0, 0, self.hidden))

    def norm(self, name: str, x: str) -> str:
        """Return the output of a layer norm."""
        weights = (self.weight(f"{name}.{kind}", self.hidden) for kind in ("weight", "bias"))
        return self.add("LayerNormalization", x, *weights)

    def gelu(self, x: str) -> str:
        """Return x Phi(x), where Phi is the standard normal distribution."""
        error = self.add("Erf", self.add("Mul", x, np.float32(math.sqrt(0.5))))
        return self.add("Mul", self.add("Mul", x, np.float32(0.5)), self.add("Add", error, np.float32(1)))


_CELLS: dict[str, type[Any]] = {"gru": Recurrent, "lstm": RecurrentLSTM, "transformer": Transformer}
