"""Read recordings from disk, whole or block by block, and verify the files."""

from __future__ import annotations

import contextlib
import dataclasses
import filecmp
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from spatial_game.checks import refuse_rows, require, shortened, within
from spatial_game.config import GameConfig, axes_of
from spatial_game.errors import UserError
from spatial_game.files import library_errors, reading
from spatial_game.memory import require_memory
from spatial_game.recording import footer
from spatial_game.recording.format import (
    ANALYSED,
    COLUMNS,
    LIST_COLUMNS,
    METADATA_KEY,
    RecordingError,
    columns_and_rows,
    game_of,
    list_width,
    read_header,
    require_sizes,
)
from spatial_game.recording.recording import Recording, join

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Sizes = GameConfig | Mapping[str, Any] | None
"""A game, or some of its fields."""
FOREIGN = (
    (rb"PK.*(xl/|opendocument)|\xd0\xcf\x11\xe0", "a workbook, to be saved as CSV", "csv"),
    (rb"PK", "arrays of NumPy", "tensors"),
    (rb"\s*\{", "JSON, such as the paper's code writes", "interactions"),
    (rb"\x1f\x8b", "a compressed CSV", "csv"),
    (rb"\xff\xfe|\xfe\xff|(?!PAR1)[^\0\n]*[,;\t]", "a table as text (CSV, TSV)", "csv"),
)
"""How files that are no recordings begin, what they are, and their format in `spatial-game import`."""


def read_recording(paths: Paths, *, columns: Sequence[str] | None = None, config: Sizes = None) -> Recording:
    """Read whole recordings into memory, several files as one. Arguments and errors as for `stream`.

    The provenance of several files is what they have in common. Raises `UserError` for more than fits into
    memory; `stream` reads block by block.
    """
    parts = recording_parts(paths, config=config)
    wanted, _ = columns_and_rows(parts[0].config, columns, None)
    widths = [list_width(parts[0].config, name) or 1 for name in wanted]
    rows = sum(part.num_rows for part in parts)
    needed = rows * (4 * sum(widths) + 16)  # columns of int16 and `rows` of int64, in blocks and in one array
    require_memory("paths", f"{rows:,} episodes", needed, "read fewer columns, or use stream")
    return join(block for part in parts for block in part.blocks(columns=columns))


def stream(
    paths: Paths,
    *,
    columns: Sequence[str] | None = None,
    config: Sizes = None,
    batch_size: int | None = None,
) -> Iterator[Recording]:
    """Read recordings block by block, in constant memory; at least one block, maybe without rows.

    `columns`: the columns to read (always also `window` and `message`); by default, all. `config`, a game or
    a dict of its sizes, is for files that do not name their game, and must agree with that of other files.
    The numbers of cells follow from the columns; the number of symbols does not.

    Raises `RecordingError` for a file that is missing, damaged, foreign or that breaks the format.
    """
    for part in recording_parts(paths, config=config):
        yield from part.blocks(columns=columns, batch_size=batch_size)


def recording_parts(paths: Paths, *, config: Sizes = None) -> list[RecordingFile]:
    """Open recordings of one game: their headers only. Arguments and errors as for `stream`.

    A folder stands for its files `*.parquet`, in the order of their names. A file that is given twice, also
    as a link or a copy, is refused: its episodes would count twice.
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not listed:
        raise RecordingError("at least one recording must be given; got none")
    files = [RecordingFile.open(path, config) for each in listed for path in _files_of(Path(each))]
    by_size: dict[int, list[Path]] = {}
    for file in files:
        others = by_size.setdefault(file.path.stat().st_size, [])
        for other in others:
            if filecmp.cmp(other, file.path, shallow=False):
                rule = "recordings must be different files, as each episode counts once"
                raise RecordingError(f"{rule}; got {other} and the same in {file.path}")
        others.append(file.path)
        if file.config != files[0].config:
            raise RecordingError(
                f"{file.path}: recordings must be of one game; got {file.config.signature} "
                f"beside {files[0].config.signature} in {files[0].path}"
            )
    return files


def _files_of(path: Path) -> list[Path]:
    """Return the recordings in a folder; the path itself if it is none, or has no recordings."""
    return (sorted(path.glob("*.parquet")) if path.is_dir() else []) or [path]


@dataclass(frozen=True)
class RecordingFile:
    """A recording on disk, without the rows themselves."""

    path: Path
    config: GameConfig
    provenance: Mapping[str, Any]
    num_rows: int
    """Number of episodes."""

    @classmethod
    def open(cls, path: Path, config: Sizes = None) -> RecordingFile:
        """Read and verify the header of a file. `config` as for `stream`."""
        sizes = _fields_of(config)
        with _opened(path) as file:
            metadata = file.metadata.metadata or {}
            footer.check(path, metadata)
            _require_columns(file.schema_arrow.names)
            if METADATA_KEY in metadata:
                game, provenance = read_header(metadata[METADATA_KEY])
            else:
                game, provenance = game_of(_widths(file), sizes), {}
            require_sizes(game, sizes)
            return cls(path, game, provenance, file.metadata.num_rows)

    def blocks(
        self, *, columns: Sequence[str] | None = None, batch_size: int | None = None
    ) -> Iterator[Recording]:
        """Yield the rows, block by block. There is at least one block; it may have no rows.

        Raises `ValueError` for columns that no recording has, and a `batch_size` below 1.
        """
        wanted, batch_size = columns_and_rows(self.config, columns, batch_size)
        with _opened(self.path) as file:
            present = {field.name for field in file.schema_arrow if not pa.types.is_null(field.type)}
            names, row = [name for name in wanted if name in present], 0
            # For few columns, threads cost more than they gain.
            for batch in file.iter_batches(batch_size, columns=names, use_threads=False):
                yield self._recording(batch, row)
                row += batch.num_rows
            if row != self.num_rows:
                raise RecordingError(f"the file must have {self.num_rows} rows; got {row}")
            if row == 0:
                yield self._recording(file.schema_arrow.empty_table().select(names), 0)

    def _recording(self, batch: Any, first_row: int) -> Recording:
        arrays = {name: _numpy(batch.column(name), name, first_row) for name in batch.schema.names}
        for name in LIST_COLUMNS:
            if name in arrays and batch.num_rows == 0:
                arrays[name] = arrays[name].reshape(0, list_width(self.config, name) or 0)
        rows = np.arange(first_row, first_row + batch.num_rows)
        return Recording(self.config, **arrays, provenance=self.provenance, rows=rows)


def _fields_of(config: Sizes) -> Mapping[str, Any]:
    """Return the fields that are given. Raises `UserError` for what is no game, and for unknown fields."""
    if isinstance(config, GameConfig):
        return dataclasses.asdict(config)
    fields = {} if config is None else config
    rule = "config must be a GameConfig, or a dict of some of its fields"
    require(isinstance(fields, Mapping), rule, shortened(fields))
    with within("config"):
        GameConfig.require_known(fields)
        return {name: axes_of(value) if name == "shape" else value for name, value in fields.items()}


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a Parquet file, and turn every error in the block into one `RecordingError` that names it."""
    rule = "a recording must be a whole Parquet file"
    with reading(path, RecordingError), contextlib.ExitStack() as opened:
        try:
            with library_errors(rule, UnicodeDecodeError):  # of the names of columns
                # As an open file: pyarrow takes a name such as a:b for an address, and cannot read all names.
                source = opened.enter_context(path.open("rb"))
                file = opened.enter_context(pq.ParquetFile(source, page_checksum_verification=True))
                file.schema_arrow.names  # noqa: B018
            yield file
        except PermissionError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{rule}; {_advice(path) or str(error).splitlines()[0]}") from None


