"""A GRU that returns only its last state, with a hand-written backward pass (Cho et al. 2014).

The equations are those of `torch.nn.GRU`; products of vectors are elementwise, h is the state, x an input::

    r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)      reset gate
    z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)      update gate
    m = W_hn h + b_hn
    n = tanh(W_in x + b_in + r m)                   new content
    h' = n + z (h - n)                              next state

Backwards, g is the gradient of h'. dr, dz, dm and dn are those of the right sides, before sigmoid and tanh::

    dn = g (1 - z) (1 - n^2)      dm = dn r      dr = dn m r (1 - r)      dz = g (1 - z) (h - n) z
    dh = g z + W_hr^T dr + W_hz^T dz + W_hn^T dm      dx = W_ir^T dr + W_iz^T dz + W_in^T dn

One product yields r, z and m from [h, x, 1]: `gates` is [W_h, W_i, b], with zeros where x has no part in m.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional

_spare: dict[Any, Any] = {}  # memory of finished walks, by its kind: new memory would cost 4% of a step


def last_state(
    inputs: Tensor, first: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
) -> Tensor:
    """Return the last states (P, B, H) of P GRUs for inputs (P, B, L, I) and first states (P, B, H).

    The weights are those of `torch.nn.GRU`, stacked: (P, 3H, I), (P, 3H, H) and twice (P, 3H), with the rows
    of the gates in torch's order: reset, update, new.
    """
    width = first.shape[2]
    of_x = functional.pad(weight_ih[:, : 2 * width], (0, 0, 0, width))
    of_one = functional.pad(bias_ih[:, : 2 * width], (0, width)) + bias_hh
    gates = torch.cat([weight_hh, of_x, of_one.unsqueeze(2)], dim=2)  # (P, 3H, H+I+1)
    content = torch.cat([weight_ih, bias_ih.unsqueeze(2)], dim=2)[:, 2 * width :]  # (P, H, I+1): of n
    arguments = inputs.permute(0, 2, 3, 1), first.mT, gates, content  # the batch is the last dimension
    last = _LastState.apply(*arguments) if torch.is_grad_enabled() else _walk(*arguments, keep=False)[0]
    return last.mT


def _memory(inputs: Tensor, width: int, keep: bool) -> tuple[Any, ...]:
    """Make room for [h, x, 1] and [r, z, m, n] of all times (of one time unless `keep`); name the parts."""
    pairs, length, features, batch = inputs.shape
    hx1 = inputs.new_empty(pairs, length, width + features + 1, batch)
    hx1[:, :, -1] = 1
    rzmn = inputs.new_empty(pairs, length if keep else 1, 4 * width, batch).expand(-1, length, -1, -1)
    parts = (hx1, hx1[:, :, :width], hx1[:, :, width:], rzmn[:, :, : 3 * width], rzmn[:, :, : 2 * width])
    times = zip(*(part.unbind(1) for part in (*parts, *rzmn.split(width, dim=2))), strict=True)
    return hx1, rzmn, list(times)


def _walk(inputs: Tensor, first: Tensor, gates: Tensor, content: Tensor, *, keep: bool) -> tuple[Any, ...]:
    """Return the last state (P, H, B), and the memory of the walk with its kind."""
    width, kind = first.shape[1], (inputs.shape, first.shape, inputs.dtype, inputs.device, keep)
    all_hx1, _, times = memory = _spare.pop(kind, None) or _memory(inputs, width, keep)
    all_hx1[:, 0, :width], all_hx1[:, :, width:-1] = first, inputs
    last = first.new_empty(first.shape)
    next_states = [*(time[1] for time in times[1:]), last]
    twice, minus_one = 2 * content, content.new_tensor(-1)
    for (hx1, h, x1, rzm, rz, r, z, m, n), next_state in zip(times, next_states, strict=True):
        torch.bmm(gates, hx1, out=rzm)
        rz.sigmoid_()
        torch.bmm(twice, x1, out=n)  # tanh(a) = 2 sigmoid(2a) - 1 takes a third of the time of torch.tanh
        n.addcmul_(r, m, value=2).sigmoid_()
        torch.add(minus_one, n, alpha=2, out=n)
        torch.lerp(n, h, z, out=next_state)
    return last, kind, memory


class _LastState(torch.autograd.Function):
    """The walk forward, and the walk back, in which gradients take the places of r, z, m and n."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, first: Tensor, gates: Tensor, content: Tensor) -> Tensor:
        """Return the last state (P, H, B) for inputs (P, L, I, B) and first states (P, H, B)."""
        last, ctx.kind, ctx.memory = _walk(inputs, first, gates, content, keep=True)
        ctx.save_for_backward(*ctx.memory[:2], gates, content)
        return last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
        """Return the gradients of the arguments of `forward`. Raises `RuntimeError` if called twice."""
        all_hx1, _, gates, content = ctx.saved_tensors
        width, to_inputs = g.shape[1], ctx.needs_input_grad[0]
        of_inputs = torch.empty_like(all_hx1[:, :, width:-1]) if to_inputs else None
        of_gates, of_content = (g.new_zeros(each.mT.shape) for each in (gates, content))
        to_hx, to_x = (gates if to_inputs else gates[:, :, :width]).mT.contiguous(), content.mT.contiguous()
        of_hx = g.new_empty(len(g), to_hx.shape[1], g.shape[2])
        of_h, of_x, g = of_hx[:, :width], of_hx[:, width:-1], g.contiguous()
        kept, dn, part = (torch.empty_like(g) for _ in range(3))
        for t, (hx1, h, x1, d_rzm, _, r, z, m, n) in reversed(list(enumerate(ctx.memory[2]))):
            torch.mul(g, z, out=kept)
            torch.sub(g, kept, out=dn)  # g (1 - z)
            z.mul_(torch.sub(h, n, out=part).mul_(dn))
            torch.mul(n, n, out=part)
            torch.addcmul(dn, dn, part, value=-1, out=n)
            torch.mul(n, r, out=dn)  # dm
            torch.mul(dn, m, out=part)
            torch.addcmul(part, part, r, value=-1, out=r)
            m.copy_(dn)
            of_gates.baddbmm_(hx1, d_rzm.mT)
            of_content.baddbmm_(x1, n.mT)
            torch.bmm(to_hx, d_rzm, out=of_hx)
            if of_inputs is not None:
                torch.baddbmm(of_x, to_x[:, :-1], n, out=of_inputs[:, t])
            g = of_h.add_(kept)
        if not g.is_cuda:  # on a GPU, torch itself keeps memory for the next step
            _spare[ctx.kind] = ctx.memory
            if len(_spare) > 8:
                _spare.pop(next(iter(_spare)))  # the one that was used least recently
        return of_inputs, g, of_gates.mT, of_content.mT
