"""A CSV as a file: its delimiter, its headers, and its cells as texts, block by block."""

from __future__ import annotations

import contextlib
import csv
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatial_game.language.interchange.cells import NOTHING
from spatial_game.language.interchange.importing import InterchangeError

FIRST_ROW = 2
"""The row of the first episode, as spreadsheets count them: row 1 has the headers."""
BLOCK_BYTES = 1 << 22
"""How much of a file is read at a time."""
_DELIMITERS = ",;\t"
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""How "Unicode text" of a spreadsheet begins."""
_WORKBOOK = "a workbook, such as .xlsx: save it as CSV, or run: soffice --headless --convert-to csv FILE"
_ARRAYS = "an npz of arrays, of the format tensors"
_OTHERS = {
    b"PK\x03\x04": _WORKBOOK,
    b"\xd0\xcf\x11\xe0": _WORKBOOK,
    b"PAR1": "a Parquet file, which needs no import",
}
"""What other files are, by their first bytes."""


@dataclass(frozen=True)
class Sheet:
    """A CSV whose first line was read."""

    file: Path
    delimiter: str
    headers: list[str]

    @classmethod
    def open(cls, file: Path) -> Sheet:
        """Read the first line of a file. Raises `InterchangeError` if it is of another kind."""
        with file.open("rb") as opened:
            start = opened.read(4)
        if start in _OTHERS:
            kind = _ARRAYS if _has_arrays(file) else _OTHERS[start]
            raise InterchangeError(f"a CSV is needed; this is {kind}")
        with _stream(file) as stream:
            line = (stream.read(BLOCK_BYTES).splitlines() or [b""])[0].decode("utf-8-sig")
        delimiter = max(_DELIMITERS, key=line.count)
        return cls(file, delimiter, next(csv.reader([line], delimiter=delimiter), []))

    def blocks(self, headers: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the number of a row, and the cells from there on below some headers, as texts.

        Cells without a value are null; empty rows at the end are left out.
        """
        # As texts, since there are many ways to write a number. Other columns are not converted.
        convert = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(headers, pa.string()),
            include_columns=[*headers],
            null_values=NOTHING,
            strings_can_be_null=True,
        )
        # Errors tell the row only without threads.
        read = pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)
        parse = pyarrow.csv.ParseOptions(delimiter=self.delimiter, ignore_empty_lines=False)
        row, first_empty = FIRST_ROW, 0
        with _stream(self.file) as stream:
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


def _has_arrays(file: Path) -> bool:
    """Return whether a file is an npz: a zip archive, as workbooks are, with arrays."""
    if not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as archive:
        return any(name.endswith(".npy") for name in archive.namelist())


@contextlib.contextmanager
def _stream(file: Path) -> Iterator[Any]:
    """Open a CSV, as UTF-8. What the reader says of it in the block becomes an `InterchangeError`."""
    try:
        with file.open("rb") as opened:
            start = opened.read(2)
            opened.seek(0)
            compression = "gzip" if start == _GZIP else None
            with pa.input_stream(opened, compression=compression) as stream:
                yield pa.transcoding_input_stream(stream, "utf-16", "utf-8") if start in _UTF16 else stream
    except (pa.ArrowException, UnicodeDecodeError) as error:
        if isinstance(error, UnicodeDecodeError) or "UTF8" in str(error):
            raise InterchangeError('must be UTF-8: save it as "CSV UTF-8"; got another encoding') from None
        raise InterchangeError(f"must be a CSV; {str(error).splitlines()[0]}") from None
