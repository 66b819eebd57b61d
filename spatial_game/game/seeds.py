"""Independent random streams of one root seed."""

from __future__ import annotations

import numpy as np


def stream(seed: int, name: str) -> np.random.SeedSequence:
    """An independent random stream of a root seed, the same wherever it is asked for.

    A child of the root as `SeedSequence.spawn` makes them, but with the name as its key instead of a number:
    streams of different names never meet, in whatever order they are made.

    Raises `ValueError` for a seed below 0.
    """
    if seed < 0:
        raise ValueError(f"seed must be at least 0; got {seed}")
    return np.random.SeedSequence(seed, spawn_key=tuple(name.encode()))
