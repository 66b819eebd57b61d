"""Read and write the files of other tools: CSV, EGG's interactions, and the JSON of the paper's code.

The formats are JSON, CSV and plain arrays, never pickles, so reading a file cannot run code. To add one: a
file with a function, and a line in `IMPORTERS` or `EXPORTERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from spatial_game.language.interchange.arrays import export_tensors, read_tensors
from spatial_game.language.interchange.interactions import read_interactions
from spatial_game.language.interchange.reading import InterchangeError
from spatial_game.language.interchange.sheets import csv_blocks, export_csv, read_csv
from spatial_game.recording import Recording, RecordingFile

__all__ = [
    "EXPORTERS",
    "IMPORTERS",
    "InterchangeError",
    "csv_blocks",
    "export_csv",
    "export_tensors",
    "read_csv",
    "read_interactions",
    "read_tensors",
]

IMPORTERS: dict[str, Callable[..., Recording | Iterator[Recording]]] = {
    "interactions": read_interactions,
    "csv": csv_blocks,
    "tensors": read_tensors,
}
"""By format, what reads a file: it is called with the path and the sizes of the game that are known."""

EXPORTERS: dict[str, Callable[[RecordingFile, Path], int]] = {"csv": export_csv, "tensors": export_tensors}
"""By format, what writes a recording to a file."""
