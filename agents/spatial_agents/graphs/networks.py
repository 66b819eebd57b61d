"""The sender and the receiver as graphs: what `spatial_agents.networks` computes when a trained pair plays.

The sender is greedy. Batches, sequences and numbers of candidates can have any size. Weights have the names
and shapes that they have in torch; the graphs bring them into the order that ONNX wants.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from spatial_agents.graphs.graph import Graph, Value
from spatial_agents.recipes import BLANK, END, SHARP, UNSEEN, WIDER, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, lowest_in_window
from spatial_game.game.windows import offset_numbers, surroundings

INT = 7
"""The code of int64 in the operator Cast."""

REAL = np.float32(0)
"""What the operator CastLike makes other numbers like. A graph can be told to compute in float64."""


@functools.lru_cache(maxsize=16)
def sender_graph(game: GameConfig, agent: AgentConfig, *, wide: bool = False) -> Graph:
    """Return the graph from `window` (B, W) to `message` (B, T), with `logits` (B, T, V).

    A wide graph is faster for large batches.
    """
    graph = Graph("sender")
    window = graph.input("window", "int64", "batch", game.window_size)
    cells = _cells(graph, game, agent, wide)
    length, vocabulary = game.message_length, game.vocab_size
    symbols, logits = cells.speak(window)
    graph.output("message", graph.add("Concat", *symbols, axis=1), "int64", "batch", length)
    by_slot = graph.add("Reshape", graph.add("Concat", *logits, axis=1), numbers(-1, length, vocabulary))
    graph.output("logits", by_slot, "float32", "batch", length, vocabulary)
    return graph


@functools.lru_cache(maxsize=16)
def receiver_graph(game: GameConfig, agent: AgentConfig, *, wide: bool = False) -> Graph:
    """Return the graph from `message`, `sequence` and `candidates` to `choice` (B,), with `logits` (B, C).

    A wide graph is faster for large batches.
    """
    graph = Graph("receiver")
    message = graph.input("message", "int64", "batch", game.message_length)
    sequence = graph.input("sequence", "int64", "batch", "length")
    candidates = graph.input("candidates", "int64", "batch", "candidates")
    cells = _cells(graph, game, agent, wide)
    if agent.end_symbol:
        is_end = graph.add("Cast", graph.add("Equal", message, np.int64(END)), to=INT)
        ended = graph.add("Greater", graph.add("CumSum", is_end, np.int64(1)), np.int64(0))
        message = graph.add("Where", ended, np.int64(END), message)
    state, offered = cells.compared(message, sequence, candidates)
    products = graph.add("MatMul", offered, graph.add("Unsqueeze", state, numbers(2)))
    logits = graph.add("Squeeze", products, numbers(2))
    graph.output("choice", graph.add("ArgMax", logits, axis=1, keepdims=0), "int64", "batch")
    graph.output("logits", logits, "float32", "batch", "candidates")
    return graph


def numbers(*values: int) -> np.ndarray[Any, Any]:
    """Return whole numbers as operators take axes and shapes."""
    return np.array(values, dtype=np.int64)


class Vectors(NamedTuple):
    """Vectors (..., features): themselves, or, if there is a table (rows, features), its rows (...)."""

    value: str
    features: int
    table: Value | None = None


class GraphLayers:
    """The layers that all networks share. Every method adds nodes and returns the name of their result."""

    def __init__(self, graph: Graph, game: GameConfig, agent: AgentConfig) -> None:
        self.graph, self.add = graph, graph.add
        self.game, self.agent, self.hidden = game, agent, agent.hidden_size
        self.lowest = lowest_in_window(game) if graph.name == "sender" else 0

    def speak(self, window: str) -> tuple[list[str], list[str]]:
        """Return the symbols (B, 1) and the logits (B, V) of each slot for the window (B, W)."""
        state = self.read(window)
        size = self.add("Concat", self.add("Shape", window, end=1), numbers(1, self.hidden), axis=0)
        last = self.add("Expand", self.weight("start", self.hidden), size)
        symbols: list[str] = []
        logits = []
        for _ in range(self.game.message_length):
            output, state = self.advance(last, state)
            logits.append(self.linear("hidden_to_symbol", output, self.hidden, self.game.vocab_size))
            symbols.append(self.symbol(logits[-1], symbols))
            last = self.linear_of_symbols("symbol_to_hidden", symbols[-1])
        return symbols, logits

    def symbol(self, logits: str, before: list[str]) -> str:
        """Return the symbol (B, 1) of logits (B, V), or END if the symbols before it have ended."""
        symbol = self.add("ArgMax", logits, axis=1)
        if not (self.agent.end_symbol and before):
            return symbol
        return self.add("Where", self.add("Equal", before[-1], np.int64(END)), np.int64(END), symbol)

    def compared(self, message: str, sequence: str, candidates: str) -> tuple[str, str]:
        """Return the receiver's state (B, H), and the vectors (B, C, H) with which it is multiplied."""
        state = self.understand(message, sequence)
        return state, self.add("Relu", self.linear_of_integers("candidate_to_hidden", candidates))

    def weight(self, name: str, *shape: int) -> str:
        """Return the name of a weight of this network."""
        return self.graph.weight(f"{self.graph.name}.{name}", *shape)

    def vectors(self, integers: str) -> Vectors:
        """Return the vectors of integers (...)."""
        lowest = self.lowest
        count, width = len(self.game.integers), self.agent.embedding_size
        if self.agent.inputs == "scalars":
            centre, factor = self.agent.scaling(count)
            centred = self.add("Sub", self.add("CastLike", integers, REAL), np.float32(centre))
            return Vectors(
                self.add("Unsqueeze", self.add("Mul", centred, np.float32(factor)), numbers(-1)), 1
            )
        rows = self.add("Sub", integers, np.int64(lowest)) if lowest else integers
        if self.agent.inputs == "one-hot":
            return one_hot(rows, count - lowest)
        return Vectors(rows, width, self.weight("inputs.table.weight", count - lowest, width))

    def looked_up(self, integers: str) -> tuple[str, int]:
        """Return the vectors (..., features) of integers (...), and the number of features."""
        value, features, table = self.vectors(integers)
        return value if table is None else self.add("Gather", table, value), features

    def linear(self, name: str, x: Value, inputs: int, outputs: int) -> str:
        """Return the output (..., outputs) of a linear layer for x (..., inputs)."""
        weight = self.add("Transpose", self.weight(f"{name}.weight", outputs, inputs), perm=[1, 0])
        return self.add("Add", self.add("MatMul", x, weight), self.weight(f"{name}.bias", outputs))

    def linear_of(self, name: str, x: Vectors) -> str:
        """Return the output (..., H) of a linear layer for vectors; that of a table is known at loading."""
        if x.table is None:
            return self.linear(name, x.value, x.features, self.hidden)
        return self.add("Gather", self.linear(name, x.table, x.features, self.hidden), x.value)

    def linear_of_integers(self, name: str, integers: str) -> str:
        """Return the output (..., H) of a linear layer for integers (...)."""
        return self.linear_of(name, self.vectors(integers))

    def linear_of_symbols(self, name: str, symbols: str) -> str:
        """Return the output (..., H) of a linear layer for symbols (...)."""
        return self.linear_of(name, one_hot(symbols, self.game.vocab_size))


