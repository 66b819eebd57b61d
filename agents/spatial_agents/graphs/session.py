"""Graphs that run in ONNX Runtime, on one thread of the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_agents.graphs.networks import receiver_graph, sender_graph
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

NARROW = 16
"""The largest batch for which a network uses its narrow graph."""

CHUNK = 128
"""Rows that go through a wide graph at a time: what they need then fits into the cache of a CPU."""

GRAPHS = {"sender": sender_graph, "receiver": receiver_graph}

Array = np.ndarray[Any, Any]


class Session:
    """A network that runs: its graph for small batches and that for large ones, with its weights.

    Sessions pickle. They load ONNX Runtime when they are first used.
    """

    def __init__(self, name: str, game: GameConfig, agent: AgentConfig, tensors: Mapping[str, Array]) -> None:
        """Take "sender" or "receiver" of a pair."""
        self.name, self.game, self.agent, self.tensors = name, game, agent, tensors
        self._opened: dict[tuple[bool, str], Any] = {}

    def __call__(self, *outputs: str, real: str = "float32", **inputs: Array) -> list[Array]:
        """Return some of the outputs for inputs of B rows each, computed in this type of numbers."""
        count = len(next(iter(inputs.values())))
        if count == 0:  # ONNX Runtime ends the process
            one = {name: np.zeros((1, *array.shape[1:]), array.dtype) for name, array in inputs.items()}
            return [array[:0] for array in self(*outputs, **one)]
        wide = count > NARROW or real != "float32"
        session = self._open(wide, real)
        if count <= CHUNK:
            return list(session.run(outputs, inputs))
        starts = range(0, count, CHUNK)
        chunks = [{name: array[i : i + CHUNK] for name, array in inputs.items()} for i in starts]
        return [np.concatenate(each) for each in zip(*(session.run(outputs, c) for c in chunks), strict=True)]

    def exactly(self, output: str, **inputs: Array) -> Array:
        """Return an output computed in double precision."""
        return self(output, real="float64", **inputs)[0]

    def model(self, wide: bool = False, real: str = "float32") -> bytes:
        """Return one of the graphs with its weights, as the content of an ONNX file."""
        graph = GRAPHS[self.name](self.game, self.agent, wide=wide)
        return graph.model(self.tensors, real)

    def _open(self, wide: bool, real: str) -> Any:
        if (wide, real) not in self._opened:
            self._opened[wide, real] = open_session(self.model(wide, real))
        return self._opened[wide, real]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_opened": {}}


def open_session(model: bytes) -> Any:
    """Return the session of a model. Raises `ModuleNotFoundError` where ONNX Runtime is not installed."""
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "trained pairs need onnxruntime to play; install it with: pip install onnxruntime "
            "(it has no wheels for musl, such as Alpine Linux, or for Intel Macs from Python 3.14 on)",
            name=error.name,
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # other cores are for other pairs
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
