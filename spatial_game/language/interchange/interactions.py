"""Read the recordings of the paper's published code: one JSON object of exchanges."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, window_around
from spatial_game.json_text import from_json
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import InterchangeError, reading
from spatial_game.recording import Recording, RecordingError

PAPER_VOCABULARY = 26

_COLUMNS = {
    "cut_inputs": "window",
    "message": "message",
    "tds": "candidates",
    "target_id": "target_index",
    "guess": "choice",
    "sequence": "sequence",
}
"""The columns of a recording by their names in the file."""
_SINGLE = ("target_id", "guess", "target")
_WINDOW = "cut_inputs: must be the window around the target"


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
        fields = {field: _column(exchanges, field) for field in (*_COLUMNS, "target")}
        config = _config(fields, vocab_size, num_integers)
        provenance = {"imported_from": file.name, "format": "interactions of the paper's published code"}
        return _recording(config, list(exchanges), fields, provenance)


def _exchanges(text: str) -> dict[str, Any]:
    """Return the exchanges of a JSON text, by name."""
    try:
        content = from_json(text, _different_names)
    except InterchangeError:
        raise
    except json.JSONDecodeError as error:
        raise InterchangeError(f"the file must be whole JSON (truncated?); {error}") from None
    except ValueError as error:
        raise InterchangeError(f"the file must be JSON of whole numbers; {error}") from None
    if not isinstance(content, dict) or not content:
        rule = "the file must hold one JSON object with at least one exchange"
        raise InterchangeError(f"{rule}; got {shortened(content)}")
    return content


def _different_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object. Raises `InterchangeError` for a name that stands twice."""
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise InterchangeError(f"{name}: names must differ; got it twice")
        found[name] = value
    return found


def _column(exchanges: Mapping[str, Any], field: str) -> IntArray:
    """Return the numbers (B, n) of one field of all exchanges."""
    rows: list[list[int]] = []
    for name, exchange in exchanges.items():
        if not isinstance(exchange, Mapping) or field not in exchange:
            rule = f"an exchange must be an object with the field {field}"
            raise InterchangeError(f"{name}: {rule}; got {shortened(exchange)}")
        rows.append(_numbers(f"{name}, {field}", exchange[field]))
        wanted = 1 if field in _SINGLE else len(rows[0])
        if len(rows[-1]) != wanted:
            raise InterchangeError(f"{name}, {field}: there must be {wanted}; got {shortened(rows[-1])}")
    return np.array(rows, dtype=np.int64)


def _numbers(place: str, value: Any) -> list[int]:
    """Return a number, a list of numbers, or a list of lists of one number, as a plain list."""
    listed = value if isinstance(value, list) else [value]
    plain = [item[0] if isinstance(item, list) and len(item) == 1 else item for item in listed]
    for item in plain:
        if type(item) is not int or abs(item) > 1 << 31:
            raise InterchangeError(f"{place}: values must be whole numbers; got {shortened(item)}")
    return plain


def _config(fields: Mapping[str, IntArray], vocab_size: int, num_integers: int | None) -> GameConfig:
    """Return the game of exchanges."""
    window = fields["cut_inputs"].shape[1]
    if window % 2 == 0:
        raise InterchangeError(f"cut_inputs: a window must have an odd number of cells; got {window}")
    try:
        return GameConfig(
            sequence_length=fields["sequence"].shape[1],
            num_integers=num_integers,
            window_radius=window // 2,
            num_distractors=fields["tds"].shape[1] - 1,
            vocab_size=vocab_size,
            message_length=fields["message"].shape[1],
        )
    except ValueError as error:
        raise InterchangeError(str(error)) from None


def _recording(
    config: GameConfig, names: list[str], fields: Mapping[str, IntArray], provenance: Mapping[str, Any]
) -> Recording:
    """Return the recording of exchanges. The fields of each exchange must agree."""
    columns: dict[str, Any] = {
        column: fields[field][:, 0] if field in _SINGLE else fields[field]
        for field, column in _COLUMNS.items()
    }
    target, sequence = fields["target"][:, 0], fields["sequence"]
    found = sequence == target[:, None]
    position = found.argmax(axis=1)
    try:
        recording = Recording(config, **columns, target_position=position, provenance=provenance)
    except RecordingError as error:
        raise InterchangeError(_by_name(str(error), names)) from None
    window, _ = window_around(config, sequence, position)
    named = fields["tds"][np.arange(len(names)), columns["target_index"]]
    for holds, rule, values in (
        (found.any(axis=1), "target: must stand in the sequence", target),
        (named == target, "target: must stand in tds at target_id", target),
        (
            (window == recording.window).all(axis=1),
            "cut_inputs: must be the window around the target",
            window,
        ),
    ):
        if not holds.all():
            row = int(np.argmin(holds))
            raise InterchangeError(f"{names[row]}, {rule}; got {values[row].tolist()}")
    return recording


def _by_name(error: str, names: list[str]) -> str:
    """Return what a recording says of a row, with the exchange's name, and the file's name of the column."""
    place, _, rest = error.partition(": ")
    field_of = {column: field for field, column in _COLUMNS.items()}
    words = place.replace(",", "").split()
    if len(words) == 4 and words[0] == "row" and words[3] in field_of:
        return f"{names[int(words[1])]}, {field_of[words[3]]}: {rest}"
    return error
