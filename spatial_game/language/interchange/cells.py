"""From the texts in the cells of a spreadsheet to numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from spatial_game.checks import require, shortened
from spatial_game.language.interchange.importing import InterchangeError

NOTHING = ("", "?")
"""Cells without a value."""
_GAPS = "' \u00a0\u202f"
"""What divides groups of three digits and nothing else, as in `1 234`."""
_DECIMAL = re.compile(r"([.,])(?:\d{1,2}|\d{4,}|(?<=^0.)\d{3})$")
"""A point or comma that is a decimal mark, as no group of three digits follows: `3.0`, `3,00` or `0.000`."""
_THOUSANDS = re.compile(r"([.,])(?:(?!000)\d{3}(?!\d)|\d{3}(?=[.,]))")
"""One that divides thousands unless it is a decimal mark elsewhere: `1.234` or `1,000.0`; not `3.000`."""
_NUMBER = re.compile(rf"[-+.,{_GAPS}]*\d[-+.,{_GAPS}\d]*")
"""What is meant as a number, rightly written or not."""


class Place(NamedTuple):
    """A cell of a file."""

    column: str
    row: int

    def error(self, rule: str, value: object) -> InterchangeError:
        """Return the error of a cell that breaks a rule."""
        return InterchangeError(f"column {self.column} must {rule}; got {shortened(value)} in row {self.row}")


Texts: TypeAlias = Mapping[str, Place]
"""The different texts in the cells of a column, or in its lists, and where each stands first."""


def parts_of(text: str) -> list[str]:
    """Return the parts of a list such as `[3, ?, 2]`, `3 1 2` or, of letters alone, `bab`."""
    inside = text.strip("[]() ")
    parts = re.split(r"[,;]", inside) if re.search("[,;]", inside) else inside.split()
    return list(inside) if parts == [inside] and inside.isalpha() else [part.strip() for part in parts]


def whole_numbers(texts: Texts) -> dict[str, int | None]:
    """Return the number for which each text stands; None for `NOTHING`.

    Raises `InterchangeError` for a text that is no whole number, or a far too large one.
    """
    decimal = {mark for text in texts for mark in _DECIMAL.findall(text)}
    thousands = {mark for text in texts for mark in _THOUSANDS.findall(text)} - decimal
    numbers = {text: _whole(text, "".join(decimal), _GAPS + "".join(thousands)) for text in texts}
    for text, place in texts.items():
        if numbers[text] is None and text not in NOTHING:
            unclear = re.search(r"\d[.,]000$", text)
            rule = "tell by other cells whether this is a fraction or thousands"
            raise place.error(rule if unclear else "be a whole number of at most 9 digits", text)
    return numbers


def _whole(text: str, decimal: str, thousands: str) -> int | None:
    """Return a whole number, written with these marks; None for any other text."""
    if decimal:
        text = re.sub(f"[{decimal}]0+$", "", text)
    if re.fullmatch(rf"-?\d{{1,3}}([{thousands}]\d{{3}})+", text):
        text = re.sub(f"[{thousands}]", "", text)
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else None


def symbol_numbers(texts: Texts, first_symbol: int, vocab_size: int) -> tuple[dict[str, int], list[str]]:
    """Return the number from 0 on of each symbol, and the names of symbols, if these are not their numbers.

    Raises `InterchangeError` for a cell without a symbol, and for symbols outside the vocabulary.
    """
    for text, place in texts.items():
        if text in NOTHING:
            raise place.error("have a symbol in each cell", text)
    if not any(map(_NUMBER.fullmatch, texts)):
        words = sorted(texts)
        require(first_symbol == 0, "first_symbol must be 0 where symbols are words", first_symbol)
        rule = f"messages must have at most {vocab_size} different symbols, by vocab_size"
        require(len(words) <= vocab_size, rule, f"{len(words)}: {shortened(words)}")
        return {word: number for number, word in enumerate(words)}, words
    end, numbers = first_symbol + vocab_size, dict[str, int]()
    for text, number in whole_numbers(texts).items():
        if number is None or not first_symbol <= number < end:
            rule = f"be in {first_symbol}..{end - 1}, by vocab_size and the first symbol"
            raise texts[text].error(rule, number)
        numbers[text] = number - first_symbol
    return numbers, [str(number) for number in range(first_symbol, end)] if first_symbol else []
