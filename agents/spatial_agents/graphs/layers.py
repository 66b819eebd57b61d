"""Parts that the graphs of all networks share: linear layers, and the inputs of integers and symbols.

A layer is a function of values. Making it adds its constants to the graph; calling it adds its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spatial_agents.graphs.graph import Array, Graph, Value
from spatial_agents.recipes import BLANK, AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import lowest_in_window

FLOAT = 1
"""The code of float32 in the operator Cast."""

Layer = Callable[[Value], Value]


class Scalars:
    """Integers as single numbers, raw or scaled."""

    features = 1

    def __init__(self, graph: Graph, centre: float, factor: float) -> None:
        self.graph, self.centre, self.factor = graph, centre, factor

    def vectors(self, integers: Value) -> Value:
        """Return vectors (..., 1) for integers (...)."""
        scaled = (self.graph.add("Cast", integers, to=FLOAT) - self.centre) * self.factor
        return self.graph.add("Unsqueeze", scaled, [-1])

    entries = vectors

    def linear(self, weight: Array, bias: Array) -> Layer:
        """Return a linear layer of `entries`."""
        return linear(self.graph, weight, bias)


class Rows:
    """Integers or symbols as rows of a table; without a table, as one-hot vectors."""

    def __init__(self, graph: Graph, size: int, lowest: int = 0, table: Array | None = None) -> None:
        self.graph, self.size, self.lowest, self.table = graph, size, lowest, table
        self.features = size if table is None else table.shape[1]

    def vectors(self, integers: Value) -> Value:
        """Return vectors (..., features) for integers (...)."""
        if self.table is None:
            return self.graph.add("OneHot", self.entries(integers), self.size, [0.0, 1.0])
        return self.graph.add("Gather", self.table, self.entries(integers))

    def entries(self, integers: Value) -> Value:
        """Return the numbers (...) of the rows of integers (...)."""
        return integers - self.lowest if self.lowest else integers

    def linear(self, weight: Array, bias: Array) -> Layer:
        """Return a linear layer of `entries`. Its output for each row is computed here."""
        product = weight.T if self.table is None else self.table @ weight.T
        outputs = self.graph.constant(product + bias)
        return lambda rows: self.graph.add("Gather", outputs, rows)


def linear(graph: Graph, weight: Array, bias: Array) -> Layer:
    """Return a linear layer: outputs (..., O) for x (..., I)."""
    matrix, addend = graph.constant(weight.T), graph.constant(bias)
    return lambda x: x @ matrix + addend


class Agent:
    """The sender or the receiver of a pair: its configs, its weights and its graph."""

    def __init__(
        self, role: str, game: GameConfig, config: AgentConfig, tensors: Mapping[str, Array]
    ) -> None:
        self.graph, self.game, self.config = Graph(role), game, config
        self.add, self.hidden = self.graph.add, config.hidden_size
        own = {name for name in tensors if name.startswith(f"{role}.")}
        self.weights = {name.removeprefix(f"{role}."): tensors[name] for name in own}
        self.symbols = Rows(self.graph, game.vocab_size)
        self.inputs = self._inputs(role)

    def _inputs(self, role: str) -> Scalars | Rows:
        """Return the layer for integers."""
        size = len(self.game.integers)
        if self.config.inputs == "scalars":
            return Scalars(self.graph, *self.config.scaling(size))
        lowest = 0 if self.config.network == "sequential" else BLANK
        lowest = lowest_in_window(self.game) if role == "sender" else lowest
        return Rows(self.graph, size - lowest, lowest, self.weights.get("inputs.table.weight"))

    def layer(self, name: str) -> tuple[Array, Array]:
        """Return the weight (O, I) and the bias (O,) of a linear layer."""
        return self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]

    def linear(self, name: str) -> Layer:
        """Return a linear layer: outputs (..., O) for x (..., I)."""
        return linear(self.graph, *self.layer(name))

    def two_layers(self, first: str, second: str) -> Layer:
        """Return two linear layers with a rectifier between them."""
        to_wide, to_narrow = self.linear(first), self.linear(second)
        return lambda x: to_narrow(self.add("Relu", to_wide(x)))

    def stacked(self, values: list[Value]) -> Value:
        """Stack values (B, ...), one for each slot, to (B, T, ...)."""
        return self.add("Concat", *(self.add("Unsqueeze", value, [1]) for value in values), axis=1)
