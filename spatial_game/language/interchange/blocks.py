"""Blocks of a recording, joined in memory or stored on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from spatial_game.recording import Recording, RecordingWriter


def joined(blocks: Iterator[Recording]) -> Recording:
    """All blocks (at least one) as one recording."""
    listed = list(blocks)
    first = listed[0]
    columns = {name: np.concatenate([b.columns()[name] for b in listed]) for name in first.columns()}
    window, message = columns.pop("window"), columns.pop("message")
    return Recording(first.config, window, message, **columns, provenance=first.provenance)  # type: ignore[arg-type]


def stored(blocks: Iterator[Recording], target: str | os.PathLike[str]) -> int:
    """Write all blocks (at least one) to a recording on disk; returns the number of episodes.

    The file appears when all of it is written.
    """
    first = next(blocks)
    written = len(first)
    with RecordingWriter(target, first.config, first.provenance) as writer:
        writer.write(first)
        for block in blocks:
            writer.write(block)
            written += len(block)
    return written
