"""Reading what the paper's published code records: one JSON object of exchanges."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import window_around
from spatial_game.language.fields import shortened
from spatial_game.language.interchange.errors import (
    InterchangeError,
    join_blocks,
    reading,
    store_blocks,
)
from spatial_game.recording import Recording, RecordingError
from spatial_game.tables import printable

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
_CHUNK = 1 << 20
_LARGEST_MEMBER = 1 << 24


def read_interactions(path: str | os.PathLike[str], **options: Any) -> Recording:
    """Read a whole file of interactions. Arguments and errors as for `stream_interactions`."""
    return join_blocks(stream_interactions(path, **options))


def import_interactions(
    source: str | os.PathLike[str], target: str | os.PathLike[str], **options: Any
) -> int:
    """Convert a file of interactions into a recording on disk, and return the number of episodes.

    Arguments and errors as for `stream_interactions`. The recording is written only if all of the file is
    read.
    """
    return store_blocks(stream_interactions(source, **options), target)


def stream_interactions(
    path: str | os.PathLike[str],
    *,
    vocab_size: int = PAPER_VOCABULARY,
    num_integers: int | None = None,
    block_size: int = 1 << 16,
) -> Iterator[Recording]:
    """Read `{"exchange_<i>": {sequence, cut_inputs, tds, message, guess, target, target_id}, ...}`.

    The file does not say how many symbols there are (default: the paper's), nor how many integers (default:
    as many as a sequence is long). `guess` and `target_id` are places in `tds`. Yields at least one block.

    Raises `InterchangeError` naming file, exchange, field, rule and value.
    """
    with reading(path) as file, file.open(encoding="utf-8") as text:
        config: GameConfig | None = None
        names: list[str] = []
        rows: list[dict[str, list[int]]] = []
        provenance = {"imported_from": file.name, "format": "interactions of the paper's published code"}
        first_row, seen = 0, set[str]()
        for name, exchange in json_members(text):
            if name in seen:
                raise InterchangeError(f"{name}: names of exchanges must differ; got it twice")
            seen.add(name)
            row = _row(name, exchange)
            if config is None:
                config = _config(name, row, vocab_size, num_integers)
            names.append(name)
            rows.append(row)
            if len(rows) == block_size:
                yield _block(config, names, rows, provenance, first_row)
                first_row += len(rows)
                names, rows = [], []
        if config is None:
            raise InterchangeError("there must be at least one exchange; got none")
        if rows:
            yield _block(config, names, rows, provenance, first_row)


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
    """The game that an exchange is of."""
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


def _block(
    config: GameConfig,
    names: list[str],
    rows: list[dict[str, list[int]]],
    provenance: Mapping[str, Any],
    first_row: int,
) -> Recording:
    """A block of exchanges, each of which must agree with itself."""
    columns = {}
    for field, column in _COLUMNS.items():
        _same_length(names, rows, field)
        table = np.array([row[field] for row in rows], dtype=np.int64)
        columns[column] = table[:, 0] if field in _SINGLE else table
    target = np.array([row["target"] for row in rows])[:, 0]
    found = columns["sequence"] == target[:, None]
    position = found.argmax(axis=1)
    try:
        recording = Recording(
            config, **columns, target_position=position, provenance=provenance, first_row=first_row
        )
    except RecordingError as error:
        raise InterchangeError(_by_name(str(error), names, first_row)) from None
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


def _by_name(error: str, names: list[str], first_row: int) -> str:
    """What a recording says of a row, with the exchange's name and the file's name for the column."""
    place, _, rest = error.partition(": ")
    field_of = {column: field for field, column in _COLUMNS.items()}
    words = place.replace(",", "").split()
    if len(words) == 4 and words[0] == "row" and words[3] in field_of:
        return f"{names[int(words[1]) - first_row]}, {field_of[words[3]]}: {rest}"
    return error


def json_members(text: TextIO) -> Iterator[tuple[str, Any]]:
    """The names and values of one JSON object, one after another, in memory for the largest of them."""
    scanner = _Scanner(text)
    scanner.expect("{", "the file must hold one JSON object")
    if scanner.peek() == "}":
        scanner.expect("}", "")
    else:
        while True:
            name = scanner.value()
            if not isinstance(name, str):
                raise InterchangeError(f"names in an object must be texts; got {shortened(name)}")
            name = printable(name)
            scanner.expect(":", f"{name}: a value must follow")
            yield name, scanner.value(name)
            if scanner.peek() == "}":
                break
            scanner.expect(",", f"{name}: a comma or the object's end must follow")
        scanner.expect("}", "")
    if scanner.peek():
        raise InterchangeError(f"nothing may follow the JSON object; got {scanner.peek()!r}")


class _Scanner:
    """Reads JSON values one by one from a text that need not fit in memory."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._buffer = ""
        self._at = 0
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def expect(self, character: str, rule: str) -> None:
        """Step over this character, which must come next."""
        got = self.peek()
        if got != character:
            raise InterchangeError(f"{rule}; got {got!r}" if got else f"{rule}; the file ends (truncated?)")
        self._at += 1

    def value(self, name: str = "") -> Any:
        """The next value, or `InterchangeError` with the name of its place."""
        self.peek()
        place = f"{name}: " if name else ""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or not self._more():
                    self._at = end
                    return value
            except RecursionError:
                raise InterchangeError(f"{place}not JSON of this kind; nested too deeply") from None
            except ValueError as error:
                fault = getattr(error, "msg", error)
                if len(self._buffer) - self._at > _LARGEST_MEMBER:
                    rule = f"not JSON, or longer than {_LARGEST_MEMBER} characters"
                    raise InterchangeError(f"{place}{rule}; {fault}") from None
                if not self._more():
                    raise InterchangeError(f"{place}not whole JSON (truncated?); {fault}") from None

    def _more(self) -> bool:
        """Read on; False at the end of the text."""
        chunk = self._text.read(max(_CHUNK, len(self._buffer) - self._at))
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return bool(chunk)
