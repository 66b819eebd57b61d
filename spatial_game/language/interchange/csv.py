"""CSV as spreadsheets write it: a row for each episode, and a column for each cell of a list."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from spatial_game.checks import shortened
from spatial_game.files import reading, replacing
from spatial_game.language.counting.counts import Source
from spatial_game.language.interchange.cells import Texts, symbol_numbers
from spatial_game.language.interchange.importing import InterchangeError, imported
from spatial_game.language.interchange.sheet import FIRST_ROW, Sheet
from spatial_game.language.interchange.sheet_columns import SheetColumn, find_columns
from spatial_game.recording import Recording, RecordingError, join, list_width, symbol_names
from spatial_game.recording.format import game_of
from spatial_game.recording.recording import unchecked
from spatial_game.text import counted


def export_csv(source: Source, path: str | os.PathLike[str]) -> int:
    """Write a recording as CSV, with a row for each episode, and return the number of episodes.

    The columns are those of a recording, with a number for each cell of a list: `window_0`, ..., `choice`.
    Symbols have the names that they had in the file that was imported.
    """
    written, names = 0, np.array(symbol_names(source.config, [source.provenance]))
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for block in source.blocks():
            values: dict[str, list[Any]] = {}
            for name, column in block.columns().items():
                width = list_width(source.config, name)
                headers = [name] if width is None else [f"{name}_{i}" for i in range(width)]
                texts = names[column] if name == "message" else column
                values |= zip(headers, np.atleast_2d(texts.T).tolist(), strict=True)
            if not written:
                writer.writerow(values)
            writer.writerows(zip(*values.values(), strict=True))
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

    `columns` maps a column of a recording to its headers in the file, or to the header of one column with
    lists such as `[3, 1, 2]`; by default, these are `window_0`, `window_1`, ... or `window`. All others are
    ignored. Capitals and spaces around a header make no difference, unless two differ in them alone.

    Numbers may have separators of thousands, and a fraction of zeros, with points or commas; `3.000` is
    refused, as it may have either. Symbols may also be letters or words, in one column also letters without
    gaps: they get numbers in alphabetical order.

    `first_symbol` is the number of the first symbol, if symbols are numbers. In the recording, the first one
    is 0; `symbol_names` has the words or numbers of the file. `sizes` are the fields of `GameConfig` that the
    columns do not tell: at least `vocab_size`, and `sequence_length` where there are no sequences.

    The window and the message are needed. In a window, `?`, -1 or an empty cell is the mask. The other
    columns may be left out, or have only such cells.

    Raises `InterchangeError` naming file, row (as spreadsheets count them), column, rule and value; also for
    a CSV without rows.
    """
    with reading(path, InterchangeError) as file:
        sheet = Sheet.open(file)
        found = find_columns(sheet.headers, columns)
        headers = [header for column in found for header in column.headers]
        row = 0
        for row, block in sheet.blocks(headers):
            for column in found:
                column.add_texts(block, row)
        if not row:
            raise InterchangeError("there must be at least one episode; got none")
        numbers, names = _numbers({column.name: column for column in found}, first_symbol, sizes)
        origin = {"symbols": names} if names else {}
        known = [column for column in found if numbers[column.name]]
        for row, block in sheet.blocks(headers):
            arrays = {column.name: column.array(block, numbers[column.name]) for column in known}
            part = imported(arrays, sizes, file, first_row=row, origin=origin)
            yield unchecked(part.config, part.columns(), part.provenance, part.rows - FIRST_ROW)


def _numbers(
    columns: Mapping[str, SheetColumn], first_symbol: int, sizes: Mapping[str, Any]
) -> tuple[dict[str, dict[str, int]], list[str]]:
    """Return the number of each text by column, and names of symbols if these are not their numbers.

    A column without values has none.
    """
    numbers = {name: column.numbers() for name, column in columns.items() if name != "message"}
    columns["window"].require_odd()
    message = columns["message"]
    if not message.width:
        raise InterchangeError("messages must have at least one symbol; the first row has none")
    widths = {name: columns[name].width for name, found in numbers.items() if found}
    vocab_size = _vocab_size(message.texts, {"message": message.width, **widths}, sizes)
    of_symbols, names = symbol_numbers(message.texts, first_symbol, vocab_size)
    return {**numbers, "message": of_symbols}, names


def _vocab_size(symbols: Texts, widths: Mapping[str, int], sizes: Mapping[str, Any]) -> int:
    """Return the number of symbols of the game. Raises `InterchangeError` with those found if it lacks."""
    try:
        return game_of(widths, sizes).vocab_size
    except RecordingError as error:
        order = sorted(symbols, key=lambda text: (text.isdigit() and len(text), text))  # 2 before 10
        ends = f"{shortened(order[0])} to {shortened(order[-1])}"
        found = f"{counted(len(symbols), 'different symbol')}, {ends}"
        raise InterchangeError(f"{error}; messages have {found}") from None