def one_hot(rows: str, size: int) -> Vectors:
    """Return one-hot vectors (..., size), with ones at these places (...)."""
    return Vectors(rows, size, unit_matrix(size))


@functools.lru_cache(maxsize=16)
def unit_matrix(size: int) -> np.ndarray[Any, Any]:
    """Return a unit matrix, which all nodes of a graph share; it is a view of few numbers."""
    diagonal = np.eye(1, 2 * size - 1, size - 1, dtype=np.float32)[0]
    return np.lib.stride_tricks.sliding_window_view(diagonal, size)[::-1]


class GRU(GraphLayers):
    """The networks with GRUs. A state is a list: the hidden state (1, B, H) and, of LSTMs, the cell's."""

    order: tuple[int, ...] = (1, 0, 2)  # of the gates in ONNX, by their place in torch
    attributes: Mapping[str, int] = MappingProxyType({"linear_before_reset": 1})  # as torch: after W_hn
    outputs: tuple[bool, ...] = (False, True)  # all hidden states, the last, and of LSTMs the cell's

    def walk(self, name: str, suffix: str, inputs: Vectors, first: list[str]) -> list[str]:
        """Return the last state for inputs (L, B, features) and a first state; no first state is zeros."""
        width = len(self.order) * self.hidden

        def gates(kind: str, *shape: int) -> str:
            weight = self.weight(f"{name}.{kind}{suffix}", width, *shape)
            split = self.add("Reshape", weight, numbers(len(self.order), self.hidden, *shape))
            ordered = self.add("Gather", split, numbers(*self.order))
            return self.add("Reshape", ordered, numbers(1, width, *shape))

        bias = self.add("Concat", gates("bias_ih"), gates("bias_hh"), axis=1)
        weights = gates("weight_ih", inputs.features), gates("weight_hh", self.hidden), bias
        x = inputs.value if inputs.table is None else self.add("Gather", inputs.table, inputs.value)
        settings = {"hidden_size": self.hidden, "outputs": self.outputs, **self.attributes}
        return self.graph.add_several("GRU", x, *weights, "", *first, **settings)

    def read(self, window: str) -> list[str]:
        """Return the sender's state after the window (B, W)."""
        by_cell = self.vectors(self.add("Transpose", window, perm=[1, 0]))
        return self.walk("window_gru", "_l0", by_cell, [])

    def advance(self, last: str, state: list[str]) -> tuple[str, list[str]]:
        """Return the vectors (B, H) from which the next symbols follow, and the next state.

        `last` (B, 1, H) stands for the symbols before.
        """
        inputs = Vectors(self.add("Transpose", last, perm=[1, 0, 2]), self.hidden)
        state = self.walk("message_cell", "", inputs, state)
        return self.add("Squeeze", state[0], numbers(0)), state

    def understand(self, message: str, sequence: str) -> str:
        """Return the receiver's state (B, H) after the message (B, T) and the sequence (B, L)."""
        symbols = one_hot(self.add("Transpose", message, perm=[1, 0]), self.game.vocab_size)
        by_cell = self.vectors(self.add("Transpose", sequence, perm=[1, 0]))
        first = self.walk("message_gru", "_l0", symbols, [])
        return self.add("Squeeze", self.walk("sequence_gru", "_l0", by_cell, first)[0], numbers(0))


