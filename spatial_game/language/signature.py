"""What stands beside every figure of a language: what it depends on, in one phrase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import spatial_game
from spatial_game.config import GameConfig


def signature(config: GameConfig, total: int, settings: str, provenance: Iterable[Mapping[str, Any]]) -> str:
    """Return game, episodes, settings, seeds and version in one phrase, to stand beside every figure.

    `settings` may be empty. The seeds are those that `provenance`, the origins of the recordings, names.
    """
    seeds = ",".join(seeds_of(provenance))
    parts = [config.signature, f"n{total}", settings, f"seed {seeds}" if seeds else ""]
    return " | ".join([*filter(None, parts), spatial_game.__version__])


def seeds_of(provenance: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the seeds that the origins of recordings name."""
    return [str(origin["seed"]) for origin in provenance if "seed" in origin]
