"""A GRU of which only the last state is wanted, with its backward pass written out.

All GRUs of the pair are of that kind. `torch.nn.GRU` gives every state and leaves the backward pass to
autograd, which at the sizes of this game spends more time on its many small steps, and on fresh memory, than
on the numbers. A leading dimension holds pairs that are trained side by side.
"""

from __future__ import annotations

import math
import threading
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
        if inputs.is_cuda:
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
    width = first.shape[2]
    # x is the state, the input and 1; what the reset gate lets through is made of the state alone.
    gate_inputs, new_inputs = weight_ih.split([2 * width, width], dim=1)
    gate_bias, new_bias = bias_ih.split([2 * width, width], dim=1)
    of_inputs = torch.cat([gate_inputs, torch.zeros_like(new_inputs)], dim=1)
    of_one = torch.cat([gate_bias, torch.zeros_like(new_bias)], dim=1) + bias_hh
    gates = torch.cat([weight_hh, of_inputs, of_one.unsqueeze(2)], dim=2)
    content = torch.cat([new_inputs, new_bias.unsqueeze(2)], dim=2)
    arguments = (inputs.permute(0, 2, 3, 1), first.mT, gates, content)
    if torch.is_grad_enabled():
        last: Tensor = _LastState.apply(*arguments)  # type: ignore[no-untyped-call]
    else:
        last, *_, memory = _walk(*arguments, keep=False)
        _memory.give_back(*memory)
    return last.mT


class _Memory(threading.local):
    """Large tensors that are no longer in use, for the next steps.

    What a step fills is tens of megabytes, which the system would clear and map anew at every step. On a GPU
    torch sees to that itself.
    """

    _most = 8

    def __init__(self) -> None:
        self._free: list[Tensor] = []  # flat, the smallest first

    def take(self, size: int, like: Tensor) -> Tensor:
        """A flat tensor of at least so many numbers, whatever they are, of the type and device of `like`."""
        for i, flat in enumerate(self._free):
            if len(flat) >= size and (flat.dtype, flat.device) == (like.dtype, like.device):
                return self._free.pop(i)
        with torch.inference_mode(False):  # else it could not serve in training
            return torch.empty(size, dtype=like.dtype, device=like.device)

    def give_back(self, *tensors: Tensor) -> None:
        """Keep these, or the largest of all, for others."""
        free = [*self._free, *(flat for flat in tensors if not flat.is_cuda)]
        self._free = sorted(free, key=len)[-self._most :]


_memory = _Memory()


class _LastState(torch.autograd.Function):
    """Reset r, update z, the content m that r lets through, and new n, of each time; x is [state, input, 1]::

        r = sigmoid(W_r x)    z = sigmoid(W_z x)    m = W_m x
        n = tanh(W_n [input, 1] + r m)              next state = n + z (state - n)

    The batch is the last dimension of all: the parts of x then lie one after another, and so do r, z and m,
    which one product gives.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, first: Tensor, weight: Tensor, content: Tensor) -> Tensor:
        """Inputs (P, L, I, B), states (P, H, B), weight (P, 3H, H+I+1) of r, z, m, content (P, H, I+1)."""
        last, seen, gates, ctx.memory = _walk(inputs, first, weight, content, keep=True)
        ctx.save_for_backward(seen, gates, weight, content)
        return last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
        """Walks back in time; each time's gates make room for their own gradients, still in the cache."""
        seen, gates, weight, content = ctx.saved_tensors
        width, to_inputs = grad.shape[1], ctx.needs_input_grad[0]
        of_weight, of_content = torch.zeros_like(weight), torch.zeros_like(content)
        of_inputs = torch.empty_like(seen[:, :, width:-1]) if to_inputs else None
        to_x = (weight if to_inputs else weight[:, :, :width]).mT.contiguous()
        to_tail = content.mT.contiguous()
        of_x = grad.new_empty(len(grad), to_x.shape[1], grad.shape[2])
        grad = grad.contiguous()
        kept, new, part = (torch.empty_like(grad) for _ in range(3))
        for t, (x, all_gates) in reversed(list(enumerate(zip(seen.unbind(1), gates.unbind(1), strict=True)))):
            r, z, m, n = all_gates.split(width, dim=1)
            torch.mul(grad, z, out=kept)
            torch.sub(grad, kept, out=new)  # of n, after its tanh
            torch.sub(x[:, :width], n, out=part).mul_(new)
            z.mul_(part)
            torch.mul(n, n, out=part)
            torch.addcmul(new, new, part, value=-1, out=n)
            torch.mul(n, r, out=new)  # of m
            torch.mul(new, m, out=part)
            torch.addcmul(part, part, r, value=-1, out=r)
            m.copy_(new)
            of_rzm = all_gates[:, :-width]
            of_weight.baddbmm_(of_rzm, x.mT)
            of_content.baddbmm_(n, x[:, width:].mT)
            torch.bmm(to_x, of_rzm, out=of_x)
            if of_inputs is not None:
                torch.baddbmm(of_x[:, width:-1], to_tail[:, :-1], n, out=of_inputs[:, t])
            grad = of_x[:, :width].add_(kept)
        _memory.give_back(*ctx.memory)
        return of_inputs, grad, of_weight, of_content


def _walk(
    inputs: Tensor, first: Tensor, weight: Tensor, content: Tensor, *, keep: bool
) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
    """The last state; x and the gates of all times (of the last alone, unless to `keep`); their memory."""
    pairs, length, features, batch = inputs.shape
    width = first.shape[1]
    shapes = [
        (pairs, length, width + features + 1, batch),
        (pairs, length if keep else 1, 4 * width, batch),
    ]
    memory = [_memory.take(math.prod(shape), inputs) for shape in shapes]
    seen, gates = (flat[: math.prod(shape)].view(shape) for flat, shape in zip(memory, shapes, strict=True))
    gates = gates.expand(-1, length, -1, -1)
    seen[:, 0, :width] = first
    seen[:, :, width:-1] = inputs
    seen[:, :, -1] = 1
    last, part = (first.new_empty(first.shape) for _ in range(2))  # not in the strides of first
    states = [*seen[:, :, :width].unbind(1), last]
    twice = 2 * content
    for t, (x, all_gates) in enumerate(zip(seen.unbind(1), gates.unbind(1), strict=True)):
        r, z, m, n = all_gates.split(width, dim=1)
        torch.bmm(weight, x, out=all_gates[:, :-width])
        all_gates[:, : 2 * width].sigmoid_()
        # tanh(a) = 2 sigmoid(2a) - 1 takes a third of the time of torch's tanh.
        torch.bmm(twice, x[:, width:], out=n)
        n.addcmul_(r, m, value=2).sigmoid_().mul_(2).sub_(1)
        torch.sub(states[t], n, out=part)
        torch.addcmul(n, z, part, out=states[t + 1])
    return last, seen, gates, memory
