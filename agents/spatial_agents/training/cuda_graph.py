"""A training step as a CUDA graph; the CPU only draws while the GPU computes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
from torch import Tensor

from spatial_agents.training.data import DeviceEpisodes

_BEFORE_CAPTURE = 3  # plain steps that torch requires before it captures a graph


class CUDAGraph:
    """A step that is captured after some plain steps, and again for each new shape of its inputs.

    If it cannot be captured, plain steps continue, with a warning.
    """

    def __init__(self, step: Callable[[DeviceEpisodes, Tensor], None]) -> None:
        self.step, self._shape, self._plain_steps = step, torch.Size(), 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        """Do the step on these inputs, with the graph if there is one."""
        if episodes.sequence.shape != self._shape:
            self._shape, self._plain_steps, self.graph = episodes.sequence.shape, _BEFORE_CAPTURE, None
        if self.graph is None and self._plain_steps == 0:
            self._capture(episodes, noise)
        if self.graph is None:
            self._plain_steps -= 1
            self._do_plainly(episodes, noise)
            return
        for fixed, part in zip(self._inputs, (*episodes, noise), strict=True):
            fixed.copy_(part)
        self.graph.replay()

    def _capture(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        self._inputs = [part.clone() for part in (*episodes, noise)]
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                self.step(DeviceEpisodes(*self._inputs[:-1]), self._inputs[-1])
        except RuntimeError as error:
            warnings.warn(f"training continues without a CUDA graph: {error}", RuntimeWarning, stacklevel=2)
        else:
            self.graph = graph

    def _do_plainly(self, episodes: DeviceEpisodes, noise: Tensor) -> None:
        """Do the step without a graph, on a separate stream, as capturing requires of earlier steps."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.step(episodes, noise)
        torch.cuda.current_stream().wait_stream(side)