def foreign_kind(path: Path) -> tuple[str, str] | None:
    """Return what a file of another kind seems to be, and its format in `spatial-game import`.

    Returns None for a recording, also a damaged one.
    """
    with path.open("rb") as file:
        start = file.read(1 << 12)
    found = ((kind, name) for begins, kind, name in FOREIGN if re.match(begins, start, re.DOTALL))
    return next(found, None)


def imported_path(path: Path) -> Path:
    """Return where a file of another kind is imported to if nothing else is asked for."""
    return path.with_suffix(".imported.parquet" if path.suffix == ".parquet" else ".parquet")


def _advice(path: Path) -> str:
    """Say how to import a file of another kind; nothing of a damaged recording."""
    if not (found := foreign_kind(path)):
        return ""
    kind, name = found
    command = ["spatial-game", "import", str(path), "--format", name, "--out", str(imported_path(path))]
    return f"this looks like {kind}. Import it: {shlex.join(command)}"


def _require_columns(names: Sequence[str]) -> None:
    """Raise `RecordingError` unless the columns of an analysis are present, and each column only once."""
    for name in COLUMNS:
        if names.count(name) > 1 or (name in ANALYSED and name not in names):
            raise RecordingError(f"a recording must have the column {name} once; got {names}")


def _widths(file: Any) -> dict[str, int]:
    """Return the number of cells in the first row of each list column that is not empty."""
    names = [name for name in LIST_COLUMNS if name in file.schema_arrow.names]
    for batch in file.iter_batches(1, columns=names):
        return {name: len(cells) for name, cells in batch.to_pylist()[0].items() if cells}
    return {}


# --- From Arrow to NumPy --------------------------------------------------------------------------------


def _numpy(column: Any, name: str, first_row: int) -> npt.NDArray[Any]:
    """Return an Arrow column as integers: (B,), or (B, width) for lists, which must be equally long."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    _refuse_nulls(column, name, first_row, 1)
    if not _is_list(column.type):
        return _integers(column, name)
    if pa.types.is_fixed_size_list(column.type):
        width = column.type.list_size
        values = column.values.slice(column.offset * width, len(column) * width)
    else:  # (`flatten` and `value_lengths` do the same, but load all of pyarrow's compute functions for it.)
        ends = column.offsets.to_numpy()
        values, lengths = column.values.slice(ends[0], ends[-1] - ends[0]), np.diff(ends)
        width = int(lengths[0]) if len(lengths) else 0
        rule = f"column {name} must have lists as long as the first, {width}"
        refuse_rows(lengths != width, rule, lengths, first_row)
    _refuse_nulls(values, name, first_row, width)
    return _integers(values, name).reshape(len(column), width)


def _refuse_nulls(values: Any, name: str, first_row: int, width: int) -> None:
    """Raise `RecordingError` for a null among the values; each row has `width` of them."""
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False))) // width
        raise RecordingError(f"column {name} must have no nulls; got one in row {first_row + row}")


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _integers(values: Any, name: str) -> npt.NDArray[Any]:
    if not pa.types.is_integer(values.type):
        raise RecordingError(f"column {name} must hold integers; got {values.type}")
    return np.asarray(values.to_numpy(zero_copy_only=False))
