"""Recorded episodes, one in each row: in memory, and on disk as Parquet.

Only `window` and `message` are needed to analyse a language; the other columns say what the receiver saw and
did. Any tool that writes Parquet can write a recording; the documentation describes the format.
"""

from spatial_game.extras import needs
from spatial_game.recording.format import ANALYSED as ANALYSED
from spatial_game.recording.format import COLUMNS as COLUMNS
from spatial_game.recording.format import LIST_COLUMNS as LIST_COLUMNS
from spatial_game.recording.format import NOBODY as NOBODY
from spatial_game.recording.format import RecordingError as RecordingError
from spatial_game.recording.format import list_width as list_width
from spatial_game.recording.format import symbol_names as symbol_names

with needs("analysis"):  # pyarrow
    from spatial_game.recording.files import Paths as Paths
    from spatial_game.recording.files import RecordingFile as RecordingFile
    from spatial_game.recording.files import read_recording as read_recording
    from spatial_game.recording.files import recording_parts as recording_parts
    from spatial_game.recording.files import stream as stream
    from spatial_game.recording.recording import Recording as Recording
    from spatial_game.recording.recording import RecordingWriter as RecordingWriter
    from spatial_game.recording.recording import join as join
    from spatial_game.recording.recording import record as record