class Local(GRU):
    """The networks that look at neighbourhoods."""

    def __init__(self, graph: Graph, game: GameConfig, agent: AgentConfig) -> None:
        super().__init__(graph, game, agent)
        if graph.name == "receiver":
            self.lowest = BLANK

    def read(self, window: str) -> list[str]:
        """Return the state after the window (B, W)."""
        state = self.state_of("window_to_wide", window, self.game.window_size, numbers(-1))
        return [self.add("Unsqueeze", state, numbers(0))]

    def compared(self, message: str, sequence: str, candidates: str) -> tuple[str, str]:
        """Return the state (B, H) after the message, and vectors (B, C, H) of the surroundings."""
        symbols = one_hot(self.add("Transpose", message, perm=[1, 0]), self.game.vocab_size)
        state = self.add("Squeeze", self.walk("message_gru", "_l0", symbols, [])[0], numbers(0))
        around, count = self.around(sequence, candidates), len(self.game.offsets)
        return state, self.state_of("around_to_wide", around, count, numbers(0, 0))

    def state_of(self, name: str, integers: str, count: int, leading: np.ndarray[Any, Any]) -> str:
        """Return the output (..., H) of two linear layers for integers (..., count), embedded."""
        value, features = self.looked_up(integers)
        width, wide = count * features, WIDER * self.hidden
        flat = self.add("Reshape", value, np.append(leading, width))
        return self.linear(
            "wide_to_state", self.add("Relu", self.linear(name, flat, width, wide)), wide, self.hidden
        )

    def around(self, sequence: str, candidates: str) -> str:
        """Return the integers (B, C, offsets) around each candidate, BLANK beyond the border."""
        columns = self.add("Unsqueeze", candidates, numbers(2)), self.add("Unsqueeze", sequence, numbers(1))
        found = self.add("CastLike", self.add("Equal", *columns), REAL)
        places = self.add("Unsqueeze", self.add("ArgMax", found, axis=2, keepdims=0), numbers(2))
        steps, inside = surroundings(self.game)
        cells = self.add("Add", places, steps.astype(np.int64))
        in_row = self.add("Mod", self.add("Squeeze", places, numbers(2)), np.int64(len(inside)))
        there = self.add("Gather", inside, in_row)
        length = self.add("Shape", sequence, start=1, end=2)
        for within in ("GreaterOrEqual", np.int64(0)), ("Less", length):
            there = self.add("And", there, self.add(within[0], cells, within[1]))
        inner = self.add("Where", there, cells, np.int64(0))
        flat = self.add("Reshape", inner, numbers(0, -1))
        integers = self.add("GatherElements", sequence, flat, axis=1)
        integers = self.add("Reshape", integers, self.add("Shape", cells))
        return self.add("Where", there, integers, np.int64(BLANK))


