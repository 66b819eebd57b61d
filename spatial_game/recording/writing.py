"""Write recordings to disk, block by block."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.game.episodes import IntArray
from spatial_game.recording.footer import HASH_KEY, UNSIGNED, sign
from spatial_game.recording.format import (
    ANALYSED,
    COLUMNS,
    FORMAT_VERSION,
    METADATA_KEY,
    RecordingError,
    block_rows,
    list_width,
)

if TYPE_CHECKING:
    from spatial_game.recording.recording import Recording

ROW_GROUP = 1 << 18
"""Rows that are written at a time; fewer if they are long."""


class RecordingWriter:
    """Writes a recording block by block, in constant memory.

    A context manager: the file is written only if the block finishes without an error. Raises
    `RecordingError` for a provenance that is not JSON or uses names of the format.
    """

    def __init__(
        self, path: str | os.PathLike[str], config: GameConfig, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self._path = Path(path)
        self.config = config
        self._metadata = _metadata(config, provenance or {})
        self._temporary: Path  # known within the block
        self._writer: Any = None
        self._pending: list[pa.Table] = []
        self._columns: list[str] | None = None
        self._rows = block_rows(config, COLUMNS, ROW_GROUP)

    def __enter__(self) -> RecordingWriter:
        self._session = contextlib.ExitStack()
        self._temporary = self._session.enter_context(replacing(self._path))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._session:
            try:
                if error is not None:
                    raise error
                self._finish()
            finally:
                if self._writer is not None:
                    with contextlib.suppress(OSError):  # after a failure, closing may fail as well
                        self._writer.close()

    def write(self, recording: Recording) -> None:
        """Append a block. Every block of a file has the same columns.

        Raises `RecordingError` for another block, and `RuntimeError` outside of a `with` statement.
        """
        if not hasattr(self, "_temporary"):
            raise RuntimeError("a RecordingWriter writes within: with RecordingWriter(...) as writer")
        if recording.config != self.config:
            raise RecordingError(f"a block must be of the game {self.config}; got {recording.config}")
        table = _table(recording.config, recording.columns())
        self._columns = self._columns or table.schema.names
        if table.schema.names != self._columns:
            raise RecordingError(f"a block must have the columns {self._columns}; got {table.schema.names}")
        self._pending.append(table)
        if sum(table.num_rows for table in self._pending) >= self._rows:
            self._flush()

    def _flush(self) -> None:
        if not self._pending:
            return
        table = pa.concat_tables(self._pending)
        self._pending = []
        if self._writer is None:
            schema = table.schema.with_metadata({METADATA_KEY: self._metadata})
            # With its whole path: pyarrow takes a name such as a:b for an address.
            path = os.path.abspath(self._temporary)
            self._writer = pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True)
        self._writer.write_table(table, row_group_size=self._rows)

    def _finish(self) -> None:
        if not self._pending and self._writer is None:
            empty = {n: np.empty((0, list_width(self.config, n) or 0), np.int16) for n in ANALYSED}
            self._pending = [_table(self.config, empty)]
        self._flush()
        self._writer.add_key_value_metadata({HASH_KEY: UNSIGNED})
        self._writer.close()
        sign(self._temporary)


def _metadata(config: GameConfig, provenance: Mapping[str, Any]) -> bytes:
    """Return the metadata of a file: the format, the game and the origin of the episodes."""
    own = {"format_version": FORMAT_VERSION, "config": config.to_dict()}
    for name in own:
        if name in provenance:
            raise RecordingError(f"provenance must leave {name} to the format; got {provenance[name]!r}")
    try:
        return json.dumps({**own, **provenance}, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"provenance must be JSON; {error}") from None


def _table(config: GameConfig, columns: Mapping[str, IntArray]) -> pa.Table:
    arrays = {}
    for name, column in columns.items():
        flat = pa.array(np.ascontiguousarray(column).reshape(-1), type=pa.int16())
        width = list_width(config, name)
        arrays[name] = flat if width is None else pa.FixedSizeListArray.from_arrays(flat, width)
    return pa.table(arrays)
