"""Stored play: one row an episode, in memory and as Parquet (format version 1).

Only `window` and `message` are needed to analyse a language; the other columns say what the receiver saw
and did. Any tool that writes Parquet can write a recording, see the file formats in the documentation.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.game.episodes import MASK, Episodes, IntArray
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import check_messages, play

FORMAT_VERSION = 1
METADATA_KEY = b"spatial_game"
NOBODY = -1
"""The choice in an episode where no receiver chose."""

LIST_COLUMNS = ("window", "message", "candidates", "sequence")
SCALAR_COLUMNS = ("target_index", "choice", "target_position")
COLUMNS = ("window", "message", "candidates", "target_index", "choice", "target_position", "sequence")
ANALYSED = ("window", "message")
"""The columns that the analysis of a language reads."""

ROW_GROUP = 1 << 18
"""Rows that are written together."""
BLOCK = 1 << 16
"""Rows that are read together: few enough for a processor's cache."""

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class RecordingError(ValueError):
    """A recording that cannot be read, or that breaks a rule of the format; names file, row and column."""


@dataclass(frozen=True)
class Recording:
    """B recorded episodes. Checks every row, and raises `RecordingError` naming row, column and rule."""

    config: GameConfig
    window: IntArray  # (B, W), in 0..num_integers-1, different, and one MASK
    message: IntArray  # (B, T), in 0..vocab_size-1
    candidates: IntArray | None = None  # (B, C), in 0..num_integers-1
    target_index: IntArray | None = None  # (B,), in 0..C-1
    choice: IntArray | None = None  # (B,), in 0..C-1 or NOBODY
    target_position: IntArray | None = None  # (B,), in 0..L-1
    sequence: IntArray | None = None  # (B, L), in 0..num_integers-1
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Where the episodes come from: seeds, versions, hashes of the policies' weights; JSON."""
    first_row: int = 0
    """The row at which this block stands in its file, for error messages."""

    def __post_init__(self) -> None:
        for name, column in self.columns().items():
            object.__setattr__(self, name, _checked_column(self, name, column))
        _check_windows(self)

    def __len__(self) -> int:
        return len(self.window)

    @property
    def num_rows(self) -> int:
        """Number of episodes."""
        return len(self)

    def columns(self) -> dict[str, IntArray]:
        """The columns that are present, by name, in the order of the format."""
        present = {name: getattr(self, name) for name in COLUMNS}
        return {name: column for name, column in present.items() if column is not None}

    @property
    def accuracy(self) -> float:
        """Share of episodes in which the receiver chose the target.

        Raises `RecordingError` if the recording does not say, has no episodes, or some in which nobody chose.
        """
        if self.choice is None or self.target_index is None or len(self) == 0:
            raise RecordingError("accuracy needs episodes with the columns choice and target_index")
        if (self.choice == NOBODY).any():
            raise RecordingError(f"accuracy needs episodes in which someone chose; got a choice of {NOBODY}")
        return float(np.mean(self.choice == self.target_index))

    def blocks(self, *, columns: Sequence[str] | None = None, batch_size: int = BLOCK) -> Iterator[Recording]:
        """The episodes in blocks, as `RecordingFile.blocks` gives them from disk; at least one block."""
        kept = {n: c for n, c in self.columns().items() if columns is None or n in (*columns, *ANALYSED)}
        if len(self) <= batch_size:
            yield self
            return
        for start in range(0, len(self), batch_size):
            rows = {name: column[start : start + batch_size] for name, column in kept.items()}
            yield _unchecked(self, rows, self.first_row + start)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the recording as one Parquet file, by way of a temporary one."""
        with RecordingWriter(path, self.config, self.provenance) as writer:
            writer.write(self)


def record(
    sender: Sender,
    receiver: Receiver | None,
    episodes: Episodes,
    config: GameConfig,
    provenance: Mapping[str, Any] | None = None,
) -> Recording:
    """Let two policies play `episodes` and keep all that happened; without a receiver, nobody chooses."""
    choice: IntArray
    if receiver is None:
        message: IntArray = check_messages(sender.send(episodes.window), config, len(episodes))
        choice = np.full(len(episodes), NOBODY, dtype=np.int16)
    else:
        message, choice = play(sender, receiver, episodes, config)
    return Recording(
        config,
        window=episodes.window,
        message=message,
        candidates=episodes.candidates,
        target_index=episodes.target_index,
        choice=choice,
        target_position=episodes.target_position,
        sequence=episodes.sequence,
        provenance=provenance or {},
    )


def _unchecked(whole: Recording, rows: Mapping[str, IntArray], first_row: int) -> Recording:
    """A block of a recording whose rows have been checked with it."""
    block: Recording = object.__new__(Recording)
    absent = dict.fromkeys(COLUMNS)
    rest = {"config": whole.config, "provenance": whole.provenance, "first_row": first_row}
    for name, value in {**absent, **rows, **rest}.items():
        object.__setattr__(block, name, value)
    return block


# --- Checking -------------------------------------------------------------------------------------------


def _checked_column(recording: Recording, name: str, column: Any) -> npt.NDArray[np.int16]:
    """The column as int16, or a `RecordingError` for what breaks the format."""
    config = recording.config
    array = np.asarray(column)
    if not np.issubdtype(array.dtype, np.integer):
        raise RecordingError(f"column {name} must hold integers; got {array.dtype}")
    width = _width(config, name)
    shape = (len(recording.window),) if width is None else (len(recording.window), width)
    if array.shape != shape:
        raise RecordingError(f"column {name} must have the shape {shape}; got {array.shape}")
    low, high = _bounds(config, name)
    if array.size and (array.min() < low or array.max() > high):
        row = int(np.argmax(_any_cell((array < low) | (array > high))))
        bad = next(int(x) for x in np.atleast_1d(array[row]) if not low <= x <= high)
        where = recording.first_row + row
        raise RecordingError(f"row {where}, column {name}: values must be in {low}..{high}; got {bad}")
    return array.astype(np.int16, copy=False)


def _width(config: GameConfig, name: str) -> int | None:
    """Cells in each row of a list column; None for a column of single numbers."""
    return {
        "window": config.window_size,
        "message": config.message_length,
        "candidates": config.num_candidates,
        "sequence": config.sequence_length,
    }.get(name)


def _bounds(config: GameConfig, name: str) -> tuple[int, int]:
    largest_integer = len(config.integers) - 1
    return {
        "window": (MASK, largest_integer),
        "message": (0, config.vocab_size - 1),
        "candidates": (0, largest_integer),
        "sequence": (0, largest_integer),
        "target_index": (0, config.num_candidates - 1),
        "choice": (NOBODY, config.num_candidates - 1),
        "target_position": (0, config.sequence_length - 1),
    }[name]


def _check_windows(recording: Recording) -> None:
    """Each window has one mask and no integer twice."""
    cells = np.ascontiguousarray(recording.window.T)
    masks = np.zeros(cells.shape[1], dtype=np.int16)
    repeated = np.zeros(cells.shape[1], dtype=bool)
    for i, cell in enumerate(cells):
        masks += cell == MASK
        for other in cells[:i]:
            repeated |= cell == other
    if np.any(masks != 1):
        row = int(np.argmax(masks != 1))
        where = f"row {recording.first_row + row}, column window"
        raise RecordingError(f"{where}: a window must have one mask ({MASK}); got {masks[row]}")
    if np.any(repeated):
        row = int(np.argmax(repeated))
        where = f"row {recording.first_row + row}, column window"
        raise RecordingError(
            f"{where}: integers of a window must be different; got {recording.window[row].tolist()}"
        )


def _any_cell(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    return np.asarray(cells.reshape(len(cells), -1).any(axis=1))


# --- Writing --------------------------------------------------------------------------------------------


class RecordingWriter:
    """Writes a recording block by block, in flat memory.

    A context manager: the file appears under its name when the block ends well, and not at all otherwise.
    Raises `RecordingError` for a provenance that is not JSON or has names of the format's own.
    """

    def __init__(
        self, path: str | os.PathLike[str], config: GameConfig, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self.path = Path(path)
        self.config = config
        self.provenance = dict(provenance or {})
        self._writer: Any = None
        self._pending: list[pa.Table] = []
        self._columns: list[str] | None = None
        self._metadata = _metadata(config, self.provenance)

    def __enter__(self) -> RecordingWriter:
        self._session = self._replacing()
        self._session.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._session.__exit__(kind, error, traceback)

    @contextlib.contextmanager
    def _replacing(self) -> Iterator[None]:
        with replacing(self.path) as self._temporary:
            try:
                yield
                self._pending = self._pending or ([] if self._writer else [_empty_table(self.config)])
                self._flush()
                self._writer.close()
            except BaseException:
                self._abandon()
                raise

    def write(self, recording: Recording) -> None:
        """Append a block. Every block of a file has the same columns."""
        if recording.config != self.config:
            raise RecordingError(f"a block must be of the game {self.config}; got {recording.config}")
        table = _table(recording)
        self._columns = self._columns or table.schema.names
        if table.schema.names != self._columns:
            raise RecordingError(f"a block must have the columns {self._columns}; got {table.schema.names}")
        self._pending.append(table)
        if sum(table.num_rows for table in self._pending) >= ROW_GROUP:
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
            self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._writer.write_table(table, row_group_size=ROW_GROUP)

    def _abandon(self) -> None:
        """Close the file of a failed write; that this fails too (a full disk) is no news."""
        if self._writer is not None:
            with contextlib.suppress(OSError):
                self._writer.close()


def _metadata(config: GameConfig, provenance: Mapping[str, Any]) -> bytes:
    """What the header of a file says: the format, the game, and where the episodes come from."""
    own = {"format_version": FORMAT_VERSION, "config": config.to_dict()}
    for name in own:
        if name in provenance:
            raise RecordingError(f"provenance must leave {name} to the format; got {provenance[name]!r}")
    try:
        return json.dumps({**own, **provenance}, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise RecordingError(f"provenance must be JSON; {error}") from None


def _table(recording: Recording) -> pa.Table:
    arrays = {}
    for name, column in recording.columns().items():
        flat = pa.array(np.ascontiguousarray(column).reshape(-1), type=pa.int16())
        width = _width(recording.config, name)
        arrays[name] = flat if width is None else pa.FixedSizeListArray.from_arrays(flat, width)
    return pa.table(arrays)


def _empty_table(config: GameConfig) -> pa.Table:
    window, message = (np.empty((0, _width(config, name) or 0), np.int16) for name in ANALYSED)
    return _table(Recording(config, window, message))


# --- Reading --------------------------------------------------------------------------------------------


def read_recording(
    paths: Paths, *, columns: Sequence[str] | None = None, config: GameConfig | None = None
) -> Recording:
    """Read whole recordings into memory, several files as one. Arguments and errors as for `stream`."""
    blocks = list(stream(paths, columns=columns, config=config))
    first = blocks[0]
    for block in blocks:
        if block.columns().keys() != first.columns().keys():
            raise RecordingError(
                f"files must have the same columns; got {list(first.columns())} and {list(block.columns())}"
            )
    joined: dict[str, Any] = {
        name: np.concatenate([b.columns()[name] for b in blocks]) for name in first.columns()
    }
    return dataclasses.replace(first, **joined)


def stream(
    paths: Paths,
    *,
    columns: Sequence[str] | None = None,
    config: GameConfig | None = None,
    batch_size: int = BLOCK,
) -> Iterator[Recording]:
    """Read recordings block by block, in flat memory; at least one block, which may have no rows.

    `columns`: which to read (`window` and `message` always are); default, all that the file has. `config` is
    for files that carry none, and must agree with those that do.

    Raises `RecordingError` for a file that is missing, truncated, foreign or that breaks the format.
    """
    for part in recording_parts(paths, config=config):
        yield from part.blocks(columns=columns, batch_size=batch_size)


def recording_parts(paths: Paths, *, config: GameConfig | None = None) -> list[RecordingFile]:
    """Open recordings of one game: their headers only. Arguments and errors as for `stream`."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not listed:
        raise RecordingError("at least one recording must be given; got none")
    files = [RecordingFile.open(Path(path), config) for path in listed]
    for file in files:
        if file.config != files[0].config:
            raise RecordingError(
                f"{file.path}: recordings must be of one game; got {file.config.signature} "
                f"beside {files[0].config.signature} in {files[0].path}"
            )
    return files


