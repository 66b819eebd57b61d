"""The columns of a recording in a sheet: which headers they have, and the numbers of their texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from spatial_game.checks import require_one_of, shortened
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.interchange.cells import FileCell, parts_of, whole_numbers
from spatial_game.language.interchange.importing import InterchangeError
from spatial_game.language.interchange.sheet import FIRST_ROW
from spatial_game.recording import ANALYSED, COLUMNS, LIST_COLUMNS, NOBODY

STANDS_FOR = {"window": MASK, "choice": NOBODY}
"""The number for which a cell without a value stands. In other columns all rows have values, or none."""
NOT_KNOWN = -1
"""If all rows of another column have this number or no value, nothing is known of it."""


@dataclass
class SheetColumn:
    """A column of a recording, as a sheet has it."""

    name: str
    headers: Sequence[str]
    """One for each cell of a list, or a single one."""
    has_lists: bool
    """Whether there is a single one, with a list in each cell."""
    width: int = 0
    """The numbers in a row, as in the first one."""
    texts: dict[str, FileCell] = field(default_factory=dict)
    """The different texts, each with the first cell that has it."""

    def add_texts(self, block: pa.RecordBatch, first_row: int) -> None:
        """Add the texts of a block. Raises `InterchangeError` for lists of different lengths."""
        for header in self.headers:
            texts, codes = _distinct(block.column(header))
            for code, text in enumerate(texts):
                parts = self._parts(text)
                if first_row == FIRST_ROW and code == 0:
                    self.width = len(parts if self.has_lists else self.headers)
                fits = len(parts) == self.width or not self.has_lists
                if fits and self.texts.keys() >= {*parts}:
                    continue
                cell = FileCell(header, first_row + int(np.argmax(codes == code)))
                if not fits:
                    letters = " (of a word, its letters; in a column message_0, it is one symbol)"
                    rule = f"have lists of {self.width}, as in row {FIRST_ROW}"
                    raise cell.error(rule + letters * text.isalpha(), text)
                for part in parts:
                    self.texts.setdefault(part, cell)

    def numbers(self) -> dict[str, int]:
        """Return the number of each text; nothing if no row has a value, and the column may be left out."""
        numbers = whole_numbers(self.texts, ", or ? at the target" if self.name == "window" else "")
        if self.name not in ANALYSED and {*numbers.values()} <= {None, NOT_KNOWN}:
            return {}
        for text, number in numbers.items():
            if number is None and self.name not in STANDS_FOR:
                raise self.texts[text].error("have values in all rows, or in none", text)
        return {text: STANDS_FOR[self.name] if n is None else n for text, n in numbers.items()}

    def require_odd(self) -> None:
        """Raise `InterchangeError` for a window without a cell for the target."""
        if self.width % 2 == 0:
            headers = f"column {self.headers[0]}" if self.has_lists else f"columns {', '.join(self.headers)}"
            each = "integers in each list" if self.has_lists else "columns"
            rule = f"must have an odd number of {each}, one of them for the target, with ? in each row"
            raise InterchangeError(f"window, from {headers}, {rule}; got {self.width}")

    def array(self, block: pa.RecordBatch, numbers: Mapping[str, int]) -> IntArray:
        """Return the column in a block, (B,) or of a list (B, n), by the numbers of its texts."""
        arrays = []
        for texts, codes in (_distinct(block.column(header)) for header in self.headers):
            lists = np.array([[numbers[part] for part in self._parts(text)] for text in texts])
            arrays.append(lists[codes])
        return np.concatenate(arrays, axis=1) if self.name in LIST_COLUMNS else arrays[0][:, 0]

    def _parts(self, text: str) -> list[str]:
        text = unicodedata.normalize("NFC", text)  # an accent belongs to its letter
        return parts_of(text) if self.has_lists else [text.strip()]


def _distinct(cells: pa.Array) -> tuple[list[str], IntArray]:
    """Return the distinct texts in cells, and which of them each cell (B,) has."""
    encoded = cells.fill_null("").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


def find_columns(headers: Sequence[str], given: Mapping[str, Sequence[str]]) -> list[SheetColumn]:
    """Return the columns of a recording that a sheet with these headers has.

    `given` are headers by the names of columns. Raises `InterchangeError` if one is missing, or stands twice.
    """
    for name in given:
        require_one_of("columns", name, COLUMNS)
    found = (find_column(name, headers, given.get(name)) for name in COLUMNS)
    return [column for column in found if column is not None]


def find_column(name: str, headers: Sequence[str], given: Sequence[str] | None = None) -> SheetColumn | None:
    """Return a column of a recording, or None for one that may be left out. Errors as for `find_columns`."""
    numbered = _numbered(name, headers) if name in LIST_COLUMNS else []
    wanted = given or numbered or [name]
    written = [_as_written(each, headers) for each in wanted]
    found = [header for header in written if header is not None]
    if len(found) == len(wanted):
        return SheetColumn(name, found, name in LIST_COLUMNS and len(found) == 1 and wanted != numbered)
    if wanted == [name] and not given and name not in (*ANALYSED, *headers):
        return None
    which, hint = wanted[written.index(None)], ""
    if wanted == [name]:
        which = f"{name}, or {name}_0, {name}_1, ..."
        hint = f" (--columns {name}=A,B,... names others for it)"
    raise InterchangeError(f"there must be the column {which} once{hint}; got {shortened([*headers])}")


def _numbered(name: str, headers: Sequence[str]) -> list[str]:
    """Return `name_0`, `name_1`, ... up to the largest number that one of the headers has."""
    numbered = re.compile(rf"\s*{name}_(\d{{1,5}})\s*", re.IGNORECASE | re.ASCII)
    numbers = [int(match[1]) for match in map(numbered.fullmatch, headers) if match]
    return [f"{name}_{i}" for i in range(max(numbers, default=-1) + 1)]


def _as_written(name: str, headers: Sequence[str]) -> str | None:
    """Return the one header with this name, or the one that differs in capitals and spaces alone."""
    same = [header for header in headers if header == name]
    alike = same or [header for header in headers if header.strip().casefold() == name.strip().casefold()]
    return alike[0] if len(alike) == 1 else None
