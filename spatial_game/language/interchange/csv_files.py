"""Recordings as CSV: a row for each episode, and a column for each cell of a list."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatial_game.config import GameConfig
from spatial_game.files import replacing
from spatial_game.language.counting.counts import Source
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import InterchangeError, not_empty, reading
from spatial_game.recording import ANALYSED, COLUMNS, LIST_COLUMNS, Recording, list_width


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, with a row for each episode, and return the number of episodes.

    The columns are those of a recording, with a number for each cell of a list: `window_0`, ..., `choice`.
    """
    written, rows = 0, pyarrow.csv.WriteOptions(include_header=False)
    with replacing(path) as temporary, temporary.open("wb") as file:
        for block in source.blocks():
            cells: dict[str, Any] = {}
            for name, column in block.columns().items():
                parts = {f"{name}_{i}": cell for i, cell in enumerate(column.T)}
                cells |= parts if name in LIST_COLUMNS else {name: column}
            table = pa.table({name: np.ascontiguousarray(cell) for name, cell in cells.items()})
            if not written:
                file.write(",".join(table.column_names).encode() + b"\n")
            pyarrow.csv.write_csv(table, file, rows)
            written += len(block)
    return written


def csv_game(path: str | os.PathLike[str], **given: Any) -> GameConfig:
    """Return the game of a CSV: the given fields, and those that follow from the numbers of its columns.

    Raises `InterchangeError` for a file that is no CSV, and for numbers that no game has.
    """
    with reading(path) as file:
        names = _column_names(file)
        number = {c: sum(bool(re.fullmatch(rf"{c}_\d+", name)) for name in names) for c in LIST_COLUMNS}
        width = round(math.pow(number["window"], 1 / max(len(given.get("shape", (0,))), 1)))
        told = {
            "sequence_length": number["sequence"],
            "window_radius": width // 2,
            "num_distractors": number["candidates"] - 1,
            "message_length": number["message"],
        }
        return GameConfig(**{name: value for name, value in told.items() if value > 0} | given)


def read_csv(path: str | os.PathLike[str], config: GameConfig) -> Recording:
    """Read a CSV of a game.

    The columns may be in any order; other columns are ignored. The window and the message are required.

    Raises `InterchangeError` naming file, row (from 0, without the header), column, rule and value; also for
    a CSV without rows.
    """
    with reading(path) as file:
        cells_of = _cells_of_columns(_column_names(file), config)
        # Other columns are not converted: they may begin as one type and go on as another.
        types = {cell: pa.int64() for cells in cells_of.values() for cell in cells}
        options = pyarrow.csv.ConvertOptions(column_types=types, include_columns=list(types))
        try:
            table = pyarrow.csv.read_csv(file, convert_options=options)
        except pa.ArrowException as error:
            raise _no_csv(error) from None
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count:
                row = int(np.argmax(column.is_null().to_numpy()))
                raise InterchangeError(f"row {row}, column {name}: values must not be empty")
        columns: dict[str, Any] = {}
        for name, cells in cells_of.items():
            column = np.stack([table.column(cell).to_numpy() for cell in cells], axis=1)
            columns[name] = column if name in LIST_COLUMNS else column[:, 0]
        return not_empty(Recording(config, **columns, provenance={"imported_from": file.name}))


def _column_names(file: Path) -> list[str]:
    """Return the names in the first line of a CSV."""
    try:
        with pyarrow.csv.open_csv(file) as header:
            names: list[str] = header.schema.names
            return names
    except pa.ArrowException as error:
        raise _no_csv(error) from None


def _no_csv(error: Exception) -> InterchangeError:
    return InterchangeError(f"not a CSV of whole numbers; {str(error).splitlines()[0]}")


def _cells_of_columns(names: list[str], config: GameConfig) -> dict[str, list[str]]:
    """Return, for each column of the recording that the file has, the file's columns."""
    found = {}
    for name in COLUMNS:
        width = list_width(config, name)
        cells = [name] if width is None else [f"{name}_{i}" for i in range(width)]
        pattern = name if width is None else rf"{name}_\d+"
        present = [other for other in names if re.fullmatch(pattern, other)]
        if present or name in ANALYSED:
            if sorted(present) != sorted(cells):
                rule = f"there must be the columns {cells[0]} to {cells[-1]}, each once"
                raise InterchangeError(f"{rule}; got {shortened(present)}")
            found[name] = cells
    return found
