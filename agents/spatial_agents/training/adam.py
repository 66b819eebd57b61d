"""Adam (Kingma and Ba 2015), by torch's own function for one step."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.optim.adam import adam

MOMENTS = ("exp_avg", "exp_avg_sq")
"""The tensors of Adam for each weight, by torch's names."""


class Adam:
    """The moments of some weights, and the step that changes both.

    It computes the same as `torch.optim.Adam(..., fused=True)`. That class loads torch's compiler, which
    training does not need, and which would add seconds to the start of every process.

    `rate` is the learning rate of the next step. It is a tensor on the device if steps are captured there.
    """

    def __init__(
        self, weights: Iterable[Tensor], steps: int = 0, *, captured: bool = False, epsilon: float = 1e-8
    ) -> None:
        self.weights, self.captured, self.epsilon = list(weights), captured, epsilon
        device = self.weights[0].device
        self.rate: float | Tensor = torch.tensor(0.0, device=device) if captured else 0.0
        self.moments = {name: [torch.zeros_like(weight) for weight in self.weights] for name in MOMENTS}
        self.steps = [torch.tensor(float(steps), device=device) for _ in self.weights]

    def set_rate(self, rate: float) -> None:
        """Set the learning rate of the next step."""
        if isinstance(self.rate, Tensor):
            self.rate.fill_(rate)
        else:
            self.rate = rate

    def zero_grad(self) -> None:
        """Drop the gradients."""
        for weight in self.weights:
            weight.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Change the weights that have a gradient, and their moments."""
        having = [i for i, weight in enumerate(self.weights) if weight.grad is not None]
        columns = self.weights, [weight.grad for weight in self.weights], *self.moments.values()
        weights, gradients, means, squares = ([column[i] for i in having] for column in columns)
        adam(
            weights, gradients, means, squares, [], [self.steps[i] for i in having],
            fused=True, capturable=self.captured, amsgrad=False, maximize=False,
            lr=self.rate, beta1=0.9, beta2=0.999, eps=self.epsilon, weight_decay=0.0,
        )  # fmt: skip
