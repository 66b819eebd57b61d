"""The meanings of a description in words: "1-3 one left", "18, 40 or 47 two right", "class A two left"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from spatial_game.config import Offset
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.meaning import Meaning, Meanings
from spatial_game.language.offsets import steps_in_words

_ORDINALS = ("", "second", "third", "fourth", "fifth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHORT = 8
"""A set is written out if it has at most this number of pieces: integers, and bands of three or more."""


class Words:
    """Puts meanings into words, and names the *classes*: long sets that several entries share.

    `complete`: other long sets are written out, and not as "one of 23 integers".
    """

    def __init__(self, entries: Iterable[Entry], *, complete: bool = False) -> None:
        self._complete = complete
        parts = [part for entry in entries for meanings in entry.meanings for part in meanings]
        shared = Counter(
            _set(part.values) for part in parts if part.kind != "edge" and len(part.values) > _SHORT
        )
        several = {values: n for values, n in shared.items() if n > 1 and len(_pieces(values)) > _SHORT}
        often = max(several.values(), default=0) / 2
        order = sorted(several, key=lambda values: (several[values] < often, values))
        self.classes = {values: _class_name(number) for number, values in enumerate(order)}
        """The name of each class, by its integers. Those that many entries share come first, in the order of
        their integers, so that other episodes give them the same names."""

    @property
    def legend(self) -> list[str]:
        """What the names of classes stand for, a line for each: `class A: 0, 3, 5-9 or 12`."""
        return [f"{name}: {all_in_words(values)}" for values, name in self.classes.items()]

    def of(self, *senses: Meanings, shares: Sequence[float] = ()) -> str:
        """Return senses in words: what holds together is joined by "and", senses by "or"."""
        texts = [" and ".join(map(self._part, sense)) for sense in senses]
        if len(shares) == len(texts) > 1:
            texts = [f"{text} ({share:.0%})" for text, share in zip(texts, shares, strict=True)]
        several = any(len(sense) > 1 for sense in senses)  # then a comma ends what "and" joins
        return _alternatives(texts, ", or " if several else " or ")

    def of_entry(self, entry: Entry) -> str:
        """Return the meaning of an entry in words."""
        return self.of(*entry.meanings, shares=[sense.share for sense in entry.senses])

    def _part(self, part: Meaning) -> str:
        if part.kind == "edge":
            first, *others = map(edge_in_words, part.values)
            return " or ".join([first, *(other.removeprefix("the target is ") for other in others)])
        where = "near the target" if part.place is None else place_in_words(part.place)  # type: ignore[arg-type]
        return f"{self._integers(_set(part.values))} {where}" if part.values else f"what is named is {where}"

    def _integers(self, values: tuple[int, ...]) -> str:
        written_out = all_in_words if self._complete else integers_in_words
        return self.classes.get(values) or written_out(values)


def integers_in_words(values: Iterable[int]) -> str:
    """Return a set of integers in words: "18, 40 or 47", "20-32" or, if it is long, "one of 23 integers"."""
    pieces = _pieces(distinct := _set(values))
    return _alternatives(pieces) if len(pieces) <= _SHORT else f"one of {len(distinct)} integers"


def all_in_words(values: Iterable[int]) -> str:
    """Return a set of integers in words, written out however long it is: "0, 3, 5-9 or 12"."""
    return _alternatives(_pieces(_set(values)))


def place_in_words(offset: Offset) -> str:
    """Return an offset in words: -2 is "two left", (-2, 1) "one right and two up"."""
    return steps_in_words(offset, _number_in_words)


def _number_in_words(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def edge_in_words(name: str) -> str:
    """Return an edge in words: `begin+1` is "the target is the second".

    In two dimensions `top left` is "the target is at the top and at the left", and `top+1` is "the target is
    second from the top"; in more, the kinds of the axes stay as they are.
    """
    if name == "middle":
        return "the target is not near an end"
    if name.startswith("("):
        return f"the target is at {name}"
    parts = [_side(part) for part in name.split()]
    side, number = parts[0]
    if side not in ("begin", "end"):
        return f"the target is {' and '.join(_from_border(*part) for part in parts)}"
    last = side == "end"
    if number >= len(_ORDINALS):
        return f"the target is number {number + 1}{' from the end' if last else ''}"
    if number == 0:
        return f"the target is the {'last' if last else 'first'}"
    return f"the target is the {_ORDINALS[number]}{' last' if last else ''}"


def _side(edge: str) -> tuple[str, int]:
    """Return the border that an edge is named after, and how far the target is from it."""
    side, _, distance = edge.replace("-", "+").partition("+")
    return side, int(distance or 0)


def _from_border(side: str, number: int) -> str:
    if number == 0:
        return f"at the {side}"
    order = _ORDINALS[number] if number < len(_ORDINALS) else f"number {number + 1}"
    return f"{order} from the {side}"


def set_kind(values: Sequence[int]) -> str:
    """Return what a set of integers, in order, is: an integer, a band, a set or, if it is long, a class."""
    pieces = _pieces(values)
    if len(values) <= 1:
        return "integer" if values else "nothing"
    if values[-1] - values[0] == len(values) - 1:
        return "band"
    return "set" if len(pieces) <= _SHORT else "class"


def _set(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values)))


def _pieces(values: Sequence[int]) -> list[str]:
    """Return integers in order as texts, three or more neighbours as a band: 3, 7, 8, 12-15."""
    ends = [i for i in range(len(values)) if values[i] + 1 not in values[i + 1 : i + 2]]
    pieces, start = [], 0
    for end in ends:
        band = [str(value) for value in values[start : end + 1]]
        pieces += band if len(band) < 3 else [f"{band[0]}-{band[-1]}"]
        start = end + 1
    return pieces


def _alternatives(pieces: Sequence[str], last: str = " or ") -> str:
    return last.join([*([", ".join(pieces[:-1])] if len(pieces) > 1 else []), pieces[-1]])


def _class_name(number: int) -> str:
    return f"class {_LETTERS[number] if number < len(_LETTERS) else number + 1}"
