"""Read and write the files of other tools: CSV, EGG's interactions, and the JSON of the paper's code.

The formats are JSON, CSV and plain arrays, never pickles, so reading a file cannot run code.
"""

from spatial_game.language.interchange.arrays import export_tensors, read_tensors
from spatial_game.language.interchange.interactions import read_interactions
from spatial_game.language.interchange.reading import InterchangeError
from spatial_game.language.interchange.sheets import csv_blocks, export_csv, read_csv

__all__ = [
    "InterchangeError",
    "csv_blocks",
    "export_csv",
    "export_tensors",
    "read_csv",
    "read_interactions",
    "read_tensors",
]
