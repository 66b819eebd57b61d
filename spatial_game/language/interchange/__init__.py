"""Read and write the files of other tools: the paper's interactions, ELCC, CSAR, CSV, EGG's tensors.

The formats are JSON, CSV and plain arrays, never pickles, so reading a file cannot run code.
"""

from spatial_game.language.interchange.corpora import (
    Atoms,
    export_csar,
    export_elcc,
    read_corpus,
    read_csar,
    write_corpus,
)
from spatial_game.language.interchange.errors import InterchangeError
from spatial_game.language.interchange.interactions import (
    read_interactions,
)
from spatial_game.language.interchange.tables import (
    csv_game,
    export_csv,
    export_tensors,
    read_csv,
    read_tensors,
)

__all__ = [
    "Atoms",
    "InterchangeError",
    "csv_game",
    "export_csar",
    "export_csv",
    "export_elcc",
    "export_tensors",
    "read_corpus",
    "read_csar",
    "read_csv",
    "read_interactions",
    "read_tensors",
    "write_corpus",
]
