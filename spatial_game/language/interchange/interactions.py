"""Read the recordings of the paper's published code: one JSON object of exchanges."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.json_text import from_json
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import InterchangeError, reading
from spatial_game.recording import Recording
from spatial_game.recording.format import check_places

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


def read_interactions(
    path: str | os.PathLike[str], *, vocab_size: int = PAPER_VOCABULARY, num_integers: int | None = None
) -> Recording:
    """Read `{"exchange_<i>": {sequence, cut_inputs, tds, message, guess, target, target_id}, ...}`.

    The file does not contain the number of symbols (default: the paper's) or of integers (default: the length
    of the sequences). `guess` and `target_id` are places in `tds`.

    Raises `InterchangeError` naming file, exchange or row, field, rule and value.
    """
    with reading(path) as file:
        exchanges = _exchanges(file.read_text(encoding="utf-8"))
        fields = {field: _column(exchanges, field) for field in (*_COLUMNS, "target")}
        position = _position(fields, [*exchanges])
        columns: dict[str, Any] = {
            column: fields[field][:, 0] if field in _SINGLE else fields[field]
            for field, column in _COLUMNS.items()
        }
        recording = Recording(
            _config(fields, vocab_size, num_integers),
            **columns,
            target_position=position,
            provenance={"imported_from": file.name, "format": "interactions of the paper's published code"},
        )
        check_places(recording.config, recording.window, recording.sequence, position, 0)
        return recording


def _exchanges(text: str) -> Mapping[str, Any]:
    """Return the exchanges of a JSON text, by name."""
    try:
        content = from_json(text)
    except ValueError as error:
        raise InterchangeError(f"the file must be whole JSON (truncated?); {error}") from None
    if not isinstance(content, dict) or not content:
        rule = "the file must hold one JSON object with at least one exchange"
        raise InterchangeError(f"{rule}; got {shortened(content)}")
    return content


def _column(exchanges: Mapping[str, Any], field: str) -> IntArray:
    """Return the numbers (B, n) of one field of all exchanges. Each may stand in a list of its own."""
    rows: list[IntArray] = []
    for name, exchange in exchanges.items():
        if not isinstance(exchange, Mapping) or field not in exchange:
            rule = f"an exchange must be an object with the field {field}"
            raise InterchangeError(f"{name}: {rule}; got {shortened(exchange)}")
        try:
            row = np.array(exchange[field]).reshape(-1)
        except ValueError:  # lists of different lengths
            row = np.zeros(0)
        wanted = 1 if field in _SINGLE else len(rows[0]) if rows else len(row)
        if row.dtype.kind != "i" or len(row) != wanted:
            rule = f"there must be {wanted or 'some'} whole numbers"
            raise InterchangeError(f"{name}, {field}: {rule}; got {shortened(exchange[field])}")
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def _config(fields: Mapping[str, IntArray], vocab_size: int, num_integers: int | None) -> GameConfig:
    """Return the game of exchanges."""
    window = fields["cut_inputs"].shape[1]
    if window % 2 == 0:
        raise InterchangeError(f"cut_inputs: a window must have an odd number of cells; got {window}")
    return GameConfig(
        sequence_length=fields["sequence"].shape[1],
        num_integers=num_integers,
        window_radius=window // 2,
        num_distractors=fields["tds"].shape[1] - 1,
        vocab_size=vocab_size,
        message_length=fields["message"].shape[1],
    )


def _position(fields: Mapping[str, IntArray], names: list[str]) -> IntArray:
    """Return where the targets (B,) stand. They must be in the sequence, and in `tds` at `target_id`."""
    target, tds = fields["target"], fields["tds"]
    found = fields["sequence"] == target
    index = fields["target_id"].clip(0, tds.shape[1] - 1)  # the recording refuses other places
    wrong = ~found.any(axis=1) | (np.take_along_axis(tds, index, axis=1) != target)[:, 0]
    if wrong.any():
        row = int(wrong.argmax())
        rule = "target: must stand in the sequence, and in tds at target_id"
        raise InterchangeError(f"{names[row]}, {rule}; got {target[row, 0]}")
    return np.asarray(found.argmax(axis=1))