@dataclass(frozen=True)
class RecordingFile:
    """A recording on disk, or some of its row groups: what is needed to read it again, but no rows."""

    path: Path
    config: GameConfig
    provenance: Mapping[str, Any]
    group_sizes: tuple[int, ...]  # rows in each row group of the file
    row_groups: tuple[int, ...]  # those that belong to this piece

    @classmethod
    def open(cls, path: Path, config: GameConfig | None = None) -> RecordingFile:
        """Read the header of a file. `config` is for files that carry none."""
        with _reading(path), pq.ParquetFile(os.path.abspath(path)) as file:
            metadata, schema = file.metadata, file.schema_arrow
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        for name in ANALYSED:
            if name not in schema.names:
                raise RecordingError(f"{path}: a recording must have the column {name}; got {schema.names}")
        for name in COLUMNS:
            if schema.names.count(name) > 1:
                raise RecordingError(
                    f"{path}: a recording must have the column {name} once; got {schema.names}"
                )
        header = _header(path, schema.metadata or {})
        stored = _config_of(path, header)
        if stored is None and config is None:
            raise RecordingError(
                f"{path}: the file does not say which game it is of; give sequence_length and vocab_size"
            )
        if stored is not None and config is not None and stored != config:
            raise RecordingError(f"{path}: the game must be {config.signature}; got {stored.signature}")
        provenance = {k: v for k, v in header.items() if k not in ("format_version", "config")}
        known = stored or config
        assert known is not None
        return cls(path, known, provenance, tuple(sizes), tuple(range(len(sizes))))

    @property
    def num_rows(self) -> int:
        """Number of episodes."""
        return sum(self.group_sizes[group] for group in self.row_groups)

    def split(self, parts: int) -> list[RecordingFile]:
        """The same rows as up to `parts` pieces of whole row groups."""
        pieces = np.array_split(np.array(self.row_groups, dtype=np.intp), parts)
        return [dataclasses.replace(self, row_groups=tuple(map(int, p))) for p in pieces if len(p)]

    def blocks(self, *, columns: Sequence[str] | None = None, batch_size: int = BLOCK) -> Iterator[Recording]:
        """The rows, block by block; at least one block, which may have no rows."""
        with _reading(self.path), pq.ParquetFile(os.path.abspath(self.path)) as file:
            names = [n for n in COLUMNS if n in file.schema_arrow.names]
            if columns is not None:
                names = [n for n in names if n in columns or n in ANALYSED]
            found = False
            for group in self.row_groups:
                row = sum(self.group_sizes[:group])
                for batch in file.iter_batches(batch_size, row_groups=[group], columns=names):
                    yield self._recording(batch, row)
                    row += batch.num_rows
                    found = True
            if not found:
                yield self._recording(file.schema_arrow.empty_table().select(names), 0)

    def _recording(self, batch: Any, first_row: int) -> Recording:
        arrays = {name: _numpy(batch.column(name), name, first_row) for name in batch.schema.names}
        for name in LIST_COLUMNS:
            if name in arrays and batch.num_rows == 0:
                arrays[name] = arrays[name].reshape(0, _width(self.config, name) or 0)
        return Recording(self.config, **arrays, provenance=self.provenance, first_row=first_row)