class Landmark(Local):
    """The networks that are linear in an integer and an offset."""

    def speak(self, window: str) -> tuple[list[str], list[str]]:
        """Return the symbols (B, 1) and the logits (B, V) of each slot for the window (B, W)."""
        neighbours, features = self.looked_up(window)
        numbers_of = self.add("Gather", offset_numbers(self.game).clip(0), self.place_of_mask(window))
        table = self.weight("offsets.weight", len(self.game.offsets), features)
        neighbours = self.add("Add", neighbours, self.add("Gather", table, numbers_of))
        scores = self.add("Squeeze", self.linear("neighbour_to_score", neighbours, features, 1), numbers(2))
        scores = self.add("Mul", scores, np.float32(SHARP))
        scores = self.add("Where", self.add("Less", window, np.int64(0)), np.float32(UNSEEN), scores)
        shares = self.add("Unsqueeze", self.add("Softmax", scores, axis=-1), numbers(1))
        landmark = self.add("Squeeze", self.add("MatMul", shares, neighbours), numbers(1))
        length, size = self.game.message_length, self.game.vocab_size
        all_logits = self.linear("landmark_to_symbols", landmark, features, length * size)
        by_slot = self.add("Reshape", all_logits, numbers(-1, length, size))
        logits = [self.add("Gather", by_slot, np.int64(slot), axis=1) for slot in range(length)]
        symbols: list[str] = []
        for of_slot in logits:
            symbols.append(self.symbol(of_slot, symbols))
        return symbols, logits

    def place_of_mask(self, window: str) -> str:
        """Return the place (B,) of the mask in the window (B, W)."""
        is_mask = self.add("CastLike", self.add("Equal", window, np.int64(MASK)), REAL)
        return self.add("ArgMax", is_mask, axis=1, keepdims=0)

    def compared(self, message: str, sequence: str, candidates: str) -> tuple[str, str]:
        """Return the products (B, offsets * features) for the message, and the vectors that they meet."""
        offered, features = self.looked_up(self.around(sequence, candidates))
        offsets = len(self.game.offsets)
        of_offset, of_integer = self.heard(message)
        offset = self.linear("message_to_offset", of_offset, self.said_size, offsets)
        offset = self.add("Softmax", self.add("Mul", offset, np.float32(SHARP)), axis=-1)
        integer = self.linear("message_to_integer", of_integer, self.said_size, features)
        columns = self.add("Unsqueeze", offset, numbers(2)), self.add("Unsqueeze", integer, numbers(1))
        state = self.add("Reshape", self.add("Mul", *columns), numbers(-1, offsets * features))
        return state, self.add("Reshape", offered, numbers(0, 0, offsets * features))

    @property
    def said_size(self) -> int:
        """The width of a message's symbols, one-hot and side by side."""
        return self.game.message_length * self.game.vocab_size

    def heard(self, message: str) -> tuple[str, str]:
        """Return what is heard of the symbols (B, said_size), for the offset and for the integer."""
        length, size = self.game.message_length, self.game.vocab_size
        symbols = self.add("Gather", unit_matrix(size), message)
        shares = self.add("Softmax", self.weight("attention.weight", 2, length), axis=-1)
        shares = self.add("Unsqueeze", self.add("Mul", shares, np.float32(length)), numbers(2))
        parts = [self.add("Mul", symbols, self.add("Gather", shares, np.int64(i))) for i in range(2)]
        first, second = (self.add("Reshape", part, numbers(-1, self.said_size)) for part in parts)
        return first, second


