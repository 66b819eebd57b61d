"""Training episodes without the combinations that are held out: see `spatial_game.studies.held_out`."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from spatial_agents.device_episodes import DeviceEpisodes, draw_device_episodes
from spatial_game.config import GameConfig
from spatial_game.studies.held_out import HeldOut


class Allowed:
    """Draws episodes whose windows show nothing that is held out.

    More are drawn than are needed, and those that may be used come first: no episode is waited for, so a
    step needs no word from the device. How many more leaves a chance below 1e-9 that too few may be used.
    """

    def __init__(self, held: HeldOut, device: torch.device) -> None:
        self.table = torch.from_numpy(held.by_mask_column).to(device)  # (W, W, integers)
        left = 1 - held.cells.mean(axis=1).max()
        self.share = float(left) ** (2 * held.config.window_radius)

    def draw(self, config: GameConfig, num_episodes: int, generator: torch.Generator) -> DeviceEpisodes:
        """So many episodes of `config`, whose integers and window are those of the held-out game."""
        episodes = draw_device_episodes(config, self.number_to_draw(num_episodes), generator)
        order = self.shows(episodes).to(torch.int8).argsort(stable=True)[:num_episodes]
        return DeviceEpisodes(*(field[order] for field in episodes))

    def shows(self, episodes: DeviceEpisodes) -> Tensor:
        """(B,), whether a window shows any of what is held out."""
        cells = torch.arange(episodes.window.shape[1], device=episodes.window.device)
        shown = self.table[episodes.mask_column[:, None], cells, episodes.window.clamp(min=0)]
        return shown.any(dim=1)

    def number_to_draw(self, num_episodes: int) -> int:
        """As many as leave `num_episodes` allowed ones, but for a chance below 1e-9 (seven deviations)."""
        wanted = num_episodes + 7 * math.sqrt(num_episodes) + 49
        return math.ceil(wanted / self.share)
