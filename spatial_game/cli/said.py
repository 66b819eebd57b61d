"""The episodes of a recording in which a message was sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Source
from spatial_game.recording import NOBODY, Recording
from spatial_game.recording.recording import join

Rows = npt.NDArray[np.int64]

UNKNOWN, LOST, WON = range(3)
"""How an episode ended; unknown if the recording does not say."""


@dataclass(frozen=True)
class Sample:
    """Some of a recording's episodes, in order."""

    episodes: Recording
    row: Rows  # (B,), where each stands in the recording, of several files together
    total: int
    """Number of episodes in the recording."""

    @property
    def outcome(self) -> npt.NDArray[np.uint8]:
        """(B,), how each episode ended: UNKNOWN, LOST or WON."""
        choice, target = self.episodes.choice, self.episodes.target_index
        if choice is None or target is None:
            return np.zeros(len(self.row), dtype=np.uint8)
        ended = np.where(choice == target, WON, LOST)
        return np.where(choice == NOBODY, UNKNOWN, ended).astype(np.uint8)


def sent_with(sources: Sequence[Source], message: IntArray) -> Sample:
    """Return the episodes of recordings of one game in which this message (T,) was sent."""

    def rows(block: Recording, start: int) -> Rows:
        return np.flatnonzero((block.message == message).all(axis=1))

    return _selected(sources, rows)


def taken(recording: Recording, rows: Rows) -> Recording:
    """Return these rows of a recording."""
    columns: dict[str, Any] = {name: column[rows] for name, column in recording.columns().items()}
    return Recording(recording.config, **columns, provenance=recording.provenance)


def _selected(sources: Sequence[Source], rows: Callable[[Recording, int], Rows]) -> Sample:
    """Return the rows that a function selects from each block, given the number of its first row."""
    kept, places, start = [], [], 0
    for source in sources:
        for block in source.blocks():
            inside = rows(block, start)
            kept.append(taken(block, inside))
            places.append(inside + start)
            start += len(block)
    return Sample(join(kept), np.concatenate(places), start)
