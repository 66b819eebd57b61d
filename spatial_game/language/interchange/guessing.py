"""Guess how a table is imported: which of its columns are windows and messages, and how large the game is."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from pathlib import Path
from typing import Any

from spatial_game.checks import shortened
from spatial_game.files import reading
from spatial_game.game.episodes import MASK
from spatial_game.language.interchange.cells import FileCell, parts_of, whole_numbers
from spatial_game.language.interchange.csv import csv_blocks
from spatial_game.language.interchange.importing import InterchangeError
from spatial_game.language.interchange.sheet import Sheet
from spatial_game.language.interchange.sheet_columns import find_column, find_columns
from spatial_game.recording import ANALYSED, COLUMNS
from spatial_game.recording.files import imported_path

ROWS = 10_000
"""Rows from which columns are guessed."""
MOST_SYMBOLS = 100
"""A column with more different texts has no symbols, but something else."""
LEAST_INTEGERS = 0.5
"""The least share of the different texts in a column of integers that are integers."""
NO_INTEGER = 1 << 30
"""What stands for another text; integers are smaller."""
NAMES = {
    "message": r"\s*(messages?|words?|utterances?|signals?|sent|said|symbols?)[ _-]?\d*\s*",
    "target_index": r"\s*(target|label|correct)([ _-]index)?\s*",
    "choice": r"\s*(choices?|chosen|guess|picked|answer|response)\s*",
}
"""What other people call columns of a recording."""

Cells = Mapping[str, Sequence[str]]
"""The texts in columns of a file, by their headers."""


@dataclass
class Guess:
    """How a table may be imported."""

    columns: dict[str, list[str]] = field(default_factory=dict)
    """Headers by the names of columns that the file calls otherwise."""
    options: dict[str, Any] = field(default_factory=dict)
    """Sizes of the game, and the first symbol."""
    reasons: list[str] = field(default_factory=list)
    """What each of these was guessed from."""
    lacking: list[str] = field(default_factory=list)
    """Columns of a recording that were not found."""

    def command(self, file: Path) -> str:
        """Return the command that imports the file in this way."""
        columns = [f"{name}={','.join(headers)}" for name, headers in self.columns.items()]
        words = ["spatial-game", "import", str(file), "--format", "csv"]
        words += ["--columns", *columns] if columns else []
        for name, value in self.options.items():
            values = value if isinstance(value, (tuple, list)) else [value]
            words += [f"--{name.replace('_', '-')}", *map(str, values)]
        return shlex.join([*words, "--out", str(imported_path(file))])


def import_advice(file: Path, columns: Mapping[str, Sequence[str]], options: Mapping[str, Any]) -> str:
    """Return the command that would import a table, and from what it was guessed; or what is in its way.

    `columns` and `options`, sizes of the game and the first symbol, are those that are given.
    """
    with reading(file, InterchangeError):
        sheet = Sheet.open(file)
        cells = _first_rows(sheet)
        guess = Guess({name: [*headers] for name, headers in columns.items()}, dict(options))
        _guess_columns(guess, sheet.headers, cells)
        if lacking := [name for name in ANALYSED if name in guess.lacking]:
            return _not_guessed(lacking, [*cells])
    fault = ""
    try:
        _guess_sizes(guess, sheet)
        next(csv_blocks(file, columns=guess.columns, **guess.options))
    except InterchangeError as error:
        fault = str(error)
    told = f"Guessed: {'; '.join(guess.reasons) or 'nothing'}."
    if fault:
        return f"{told} This does not fit: {fault}"
    if guess.lacking:
        told += f" Not found, and not needed: {', '.join(guess.lacking)}."
    return f"{told} Check this (a grid needs --shape), then run: {guess.command(file)}"


def _not_guessed(lacking: Sequence[str], headers: Sequence[str]) -> str:
    """Say how columns that were not found would be known, and how to name them."""
    known_by = {
        "window": "an odd number of neighbouring columns, or one with lists, with one ? or -1 in each row",
        "message": "a column called message or word, or columns of symbols behind the window",
    }
    rules = "; ".join(f"{name} ({known_by[name]})" for name in lacking)
    named = " ".join(f"{name}=A,B,..." for name in lacking)
    return f"Not found: {rules}. Name them by --columns {named}; the file has {shortened(headers, 200)}"


def _first_rows(sheet: Sheet) -> Cells:
    """Return the cells of the first rows, below headers that stand once and that `--columns` can name."""
    headers = [each for each in sheet.headers if each and "," not in each and sheet.headers.count(each) == 1]
    _, block = next(sheet.blocks(headers), (0, None))
    if block is None:
        raise InterchangeError("there must be at least one episode; got none")
    return {each: block.column(each).slice(0, ROWS).fill_null("").to_pylist() for each in headers}


# --- Columns ------------------------------------------------------------------------------------------------


def _guess_columns(guess: Guess, headers: Sequence[str], cells: Cells) -> None:
    """Add the columns that are neither given nor called as in a recording."""
    found = dict[str, Sequence[str]](guess.columns)
    for name in COLUMNS:
        with contextlib.suppress(InterchangeError):
            if name not in found and (own := find_column(name, headers)):
                found[name] = own.headers
    for name in COLUMNS:
        if name in found:
            continue
        taken = {*chain(*found.values())}
        free = {header: texts for header, texts in cells.items() if header not in taken}
        if name == "window":
            which, why = _window(free), "one ? or -1 in each row"
        elif name == "message":
            behind = [*cells].index(found["window"][-1]) if found.get("window") else 0
            which, why = _message(free, {*[*cells][behind:]})
        else:
            num_candidates = len(found.get("candidates", ())) or 1 + guess.options.get("num_distractors", 4)
            which, why = _place(name, free, num_candidates), "its name and numbers"
        if which:
            found[name] = guess.columns[name] = which
            guess.reasons.append(f"{name} from {', '.join(which)} ({why})")
        else:
            guess.lacking.append(name)


def _window(cells: Cells) -> list[str]:
    """Return the column with windows as lists, or the most columns around one that may be a window."""
    for header, texts in cells.items():
        if _are_windows([_integers(parts_of(text)) for text in texts]):
            return [header]
    headers, numbers = [*cells], [_integers(texts) for texts in cells.values()]
    found = [(0, 0, list[str]())]
    for centre, here in enumerate(numbers):
        for radius in range(1, min(centre, len(headers) - 1 - centre) + 1):
            part = slice(centre - radius, centre + radius + 1)
            if not all(numbers[part]) or any(map(_counts_rows, numbers[part])):
                break
            if _are_windows([*zip(*numbers[part], strict=True)]):
                found.append((radius, here.count(MASK), headers[part]))
    return max(found)[-1]


def _are_windows(rows: Sequence[Sequence[int]]) -> bool:
    """Return whether each row has one mask among an odd number of cells, and different integers."""
    width = len(rows[0])
    return (
        width >= 3
        and width % 2 == 1
        and all(len(row) == len({*row}) == width and min(row) == MASK for row in rows)
    )


def _counts_rows(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(after == before + 1 for before, after in pairwise(numbers))


def _message(cells: Cells, behind: Set[str]) -> tuple[list[str], str]:
    """Return the column of messages, or those of their symbols, and what shows that they are.

    `behind` are the headers behind the window.
    """
    named = [header for header in cells if re.fullmatch(NAMES["message"], header, re.IGNORECASE)]
    if len(named) > 1 or (named and _width(cells[named[0]])):
        return named, "by name"
    following = [header for header in cells if header in behind]
    if following and _width(cells[following[0]]) > 1:
        return following[:1], "behind the window"
    kinds = {header: _kind(header, cells[header]) for header in following}
    return [
        *takewhile(lambda header: kinds[header] and kinds[header] == kinds[following[0]], following)
    ], "behind the window"


def _width(texts: Sequence[str]) -> int:
    """Return the length of the lists in a column; 0 where they differ."""
    widths = {len(parts_of(text)) for text in {*texts}}
    return widths.pop() if len(widths) == 1 else 0


def _kind(header: str, texts: Sequence[str]) -> str:
    """Return whether a column may have symbols that are numbers, or words; otherwise an empty text."""
    other = any(re.fullmatch(pattern, header, re.IGNORECASE) for pattern in NAMES.values())
    if other or "" in texts or len({*texts}) > MOST_SYMBOLS:
        return ""
    numbers = _integers(texts)
    is_number = any(character.isdigit() for character in texts[0])
    return ("numbers" if min(numbers) >= 0 else "") if numbers else "" if is_number else "words"


def _place(name: str, cells: Cells, num_candidates: int) -> list[str]:
    """Return the column that names one of the candidates, counted from 0."""
    for header, texts in cells.items():
        if name in NAMES and re.fullmatch(NAMES[name], header, re.IGNORECASE):
            numbers = _integers(texts)
            if numbers and -1 <= min(numbers) <= 0 <= max(numbers) < num_candidates:
                return [header]
    return []


def _integers(texts: Sequence[str]) -> list[int]:
    """Return the integers in cells, with -1 where there is none; nothing for a column of other texts.

    A few other texts may be among them: `import` then names the first.
    """
    numbers = dict[str, int]()
    for text in {*texts}:
        with contextlib.suppress(InterchangeError):
            number = whole_numbers({text: FileCell("", 0)})[text]
            numbers[text] = MASK if number is None else number
    if len(numbers) < LEAST_INTEGERS * len({*texts}):
        return []
    return [numbers.get(text, NO_INTEGER) for text in texts]


# --- Sizes --------------------------------------------------------------------------------------------------


def _guess_sizes(guess: Guess, sheet: Sheet) -> None:
    """Add the sizes that are not given, from all rows."""
    found = {column.name: column for column in find_columns(sheet.headers, guess.columns)}
    window, message = found["window"], found["message"]
    for row, block in sheet.blocks([*window.headers, *message.headers]):
        for column in (window, message):
            column.add_texts(block, row)
    if not {"sequence_length", "shape"} & {*guess.options} and "sequence" not in found:
        _guess_length(guess, {number for number in window.numbers().values() if number >= 0})
    if "vocab_size" not in guess.options and message.texts:
        _guess_vocabulary(guess, [*message.texts])


def _guess_length(guess: Guess, integers: Set[int]) -> None:
    """Guess the length of the sequence from all integers in windows."""
    if not integers:
        raise InterchangeError("windows must have integers; got none")
    largest = max(integers)
    from_one = min(integers) == 1 and len(integers) == largest
    length = largest if from_one else largest + 1
    guess.options["sequence_length"] = length
    guess.reasons.append(f"sequence_length {length} (the largest integer is {largest})")
    if from_one and "num_integers" not in guess.options:
        guess.options["num_integers"] = length + 1
        guess.reasons.append(f"num_integers {length + 1} (integers begin with 1)")
    if length < 5 and "num_distractors" not in guess.options:
        guess.options["num_distractors"] = length - 1
        guess.reasons.append(f"num_distractors {length - 1} (the most for this length)")


def _guess_vocabulary(guess: Guess, symbols: Sequence[str]) -> None:
    """Guess the number of symbols, and the first one, from all symbols."""
    numbers = [number for number in _integers(symbols) if 0 <= number < NO_INTEGER]
    first = guess.options.get("first_symbol") or min(numbers, default=0)
    if first == 1:
        guess.options["first_symbol"] = 1
    vocab_size = max(numbers) + 1 - (first == 1) if numbers else len(symbols)
    in_order = [str(number) for number in sorted(numbers)] or sorted(symbols)
    guess.options["vocab_size"] = vocab_size
    guess.reasons.append(f"vocab_size {vocab_size} (symbols {in_order[0]} to {in_order[-1]})")
