"""Training episodes without the combinations that are held out: see `spatial_game.studies.held_out`."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from spatial_agents.device_episodes import DeviceEpisodes, draw_device_episodes
from spatial_game.config import GameConfig
from spatial_game.studies.held_out import HeldOut

_LEAST_SHARE = 0.02
_SAMPLED = 20_000  # windows by which a share is estimated; fewer, where they are made of very many integers


class Allowed:
    """Draws episodes whose windows show nothing that is held out.

    More are drawn than are needed, and those that may be used come first: no episode is waited for, so a
    step needs no word from the device. How many more leaves a chance below 1e-9 that too few may be used.

    Raises `ValueError` when less than 1 in 50 windows may be used.
    """

    def __init__(self, held: HeldOut, device: torch.device) -> None:
        self.table = torch.from_numpy(held.by_mask_column).to(device)  # (W, W, integers)
        self.share = least_share(held)
        if self.share < _LEAST_SHARE:
            raise ValueError(
                f"hold_out must leave at least {_LEAST_SHARE:.0%} of the windows for training; got one that "
                f"leaves {self.share:.2%}"
            )

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


def least_share(held: HeldOut) -> float:
    """The share of windows that show nothing held out, where the target stands at its worst place for that.

    A lower limit, seven deviations below the estimate from windows of random integers, of which none comes
    twice: so the cells of a window depend on each other, the more the fewer integers there are.
    """
    width, number = held.config.window_size, len(held.config.integers)
    rng = np.random.default_rng(0)
    size = min(_SAMPLED, 4_000_000 // number)
    integers = np.argpartition(rng.random((size, number)), width - 1, axis=1)[:, :width]
    integers = rng.permuted(integers, axis=1)
    shares = []
    for of_mask in held.by_mask_column:  # (W, integers)
        share = 1 - of_mask[np.arange(width), integers].any(axis=1).mean()
        shares.append(share - 7 * math.sqrt(share * (1 - share) / size))
    return max(0.0, float(min(shares)))
