import torch

from spatial_agents.training.adam import MOMENTS, Adam


def test_steps_are_those_of_torchs_class():
    """Also for a weight without a gradient, which stays."""
    generator = torch.Generator().manual_seed(0)
    ours, theirs = ([torch.ones(3, 2), torch.ones(5), torch.ones(4)] for _ in range(2))
    found, expected = Adam(ours), torch.optim.Adam(theirs, lr=0.0, fused=True)
    for step in range(5):
        for one, other in zip(ours[:2], theirs[:2], strict=True):
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        found.set_rate(0.1 / (step + 1))
        expected.param_groups[0]["lr"] = 0.1 / (step + 1)
        found.step()
        expected.step()
    for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert torch.equal(one, other)
        for name in MOMENTS if i < 2 else ():
            assert torch.equal(found.moments[name][i], expected.state[other][name])
    found.zero_grad()
    assert all(weight.grad is None for weight in ours)
