"""Read and write the files of other tools: CSV, EGG's interactions, and the JSON of the paper's code.

The formats are JSON, CSV and plain arrays, never pickles, so reading a file cannot run code. To add one: a
file with a function, and a line in `IMPORTERS` or `EXPORTERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from spatial_game.language.counting.counts import Source
from spatial_game.language.interchange.csv import csv_blocks, export_csv, read_csv
from spatial_game.language.interchange.guessing import import_advice
from spatial_game.language.interchange.importing import InterchangeError, imported
from spatial_game.language.interchange.interactions import read_interactions
from spatial_game.language.interchange.tensors import export_tensors, read_tensors
from spatial_game.recording import Recording

__all__ = [
    "EXPORTERS",
    "IMPORTERS",
    "InterchangeError",
    "csv_blocks",
    "export_csv",
    "export_tensors",
    "import_advice",
    "imported",
    "read_csv",
    "read_interactions",
    "read_tensors",
]

IMPORTERS: dict[str, tuple[Callable[..., Recording | Iterator[Recording]], str]] = {
    "interactions": (read_interactions, "JSON of the paper's published code"),
    "csv": (csv_blocks, "a column for each cell (window_0, ...) or for each list"),
    "tensors": (read_tensors, "npz arrays named as in EGG's Interaction"),
}
"""By format, what reads a file, and what the format is, for the help.

The function is called with the path and the sizes of the game that are known.
"""

EXPORTERS: dict[str, tuple[Callable[[Source, Path], int], str]] = {
    "csv": (export_csv, "a column for each cell"),
    "tensors": (export_tensors, "arrays (npz, without pickle) named as in EGG's Interaction"),
}
"""By format, what writes a recording to a file, and what the format is."""
