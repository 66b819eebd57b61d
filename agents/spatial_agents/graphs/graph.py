"""A graph of ONNX operators, built node by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spatial_agents.graphs import protobuf

Array = np.ndarray[Any, Any]


def _adds(operator: str) -> Callable[[Value, Any], Value]:
    return lambda value, other: value.graph.add(operator, value, other)


class Value:
    """A value in a graph. Arithmetic adds nodes to the graph: `x @ weight + bias`."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    __add__, __sub__, __mul__, __mod__ = (_adds(operator) for operator in ("Add", "Sub", "Mul", "Mod"))
    __matmul__, __and__ = _adds("MatMul"), _adds("And")
    __ge__, __gt__, __lt__ = _adds("GreaterOrEqual"), _adds("Greater"), _adds("Less")


class Graph:
    """A graph with its constants, the weights among them.

    An input of a node is a `Value`, or a number or array that becomes a constant: of int64, float32 or bool.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._names = 0

    def input(self, name: str, dtype: str, *shape: int | str) -> Value:
        """Add an input; a size that is a name may vary."""
        self._inputs.append(protobuf.value_info(name, dtype, shape))
        return Value(self, name)

    def output(self, name: str, value: Value, dtype: str, *shape: int | str) -> None:
        """Make a value an output with this name."""
        self._nodes.append(protobuf.node("Identity", [value.name], [name], {}))
        self._outputs.append(protobuf.value_info(name, dtype, shape))

    def constant(self, number: Any) -> Value:
        """Add a number or an array."""
        array, value = np.asarray(number), self._new_value()
        dtype = {"f": np.float32, "b": np.bool_}.get(array.dtype.kind, np.int64)
        self._constants.append(protobuf.tensor(value.name, array.astype(dtype)))
        return value

    def add(self, operator: str, *inputs: Any, **attributes: Any) -> Value:
        """Add a node with one output, and return the output."""
        return self._add(operator, inputs, attributes, 1)[0]

    def halves(self, value: Value) -> list[Value]:
        """Return the two halves of a value (B, 2n)."""
        return self._add("Split", [value], {"axis": 1}, 2)

    def loop(self, turn: Callable[[Value, Value], Value], state: Value, elements: Value) -> Value:
        """Add a loop over the first axis of the elements, and return the last state.

        `turn(state, element)` adds the nodes of one turn and returns the next state.
        """
        outside, self._nodes = self._nodes, []
        before, element = self._new_value(), self._new_value()
        ends = [protobuf.named(value.name) for value in (before, element, turn(before, element))]
        body = protobuf.graph("turn", self._nodes, ends[:2], ends[2:])
        self._nodes = outside
        return self.add("Scan", state, elements, body=body, num_scan_inputs=1)

    def model(self) -> bytes:
        """Return the graph as the content of an ONNX file."""
        parts = self._nodes, self._inputs, self._outputs, self._constants
        return protobuf.model(protobuf.graph(self.name, *parts))

    def _add(self, operator: str, inputs: Any, attributes: dict[str, Any], outputs: int) -> list[Value]:
        values = [value if isinstance(value, Value) else self.constant(value) for value in inputs]
        results = [self._new_value() for _ in range(outputs)]
        names = ([value.name for value in part] for part in (values, results))
        self._nodes.append(protobuf.node(operator, *names, attributes))
        return results

    def _new_value(self) -> Value:
        self._names += 1
        return Value(self, f"value_{self._names}")
