"""A GRU of which only the last state is wanted, with its backward pass written out.

All GRUs of the pair are of that kind. `torch.nn.GRU` gives every state and leaves the backward pass to
autograd, which at the sizes of this game spends more time on its many small steps than on the numbers: on a
CPU this form takes about 0.7 of its time. A leading dimension holds pairs that are trained side by side.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


class LastState(nn.GRU):
    """A `torch.nn.GRU` of one layer (its weights, names and formulas) that returns its last state alone."""

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, batch_first=True)

    def forward(self, inputs: Tensor, first: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """Inputs (B, L, I) and the first state (B, H), zeros if there is none, to the last state (B, H)."""
        if inputs.is_cuda or not torch.is_grad_enabled():
            states: Tensor = super().forward(inputs, None if first is None else first[None])[1]
            return states[0]
        first = inputs.new_zeros(len(inputs), self.hidden_size) if first is None else first
        weights = (self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0)
        return last_state(inputs[None], first[None], *(weight[None] for weight in weights))[0]


def last_state(
    inputs: Tensor, first: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
) -> Tensor:
    """The last state (P, B, H) of P GRUs abreast, from inputs (P, B, L, I) and first states (P, B, H).

    The weights are those of `torch.nn.GRU`, stacked: (P, 3H, I), (P, 3H, H) and twice (P, 3H), with the rows
    of the gates in torch's order: reset, update, new.
    """
    pairs, batch, length, features = inputs.shape
    width = first.shape[2]
    by_gate = (pairs, 3, width, -1)
    # As many biases as possible go into the projection of the inputs, which is one product for all times.
    bias_reset, bias_update, bias_new = bias_hh.view(pairs, 3, 1, width).unbind(1)
    shared = torch.stack([torch.zeros_like(bias_new), bias_reset, bias_update])
    bias = bias_ih.view(pairs, 3, 1, width).transpose(0, 1).roll(1, 0) + shared
    by_time = inputs.transpose(1, 2).reshape(pairs, length * batch, features)
    weight = weight_ih.view(by_gate).transpose(0, 1).roll(1, 0)
    projected = torch.baddbmm(
        bias.flatten(0, 1),
        by_time.expand(3, -1, -1, -1).reshape(3 * pairs, -1, features),
        weight.reshape(3 * pairs, width, features).mT,
    ).view(3, pairs, length, batch, width)
    recurrent = weight_hh.view(by_gate).transpose(0, 1).mT
    return _LastState.apply(projected, first, recurrent, bias_new)  # type: ignore[no-any-return, no-untyped-call]


class _LastState(torch.autograd.Function):
    """new n, reset r, update z and the content m that r lets through, of each time::

    r = sigmoid(i_r + h W_r)    z = sigmoid(i_z + h W_z)    m = h W_m + b
    n = tanh(i_n + r m)         h' = n + z (h - n)
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, first: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Inputs (3, P, L, B, H) of n, r, z, states (P, B, H), weight (3, P, H, H) of r, z, m, bias of m."""
        _, pairs, length, batch, width = inputs.shape
        gates = inputs.new_empty(4, pairs, length, batch, width)
        states = inputs.new_empty(pairs, length + 1, batch, width)
        states[:, 0] = first
        times = states.unbind(1)
        content, resets, updates, heard = (gate.unbind(1) for gate in gates)
        both = gates[1:3].unbind(2)
        to_content, to_reset, to_update = (one.unbind(1) for one in inputs)
        for t in range(length):
            n, r, z, m, h = content[t], resets[t], updates[t], heard[t], times[t]
            torch.baddbmm(to_reset[t], h, weight[0], out=r)
            torch.baddbmm(to_update[t], h, weight[1], out=z)
            torch.baddbmm(bias, h, weight[2], out=m)
            torch.sigmoid(both[t], out=both[t])
            torch.addcmul(to_content[t], r, m, out=n)
            torch.tanh(n, out=n)
            torch.lerp(n, h, z, out=times[t + 1])
        ctx.save_for_backward(gates, states, weight)
        return times[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Walks back in time; each time's gates make room for their own gradients, still in the cache."""
        gates, states, weight = ctx.saved_tensors
        times, planes = states.unbind(1), [gate.unbind(1) for gate in gates]
        from_reset, from_update, from_heard = weight.mT
        grad = grad.clone()
        kept, new, part = (torch.empty_like(grad) for _ in range(3))
        for t in reversed(range(len(times) - 1)):
            n, r, z, m = (plane[t] for plane in planes)
            torch.mul(grad, z, out=kept)
            torch.sub(grad, kept, out=new)  # of n, after its tanh
            torch.sub(times[t], n, out=part).mul_(new)
            z.mul_(part)
            torch.mul(n, n, out=part)
            torch.addcmul(new, new, part, value=-1, out=n)
            torch.mul(n, r, out=new)  # of m
            torch.mul(new, m, out=part)
            torch.addcmul(part, part, r, value=-1, out=r)
            m.copy_(new)
            grad, kept = kept, grad
            grad.baddbmm_(r, from_reset).baddbmm_(z, from_update).baddbmm_(m, from_heard)
        before = states[:, :-1].flatten(1, 2)
        return (
            gates[:3],
            grad,
            before.mT @ gates[1:].flatten(2, 3),
            gates[3].sum((1, 2)).unsqueeze(1),
        )
