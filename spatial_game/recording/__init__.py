"""Recorded episodes, one in each row: in memory, and on disk as Parquet.

Only `window` and `message` are needed to analyse a language; the other columns say what the receiver saw and
did. Any tool that writes Parquet can write a recording; the documentation describes the format.
"""

from spatial_game.extras import needs
from spatial_game.recording.format import (
    ANALYSED,
    BLOCK,
    COLUMNS,
    LIST_COLUMNS,
    NOBODY,
    RecordingError,
    list_width,
    symbol_names,
)

with needs("analysis"):  # pyarrow
    from spatial_game.recording.files import (
        Paths,
        RecordingFile,
        Sizes,
        read_recording,
        recording_parts,
        stream,
    )
    from spatial_game.recording.recording import Recording, RecordingWriter, join, record

__all__ = [
    "ANALYSED",
    "BLOCK",
    "COLUMNS",
    "LIST_COLUMNS",
    "NOBODY",
    "Paths",
    "Recording",
    "RecordingError",
    "RecordingFile",
    "RecordingWriter",
    "Sizes",
    "join",
    "list_width",
    "read_recording",
    "record",
    "recording_parts",
    "stream",
    "symbol_names",
]
