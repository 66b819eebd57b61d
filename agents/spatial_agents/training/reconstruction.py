"""A second task of the receiver: to say, from the message alone, what the sender saw.

Choosing among candidates alone may be solved best by inconsistent languages; saying the window is not (Ben
Zion et al. 2024). The layer for it exists in checkpoints only: the finished pair does not have it.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor, nn

from spatial_agents.networks.layers import PLAIN, Layers
from spatial_agents.recipes import AgentConfig
from spatial_agents.training.data import DeviceEpisodes
from spatial_game.config import GameConfig
from spatial_game.game.windows import offset_numbers


def new_head(game: GameConfig, agent: AgentConfig, layers: Layers = PLAIN) -> nn.Module:
    """Return the layer from the receiver's state (B, H) to logits of each offset's integer, without numbers.

    For each of the game's offsets there is a logit for each integer, and a last one for no visible integer.
    """
    with torch.device("meta"):
        return layers.linear(agent.hidden_size, len(game.offsets) * (len(game.integers) + 1))


def reconstruction_costs(
    head: nn.Module, understood: Tensor, episodes: DeviceEpisodes, game: GameConfig
) -> Tensor:
    """Return the summed cross-entropies (..., B) of what stands at each offset, in nats.

    `understood` (..., B, H) is the receiver's state after the message.
    """
    logits = head(understood).unflatten(-1, (len(game.offsets), len(game.integers) + 1))
    wanted = seen_at_offsets(episodes, game).unsqueeze(-1)
    return -logits.log_softmax(dim=-1).gather(-1, wanted).squeeze(-1).sum(dim=-1)


def seen_at_offsets(episodes: DeviceEpisodes, game: GameConfig) -> Tensor:
    """Return the visible integer (..., B, offsets) at each offset; the number of integers where none is."""
    numbers = _numbers(game, episodes.window.device)[episodes.mask_column]
    nothing = len(game.integers)
    seen = episodes.window.masked_fill(episodes.window < 0, nothing)
    empty = torch.full((*seen.shape[:-1], len(game.offsets) + 1), nothing, device=seen.device)
    return empty.scatter(-1, numbers, seen)[..., :-1]


@functools.lru_cache(maxsize=16)
def _numbers(game: GameConfig, device: torch.device) -> Tensor:
    """Return the number of each place's offset (W, W); the mask's is one more than the last."""
    numbers = torch.tensor(offset_numbers(game), device=device)
    return numbers.masked_fill(numbers < 0, len(game.offsets))
