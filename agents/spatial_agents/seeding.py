"""Seeds for torch, from the random streams of a root seed (`spatial_game.game.seeds`)."""

from __future__ import annotations

import numpy as np
import torch

from spatial_game.game.seeds import stream


def torch_seed(seed: int, name: str, *key: int) -> int:
    """Return the number that seeds torch for a stream of a root seed."""
    return int(stream(seed, name, *key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def torch_generator(seed: int, name: str, *key: int, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a generator on a device, seeded by a stream of a root seed."""
    return torch.Generator(device).manual_seed(torch_seed(seed, name, *key))
