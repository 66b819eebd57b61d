"""The state of one episode at one moment, from which text and pictures are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, IntArray
from spatial_game.game.rules import won
from spatial_game.game.windows import window_tables


@dataclass(frozen=True, eq=False)
class Scene:
    """The state of an episode: what the agents can see, and what they have done so far."""

    config: GameConfig
    episode: Episodes  # a batch of one
    message: IntArray  # (T,), -1 in the slots that are not sent yet
    choice: int | None = None  # None until the receiver has chosen

    @property
    def window_cells(self) -> list[int]:
        """The cells of the sequence that make up the window, including the target's."""
        tables = window_tables(self.config)
        cells: list[int] = (tables.first_cell[self.episode.target_position[0]] + tables.steps).tolist()
        return cells

    @property
    def sent(self) -> bool:
        """Whether the whole message has been sent."""
        return bool((self.message >= 0).all())

    @property
    def window_kinds(self) -> list[str]:
        """What the sender sees of each cell of the window: "window", the "target", or "hidden" cells."""
        return [{MASK: "target", HIDDEN: "hidden"}.get(n, "window") for n in self.episode.window[0].tolist()]

    @property
    def sequence_kinds(self) -> list[str]:
        """The kinds of the window's cells in the whole sequence; "plain" for the others."""
        kinds = ["plain"] * len(self.episode.sequence[0])
        for cell, kind in zip(self.window_cells, self.window_kinds, strict=True):
            kinds[cell] = kind
        return kinds

    @property
    def won(self) -> bool | None:
        """Whether the choice is the target; None until the receiver has chosen."""
        if self.choice is None:
            return None
        return bool(won(self.episode.target_index, np.array([self.choice]))[0])

    @property
    def verdict(self) -> str:
        """What both agents earn, in words; "" until the receiver has chosen."""
        if self.choice is None:
            return ""
        if self.won:
            return "right: both agents earn 1"
        return f"wrong, it is {self.episode.target[0]}: both agents earn 0"
