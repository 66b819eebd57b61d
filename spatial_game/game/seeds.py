"""Independent random streams of one root seed."""

from __future__ import annotations

import numpy as np


def stream(seed: int, name: str, *key: int) -> np.random.SeedSequence:
    """Return an independent random stream of a root seed, always the same for the same name and key.

    It is a child of the root, as `SeedSequence.spawn` makes them, with the name and the key as its spawn key
    instead of a number. Streams of different names or keys are independent, in any order of creation.

    Raises `ValueError` for a seed below 0.
    """
    if seed < 0:
        raise ValueError(f"seed must be at least 0; got {seed}")
    return np.random.SeedSequence(seed, spawn_key=(*name.encode(), *key))
