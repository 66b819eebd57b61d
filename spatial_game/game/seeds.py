"""Independent random streams of one root seed."""

from __future__ import annotations

import numpy as np

from spatial_game.checks import require_whole


def random_stream(seed: int, name: str, *key: int) -> np.random.SeedSequence:
    """Return an independent random stream of a root seed, always the same for the same name and key.

    It is a child of the root, as `SeedSequence.spawn` makes them, with the name and the key as its spawn key
    instead of a number. Streams of different names or keys are independent, in any order of creation. The
    name decides what is drawn, so another name changes recordings and trainings of the same seed.

    Raises `ValueError` for a seed below 0.
    """
    return np.random.SeedSequence(require_whole("seed", seed, 0), spawn_key=(*name.encode(), *key))


def replicate_seeds(seed: int, number: int, name: str) -> list[int]:
    """Return the seeds of replicates: the seed itself, and others that are drawn from it.

    They are independent also of those of neighbouring seeds, as seed + i would not be. They fit into int64.
    """
    others = random_stream(seed, name).generate_state(number - 1, np.uint64)
    return [seed, *(others >> np.uint64(1)).tolist()]


def rng_of_wrappers(seed: int | None) -> np.random.Generator:
    """Return the generator of an environment for wrappers that draw, apart from its episodes' stream."""
    return np.random.default_rng(None if seed is None else random_stream(seed, "wrappers"))
