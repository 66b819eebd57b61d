"""A sender and a receiver that are trained, saved and hashed together."""

from __future__ import annotations

import torch
from torch import nn

from spatial_agents.networks import gru, landmark, local
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

KINDS = {"gru": gru, "local": local, "landmark": landmark}
"""The modules of the networks, by `AgentConfig.kind`."""


class PairNetwork(nn.Module):
    """The sender and the receiver."""

    def __init__(self, sender: nn.Module, receiver: nn.Module) -> None:
        super().__init__()
        self.sender, self.receiver = sender, receiver


def new_pair(game: GameConfig, agent: AgentConfig, seed: int = 0) -> PairNetwork:
    """Return a pair with the random weights of a seed. torch's global generator does not change."""
    kind = KINDS[agent.kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return PairNetwork(kind.SenderNetwork(game, agent), kind.ReceiverNetwork(game, agent))
