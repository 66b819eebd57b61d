"""A GRU of which only the last state is wanted, with its backward pass written out.

All GRUs of the pair are of that kind. `torch.nn.GRU` gives every state and leaves the backward pass to
autograd, which at the sizes of this game spends more time on its many small steps, and on fresh memory, than
on the numbers. A leading dimension holds pairs that are trained side by side.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

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
        last, memory = _walk(*arguments, keep=False)
        _free_memory.give_back(memory)
    return last.mT


class _Time(NamedTuple):
    """What a walk meets at one time, as parts of its memory."""

    x: Tensor
    state: Tensor
    inputs_and_one: Tensor
    rzm: Tensor
    rz: Tensor
    r: Tensor
    z: Tensor
    m: Tensor
    n: Tensor


class _Memory:
    """What a walk remembers: x and the gates of all times (the gates of the last alone, unless to `keep`)."""

    def __init__(self, inputs: Tensor, width: int, keep: bool) -> None:
        pairs, length, features, batch = inputs.shape
        self.fits = _fits(inputs, width, keep)
        self.seen = inputs.new_empty(pairs, length, width + features + 1, batch)
        self.seen[:, :, -1] = 1
        self.gates = inputs.new_empty(pairs, length if keep else 1, 4 * width, batch)
        self.times = [
            _Time(
                x,
                x[:, :width],
                x[:, width:],
                gates[:, : 3 * width],
                gates[:, : 2 * width],
                *gates.split(width, dim=1),
            )
            for x, gates in zip(
                self.seen.unbind(1), self.gates.expand(-1, length, -1, -1).unbind(1), strict=True
            )
        ]


def _fits(inputs: Tensor, width: int, keep: bool) -> tuple[Any, ...]:
    """What walks must have in common to use the same memory one after the other."""
    return inputs.shape, width, keep, inputs.dtype, inputs.device


class _FreeMemory(threading.local):
    """Memory that is no longer in use, for the next steps.

    What a step fills is tens of megabytes, which the system would clear and map anew at every step, and to
    name all its parts takes a while, too. On a GPU torch sees to memory itself.
    """

    _most = 6  # three GRUs of a step, and three of greedy play

    def __init__(self) -> None:
        self._free: list[_Memory] = []  # the last used last

    def take(self, inputs: Tensor, width: int, keep: bool) -> _Memory:
        """Memory for a walk over such inputs, whatever is in it."""
        wanted = _fits(inputs, width, keep)
        for i in reversed(range(len(self._free))):
            if self._free[i].fits == wanted:
                return self._free.pop(i)
        with torch.inference_mode(False), torch.no_grad():  # else it could not serve in training
            return _Memory(inputs, width, keep)

    def give_back(self, memory: _Memory) -> None:
        """Keep this and the last used others."""
        if not memory.seen.is_cuda:
            self._free = [*self._free, memory][-self._most :]


_free_memory = _FreeMemory()


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
        last, ctx.memory = _walk(inputs, first, weight, content, keep=True)
        ctx.save_for_backward(ctx.memory.seen, ctx.memory.gates, weight, content)
        return last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
        """Walks back in time; each time's gates make room for their own gradients, still in the cache."""
        seen, _, weight, content = ctx.saved_tensors  # refuses memory that was used since
        width, to_inputs = grad.shape[1], ctx.needs_input_grad[0]
        # Turned round: of the two, products of these shapes are the faster.
        of_weight, of_content = (torch.zeros_like(each.mT.contiguous()) for each in (weight, content))
        of_inputs = torch.empty_like(seen[:, :, width:-1]) if to_inputs else None
        to_x = (weight if to_inputs else weight[:, :, :width]).mT.contiguous()
        to_tail = content.mT.contiguous()
        of_x = grad.new_empty(len(grad), to_x.shape[1], grad.shape[2])
        of_state, of_tail = of_x[:, :width], of_x[:, width:-1]
        grad = grad.contiguous()
        kept, new, part = (torch.empty_like(grad) for _ in range(3))
        for t in reversed(range(len(ctx.memory.times))):
            x, state, inputs_and_one, of_rzm, _, r, z, m, n = ctx.memory.times[t]
            torch.mul(grad, z, out=kept)
            torch.sub(grad, kept, out=new)  # of n, after its tanh
            torch.sub(state, n, out=part).mul_(new)
            z.mul_(part)
            torch.mul(n, n, out=part)
            torch.addcmul(new, new, part, value=-1, out=n)
            torch.mul(n, r, out=new)  # of m
            torch.mul(new, m, out=part)
            torch.addcmul(part, part, r, value=-1, out=r)
            m.copy_(new)
            of_weight.baddbmm_(x, of_rzm.mT)
            of_content.baddbmm_(inputs_and_one, n.mT)
            torch.bmm(to_x, of_rzm, out=of_x)
            if of_inputs is not None:
                torch.baddbmm(of_tail, to_tail[:, :-1], n, out=of_inputs[:, t])
            grad = of_state.add_(kept)
        _free_memory.give_back(ctx.memory)
        return of_inputs, grad, of_weight.mT, of_content.mT


def _walk(
    inputs: Tensor, first: Tensor, weight: Tensor, content: Tensor, *, keep: bool
) -> tuple[Tensor, _Memory]:
    """The last state, and the memory of the walk."""
    width = first.shape[1]
    memory = _free_memory.take(inputs, width, keep)
    memory.seen[:, 0, :width] = first
    memory.seen[:, :, width:-1] = inputs
    last = first.new_empty(first.shape)  # not in the strides of first
    after = [*(time.state for time in memory.times[1:]), last]
    twice, minus_one = 2 * content, content.new_tensor(-1)
    for (x, state, inputs_and_one, rzm, rz, r, z, m, n), next_state in zip(memory.times, after, strict=True):
        torch.bmm(weight, x, out=rzm)
        rz.sigmoid_()
        # tanh(a) = 2 sigmoid(2a) - 1 takes a third of the time of torch's tanh.
        torch.bmm(twice, inputs_and_one, out=n)
        n.addcmul_(r, m, value=2).sigmoid_()
        torch.add(minus_one, n, alpha=2, out=n)
        torch.lerp(n, state, z, out=next_state)
    return last, memory
