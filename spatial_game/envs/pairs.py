"""Trained pairs by name: installed packages offer them through an entry point.

A package that offers pairs registers a module in the entry point group `spatial_game.pairs`. The module has
two functions: `pair_names()` returns the names of its bundled pairs, and `load_pair(name, index=0)` loads a
pair by such a name, from a run folder or from a weights file.
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
