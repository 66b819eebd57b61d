"""Graphs that run in ONNX Runtime, on one thread of the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_agents.graphs.graph import Array
from spatial_agents.graphs.networks import receiver_model, sender_model
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

CHUNK = 128
"""Rows that go through a network at a time, so that their data fits into the cache of a CPU."""

_MODELS = {"sender": sender_model, "receiver": receiver_model}


class Session:
    """A network that runs: its graph with its weights.

    Sessions pickle. They load ONNX Runtime when they are first used.
    """

    def __init__(self, role: str, game: GameConfig, agent: AgentConfig, tensors: Mapping[str, Array]) -> None:
        """Take "sender" or "receiver" of a pair."""
        self.role, self.game, self.agent, self.tensors = role, game, agent, tensors
        self._opened: Any = None

    def __call__(self, *outputs: str, **inputs: Array) -> list[Array]:
        """Return some of the outputs for inputs of B rows each."""
        count = len(next(iter(inputs.values())))
        if count == 0:  # ONNX Runtime ends the process
            one = {name: np.zeros((1, *array.shape[1:]), array.dtype) for name, array in inputs.items()}
            return [array[:0] for array in self(*outputs, **one)]
        if self._opened is None:
            self._opened = open_session(self.model())
        starts = range(0, count, CHUNK)
        chunks = [{name: array[i : i + CHUNK] for name, array in inputs.items()} for i in starts]
        found = (self._opened.run(outputs, chunk) for chunk in chunks)
        return [np.concatenate(parts) for parts in zip(*found, strict=True)]

    def model(self) -> bytes:
        """Return the graph as the content of an ONNX file."""
        return _MODELS[self.role](self.game, self.agent, self.tensors)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_opened": None}


def open_session(model: bytes) -> Any:
    """Return the session of a model. Raises `ModuleNotFoundError` if ONNX Runtime is not installed."""
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
