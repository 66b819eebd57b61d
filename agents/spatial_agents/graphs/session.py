"""Graphs that run in ONNX Runtime, on one thread of the CPU."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_agents.graphs.graph import Graph

CHUNK = 64
"""Rows that go through a graph at a time: what they need then fits into the cache of a CPU."""

Array = np.ndarray[Any, Any]


class Session:
    """A graph with its weights. Sessions pickle, and open when they are first used."""

    def __init__(self, graph: Graph, tensors: Mapping[str, Array]) -> None:
        self.model = graph.model(tensors)

    def __call__(self, output: str, **inputs: Array) -> Array:
        """Return one of the graph's outputs for inputs of B rows each."""
        count = len(next(iter(inputs.values())))
        if count == 0:  # ONNX Runtime ends the process
            one = {name: np.zeros((1, *array.shape[1:]), array.dtype) for name, array in inputs.items()}
            return self(output, **one)[:0]
        if count <= CHUNK:
            return self._run([output], inputs)[0]
        chunks = [
            self._run([output], {name: array[start : start + CHUNK] for name, array in inputs.items()})[0]
            for start in range(0, count, CHUNK)
        ]
        return np.concatenate(chunks)

    @functools.cached_property
    def _run(self) -> Any:
        return open_session(self.model).run

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model}


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