class WideGRU(GRU):
    """GRUs written out, whose equations are in `spatial_agents.networks.recurrence`.

    From batches of about 16 on, they take down to half of the time of ONNX Runtime's own GRU, which does not
    vectorise sigmoid and tanh as well.
    """

    def walk(self, name: str, suffix: str, inputs: Vectors, first: list[str]) -> list[str]:
        """Return the last state for inputs (L, B, features) and a first state; no first state is zeros."""
        parts = numbers(2 * self.hidden, self.hidden)  # reset and update; new

        def split(kind: str, *shape: int) -> list[str]:
            weight = self.weight(f"{name}.{kind}{suffix}", 3 * self.hidden, *shape)
            weight = self.add("Transpose", weight, perm=[1, 0] if shape else [0])
            return self.graph.add_several("Split", weight, parts, outputs=(True, True), axis=-1)

        of_x, of_h = split("weight_ih", inputs.features), split("weight_hh", self.hidden)
        bias, bias_of_h = split("bias_ih"), split("bias_hh")
        bias[0] = self.add("Add", bias[0], bias_of_h[0])
        if inputs.table is not None:
            known = [self.add("Gemm", inputs.table, w, b) for w, b in zip(of_x, bias, strict=True)]

        def turn(state: str, element: str) -> str:
            if inputs.table is None:
                gates, new = (self.add("Gemm", element, w, b) for w, b in zip(of_x, bias, strict=True))
            else:
                gates, new = (self.add("Gather", table, element) for table in known)
            gates = self.add("Sigmoid", self.add("Gemm", state, of_h[0], gates))
            reset, update = self.graph.add_several("Split", gates, outputs=(True, True), axis=1)
            content = self.add("Mul", reset, self.add("Gemm", state, of_h[1], bias_of_h[1]))
            new = self.add("Tanh", self.add("Add", new, content))
            return self.add("Add", new, self.add("Mul", update, self.add("Sub", state, new)))

        last = self.graph.loop(turn, self._first(inputs, first), inputs.value)
        return [self.add("Unsqueeze", last, numbers(0))]

    def _first(self, inputs: Vectors, first: list[str]) -> str:
        """Return the first state (B, H)."""
        if first:
            return self.add("Squeeze", first[0], numbers(0))
        batch = self.add("Shape", inputs.value, start=1, end=2)
        return self.add("Expand", np.float32(0), self.add("Concat", batch, numbers(self.hidden), axis=0))


class WideLocal(Local, WideGRU):
    """The networks that look at neighbourhoods, with GRUs written out."""


_CELLS: dict[str, type[Any]] = {"gru": GRU, "local": Local, "landmark": Landmark}
_WIDE: dict[str, type[Any]] = {**_CELLS, "gru": WideGRU, "local": WideLocal}


def _cells(graph: Graph, game: GameConfig, agent: AgentConfig, wide: bool) -> Any:
    return (_WIDE if wide else _CELLS)[agent.kind](graph, game, agent)
