"""A graph of ONNX operators, built node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from spatial_agents.graphs import protobuf

Array = np.ndarray[Any, Any]
Value = str | Array | np.generic
"""An input of a node: the name of another value, or a constant."""


class Graph:
    """A graph, whose weights are known by name and shape and get their numbers from `model`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.weights: dict[str, tuple[int, ...]] = {}
        self._nodes: list[bytes] = []
        self._constants: dict[str, Array] = {}
        self._held: dict[int, str] = {}  # the names of constants, by their identity
        self._inputs: list[bytes] = []
        self._outputs: list[tuple[str, str, tuple[int | str, ...]]] = []
        self._names = 0

    def input(self, name: str, dtype: str, *shape: int | str) -> str:
        """Add an input; sizes that are names are free. Return its name."""
        self._inputs.append(protobuf.value_info(name, dtype, shape))
        return name

    def output(self, name: str, value: str, dtype: str, *shape: int | str) -> None:
        """Let a value be an output of this name."""
        self._nodes.append(protobuf.node("Identity", [value], [name], {}))
        self._outputs.append((name, dtype, shape))

    def weight(self, name: str, *shape: int) -> str:
        """Add a weight, once, and return its name."""
        self.weights[name] = shape
        return name

    def add(self, operator: str, *inputs: Value, **attributes: Any) -> str:
        """Add a node with one output, and return the output's name; the input "" is none."""
        return self.add_several(operator, *inputs, outputs=(True,), **attributes)[0]

    def add_several(
        self, operator: str, *inputs: Value, outputs: Sequence[bool], **attributes: Any
    ) -> list[str]:
        """Add a node, and return the names of those of its outputs that are wanted."""
        given = [value if isinstance(value, str) else self._constant(np.asarray(value)) for value in inputs]
        names = [self._new_name() if wanted else "" for wanted in outputs]
        self._nodes.append(protobuf.node(operator, given, names, attributes))
        return [name for name in names if name]

    def loop(self, turn: Callable[[str, str], str], state: str, inputs: str) -> str:
        """Add a loop over the first axis of the inputs, and return the last state.

        `turn(state, element)` adds the nodes of one turn and returns the next state.
        """
        outside, self._nodes = self._nodes, []
        names = [self._new_name(), self._new_name()]
        names.append(turn(*names))
        inner = [protobuf.named(name) for name in names]
        body = protobuf.graph("turn", self._nodes, inner[:2], inner[2:])
        self._nodes = outside
        return self.add("Scan", state, inputs, body=body, num_scan_inputs=1)

    def model(self, tensors: Mapping[str, Array], real: str = "float32") -> bytes:
        """Return the content of an ONNX file that computes in `real`, with these numbers as weights."""

        def number(dtype: str) -> str:
            return real if dtype == "float32" else dtype

        arrays = {name: tensors[name] for name in self.weights} | self._constants
        held = [protobuf.tensor(name, each.astype(number(each.dtype.name))) for name, each in arrays.items()]
        outputs = [protobuf.value_info(name, number(dtype), shape) for name, dtype, shape in self._outputs]
        graph = protobuf.graph(self.name, self._nodes, self._inputs, outputs, held)
        return protobuf.model(graph)

    def _constant(self, array: Array) -> str:
        """Return the name of a constant; the same array is held once."""
        if id(array) not in self._held:
            self._held[id(array)] = self._new_name()
            self._constants[self._held[id(array)]] = array
        return self._held[id(array)]

    def _new_name(self) -> str:
        self._names += 1
        return f"value_{self._names}"
