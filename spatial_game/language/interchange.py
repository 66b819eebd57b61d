"""Read and write the files of other tools: CSV, EGG's interactions, and the JSON of the paper's code.

The formats are JSON, CSV and plain arrays, never pickles, so reading a file cannot run code.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatial_game.config import GameConfig
from spatial_game.files import fault_of_file, replacing
from spatial_game.game.episodes import HIDDEN, IntArray
from spatial_game.json_text import from_json, printable
from spatial_game.language.counting.counts import Source
from spatial_game.language.fields import shortened
from spatial_game.recording import ANALYSED, COLUMNS, LIST_COLUMNS, Recording, join, list_width
from spatial_game.recording.format import check_places

PAPER_VOCABULARY = 26


class InterchangeError(ValueError):
    """A file that cannot be read or written; names file, place, field, rule and value."""


@contextlib.contextmanager
def _reading(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a file to read, and put the file's name before each error of the block."""
    file = Path(path)
    try:
        fault = fault_of_file(file)
        if fault:
            raise InterchangeError(fault)
        yield file
    except UnicodeDecodeError as error:
        raise InterchangeError(f"{file}: not UTF-8 text; {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise InterchangeError(f"{file}: {error.strerror or error}") from None
    except ValueError as error:
        raise InterchangeError(printable(f"{file}: {error}")) from None


def _imported(config: GameConfig, columns: Mapping[str, Any], file: Path) -> Recording:
    """Return a recording of these columns of a file. Raises `InterchangeError` if it has no episode."""
    if HIDDEN in columns["window"] and not config.num_hidden:
        raise InterchangeError(f"num_visible must be given for windows with hidden cells ({HIDDEN})")
    recording = Recording(config, **columns, provenance={"imported_from": file.name})
    if len(recording) == 0:
        raise InterchangeError("there must be at least one episode; got none")
    return recording


# --- CSV: a row for each episode, and a column for each cell of a list --------------------------------------


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, with a row for each episode, and return the number of episodes.

    The columns are those of a recording, with a number for each cell of a list: `window_0`, ..., `choice`.
    """
    written, rows = 0, pyarrow.csv.WriteOptions(include_header=False)
    with replacing(path) as temporary, temporary.open("wb") as file:
        for block in source.blocks():
            cells: dict[str, Any] = {}
            for name, column in block.columns().items():
                parts = np.atleast_2d(column.T)
                cells |= zip(_cells(source.config, name), map(np.ascontiguousarray, parts), strict=True)
            if not written:
                file.write(",".join(cells).encode() + b"\n")
            pyarrow.csv.write_csv(pa.table(cells), file, rows)
            written += len(block)
    return written


def csv_game(path: str | os.PathLike[str], **given: Any) -> GameConfig:
    """Return the game of a CSV: the given fields, and those that follow from the numbers of its columns.

    Raises `InterchangeError` for a file that is no CSV, and for numbers that no game has.
    """
    with _reading(path) as file:
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
    with _reading(path) as file:
        names = _column_names(file)
        cells_of = _cells_of_columns(names, config)
        # Other columns are not converted: they may begin as one type and go on as another.
        types = {cell: pa.int64() for cells in cells_of.values() for cell in cells}
        options = pyarrow.csv.ConvertOptions(column_types=types, include_columns=list(types))
        in_order = pyarrow.csv.ReadOptions(use_threads=False)  # only then do errors tell the row
        with _as_csv(names):
            table = pyarrow.csv.read_csv(file, in_order, convert_options=options)
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count:
                row = int(np.argmax(column.is_null().to_numpy()))
                raise InterchangeError(f"column {name} must have no empty values; got one in row {row}")
        columns: dict[str, Any] = {}
        for name, cells in cells_of.items():
            column = np.stack([table.column(cell).to_numpy() for cell in cells], axis=1)
            columns[name] = column if name in LIST_COLUMNS else column[:, 0]
        return _imported(config, columns, file)


@contextlib.contextmanager
def _as_csv(names: Sequence[str] = ()) -> Iterator[None]:
    """Raise `InterchangeError` for what the reader of CSV says, by the names of its columns."""
    try:
        yield
    except pa.ArrowException as error:
        if cell := re.search(r"column #(\d+): Row #(\d+): .* invalid value '(.*)'", str(error)):
            column, line, value = cell.groups()
            rule = f"column {names[int(column)]} must be a whole number"
            raise InterchangeError(f"{rule}; got {shortened(value)} in row {int(line) - 2}") from None
        raise InterchangeError(f"not a CSV of whole numbers; {str(error).splitlines()[0]}") from None


def _column_names(file: Path) -> list[str]:
    """Return the names in the first line of a CSV."""
    with _as_csv(), pyarrow.csv.open_csv(file) as header:
        names: list[str] = header.schema.names
        return names


def _cells(config: GameConfig, name: str) -> list[str]:
    """Return the file's columns for a column of a recording."""
    width = list_width(config, name)
    return [name] if width is None else [f"{name}_{i}" for i in range(width)]


def _cells_of_columns(names: list[str], config: GameConfig) -> dict[str, list[str]]:
    """Return, for each column of the recording that the file has, the file's columns."""
    found = {}
    for name in COLUMNS:
        cells = _cells(config, name)
        pattern = rf"{name}_\d+" if name in LIST_COLUMNS else name
        present = [other for other in names if re.fullmatch(pattern, other)]
        if present or name in ANALYSED:
            if sorted(present) != sorted(cells):
                rule = f"there must be the columns {cells[0]} to {cells[-1]}, each once"
                raise InterchangeError(f"{rule}; got {shortened(present)}")
            found[name] = cells
    return found


# --- Plain arrays under the names of EGG's `Interaction` (Kharitonov et al. 2019) ---------------------------

TENSORS = {
    "window": "sender_input",
    "candidates": "receiver_input",
    "target_index": "labels",
    "message": "message",
    "choice": "receiver_output",
    "sequence": "aux_input.sequence",
    "target_position": "aux_input.target_position",
}
"""The names in the file of a recording's columns."""
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


def read_tensors(path: str | os.PathLike[str], **given: Any) -> Recording:
    """Read an npz from `export_tensors`. The `given` sizes are for a file that does not name its game.

    Raises `InterchangeError` for any other file, and never runs code from it.
    """
    with _reading(path) as file:
        arrays = _arrays(file)
        if CONFIG not in arrays and not given:
            raise InterchangeError(f"the game must be given where there is no {CONFIG}; got none")
        config = _config(str(arrays[CONFIG]), given) if CONFIG in arrays else GameConfig(**given)
        for name in ANALYSED:
            if TENSORS[name] not in arrays:
                raise InterchangeError(f"there must be an array {TENSORS[name]}; got {shortened([*arrays])}")
        columns = {name: arrays[tensor] for name, tensor in TENSORS.items() if tensor in arrays}
        return _imported(config, columns, file)


def _arrays(file: Path) -> dict[str, Any]:
    """Return the arrays of an npz that this module knows."""
    try:
        with np.load(file, allow_pickle=False) as members:
            return {name: members[name] for name in (*TENSORS.values(), CONFIG) if name in members.files}
    except Exception:  # numpy's own words would advise to read it as a pickle, which can run code
        kinds = "damaged, truncated, of another kind, or with Python objects"
        raise InterchangeError(f"not an npz of plain arrays ({kinds})") from None


def _config(text: str, given: Mapping[str, Any]) -> GameConfig:
    try:
        config = GameConfig.from_dict(json.loads(text))
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InterchangeError(f"{CONFIG}: must be a game as JSON; {error}") from None
    for name, value in given.items():
        if getattr(config, name) != value:
            raise InterchangeError(f"{CONFIG}: {name} must be {value}, as given; got {getattr(config, name)}")
    return config


# --- The recordings of the paper's published code -----------------------------------------------------------

_FIELDS = {
    "cut_inputs": "window",
    "message": "message",
    "tds": "candidates",
    "target_id": "target_index",
    "guess": "choice",
    "sequence": "sequence",
}
"""The columns of a recording by their names in the file."""


def read_interactions(
    path: str | os.PathLike[str], *, vocab_size: int = PAPER_VOCABULARY, num_integers: int | None = None
) -> Recording:
    """Read `{"exchange_<i>": {sequence, cut_inputs, tds, message, guess, target, target_id}, ...}`.

    The file does not contain the number of symbols (default: the paper's) or of integers (default: the length
    of the sequences). `guess` and `target_id` are places in `tds`; `target` is not read.

    Raises `InterchangeError` naming file, exchange or row, field, rule and value.
    """
    with _reading(path) as file:
        exchanges = _exchanges(file.read_text(encoding="utf-8"))
        columns: dict[str, Any] = {column: _column(exchanges, field) for field, column in _FIELDS.items()}
        length = columns["sequence"].shape[1]
        config = GameConfig(
            sequence_length=length,
            num_integers=length if num_integers is None else num_integers,
            window_radius=columns["window"].shape[1] // 2,
            num_distractors=columns["candidates"].shape[1] - 1,
            vocab_size=vocab_size,
            message_length=columns["message"].shape[1],
        )
        index = columns["target_index"].clip(0, config.num_candidates - 1)  # the recording refuses others
        target = np.take_along_axis(columns["candidates"], index[:, None], axis=1)
        position = (columns["sequence"] == target).argmax(axis=1)
        provenance = {
            "imported_from": file.name,
            "format": "interactions of the paper's published code",
        }
        recording = Recording(config, **columns, target_position=position, provenance=provenance)
        check_places(config, recording.window, recording.sequence, position, 0)
        return recording


def _exchanges(text: str) -> Mapping[str, Any]:
    """Return the exchanges of a JSON text, by name."""
    try:
        content = from_json(text, _numbers)
    except json.JSONDecodeError as error:
        raise InterchangeError(f"the file must be whole JSON (truncated?); {error}") from None
    if not isinstance(content, dict) or not content:
        rule = "the file must hold one JSON object with at least one exchange"
        raise InterchangeError(f"{rule}; got {shortened(content)}")
    return content


def _numbers(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object of JSON. The numbers of an exchange become arrays, which are smaller."""
    return {name: _row(value) if name in _FIELDS else value for name, value in fields.items()}


def _row(value: Any) -> Any:
    """Return whole numbers, of which each may stand in a list of its own, as an array (n,)."""
    try:
        row = np.array(value).reshape(-1)
    except ValueError:  # lists of different lengths
        return value
    return row if row.dtype.kind == "i" else value


def _column(exchanges: Mapping[str, Any], field: str) -> IntArray:
    """Return the numbers of one field of all exchanges: (B, n), or (B,) of a column that is no list."""
    rows: list[IntArray] = []
    single = _FIELDS[field] not in LIST_COLUMNS
    for name, exchange in exchanges.items():
        if not isinstance(exchange, Mapping) or field not in exchange:
            rule = f"an exchange must be an object with the field {field}"
            raise InterchangeError(f"{name}: {rule}; got {shortened(exchange)}")
        row = exchange[field]
        wanted = 1 if single else len(rows[0]) if rows else 0
        if not isinstance(row, np.ndarray) or len(row) != (wanted or len(row)):
            rule = f"there must be {wanted or 'some'} whole numbers"
            given = row.tolist() if isinstance(row, np.ndarray) else row
            raise InterchangeError(f"{name}, {field}: {rule}; got {shortened(given)}")
        rows.append(row)
    column = np.array(rows, dtype=np.int64)
    return column[:, 0] if single else column
