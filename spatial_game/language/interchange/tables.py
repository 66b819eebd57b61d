"""Recordings as CSV, and as plain tensors under EGG's names."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.language.counting.counts import Source
from spatial_game.language.interchange.blocks import joined, stored
from spatial_game.language.interchange.errors import InterchangeError, reading, shortened
from spatial_game.recording import COLUMNS, LIST_COLUMNS, Recording

# --- CSV --------------------------------------------------------------------------------------------------


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, a row an episode; returns their number.

    The columns are those of a recording, a list's cells numbered: `window_0`, `window_1`, ..., `choice`.
    """
    written, writer = 0, None
    with replacing(path) as temporary, temporary.open("wb") as file:
        for block in source.blocks():
            table = pa.table(_cells(block))
            if writer is None:
                writer = pyarrow.csv.CSVWriter(
                    file, table.schema, write_options=pyarrow.csv.WriteOptions(quoting_header="none")
                )
            writer.write_table(table)
            written += len(block)
        assert writer is not None  # a source has at least one block
        writer.close()
    return written


def _cells(block: Recording) -> dict[str, npt.NDArray[np.int16]]:
    """The columns of a block, each cell of a list a column of its own."""
    cells = {}
    for name, column in block.columns().items():
        if name in LIST_COLUMNS:
            cells.update({f"{name}_{i}": np.ascontiguousarray(cell) for i, cell in enumerate(column.T)})
        else:
            cells[name] = column
    return cells


def read_csv(path: str | os.PathLike[str], config: GameConfig) -> Recording:
    """A whole CSV as a recording. Arguments and errors as for `stream_csv`."""
    return joined(stream_csv(path, config))


def import_csv(source: str | os.PathLike[str], target: str | os.PathLike[str], config: GameConfig) -> int:
    """Turn a CSV into a recording on disk, block by block; returns the number of episodes."""
    return stored(stream_csv(source, config), target)


def stream_csv(path: str | os.PathLike[str], config: GameConfig) -> Iterator[Recording]:
    """Read the CSV of a game that `export_csv`, or anything else, wrote; at least one block.

    The columns may stand in any order; those that a recording does not have are left out. At least the
    window and the message must be there.

    Raises `InterchangeError` naming file, row (from 0, without the header), column, rule and value.
    """
    with reading(path) as file:
        try:
            with pyarrow.csv.open_csv(file) as header:
                names, first_row = header.schema.names, 0
            wanted = _wanted(names, config)
            columns = [cell for cells in wanted.values() for cell in cells]
            options = pyarrow.csv.ConvertOptions(column_types=_types(config), include_columns=columns)
            # What else there is, is not converted: it may begin as one type and go on as another.
            reader = pyarrow.csv.open_csv(file, convert_options=options)
            for batch in reader:
                yield _recording(batch, wanted, config, file.name, first_row)
                first_row += batch.num_rows
            if first_row == 0:
                yield _recording(reader.schema.empty_table(), wanted, config, file.name, 0)
        except pa.ArrowException as error:
            raise InterchangeError(f"not a CSV of whole numbers; {str(error).splitlines()[0]}") from None


def _names(name: str, config: GameConfig) -> list[str]:
    """The CSV's columns that make up a recording's."""
    widths = {
        "window": config.window_size,
        "message": config.message_length,
        "candidates": config.num_candidates,
        "sequence": config.sequence_length,
    }
    return [f"{name}_{i}" for i in range(widths[name])] if name in widths else [name]


def _types(config: GameConfig) -> dict[str, Any]:
    return {cell: pa.int64() for name in COLUMNS for cell in _names(name, config)}


def _wanted(names: list[str], config: GameConfig) -> dict[str, list[str]]:
    """For each column of the recording that the file has, the file's columns."""
    wanted = {}
    for name in COLUMNS:
        cells = _names(name, config)
        missing = [cell for cell in cells if cell not in names]
        if missing and (name in ("window", "message") or len(missing) < len(cells)):
            raise InterchangeError(f"there must be a column {missing[0]}; got {shortened(names)}")
        if f"{name}_{len(cells)}" in names:
            raise InterchangeError(
                f"column {name}_{len(cells)}: the game has {len(cells)} columns {name}_..."
            )
        if not missing:
            wanted[name] = cells
    return wanted


