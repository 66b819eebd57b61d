"""Graphs that run in ONNX Runtime, on one thread of the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_agents.graphs.graph import Graph

NARROW = 16
"""The largest batch for which a network uses its narrow graph."""

CHUNK = 128
"""Rows that go through a wide graph at a time: what they need then fits into the cache of a CPU."""

Array = np.ndarray[Any, Any]


class Session:
    """A network that runs: its graph for small batches and that for large ones, with its weights.

    Sessions pickle. They load ONNX Runtime when they are first used.
    """

    def __init__(self, narrow: Graph, wide: Graph, tensors: Mapping[str, Array]) -> None:
        self.narrow, self.wide = narrow.model(tensors), wide.model(tensors)
        self._opened: dict[bytes, Any] = {}

    def __call__(self, output: str, **inputs: Array) -> Array:
        """Return one of the outputs for inputs of B rows each."""
        count = len(next(iter(inputs.values())))
        if count == 0:  # ONNX Runtime ends the process
            one = {name: np.zeros((1, *array.shape[1:]), array.dtype) for name, array in inputs.items()}
            return self(output, **one)[:0]
        if count <= NARROW:
            return self._open(self.narrow).run([output], inputs)[0]
        wide = self._open(self.wide)
        starts = range(0, count, CHUNK)
        chunks = [{name: array[i : i + CHUNK] for name, array in inputs.items()} for i in starts]
        return np.concatenate([wide.run([output], chunk)[0] for chunk in chunks])

    def _open(self, model: bytes) -> Any:
        if model not in self._opened:
            self._opened[model] = open_session(model)
        return self._opened[model]

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
