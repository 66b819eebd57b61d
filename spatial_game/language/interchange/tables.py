"""Recordings as CSV, and as plain tensors under EGG's names."""

from __future__ import annotations

import itertools
import json
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
from spatial_game.recording import ANALYSED, COLUMNS, LIST_COLUMNS, Recording, join, list_width

# --- CSV --------------------------------------------------------------------------------------------------


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
        wanted = _wanted(_column_names(file), config)
        # Other columns are not converted: they may begin as one type and go on as another.
        types = {cell: pa.int64() for cells in wanted.values() for cell in cells}
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
        for name, cells in wanted.items():
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


def _wanted(names: list[str], config: GameConfig) -> dict[str, list[str]]:
    """Return, for each column of the recording that the file has, the file's columns."""
    wanted = {}
    for name in COLUMNS:
        width = list_width(config, name)
        cells = (name,) if width is None else (f"{name}_{i}" for i in range(width))
        present = list(itertools.takewhile(set(names).__contains__, cells))
        whole = len(present) == (width or 1)
        begun = width is not None and any(re.fullmatch(rf"{name}_\d+", other) for other in names)
        if not whole and (name in ANALYSED or begun):
            raise InterchangeError(f"there must be a column {name}_{len(present)}; got {shortened(names)}")
        if f"{name}_{width}" in names:
            raise InterchangeError(f"column {name}_{width}: the game has {width} columns {name}_...")
        for cell in present:
            if names.count(cell) > 1:
                raise InterchangeError(f"column {cell}: names must differ; got it {names.count(cell)} times")
        if whole:
            wanted[name] = present
    return wanted


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
    """Write a recording as an npz of int64 arrays named as in EGG's `Interaction`; return the episodes.

    It contains no pickle: `numpy.load(path, allow_pickle=False)` reads it, and `torch.from_numpy` makes
    tensors. `message_length` is the same for all episodes; `aux.config` is the game as JSON.
    """
    recording = join(source.blocks())
    arrays = {TENSORS[name]: column.astype(np.int64) for name, column in recording.columns().items()}
    arrays[LENGTH] = np.full(len(recording), source.config.message_length)
    arrays[CONFIG] = np.array(json.dumps(source.config.to_dict()))
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return len(recording)


def read_tensors(path: str | os.PathLike[str], config: GameConfig | None = None) -> Recording:
    """Read an npz from `export_tensors`. `config` is for a file that does not name its game.

    Raises `InterchangeError` for any other file, and never runs code from it.
    """
    with reading(path) as file:
        arrays = _arrays(file)
        if CONFIG in arrays:
            config = _config(str(arrays[CONFIG]), config)
        if config is None:
            raise InterchangeError(f"the game must be given where there is no {CONFIG}; got none")
        for name in ANALYSED:
            if TENSORS[name] not in arrays:
                raise InterchangeError(f"there must be an array {TENSORS[name]}; got {shortened([*arrays])}")
        columns = {name: arrays[tensor] for name, tensor in TENSORS.items() if tensor in arrays}
        return not_empty(Recording(config, **columns, provenance={"imported_from": file.name}))


def _arrays(file: Path) -> dict[str, Any]:
    """Return the arrays of an npz that this module knows."""
    try:
        with np.load(file, allow_pickle=False) as members:
            return {name: members[name] for name in (*TENSORS.values(), CONFIG) if name in members.files}
    except Exception:  # numpy's own words would advise to read it as a pickle, which can run code
        kinds = "damaged, truncated, of another kind, or with Python objects"
        raise InterchangeError(f"not an npz of plain arrays ({kinds})") from None


def _config(text: str, given: GameConfig | None) -> GameConfig:
    try:
        config = GameConfig.from_dict(json.loads(text))
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InterchangeError(f"{CONFIG}: must be a game as JSON; {error}") from None
    if given is not None and given != config:
        raise InterchangeError(f"{CONFIG}: the game must be {given.signature}; got {config.signature}")
    return config
