"""Trained pairs by name: installed packages offer them through an entry point.

A package that offers pairs registers a module in the entry point group `spatial_game.pairs`. The module has
two functions: `pair_names()` returns the names of its bundled pairs, and `load_pair(name, index=0)` loads a
pair by such a name, from a run folder or from a weights file. It may have a third:
`load_untrained(name, seed)` draws the weights of such a pair as before training.
"""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from typing import Any

from spatial_game.config import did_you_mean

GROUP = "spatial_game.pairs"


def find_pair(name: str, index: int = 0) -> Any:
    """Load a trained pair by its bundled name, from a run folder or from a weights file.

    `index` chooses among several. Raises `ValueError` for a name that no installed package offers.
    """
    offers = [entry_point.load() for entry_point in entry_points(group=GROUP)]
    names = [known for offer in offers for known in offer.pair_names()]
    for offer in offers:
        if name.split("/")[0] in offer.pair_names() or os.path.exists(name):  # false for long names, too
            return offer.load_pair(name, index=index)
    bundled = f"a bundled pair ({', '.join(names)})" if names else "a bundled pair (none is installed)"
    raise ValueError(
        f'partner must be "oracle", "random", {bundled}, a run folder, a weights file or a policy; '
        f'got "{name}"{did_you_mean(name, ["oracle", "random", *names])}'
    )


def bundled_names() -> list[str]:
    """Return the names of the bundled pairs of all installed packages."""
    return [name for entry_point in entry_points(group=GROUP) for name in entry_point.load().pair_names()]


def find_untrained(name: str, seed: int) -> Any:
    """Return a pair as before training, like a bundled one. Raises `ValueError` if no package offers it."""
    for entry_point in entry_points(group=GROUP):
        offer = entry_point.load()
        if name in offer.pair_names() and hasattr(offer, "load_untrained"):
            return offer.load_untrained(name, seed)
    raise ValueError(f"an untrained pair must be like a bundled one; got {name}")
