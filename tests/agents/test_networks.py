"""Symbols are what the channel promises. `test_players` compares the networks with NumPy."""

import torch

from spatial_agents.agent_config import AgentConfig
from spatial_agents.networks import gumbel_softmax, networks_of, new_pair
from spatial_game.config import GameConfig


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_papers_pair_has_its_number_of_parameters():
    pair = new_pair(GameConfig(60), networks_of(AgentConfig(hidden_size=64, inputs="scalars")))
    assert sum(weight.numel() for weight in pair.parameters()) == 71_962


def test_soft_symbols_are_distributions_that_follow_the_logits_and_the_temperature():
    logits = torch.tensor([[2.0, 1.0, 0.0]]).repeat(20_000, 1)
    samples = gumbel_softmax(logits, generator())
    torch.testing.assert_close(samples.sum(dim=1), torch.ones(len(samples)))
    chosen = torch.bincount(samples.argmax(dim=1), minlength=3) / len(samples)
    torch.testing.assert_close(chosen, logits[0].softmax(dim=0), atol=0.02, rtol=0)
    cold, hot = (
        gumbel_softmax(torch.zeros(500, 4), generator(), of).max(dim=1).values for of in (0.01, 10.0)
    )
    assert cold.mean() > 0.98
    assert hot.mean() < 0.4
