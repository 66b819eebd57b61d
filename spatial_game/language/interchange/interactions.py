"""Read the recordings of the paper's published code: one JSON object of exchanges."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import window_around
from spatial_game.json_text import from_json
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import (
    InterchangeError,
    reading,
)
from spatial_game.recording import Recording, RecordingError

PAPER_VOCABULARY = 26

# Name in the file -> column of a recording.
_COLUMNS = {
    "cut_inputs": "window",
    "message": "message",
    "tds": "candidates",
    "target_id": "target_index",
    "guess": "choice",
    "sequence": "sequence",
}
_SINGLE = ("target_id", "guess", "target")


def read_interactions(
    path: str | os.PathLike[str], *, vocab_size: int = PAPER_VOCABULARY, num_integers: int | None = None
) -> Recording:
    """Read `{"exchange_<i>": {sequence, cut_inputs, tds, message, guess, target, target_id}, ...}`.

    The file does not contain the number of symbols (default: the paper's) or of integers (default: the length
    of the sequences). `guess` and `target_id` are places in `tds`.

    Raises `InterchangeError` naming file, exchange, field, rule and value.
    """
    with reading(path) as file:
        exchanges = _exchanges(file.read_text(encoding="utf-8"))
        rows = {name: _row(name, exchange) for name, exchange in exchanges.items()}
        if not rows:
            raise InterchangeError("there must be at least one exchange; got none")
        first = next(iter(rows))
        config = _config(first, rows[first], vocab_size, num_integers)
        provenance = {"imported_from": file.name, "format": "interactions of the paper's published code"}
        return _recording(config, list(rows), list(rows.values()), provenance)


def _exchanges(text: str) -> dict[str, Any]:
    """Return the exchanges of a JSON text, by name."""
    try:
        content = from_json(text, _different_names)
    except json.JSONDecodeError as error:
        raise InterchangeError(f"the file must be whole JSON (truncated?); {error}") from None
    except ValueError as error:
        if isinstance(error, InterchangeError):
            raise
        raise InterchangeError(f"the file must be JSON of whole numbers; {error}") from None
    if not isinstance(content, dict):
        raise InterchangeError(f"the file must hold one JSON object; got {shortened(content)}")
    return content


def _different_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object. Raises `InterchangeError` for a name that stands twice."""
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise InterchangeError(f"{name}: names must differ; got it twice")
        found[name] = value
    return found


def _row(name: str, exchange: Any) -> dict[str, list[int]]:
    """The numbers of one exchange, by field."""
    if not isinstance(exchange, Mapping):
        raise InterchangeError(f"{name}: an exchange must be an object; got {shortened(exchange)}")
    row = {}
    for field in (*_COLUMNS, "target"):
        if field not in exchange:
            raise InterchangeError(
                f"{name}: an exchange must have the field {field}; got {shortened(list(exchange))}"
            )
        row[field] = _numbers(name, field, exchange[field])
        if field in _SINGLE and len(row[field]) != 1:
            raise InterchangeError(f"{name}, {field}: there must be one; got {shortened(exchange[field])}")
    return row


def _numbers(name: str, field: str, value: Any) -> list[int]:
    """A number, a list of numbers, or a list of lists of one number, as a plain list."""
    listed = value if isinstance(value, list) else [value]
    plain = [item[0] if isinstance(item, list) and len(item) == 1 else item for item in listed]
    for item in plain:
        if type(item) is not int or abs(item) > 1 << 31:
            raise InterchangeError(f"{name}, {field}: values must be whole numbers; got {shortened(item)}")
    return plain


def _config(name: str, row: Mapping[str, list[int]], vocab_size: int, num_integers: int | None) -> GameConfig:
    """Return the game of an exchange."""
    window = len(row["cut_inputs"])
    if window % 2 == 0:
        raise InterchangeError(f"{name}, cut_inputs: a window must have an odd number of cells; got {window}")
    try:
        return GameConfig(
            sequence_length=len(row["sequence"]),
            num_integers=num_integers,
            window_radius=window // 2,
            num_distractors=len(row["tds"]) - 1,
            vocab_size=vocab_size,
            message_length=len(row["message"]),
        )
    except ValueError as error:
        raise InterchangeError(f"{name}: {error}") from None


def _recording(
    config: GameConfig, names: list[str], rows: list[dict[str, list[int]]], provenance: Mapping[str, Any]
) -> Recording:
    """Return the recording of exchanges. The fields of each exchange must agree."""
    columns: dict[str, Any] = {}
    for field, column in _COLUMNS.items():
        _same_length(names, rows, field)
        table = np.array([row[field] for row in rows], dtype=np.int64)
        columns[column] = table[:, 0] if field in _SINGLE else table
    target = np.array([row["target"] for row in rows])[:, 0]
    found = columns["sequence"] == target[:, None]
    position = found.argmax(axis=1)
    try:
        recording = Recording(config, **columns, target_position=position, provenance=provenance)
    except RecordingError as error:
        raise InterchangeError(_by_name(str(error), names)) from None
    _require(names, found.any(axis=1), "target: must stand in the sequence", target)
    named = recording.candidates[np.arange(len(rows)), recording.target_index]  # type: ignore[index]
    _require(names, named == target, "target: must stand in tds at target_id", target)
    window, _ = window_around(config, columns["sequence"], position)
    same = (window == recording.window).all(axis=1)
    _require(names, same, "cut_inputs: must be the window around the target", recording.window)
    return recording


def _same_length(names: list[str], rows: list[dict[str, list[int]]], field: str) -> None:
    length = len(rows[0][field])
    for name, row in zip(names, rows, strict=True):
        if len(row[field]) != length:
            raise InterchangeError(
                f"{name}, {field}: there must be as many as before, {length}; got {len(row[field])}"
            )


def _require(names: list[str], holds: Any, rule: str, values: Any) -> None:
    if not holds.all():
        row = int(np.argmin(holds))
        raise InterchangeError(f"{names[row]}, {rule}; got {values[row].tolist()}")


def _by_name(error: str, names: list[str]) -> str:
    """What a recording says of a row, with the exchange's name and the file's name for the column."""
    place, _, rest = error.partition(": ")
    field_of = {column: field for field, column in _COLUMNS.items()}
    words = place.replace(",", "").split()
    if len(words) == 4 and words[0] == "row" and words[3] in field_of:
        return f"{names[int(words[1])]}, {field_of[words[3]]}: {rest}"
    return error
