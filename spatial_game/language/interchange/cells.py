"""From the texts in the cells of a spreadsheet to numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from spatial_game.checks import require, shortened
from spatial_game.language.interchange.importing import InterchangeError

NOTHING = ("", "?")
"""Cells without a value."""
_WHOLE = "be a whole number of at most 9 digits"
_GAPS = "' \u00a0\u202f"
"""What divides groups of three digits and nothing else, as in `1 234`."""
_NUMBER = re.compile(rf"[-+.,{_GAPS}]*\d[-+.,{_GAPS}\d]*")
"""What is meant as a number, rightly written or not."""
_DASH = re.compile("(?<=[^-])-(?=.)")


class FileCell(NamedTuple):
    """A cell of a file."""

    header: str
    row: int

    def error(self, rule: str, value: object) -> InterchangeError:
        """Return the error of a cell that breaks a rule."""
        return InterchangeError(f"column {self.header} must {rule}; got {shortened(value)} in row {self.row}")


Texts: TypeAlias = Mapping[str, FileCell]
"""The different texts in the cells of a column, or in its lists, each with the first cell that has it."""


def parts_of(text: str) -> list[str]:
    """Return the parts of a list such as `[3, ?, 2]`, `3 1 2`, `b-a-b` or, of letters alone, `bab`.

    Where there are semicolons, commas are decimal marks. A dash between parts divides; one before is a minus.
    """
    inside = text.strip("[]() ")
    mark = next((mark for mark in ";," if mark in inside), None)
    parts = inside.split(mark)
    if parts == [inside]:
        parts = _DASH.split(inside)
    return list(inside) if parts == [inside] and inside.isalpha() else [part.strip() for part in parts]


def whole_numbers(texts: Texts, more: str = "") -> dict[str, int | None]:
    """Return the number for which each text stands; None for `NOTHING`.

    A point or a comma may be the decimal mark, and the other one divide thousands. Raises `InterchangeError`
    for a text that is no whole number in either way, or not the same one in both; `more` is what it says
    after the rule.
    """
    numbers: dict[str, int | None] = {}
    for text, cell in texts.items():
        found = {number for marks in (".,", ",.") if (number := _whole(text, *marks)) is not None}
        if len(found) > 1:
            either = f"it may be {min(found)} or {max(found)}"
            raise cell.error(f"be written without thousands or a fraction, as {either}", text)
        if not found and text not in NOTHING:
            raise cell.error(f"{_WHOLE}{more}", text)
        numbers[text] = found.pop() if found else None
    return numbers


def _whole(text: str, decimal: str, thousands: str) -> int | None:
    """Return a whole number, written with these marks; None for any other text."""
    text = re.sub(rf"(\d)[{decimal}]0*$", r"\1", text)
    if re.fullmatch(rf"-?[1-9]\d{{0,2}}([{_GAPS}{thousands}]\d{{3}})+", text):
        text = re.sub(f"[{_GAPS}{thousands}]", "", text)
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None


def symbol_numbers(texts: Texts, first_symbol: int, vocab_size: int) -> tuple[dict[str, int], list[str]]:
    """Return the number from 0 on of each symbol, and the names of symbols, if these are not their numbers.

    Raises `InterchangeError` for a cell without a symbol, and for symbols outside the vocabulary.
    """
    for text, cell in texts.items():
        if text in NOTHING:
            raise cell.error("have a symbol in each cell", text)
    if not any(map(_NUMBER.fullmatch, texts)):
        words = sorted(texts)
        require(first_symbol == 0, "first_symbol must be 0 where symbols are words", first_symbol)
        rule = f"messages must have at most {vocab_size} different symbols, by vocab_size"
        require(len(words) <= vocab_size, rule, f"{len(words)}: {shortened(words)}")
        return {word: number for number, word in enumerate(words)}, words
    end, numbers = first_symbol + vocab_size, dict[str, int]()
    for text, number in whole_numbers(texts, ", as other symbols are").items():
        if number is None or not first_symbol <= number < end:
            rule = f"be in {first_symbol}..{end - 1}, by vocab_size and the first symbol"
            raise texts[text].error(rule, number)
        numbers[text] = number - first_symbol
    return numbers, [str(number) for number in range(first_symbol, end)] if first_symbol else []
