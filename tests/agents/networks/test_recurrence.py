"""The written-out GRU against torch's own, pair by pair."""

import pytest
import torch
from torch import Tensor, nn

from spatial_agents.networks.layers import LastState, batched_layers
from spatial_agents.networks.recurrence import last_state

NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def torch_gru(features: int, width: int, generator: torch.Generator, dtype: torch.dtype) -> nn.GRU:
    gru = nn.GRU(features, width, batch_first=True, dtype=dtype)
    with torch.no_grad():
        for weight in gru.parameters():
            weight.uniform_(-1, 1, generator=generator)
    return gru


def leaf(*shape: int, generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()


@pytest.mark.parametrize(
    ("pairs", "batch", "length", "features", "width"),
    [(1, 4, 6, 3, 5), (3, 2, 7, 1, 4), (2, 1, 1, 2, 3), (4, 5, 2, 6, 1)],
)
def test_equals_torch_for_each_pair(
    pairs: int, batch: int, length: int, features: int, width: int, generator: torch.Generator
) -> None:
    grus = [torch_gru(features, width, generator, torch.float64) for _ in range(pairs)]
    inputs = leaf(pairs, batch, length, features, generator=generator)
    first = leaf(pairs, batch, width, generator=generator)
    expected = torch.stack([gru(x, h[None])[1][0] for gru, x, h in zip(grus, inputs, first, strict=True)])
    expected.sin().sum().backward()
    wanted = [inputs.grad, first.grad, *(torch.stack([getattr(g, n).grad for g in grus]) for n in NAMES)]

    stacked = [torch.stack([getattr(g, n).detach() for g in grus]).requires_grad_() for n in NAMES]
    inputs, first = (old.detach().clone().requires_grad_() for old in (inputs, first))
    found = last_state(inputs, first, *stacked)
    found.sin().sum().backward()

    torch.testing.assert_close(found, expected)
    for ours, theirs in zip((inputs, first, *stacked), wanted, strict=True):
        torch.testing.assert_close(ours.grad, theirs)


def test_pairs_do_not_touch_each_other(generator: torch.Generator) -> None:
    weights = [leaf(2, 9, 4, generator=generator), leaf(2, 9, 3, generator=generator)]
    weights += [leaf(2, 9, generator=generator), leaf(2, 9, generator=generator)]
    inputs, first = leaf(2, 5, 6, 4, generator=generator), leaf(2, 5, 3, generator=generator)
    with torch.no_grad():
        weights[1][0, 0, 0] = torch.nan
    last_state(inputs, first, *weights).sum().backward()
    for tensor in (inputs, first, *weights):
        assert not torch.isfinite(tensor.grad[0]).all()
        assert torch.isfinite(tensor.grad[1]).all()


@pytest.mark.parametrize("with_first", [False, True])
def test_the_module_is_torchs_gru_without_its_other_states(
    with_first: bool, generator: torch.Generator
) -> None:
    gru = torch_gru(3, 8, generator, torch.float32)
    ours = LastState(3, 8)
    ours.load_state_dict(gru.state_dict())
    inputs = torch.randn((6, 5, 3), generator=generator)
    first = torch.randn((6, 8), generator=generator) if with_first else None
    expected = gru(inputs, None if first is None else first[None])[1][0]
    torch.testing.assert_close(ours(inputs, first), expected)
    with torch.no_grad():
        torch.testing.assert_close(ours(inputs, first), expected)


def test_gradients_are_taken_once(generator: torch.Generator) -> None:
    gru = LastState(2, 3)
    loss = gru(torch.randn((2, 4, 2), generator=generator)).sum()
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="inplace operation"):
        loss.backward()


def test_passes_do_not_share_memory_while_they_are_in_use(generator: torch.Generator) -> None:
    """Several forward passes before the backward ones, and greedy play of another size between them."""
    ours, theirs = LastState(3, 8), nn.GRU(3, 8, batch_first=True)
    theirs.load_state_dict(ours.state_dict())
    batches = [torch.randn((size, 5, 3), generator=generator) for size in (6, 2, 9)]
    for _ in range(3):  # the later rounds meet the memory of the earlier ones
        losses = [ours(inputs).sin().sum() for inputs in batches]
        with torch.inference_mode():
            torch.testing.assert_close(ours(batches[2]), theirs(batches[2])[1][0])
        for loss, inputs in zip(losses, batches, strict=True):
            ours.zero_grad()
            theirs.zero_grad()
            loss.backward()
            theirs(inputs)[1].sin().sum().backward()
            for name in NAMES:
                torch.testing.assert_close(getattr(ours, name).grad, getattr(theirs, name).grad)


class OnGPU(Tensor):
    """A tensor that says that it is on a GPU, so that layers take the way that they take there."""

    is_cuda = True


def test_layers_compute_the_same_in_the_way_of_a_gpu(generator: torch.Generator) -> None:
    table, gru = batched_layers(2).embedding(5, 3), LastState(3, 4)
    with torch.no_grad():
        table.weight.normal_(generator=generator)
    indices = torch.randint(0, 5, (2, 6, 7), generator=generator)
    inputs = torch.randn(6, 7, 3, generator=generator)
    for layer, x, weight in ((table, indices, table.weight), (gru, inputs, gru.weight_hh_l0)):
        plain, there = layer(x), layer(x.as_subclass(OnGPU)).as_subclass(Tensor)
        torch.testing.assert_close(there, plain)
        gradients = [torch.autograd.grad(y.square().sum(), weight)[0] for y in (plain, there)]
        torch.testing.assert_close(gradients[1].as_subclass(Tensor), gradients[0])