class _reading:
    """Turn what pyarrow and the system say of a bad file into one `RecordingError` that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        if not self.path.exists():
            raise RecordingError(f"{self.path}: there is no such file")
        if self.path.is_dir():
            raise RecordingError(f"{self.path}: a recording is a file; this is a folder")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if isinstance(error, RecordingError) and not str(error).startswith(str(self.path)):
            raise RecordingError(f"{self.path}: {error}") from None
        if isinstance(error, PermissionError):
            raise RecordingError(f"{self.path}: {error.strerror}") from None
        if isinstance(error, (pa.ArrowException, OSError)):
            reason = str(error).splitlines()[0]
            raise RecordingError(
                f"{self.path}: not a whole Parquet file (truncated, or of another kind): {reason}"
            ) from None


def _header(path: Path, metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    """The JSON object that the format keeps in the file's metadata; empty where there is none."""
    if METADATA_KEY not in metadata:
        return {}
    try:
        header = json.loads(metadata[METADATA_KEY])
    except ValueError as error:
        raise RecordingError(f"{path}: the metadata spatial_game must be JSON; {error}") from None
    if not isinstance(header, dict):
        raise RecordingError(f"{path}: the metadata spatial_game must be a JSON object; got {header!r}")
    return header


def _config_of(path: Path, header: Mapping[str, Any]) -> GameConfig | None:
    if not header:
        return None
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise RecordingError(f"{path}: format_version must be {FORMAT_VERSION}; got {version!r}")
    try:
        return GameConfig.from_dict(header["config"])
    except KeyError:
        raise RecordingError(f"{path}: the metadata spatial_game must have a config; got none") from None
    except (TypeError, ValueError) as error:
        raise RecordingError(f"{path}: {error}") from None


