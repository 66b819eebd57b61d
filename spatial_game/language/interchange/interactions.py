"""The recordings of the paper's published code, which are JSON."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.checks import shortened
from spatial_game.files import reading
from spatial_game.game.episodes import IntArray
from spatial_game.json_text import from_json, holds_bool
from spatial_game.language.interchange.importing import InterchangeError, imported
from spatial_game.recording import ANALYSED, LIST_COLUMNS, NOBODY, Recording

_FIELDS = {
    "cut_inputs": "window",
    "message": "message",
    "tds": "candidates",
    "target_id": "target_index",
    "guess": "choice",
    "sequence": "sequence",
}
"""The columns of a recording by their names in the file."""


def read_interactions(path: str | os.PathLike[str], **sizes: Any) -> Recording:
    """Read `{"exchange_<i>": {sequence, cut_inputs, tds, message, guess, target, target_id}, ...}`.

    `sizes` are the fields of `GameConfig` that the file does not tell: at least `vocab_size`, which is 26 in
    the paper, and `sequence_length` where there are no sequences. `guess` and `target_id` are indices in
    `tds`; `target` is not read. Fields other than `cut_inputs` and `message` may be missing everywhere, or
    be -1 or null.

    Raises `InterchangeError` naming file, exchange or row, field, rule and value.
    """
    with reading(path, InterchangeError) as file:
        exchanges = _exchanges(file.read_bytes())
        first = next(iter(exchanges.values()))
        columns: dict[str, Any] = {
            column: _column(exchanges, field)
            for field, column in _FIELDS.items()
            if column in ANALYSED or (isinstance(first, Mapping) and field in first)
        }
        columns = {name: c for name, c in columns.items() if name in ANALYSED or not (c == NOBODY).all()}
        return _with_positions(imported(columns, sizes, file))


def _with_positions(recording: Recording) -> Recording:
    """Return a recording with the targets' positions. Raises `ValueError` if they do not fit its windows."""
    if recording.candidates is None or recording.target_index is None or recording.sequence is None:
        return recording
    target = np.take_along_axis(recording.candidates, recording.target_index[:, None].astype(np.intp), axis=1)
    position = (recording.sequence == target).argmax(axis=1)
    return dataclasses.replace(recording, target_position=position)


def _exchanges(content: bytes) -> Mapping[str, Any]:
    """Return the exchanges of a JSON text, by name."""
    if content.startswith(b"\x1f\x8b"):
        raise InterchangeError("JSON is needed; this is compressed by gzip: unpack it first")
    exchanges = from_json(content, _with_arrays)
    if not isinstance(exchanges, dict) or not exchanges:
        rule = "the file must hold one JSON object with at least one exchange"
        raise InterchangeError(f"{rule}; got {shortened(exchanges)}")
    return exchanges


def _with_arrays(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object of JSON. The numbers of an exchange become arrays, which are smaller."""
    return {name: _array(value) if name in _FIELDS else value for name, value in fields.items()}


def _array(value: Any) -> Any:
    """Return whole numbers, of which each may stand in a list of its own, as an array (n,)."""
    try:
        row = np.array(NOBODY if value is None else value)
    except ValueError:  # lists of different lengths
        return value
    whole = row.dtype.kind == "i" and (row.ndim < 2 or row.shape[1:] == (1,)) and not holds_bool(value)
    return row.reshape(-1) if whole else value


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
