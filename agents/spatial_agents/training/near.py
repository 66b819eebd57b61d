"""Distractors that a visible integer does not rule out.

Who knows only one visible integer, and not its offset, is left with the cells near that integer. Such
distractors ask for the offset as well (`Recipe.one_factor`).
"""

from __future__ import annotations

import functools

import numpy as np
import torch
from torch import Tensor

from spatial_agents.training.data import DeviceEpisodes
from spatial_game.config import GameConfig
from spatial_game.game.windows import cells_at_offsets, window_cells

_LEAST_WEIGHT = 1e-9  # instead of 0, whose logarithm is not finite


def near_cells(episodes: DeviceEpisodes, game: GameConfig) -> Tensor:
    """Return the cells (..., B, L), the target among them, whose windows can show a visible integer."""
    table = _near_table(game, episodes.window.device)  # (L, W, L)
    near = table[episodes.target_position] & (episodes.window >= 0).unsqueeze(-1)
    return near.any(dim=-2)


@functools.lru_cache(maxsize=16)
def _near_table(game: GameConfig, device: torch.device) -> Tensor:
    """Return which cells have the integer at each place of a target's window at one of the game's offsets."""
    length = game.sequence_length
    near = np.zeros((length, length + 1), dtype=bool)
    np.put_along_axis(near, cells_at_offsets(game), True, axis=1)
    return torch.from_numpy(near[window_cells(game), :length]).to(device)


def nearer(
    episodes: DeviceEpisodes, game: GameConfig, share: float, generator: torch.Generator
) -> DeviceEpisodes:
    """Return the episodes with new candidates: each distractor is near with this probability, if it can be.

    For episodes (B, ...) with one target for each sequence. The other distractors are drawn from all cells.
    """
    rows, size = episodes.candidates.shape
    device = generator.device
    near = near_cells(episodes, game)
    wanted = (torch.rand(rows, size - 1, generator=generator, device=device) < share).sum(dim=1, keepdim=True)
    keys = torch.rand(near.shape, generator=generator, device=device)
    target = torch.nn.functional.one_hot(episodes.target_position, near.shape[1]).bool()
    keys = keys.masked_fill(target, 3.0)  # after all others
    rank = keys.masked_fill(~near, 4.0).argsort(dim=1).argsort(dim=1)
    order = (keys - 2.0 * (near & ~target & (rank < wanted))).argsort(dim=1)
    cells = order[:, : size - 1]
    # Chosen cells stand in the order of their keys, the near ones first, so the target goes to any place.
    own = episodes.target_index[:, None]
    places = torch.arange(size, device=device)
    others = (places - (places > own).long()).clamp(max=size - 2)
    cells = torch.where(places == own, episodes.target_position[:, None], cells.gather(1, others))
    return episodes._replace(candidates=episodes.sequence.gather(1, cells))


def log_weights(episodes: DeviceEpisodes, game: GameConfig, share: float | Tensor) -> Tensor:
    """Return the logarithms (..., B, L) of the weights of all cells as candidates.

    Near distractors together have this share of the weight of all distractors. The target's weight is 1, and
    the mean over the distractors is 1 as well.
    """
    near = near_cells(episodes, game)
    target = episodes.target_position.unsqueeze(-1)
    length = near.shape[-1]
    number = near.sum(dim=-1, keepdim=True) - 1
    of_near = share * (length - 1) / number.clamp(min=1)
    of_far = (1 - share) * (length - 1) / (length - 1 - number).clamp(min=1)
    weights = torch.where(near, of_near, of_far).clamp(min=_LEAST_WEIGHT)
    cells = torch.arange(length, device=near.device)
    return torch.where(cells == target, 0.0, weights.log())