def _numpy(column: Any, name: str, first_row: int) -> npt.NDArray[Any]:
    """An Arrow column as an integer array: (B,), or (B, width) for lists, which must be equally long."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    _refuse_nulls(column, name, first_row)
    if not _is_list(column.type):
        return _integers(column, name)
    lengths, values = _list_parts(column)
    if len(lengths) and np.any(lengths != lengths[0]):
        row = int(np.argmax(lengths != lengths[0]))
        raise RecordingError(
            f"row {first_row + row}, column {name}: lists must be as long as the first, "
            f"{lengths[0]}; got {lengths[row]}"
        )
    width = int(lengths[0]) if len(lengths) else 0
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False))) // width
        raise RecordingError(f"row {first_row + row}, column {name}: values must not be null")
    return _integers(values, name).reshape(len(lengths), width)


def _list_parts(column: Any) -> tuple[npt.NDArray[Any], Any]:
    """How long each list is, and the values of all lists, one after another.

    (`flatten` and `value_lengths` do the same, but load all of pyarrow's compute functions for it.)
    """
    if pa.types.is_fixed_size_list(column.type):
        width = column.type.list_size
        return np.full(len(column), width), column.values.slice(column.offset * width, len(column) * width)
    ends = column.offsets.to_numpy()
    return np.diff(ends), column.values.slice(ends[0], ends[-1] - ends[0])


def _refuse_nulls(column: Any, name: str, first_row: int) -> None:
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise RecordingError(f"row {first_row + row}, column {name}: values must not be null")


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _integers(values: Any, name: str) -> npt.NDArray[Any]:
    if not pa.types.is_integer(values.type):
        raise RecordingError(f"column {name} must hold integers; got {values.type}")
    return np.asarray(values.to_numpy(zero_copy_only=False))
