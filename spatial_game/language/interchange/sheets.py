"""CSV as spreadsheets write it: a row for each episode, and a column for each cell of a list."""

from __future__ import annotations

import contextlib
import csv
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from spatial_game.checks import require_one_of, shortened
from spatial_game.config import GameConfig
from spatial_game.files import reading, replacing
from spatial_game.game.checking import check_integers
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.counting.counts import Source
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
_WHOLE, _RULE = r"^-?\d{1,9}$", "a whole number of at most 9 digits"
_NUMBER = r"[-+]?\d"
"""What a number begins with."""
_GAPS = "' \u00a0\u202f"
"""What divides groups of three digits and nothing else, as in `1 234`."""
_DECIMAL = re.compile(r"([.,])(?:\d{1,2}|\d{4,}|(?<=^0.)\d{3})$")
"""A point or comma that is a decimal mark, as no group of three digits follows: `3.0`, `3,00` or `0.000`."""
_THOUSANDS = re.compile(r"([.,])(?:(?!000)\d{3}(?!\d)|\d{3}(?=[.,]))")
"""One that divides thousands unless it is a decimal mark elsewhere: `1.234` or `1,000.0`; not `3.000`."""
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

    Numbers may have separators of thousands, and a fraction of zeros, with points or commas. The other cells
    of a column tell which of them `3.000` has; if they do not, it is refused. Symbols may also be letters or
    words, in one column also letters without gaps: they get numbers in alphabetical order, and the provenance
    of the recording lists them as `symbols`.

    `first_symbol` is the number of the first symbol, if symbols are numbers. `sizes` are the fields of
    `GameConfig` that the columns do not tell: at least `vocab_size`, and `sequence_length` where there are no
    sequences.

    The window and the message are needed. In a window, `?`, -1 or an empty cell is the mask. The other
    columns may be left out, or have only such cells.

    Raises `InterchangeError` naming file, row (as spreadsheets count them), column, rule and value; also for
    a CSV without rows.
    """
    with reading(path, InterchangeError) as file:
        sheet = _Sheet.open(file, columns)
        config, unknown, row, words = None, frozenset[str](), FIRST_ROW, sheet.words()
        if words and first_symbol:
            raise InterchangeError(f"first_symbol must be 0 where symbols are words; got {first_symbol}")
        for batch in sheet.batches():
            found = {
                name: sheet.column(name, batch, row, words if name == "message" else ())
                for name in sheet.cells
            }
            if config is None:
                config, unknown = _game_and_unknown(found, sizes)
                if len(words) > config.vocab_size:
                    rule = f"messages must have at most {config.vocab_size} different symbols, by vocab_size"
                    raise InterchangeError(f"{rule}; got {len(words)}: {shortened(list(words))}")
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
            block = imported(config, known, file, row, {"symbols": list(words)} if words else {})
            yield unchecked(config, block.columns(), block.provenance, block.rows - FIRST_ROW)
            row += len(block)
        if config is None:
            raise InterchangeError("there must be at least one episode; got none")


def _game_and_unknown(
    found: Mapping[str, IntArray], sizes: Mapping[str, Any]
) -> tuple[GameConfig, frozenset[str]]:
    """Return the game of the first rows, and the columns that may be missing and have no values there."""
    unknown = frozenset(n for n, c in found.items() if n not in ANALYSED and (c == MASK).all())
    widths = {n: c.shape[1] for n, c in found.items() if n in LIST_COLUMNS and n not in unknown}
    return game_of(widths, sizes), unknown


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
            how = "save it as CSV, or run: soffice --headless --convert-to csv FILE"
            raise InterchangeError(f"a CSV is needed; this is a workbook, such as .xlsx: {how}")
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
        # As texts, since there are many ways to write a number. Other columns are not converted.
        types = {each: pa.string() for cells in self.cells.values() for each in cells}
        convert = pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=NOTHING, strings_can_be_null=True
        )
        # Errors tell the row only without threads.
        read = pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parse = pyarrow.csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False)
        row, first_empty = FIRST_ROW, 0
        with _errors(), _stream(self.file, self.compression) as stream:
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

    def words(self) -> tuple[str, ...]:
        """Return the letters or words that stand for symbols, in order; none if symbols are numbers."""
        found: set[str] = set()
        for batch in self.batches():
            for cell in self.cells["message"]:
                for text in batch.column(cell).drop_null().unique().to_pylist():
                    found.update(_parts(text) if self._holds_lists("message") else [text.strip()])
            if any(re.match(_NUMBER, part) for part in found):
                return ()
        # A blank is no word: the column is refused where it stands.
        return tuple(sorted(found - {""}))

    def column(self, name: str, batch: Any, row: int, words: Sequence[str]) -> IntArray:
        """Return a column of a recording, of a batch that begins in this row; MASK where nothing is.

        `words`: those that stand for its numbers; none if numbers stand there.
        """
        if self._holds_lists(name):
            return _lists(self.cells[name][0], batch.column(self.cells[name][0]).to_pylist(), row, words)
        parts = []
        for cell in self.cells[name]:
            texts = batch.column(cell)
            if name == "message" and texts.null_count:
                empty = row + int(np.argmax(texts.is_null().to_numpy(zero_copy_only=False)))
                raise InterchangeError(f"column {cell} must have no empty values; got one in row {empty}")
            if words:
                texts = pc.index_in(pc.utf8_trim_whitespace(texts), pa.array(words)).cast(pa.string())
            parts.append(self._whole(cell, texts, row))
        return np.stack(parts, axis=1) if name in LIST_COLUMNS else parts[0]

    def _whole(self, cell: str, given: Any, first_row: int) -> IntArray:
        """Return the whole numbers (B,) of a column of texts; MASK where nothing is.

        Raises `InterchangeError` for other texts, and for numbers that are far too large.
        """
        texts = pc.utf8_trim_whitespace(given.fill_null(str(MASK)))
        if not pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
            decimal, thousands = self._marks[cell]
            if decimal:
                texts = pc.replace_substring_regex(texts, f"[{decimal}]0+$", "")
            grouped = pc.match_substring_regex(texts, rf"^-?\d{{1,3}}([{thousands}]\d{{3}})+$")
            texts = pc.if_else(grouped, pc.replace_substring_regex(texts, f"[{thousands}]", ""), texts)
        wrong = pc.invert(pc.match_substring_regex(texts, _WHOLE)).to_numpy(zero_copy_only=False)
        if wrong.any():
            i = int(np.argmax(wrong))
            unclear = re.search(r"[.,]000$", texts[i].as_py())
            rule = "tell by other cells whether this is a fraction or thousands" if unclear else f"be {_RULE}"
            got = f"got {shortened(given[i].as_py())} in row {first_row + i}"
            raise InterchangeError(f"column {cell} must {rule}; {got}")
        return np.asarray(texts.cast(pa.int64()).to_numpy(zero_copy_only=False))

    @cached_property
    def _marks(self) -> dict[str, tuple[str, str]]:
        """The signs that are a decimal mark in each column of the file, and those that divide thousands."""
        decimal, thousands = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for batch in self.batches():
            for cell in batch.schema.names:
                for text in map(str.strip, batch.column(cell).drop_null().unique().to_pylist()):
                    decimal[cell].update(_DECIMAL.findall(text))
                    thousands[cell].update(_THOUSANDS.findall(text))
        return {
            cell: ("".join(decimal[cell]), _GAPS + "".join(thousands[cell] - decimal[cell]))
            for cell in thousands
        }


def _last_filled_row(batch: Any) -> int:
    """Return the number, from 1, of the last row of a batch that has a value; 0 if none has."""
    empty = [column.is_null().to_numpy(zero_copy_only=False) for column in batch.columns]
    return int(np.flatnonzero(~np.logical_and.reduce(empty)).max(initial=-1)) + 1


@contextlib.contextmanager
def _stream(file: Path, compression: str | None) -> Iterator[Any]:
    with file.open("rb") as opened, pa.input_stream(opened, compression=compression) as stream:
        yield stream


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Raise `InterchangeError` for what the reader of CSV says."""
    try:
        yield
    except pa.ArrowException as error:
        raise InterchangeError(f"not a CSV in UTF-8; {str(error).splitlines()[0]}") from None


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