def _recording(
    table: Any, wanted: dict[str, list[str]], config: GameConfig, file: str, first_row: int
) -> Recording:
    columns = {}
    for name, cells in wanted.items():
        arrays = []
        for cell in cells:
            column = table.column(cell)
            if column.null_count:
                row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                raise InterchangeError(f"row {first_row + row}, column {cell}: values must not be empty")
            arrays.append(
                column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()
            )
        columns[name] = np.stack(arrays, axis=1) if name in LIST_COLUMNS else arrays[0]
    return Recording(config, **columns, provenance={"imported_from": file}, first_row=first_row)


# --- Tensors ----------------------------------------------------------------------------------------------

TENSORS = {
    "window": "sender_input",
    "candidates": "receiver_input",
    "target_index": "labels",
    "message": "message",
    "choice": "receiver_output",
    "sequence": "aux_input.sequence",
    "target_position": "aux_input.target_position",
}
"""The names in EGG's `Interaction` (Kharitonov et al. 2019) of a recording's columns."""
LENGTH, CONFIG = "message_length", "aux.config"


def export_tensors(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as an npz of int64 arrays named as in EGG's `Interaction`; returns the episodes.

    No pickle is in it: `numpy.load(path, allow_pickle=False)` reads it, `torch.from_numpy` makes tensors.
    `message_length` is the same for all; `aux.config` is the game as JSON.
    """
    columns = next(iter(source.blocks())).columns()
    rows = source.num_rows
    with (
        replacing(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name, column in columns.items():
            with _member(archive, TENSORS[name], (rows, *column.shape[1:])) as member:
                for block in source.blocks(columns=[name]):
                    member.write(np.ascontiguousarray(block.columns()[name], dtype="<i8").tobytes())
        with _member(archive, LENGTH, (rows,)) as member:
            member.write(np.full(rows, source.config.message_length, dtype="<i8").tobytes())
        text = np.array(json.dumps(source.config.to_dict()))
        with archive.open(f"{CONFIG}.npy", "w") as member:
            np.lib.format.write_array(member, text, allow_pickle=False)
    return rows


def _member(archive: zipfile.ZipFile, name: str, shape: tuple[int, ...]) -> Any:
    """Open an array of the archive to write its rows to."""
    member = archive.open(f"{name}.npy", "w", force_zip64=True)
    header = {"descr": "<i8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(member, header)
    return member


def read_tensors(path: str | os.PathLike[str], config: GameConfig | None = None) -> Recording:
    """Read the npz that `export_tensors` wrote. `config` is for one that does not say its game.

    Raises `InterchangeError` for any other file; nothing that it holds is run.
    """
    with reading(path) as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
        except (ValueError, TypeError, zipfile.BadZipFile, zlib.error, EOFError, AttributeError):
            # numpy's own words would advise to read it as a pickle, which can run code.
            raise InterchangeError(
                "not an npz of plain arrays (truncated, of another kind, or with Python objects)"
            ) from None
        if CONFIG in arrays:
            config = _config(str(arrays[CONFIG]), config)
        if config is None:
            raise InterchangeError(f"the game must be given where there is no {CONFIG}; got none")
        for name in ("window", "message"):
            if TENSORS[name] not in arrays:
                raise InterchangeError(f"there must be an array {TENSORS[name]}; got {sorted(arrays)}")
        columns = {name: arrays[tensor] for name, tensor in TENSORS.items() if tensor in arrays}
        return Recording(config, **columns, provenance={"imported_from": file.name})


def _config(text: str, given: GameConfig | None) -> GameConfig:
    try:
        config = GameConfig.from_dict(json.loads(text))
    except (TypeError, ValueError, AttributeError) as error:
        raise InterchangeError(f"{CONFIG}: must be a game as JSON; {error}") from None
    if given is not None and given != config:
        raise InterchangeError(f"{CONFIG}: the game must be {given.signature}; got {config.signature}")
    return config
