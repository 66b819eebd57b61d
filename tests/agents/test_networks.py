import pytest
import torch

from spatial_agents.networks import GumbelSoftmax, greedy, new_pair
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_papers_pair_has_its_number_of_parameters():
    pair = new_pair(GameConfig(60), AgentConfig(hidden_size=64, inputs="scalars"), generator())
    assert sum(weight.numel() for weight in pair.parameters()) == 71_962
