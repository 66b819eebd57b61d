"""The classes of a language: long sets of integers that several symbols say, named by their smallest member.

One pass over what symbols say of offsets, the most frequent symbol first. Each set joins the class that it
overlaps most, if that is by at least `LEAST_OVERLAP` (Jaccard 1912), and its episodes are added to those of
the class. A class is the values that are at least 1.15 times as frequent in these episodes as in the game.
Sets that fade out, instead of having a border, are no classes, and neither are sets of fewer than
`LEAST_SYMBOLS` symbols.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from string import ascii_lowercase

import numpy as np

from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.thresholds import (
    LEAST_LIFT,
    LEAST_OVERLAP,
    LEAST_SHARP,
    LEAST_SYMBOLS,
    MOST_LACKING,
)
from spatial_game.language.wording import ANY_LENGTH, SHORT, integers_text, pieces


class Classes:
    """The names of the classes of a dictionary."""

    def __init__(self, dictionary: Dictionary, symbols: Iterable[Entry]) -> None:
        """`symbols`: the listed entries of the dictionary's symbols."""
        pools: list[_Pool] = []
        for entry in sorted(symbols, key=lambda entry: -entry.episodes):
            if entry.index < len(dictionary.config.offsets) and len(pieces(entry.values)) > SHORT:
                [symbol], slot = entry.ngram.symbols, entry.ngram.slot
                counts = dictionary.variables[entry.index].symbol_counts[slot, symbol]
                nearest = max(pools, key=lambda pool: overlap(entry.values, pool.members), default=None)
                if nearest is not None and overlap(entry.values, nearest.members) >= LEAST_OVERLAP:
                    nearest.add(entry.ngram, counts)
                else:
                    pools.append(_Pool(entry.ngram, counts))
        kept = [pool for pool in pools if len(pool.symbols) >= LEAST_SYMBOLS and pool.is_sharp]
        self.members = _by_name(pool.members for pool in kept)
        """The members of each class, in order, by its name."""

    def text(self, values: Sequence[int], most: float = SHORT, elsewhere: Collection[int] = ()) -> str:
        """Return a set of integers in words: by a class that it is a part of, or as `integers_text` does.

        "class 0" is exactly its members, but for integers that stand `elsewhere`: integers of a window
        differ. A set that lacks a few is "class 0 without 3 or 8", and another long part is "one of 14
        integers of class 0".
        """
        text, parts = integers_text(values, most), len(pieces(values))
        wholes = [name for name, members in self.members.items() if {*values} <= {*members}]
        if not wholes or parts <= SHORT:
            return text
        name = min(wholes, key=lambda name: len(self.members[name]))
        lacking = sorted({*self.members[name]} - {*values, *elsewhere})
        if len(pieces(lacking)) <= MOST_LACKING:
            return f"{name} without {integers_text(lacking)}" if lacking else name
        return f"{text} of {name}" if parts > most else text

    @cached_property
    def legend(self) -> list[str]:
        """What the names of classes stand for, a line for each: `class 0: 0, 3, 5-9 or 12`."""
        return [f"{name}: {integers_text(values, ANY_LENGTH)}" for name, values in self.members.items()]


def overlap(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the number of members that two sets share, divided by the number of all their members."""
    either = len({*one, *other})
    return len({*one} & {*other}) / either if either else 0.0


class InFull(Classes):
    """The names of classes; a set without one has its members: "one of 23 integers (0, 3-5, ...)"."""

    def __init__(self, classes: Classes) -> None:
        self.members = classes.members

    def text(self, values: Sequence[int], most: float = SHORT, elsewhere: Collection[int] = ()) -> str:
        """Return a set of integers in words."""
        text = super().text(values, most, elsewhere)
        return f"{text} ({integers_text(values, ANY_LENGTH)})" if text.startswith("one of ") else text


class _Pool:
    """The symbols that say one class, each with its slot, and their episodes by value (K,)."""

    def __init__(self, ngram: NGram, counts: Numbers) -> None:
        self.symbols, self._counts = set[NGram](), np.zeros_like(counts)
        self.add(ngram, counts)

    def add(self, ngram: NGram, counts: Numbers) -> None:
        self.symbols.add(ngram)
        self._counts = self._counts + counts
        more = self._counts * len(counts) >= LEAST_LIFT * self._counts.sum()
        self.members: tuple[int, ...] = tuple(np.flatnonzero(more).tolist())
        self.is_sharp = bool(self._counts[more].sum() >= LEAST_SHARP * self._counts.sum())


def _by_name(classes: Iterable[tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return classes by their names, in order: "class 3" has 3 as its smallest member.

    The name depends on no other members, so other episodes give the same name. Of classes with the same
    smallest member, the second one is "class 3b", in the order of these classes.
    """
    named, letters = {}, defaultdict[int, Iterator[str]](_letters)
    for members in sorted({*classes}):
        named[f"class {members[0]}{next(letters[members[0]])}"] = members
    return named


def _letters() -> Iterator[str]:
    """Yield nothing, then b to z, then aa, ab and so on."""
    yield from ("", *ascii_lowercase[1:])
    yield from map("".join, itertools.product(ascii_lowercase, repeat=2))
