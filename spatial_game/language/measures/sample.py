"""Episodes as the numbers that measures are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.wording import signed
from spatial_game.recording import Recording


@dataclass(frozen=True, eq=False)
class Sample:
    """B episodes in random order, as numbers."""

    config: GameConfig
    message: IntArray
    """(B, T)."""
    number: Numbers
    """(B,), the number of each message among the different ones."""
    edge: Numbers
    """(B,), the number of each window's edge."""
    integers: Numbers
    """(B, O), the integers at the offsets; below 0 where the sender sees none."""

    @classmethod
    def of(cls, recording: Recording, rng: np.random.Generator) -> Sample:
        """Return the episodes of a recording in random order."""
        columns, order = columns_of(recording.config), rng.permutation(len(recording))
        message, window = recording.message[order], recording.window[order]
        number = distinct_rows(message)[1]
        return cls(recording.config, message, number, columns.edge_of(window), columns.at_offsets(window))

    def __len__(self) -> int:
        return len(self.message)

    def __getitem__(self, rows: Any) -> Sample:
        """Return some of the episodes."""
        kept = (self.message[rows], self.number[rows], self.edge[rows], self.integers[rows])
        return Sample(self.config, *kept)

    def shuffled(self, rng: np.random.Generator) -> Sample:
        """Return a copy with the messages permuted among the windows."""
        order = rng.permutation(len(self))
        return Sample(self.config, self.message[order], self.number[order], self.edge, self.integers)

    def mixed(self, rng: np.random.Generator) -> Sample:
        """Return a copy with the symbols of each slot permuted among the messages."""
        message = rng.permuted(self.message, axis=0)
        return Sample(self.config, message, distinct_rows(message)[1], self.edge, self.integers)

    @cached_property
    def central(self) -> Sample:
        """The episodes whose target is near no end: their windows have a cell at each nearby offset."""
        return self[self.edge == columns_of(self.config).no_edge]

    @property
    def by_offset(self) -> Iterator[tuple[str, Numbers]]:
        """The name of each offset, and the integers (B,) there."""
        return zip(map(signed, self.config.offsets), self.integers.T, strict=True)
