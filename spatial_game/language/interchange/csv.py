"""CSV as spreadsheets write it: a row for each episode, and a column for each cell of a list."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatial_game.checks import require_one_of, shortened
from spatial_game.files import reading, replacing
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.counting.counts import Source
from spatial_game.language.interchange.cells import (
    NOTHING,
    Place,
    Texts,
    parts_of,
    symbol_numbers,
    whole_numbers,
)
from spatial_game.language.interchange.importing import InterchangeError, imported
from spatial_game.recording import (
    ANALYSED,
    COLUMNS,
    LIST_COLUMNS,
    NOBODY,
    Recording,
    RecordingError,
    join,
    list_width,
    symbol_names,
)
from spatial_game.recording.format import game_of
from spatial_game.recording.recording import unchecked
from spatial_game.text import counted

FIRST_ROW = 2
"""The row of the first episode, as spreadsheets count them: row 1 has the names of the columns."""
BLOCK_BYTES = 1 << 22
"""How much of a file is read at a time."""
STANDS_FOR = {"window": MASK, "choice": NOBODY}
"""The number for which a cell without a value stands. In other columns all rows have values, or none."""
NOT_KNOWN = -1
"""If all rows of another column have this number or no value, nothing is known of it."""
_DELIMITERS = ",;\t"
_WORKBOOK = "a workbook, such as .xlsx: save it as CSV, or run: soffice --headless --convert-to csv FILE"
_OTHERS = {
    b"PK\x03\x04": _WORKBOOK,
    b"\xd0\xcf\x11\xe0": _WORKBOOK,
    b"PAR1": "a Parquet file, which needs no import",
}
"""What other files are, by their first bytes."""


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, with a row for each episode, and return the number of episodes.

    The columns are those of a recording, with a number for each cell of a list: `window_0`, ..., `choice`.
    Symbols have the names that they had in the file that was imported.
    """
    written, names = 0, np.array(symbol_names(source.config, [source.provenance]))
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for block in source.blocks():
            cells: dict[str, list[Any]] = {}
            for name, column in block.columns().items():
                width = list_width(source.config, name)
                headers = [name] if width is None else [f"{name}_{i}" for i in range(width)]
                values = names[column] if name == "message" else column
                cells |= zip(headers, np.atleast_2d(values.T).tolist(), strict=True)
            if not written:
                writer.writerow(cells)
            writer.writerows(zip(*cells.values(), strict=True))
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

    It is read twice: first to see what is written in each column, then to convert that.

    `columns` maps a column of a recording to the names of its cells in the file, or to the name of one column
    with lists such as `[3, 1, 2]`; by default, these are `window_0`, `window_1`, ... or `window`. All others
    are ignored. Capitals make no difference, unless two columns differ in them alone.

    Numbers may have separators of thousands, and a fraction of zeros, with points or commas; `3.000` is
    refused, as it may have either. Symbols may also be letters or
    words, in one column also letters without gaps: they get numbers in alphabetical order.

    `first_symbol` is the number of the first symbol, if symbols are numbers. In the recording, the first one
    is 0; `symbol_names` has the words or numbers of the file. `sizes` are the fields of `GameConfig` that the
    columns do not tell: at least `vocab_size`, and `sequence_length` where there are no sequences.

    The window and the message are needed. In a window, `?`, -1 or an empty cell is the mask. The other
    columns may be left out, or have only such cells.

    Raises `InterchangeError` naming file, row (as spreadsheets count them), column, rule and value; also for
    a CSV without rows.
    """
    with reading(path, InterchangeError) as file:
        sheet = _Sheet.open(file, columns)
        numbers, names = sheet.look_through(first_symbol, sizes)
        origin = {"symbols": names} if names else {}
        known = [(column, numbers[column.name]) for column in sheet.columns if column.name in numbers]
        for row, block in sheet.blocks():
            found = {column.name: column.array(block, table) for column, table in known}
            part = imported(found, sizes, file, first_row=row, origin=origin)
            yield unchecked(part.config, part.columns(), part.provenance, part.rows - FIRST_ROW)


@dataclass
class _Column:
    """A column of a recording, as a file has it: the numbers of its texts."""

    name: str
    cells: Sequence[str]
    """The file's columns that it is made of."""
    has_lists: bool
    """Whether there is one such column, with a list in each cell."""
    width: int = 0
    """The numbers in a row."""
    places: dict[str, Place] = field(default_factory=dict)
    """The different texts, and where each stands first."""

    def look_at(self, block: Any, first_row: int) -> None:
        """Add the texts of a block. Raises `InterchangeError` for lists of different lengths."""
        for cell in self.cells:
            texts, codes = _different(block.column(cell))
            for code, parts in enumerate(map(self._parts, texts)):
                self.width = self.width or len(parts if self.has_lists else self.cells)
                fits = len(parts) == self.width or not self.has_lists
                if fits and self.places.keys() >= {*parts}:
                    continue
                place = Place(cell, first_row + int(np.argmax(codes == code)))
                if not fits:
                    letters = " (of a word, its letters; in a column message_0, it is one symbol)"
                    rule = f"have lists of {self.width}, as in row {FIRST_ROW}"
                    raise place.error(rule + letters * texts[code].isalpha(), texts[code])
                for part in parts:
                    self.places.setdefault(part, place)

    def numbers(self) -> dict[str, int]:
        """Return the number of each text; nothing if no row has a value, and the column may be left out."""
        numbers = whole_numbers(self.places)
        if self.name not in ANALYSED and {*numbers.values()} <= {None, NOT_KNOWN}:
            return {}
        for text, number in numbers.items():
            if number is None and self.name not in STANDS_FOR:
                raise self.places[text].error("have values in all rows, or in none", text)
        return {text: STANDS_FOR[self.name] if n is None else n for text, n in numbers.items()}

    def require_odd(self) -> None:
        """Raise `InterchangeError` for a window without a cell for the target."""
        if self.width % 2 == 0:
            columns = f"column {self.cells[0]}" if self.has_lists else f"columns {', '.join(self.cells)}"
            each = "integers in each list" if self.has_lists else "columns"
            rule = f"must have an odd number of {each}, one of them for the target, with ? in each row"
            raise InterchangeError(f"window, from {columns}, {rule}; got {self.width}")

    def array(self, block: Any, numbers: Mapping[str, int]) -> IntArray:
        """Return the column in a block, (B,) or of a list (B, n), by the numbers of its texts."""
        arrays = []
        for texts, codes in (_different(block.column(cell)) for cell in self.cells):
            lists = np.array([[numbers[part] for part in self._parts(text)] for text in texts])
            arrays.append(lists[codes])
        return np.concatenate(arrays, axis=1) if self.name in LIST_COLUMNS else arrays[0][:, 0]

    def _parts(self, text: str) -> list[str]:
        text = unicodedata.normalize("NFC", text)  # an accent belongs to its letter
        return parts_of(text) if self.has_lists else [text.strip()]