def _parts(text: str) -> list[str]:
    """Return the parts of a list such as `[3, ?, 2]`, `3 1 2` or, of letters alone, `bab`."""
    inside = text.strip("[]() ")
    parts = re.split(r"[,;]", inside) if re.search("[,;]", inside) else inside.split()
    return list(inside) if parts == [inside] and inside.isalpha() else [part.strip() for part in parts]


def _lists(name: str, texts: Sequence[str | None], first_row: int, words: Sequence[str]) -> IntArray:
    """Return a column of lists as an array (B, n); `words` stand for its numbers, if there are any."""
    numbers, rows = {word: str(i) for i, word in enumerate(words)}, list[list[int]]()
    for row, text in enumerate(texts, first_row):
        parts = [numbers.get(part, part) for part in _parts(text or "")]
        try:
            rows.append([MASK if part in NOTHING else int(part) for part in parts])
        except ValueError:
            rule = f"column {name} must be whole numbers, such as 3 or [3, 1, 2]"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}") from None
        if not all(part in NOTHING or re.match(_WHOLE, part) for part in parts):
            rule = f"column {name} must hold {_RULE} in each cell"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}")
        if len(rows[-1]) != len(rows[0]):
            rule = f"column {name} must have lists of {len(rows[0])} numbers, as in row {FIRST_ROW}"
            raise InterchangeError(f"{rule}; got {shortened(text)} in row {row}")
    return np.array(rows, dtype=np.int64)
