"""CSV as spreadsheets write it: a row for each episode, and a column for each cell of a list."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatial_game.checks import require_one_of, shortened
from spatial_game.files import reading, replacing
from spatial_game.game.checking import check_integers
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.counting.counts import Source
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.interchange.reading import InterchangeError, imported
from spatial_game.recording import ANALYSED, COLUMNS, LIST_COLUMNS, Recording, join, list_width
from spatial_game.recording.format import game_of
from spatial_game.recording.recording import unchecked

FIRST_ROW = 2
"""The row of the first episode, as spreadsheets count them: row 1 has the names of the columns."""
NOTHING = ("", "?")
"""A cell without a number: the mask of a window, or a value that is not known."""
BLOCK_BYTES = 1 << 22
"""How much of a file is read at a time."""
_DELIMITERS = ",;\t"
_LARGEST, _OF_FEW_DIGITS = 999_999_999, "a whole number of at most 9 digits"
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of the files of spreadsheet programs."""


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, with a row for each episode, and return the number of episodes.

    The columns are those of a recording, with a number for each cell of a list: `window_0`, ..., `choice`.
    """
    written, rows = 0, pyarrow.csv.WriteOptions(include_header=False)
    with replacing(path) as temporary, temporary.open("wb") as file:
        for block in source.blocks():
            cells: dict[str, Any] = {}
            for name, column in block.columns().items():
                width = list_width(source.config, name)
                names = [name] if width is None else [f"{name}_{i}" for i in range(width)]
                cells |= zip(names, map(np.ascontiguousarray, np.atleast_2d(column.T)), strict=True)
            if not written:
                file.write(",".join(cells).encode() + b"\n")
            pyarrow.csv.write_csv(pa.table(cells), file, rows)
            written += len(block)
    return written


def read_csv(path: str | os.PathLike[str], **options: Any) -> Recording:
    """Read a CSV into memory. Arguments and errors as for `csv_blocks`."""
    return join(csv_blocks(path, **options))


def csv_blocks(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, Sequence[str]] = MappingProxyType({}),
    first_symbol: int = 0,
    **sizes: Any,
) -> Iterator[Recording]:
    """Read a CSV block by block, in constant memory; it may be compressed, and divided by `,`, `;` or tabs.

    `columns` maps a column of a recording to the names of its cells in the file, or to the name of one column
    with lists such as `[3, 1, 2]`; by default, these are `window_0`, `window_1`, ... or `window`. All others
    are ignored. Capitals make no difference, unless two columns differ in them alone.

    `first_symbol` is the number of the first symbol. `sizes` are the fields of `GameConfig` that the columns
    do not tell: at least `vocab_size`, and `sequence_length` where there are no sequences.

    The window and the message are needed. In a window, `?`, -1 or an empty cell is the mask. The other
    columns may be left out, or have only such cells.

    Raises `InterchangeError` naming file, row (as spreadsheets count them), column, rule and value; also for
    a CSV without rows.
    """
    with reading(path, InterchangeError) as file:
        sheet = _Sheet.open(file, columns)
        config, unknown, row = None, frozenset[str](), FIRST_ROW
        for batch in sheet.batches():
            found = {name: sheet.column(name, batch, row) for name in sheet.cells}
            if config is None:
                unknown = frozenset(n for n, c in found.items() if n not in ANALYSED and (c == MASK).all())
                lists = {name: c.shape[1] for name, c in found.items() if name in LIST_COLUMNS}
                config = game_of({name: width for name, width in lists.items() if name not in unknown}, sizes)
            for name in unknown:
                if not (found[name] == MASK).all():
                    rule = f"column {name} must have values in all rows, or in none"
                    raise InterchangeError(
                        f"{rule}; got none in row {FIRST_ROW}, and others from row {row} on"
                    )
            message, end = found["message"], first_symbol + config.vocab_size
            check_integers("column message", message, message.shape, end, low=first_symbol, first_row=row)
            found["message"] = message - first_symbol
            known = {name: column for name, column in found.items() if name not in unknown}
            block = imported(config, known, file, row)
            yield unchecked(config, block.columns(), block.provenance, [(row - FIRST_ROW, len(block))])
            row += len(block)
        if config is None:
            raise InterchangeError("there must be at least one episode; got none")


@dataclass(frozen=True)
class _Sheet:
    """A CSV whose first line was read."""

    file: Path
    compression: str | None
    delimiter: str
    names: list[str]
    cells: Mapping[str, Sequence[str]]
    """The columns of the file for each column of the recording that it has."""

    @classmethod
    def open(cls, file: Path, columns: Mapping[str, Sequence[str]]) -> _Sheet:
        """Read the first line of a file. Raises `ValueError` if it is of another kind, or lacks a column."""
        with file.open("rb") as plain:
            start = plain.read(4)
        if start in _WORKBOOKS:
            raise InterchangeError("a CSV is needed; this is a workbook, such as .xlsx: save it as CSV")
        compression = "gzip" if start.startswith(b"\x1f\x8b") else None
        with _errors(), _stream(file, compression) as stream:
            lines = stream.read(BLOCK_BYTES).splitlines()
        try:
            header = lines[0].decode("utf-8-sig") if lines else ""
        except UnicodeDecodeError:
            raise InterchangeError('its column names must be UTF-8: save it as "CSV UTF-8"') from None
        delimiter = max(_DELIMITERS, key=header.count)
        names = next(csv.reader([header], delimiter=delimiter), [])
        return cls(file, compression, delimiter, names, _cells(names, columns))

    def batches(self) -> Iterator[Any]:
        """Yield the needed columns of the rows, as batches of Arrow; empty rows at the end are left out."""
        # A table with gaps, as pandas writes it, has 3.0 for 3.
        types = {each: pa.float64() for cells in self.cells.values() for each in cells}
        types |= {self.cells[name][0]: pa.string() for name in self.cells if self._holds_lists(name)}
        # Other columns are not converted: they may begin as one type and go on as another.
        convert = pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=NOTHING, strings_can_be_null=True
        )
        # Errors tell the row only without threads.
        read = pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parse = pyarrow.csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False)
        row, first_empty = FIRST_ROW, 0
        with _errors(self.names), _stream(self.file, self.compression) as stream:
            for batch in pyarrow.csv.open_csv(stream, read, parse, convert):
                filled = _last_filled_row(batch)
                if first_empty and filled:
                    rule = f"row {first_empty} must have values, as later rows do"
                    raise InterchangeError(f"{rule}; it is empty")
                if filled:
                    yield batch.slice(0, filled)
                if filled < batch.num_rows:
                    first_empty = first_empty or row + filled
                row += batch.num_rows

    def _holds_lists(self, name: str) -> bool:
        return name in LIST_COLUMNS and len(self.cells[name]) == 1

    def column(self, name: str, batch: Any, row: int) -> IntArray:
        """Return a column of a recording, of a batch that begins in this row; MASK where nothing is."""
        if self._holds_lists(name):
            return _lists(self.cells[name][0], batch.column(self.cells[name][0]).to_pylist(), row)
        parts = []
        for cell in self.cells[name]:
            values = batch.column(cell)
            if name == "message" and values.null_count:
                empty = row + int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
                raise InterchangeError(f"column {cell} must have no empty values; got one in row {empty}")
            parts.append(self._whole(cell, values.fill_null(MASK).to_numpy(), row))
        return np.stack(parts, axis=1) if name in LIST_COLUMNS else parts[0]

    def _whole(self, cell: str, values: FloatArray, first_row: int) -> IntArray:
        """Return the values (B,) of a column of cells as integers.

        Raises `InterchangeError` for fractions, and for numbers that are far too large.
        """
        for wrong, rule in (
            (~np.isfinite(values) | (values != np.rint(values)), "a whole number"),
            (np.abs(values) > _LARGEST, _OF_FEW_DIGITS),
        ):
            if wrong.any():
                row = first_row + int(np.argmax(wrong))
                written = self._as_written(cell, row)
                raise InterchangeError(f"column {cell} must be {rule}; got {shortened(written)} in row {row}")
        return values.astype(np.int64)

    def _as_written(self, cell: str, row: int) -> str:
        """Return the text of a cell in a row of the file."""
        with _stream(self.file, self.compression) as stream, io.TextIOWrapper(stream, "utf-8-sig") as text:
            rows = csv.reader(text, delimiter=self.delimiter)
            return next(itertools.islice(rows, row - 1, None))[self.names.index(cell)]


def _last_filled_row(batch: Any) -> int:
    """Return the number, from 1, of the last row of a batch that has a value; 0 if none has."""
    empty = [column.is_null().to_numpy(zero_copy_only=False) for column in batch.columns]
    return int(np.flatnonzero(~np.logical_and.reduce(empty)).max(initial=-1)) + 1


@contextlib.contextmanager
def _stream(file: Path, compression: str | None) -> Iterator[Any]:
    with file.open("rb") as opened, pa.input_stream(opened, compression=compression) as stream:
        yield stream


@contextlib.contextmanager
def _errors(names: Sequence[str] = ()) -> Iterator[None]:
    """Raise `InterchangeError` for what the reader of CSV says, by the names of the columns."""
    try:
        yield
    except pa.ArrowException as error:
        if cell := re.search(r"column #(\d+): Row #(\d+): .* invalid value '(.*)'", str(error)):
            column, row, value = cell.groups()
            rule = f"column {names[int(column)]} must be a whole number"
            raise InterchangeError(f"{rule}; got {shortened(value)} in row {row}") from None
        raise InterchangeError(f"not a CSV of whole numbers; {str(error).splitlines()[0]}") from None


def _cells(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Return, for each column of the recording that the file has, the file's columns."""
    for name in columns:
        require_one_of("columns", name, COLUMNS)
    number, alike = Counter(names), Counter(map(str.casefold, names))
    spellings = {each.casefold(): each for each in names if alike[each.casefold()] == 1}
    found: dict[str, Sequence[str]] = {}
    for name in COLUMNS:
        a_cell = re.compile(rf"{name}_(\d{{1,5}})", re.IGNORECASE | re.ASCII)
        numbers = [int(cell[1]) for cell in map(a_cell.fullmatch, names) if cell]
        listed = [f"{name}_{i}" for i in range(max(numbers, default=-1) + 1)] if name in LIST_COLUMNS else []
        wanted = columns.get(name) or listed or [name]
        cells = [each if each in number else spellings.get(each.casefold(), each) for each in wanted]
        wrong = [cell for cell in cells if number[cell] != 1]
        if cells == [name] and not number[name] and name not in (*columns, *ANALYSED):
            continue
        if wrong:
            lacking = wrong[0] if wanted != [name] else f"{name}, or {name}_0, {name}_1, ..."
            raise InterchangeError(f"there must be the column {lacking} once; got {shortened(list(names))}")
        found[name] = cells
    return found


def _lists(name: str, texts: Sequence[str | None], first_row: int) -> IntArray:
    """Return a column of lists such as `[3, ?, 2]` or `3 1 2` as an array (B, n)."""
    rows: list[list[int]] = []
    for row, text in enumerate(texts, first_row):
        inside = (text or "").strip("[]() ")
        parts = re.split(r"[,;]", inside) if re.search("[,;]", inside) else inside.split()
        try:
            rows.append([MASK if part.strip() in NOTHING else int(part) for part in parts])
        except ValueError:
            rule = f"column {name} must be whole numbers, such as 3 or [3, 1, 2]"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}") from None
        if any(abs(number) > _LARGEST for number in rows[-1]):
            rule = f"column {name} must hold {_OF_FEW_DIGITS} in each place"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}")
        if len(rows[-1]) != len(rows[0]):
            rule = f"column {name} must have lists of {len(rows[0])} numbers, as in row {FIRST_ROW}"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}")
    return np.array(rows, dtype=np.int64)