def _different(cells: Any) -> tuple[list[str], IntArray]:
    """Return the different texts in cells of Arrow, and which of them each cell (B,) has."""
    encoded = cells.fill_null("").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


@dataclass(frozen=True)
class _Sheet:
    """A CSV whose first line was read."""

    file: Path
    compression: str | None
    delimiter: str
    columns: Sequence[_Column]

    @classmethod
    def open(cls, file: Path, columns: Mapping[str, Sequence[str]]) -> _Sheet:
        """Read the first line of a file. Raises `ValueError` if it is of another kind, or lacks a column."""
        with file.open("rb") as plain:
            start = plain.read(4)
        if start in _OTHERS:
            raise InterchangeError(f"a CSV is needed; this is {_OTHERS[start]}")
        compression = "gzip" if start.startswith(b"\x1f\x8b") else None
        with _stream(file, compression) as stream:
            line = (stream.read(BLOCK_BYTES).splitlines() or [b""])[0].decode("utf-8-sig")
        delimiter = max(_DELIMITERS, key=line.count)
        names = next(csv.reader([line], delimiter=delimiter), [])
        return cls(file, compression, delimiter, _columns(names, columns))

    def look_through(
        self, first_symbol: int, sizes: Mapping[str, Any]
    ) -> tuple[dict[str, dict[str, int]], list[str]]:
        """Return the number of each text by column, and names of symbols if these are not their numbers.

        Columns without values are left out.
        """
        row = 0
        for row, block in self.blocks():
            for column in self.columns:
                column.look_at(block, row)
        if not row:
            raise InterchangeError("there must be at least one episode; got none")
        by_name = {column.name: column for column in self.columns}
        message = by_name.pop("message")
        numbers = {name: found for name, column in by_name.items() if (found := column.numbers())}
        by_name["window"].require_odd()
        widths = {"message": message.width, **{name: by_name[name].width for name in numbers}}
        vocab_size = _vocab_size(message.places, widths, sizes)
        numbers["message"], names = symbol_numbers(message.places, first_symbol, vocab_size)
        return numbers, names

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the number of a row, and a batch of Arrow with the cells from there on, as texts.

        Cells without a value are null; empty rows at the end are left out.
        """
        # As texts, since there are many ways to write a number. Other columns are not converted.
        types = {cell: pa.string() for column in self.columns for cell in column.cells}
        convert = pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=[*types], null_values=NOTHING, strings_can_be_null=True
        )
        # Errors tell the row only without threads.
        read = pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parse = pyarrow.csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False)
        row, first_empty = FIRST_ROW, 0
        with _stream(self.file, self.compression) as stream:
            for batch in pyarrow.csv.open_csv(stream, read, parse, convert):
                empty = np.logical_and.reduce([column.is_null() for column in batch.columns])
                filled = int(np.flatnonzero(~empty).max(initial=-1)) + 1
                if not first_empty and empty.any():
                    first_empty = row + int(np.argmax(empty))
                if filled and 0 < first_empty < row + filled:
                    rule = f"row {first_empty} must have values, as later rows do"
                    raise InterchangeError(f"{rule}; it is empty")
                if filled:
                    yield row, batch.slice(0, filled)
                row += batch.num_rows


def _vocab_size(symbols: Texts, widths: Mapping[str, int], sizes: Mapping[str, Any]) -> int:
    """Return the number of symbols of the game. Raises `InterchangeError` with those found if it lacks."""
    try:
        return game_of(widths, sizes).vocab_size
    except RecordingError as error:
        first, *_, last = sorted([*symbols] * 2, key=lambda text: (text.isdigit() and len(text), text))
        found = f"{counted(len(symbols), 'different symbol')}, {shortened(first)} to {shortened(last)}"
        raise InterchangeError(f"{error}; messages have {found}") from None


@contextlib.contextmanager
def _stream(file: Path, compression: str | None) -> Iterator[Any]:
    """Open a CSV. What the reader says of it in the block becomes an `InterchangeError`."""
    try:
        with file.open("rb") as opened, pa.input_stream(opened, compression=compression) as stream:
            yield stream
    except (pa.ArrowException, UnicodeDecodeError) as error:
        if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
            raise InterchangeError('must be UTF-8: save it as "CSV UTF-8"; got another encoding') from None
        raise InterchangeError(f"must be a CSV; {str(error).splitlines()[0]}") from None


def _columns(names: Sequence[str], given: Mapping[str, Sequence[str]]) -> list[_Column]:
    """Return the columns of a recording that a file with these names of columns has."""
    for name in given:
        require_one_of("columns", name, COLUMNS)
    alike = Counter(map(str.casefold, names))
    spellings = {each.casefold(): each for each in names if alike[each.casefold()] == 1}
    found = []
    for name in COLUMNS:
        cell = re.compile(rf"{name}_(\d{{1,5}})", re.IGNORECASE | re.ASCII)
        numbers = [int(match[1]) for match in map(cell.fullmatch, names) if match]
        listed = [f"{name}_{i}" for i in range(max(numbers, default=-1) + 1)] if name in LIST_COLUMNS else []
        wanted = given.get(name) or listed or [name]
        cells = [each if each in names else spellings.get(each.casefold(), each) for each in wanted]
        lacking = [each for each in cells if names.count(each) != 1]
        if not lacking:
            has_lists = name in LIST_COLUMNS and len(cells) == 1 and wanted != listed
            found.append(_Column(name, cells, has_lists))
        elif wanted != [name] or name in names or name in (*given, *ANALYSED):
            which = lacking[0] if wanted != [name] else f"{name}, or {name}_0, {name}_1, ..."
            hint = f" (--columns {name}=A,B,... names others for it)" if wanted == [name] else ""
            raise InterchangeError(
                f"there must be the column {which} once{hint}; got {shortened(list(names))}"
            )
    return found
