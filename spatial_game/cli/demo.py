"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Demo:
    """See a trained pair play, and read its language: the whole loop in two minutes."""

    seed: int = 0
    """Root of the random streams."""

    def run(self) -> None:
        """All of it."""
        raise ValueError("not yet")
