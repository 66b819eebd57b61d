"""Two languages of one game side by side: what each tells, its symbols and messages, and who reads whom.

Each dictionary reads the held-out messages of both languages. If languages are alike, a dictionary explains
the other's messages about as well as its own. Bits below 0 mean that it misleads: its reading makes what
the sender saw less probable than it is without any message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import distinct_rows
from spatial_game.language.dictionary.build import bits_of, build_dictionary
from spatial_game.language.dictionary.dictionary import Bits, Dictionary
from spatial_game.language.dictionary_tables import message_bits
from spatial_game.language.wording import variable_texts
from spatial_game.tables import Table, Value


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two languages of one game, A and B: their counts, their dictionaries, and how each reads the other."""

    counts: tuple[Counts, Counts]
    dictionaries: tuple[Dictionary, Dictionary]
    read: tuple[tuple[Bits, Bits], tuple[Bits, Bits]]
    """`read[i][j]`: what the dictionary of language i explains of the messages of language j, both held-out
    and in bits; `read[i][i]` is the language's own."""

    @property
    def warning(self) -> str | None:
        """What to mind if the samples differ in size; None if they do not."""
        a, b = (counts.total for counts in self.counts)
        if a == b:
            return None
        return (
            f"A has {a:,} episodes and B {b:,}. A dictionary learns more from the larger sample, so bits and "
            "numbers of messages may differ for this reason alone."
        )

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by their titles: bits, symbols and messages, and readings."""
        return {
            "What messages tell, in bits an episode": self._bits(),
            "Symbols and messages": self._symbols_and_messages(),
            "Bits that messages tell by each dictionary": self._readings(),
        }

    def _bits(self) -> Table:
        """Return the bits of the two languages by variable, and those of whole windows."""
        both = [dictionary.bits for dictionary in self.dictionaries]
        shown = [*map(message_bits, both)]
        return Table.of(
            "About | A :.2f | B :.2f",
            [
                *(
                    (
                        name,
                        *(_told(bits, told.get(index, 0.0)) for bits, told in zip(both, shown, strict=True)),
                    )
                    for index, name in enumerate(variable_texts(self.dictionaries[0].config))
                    if any(index in told for told in shown)
                ),
                ("the whole window", *(_told(bits, bits.messages) for bits in both)),
                ("the entropy of messages", *(bits.entropy for bits in both)),
            ],
        )

    def _symbols_and_messages(self) -> Table:
        """Return the numbers of symbols in each slot and of distinct messages, and how many both have."""
        one, other = (counts.messages for counts in self.counts)
        rows: list[tuple[Value, ...]] = [
            (f"symbols in slot {slot}", *_numbers(columns[0][:, None], columns[1][:, None]))
            for slot, columns in enumerate(zip(one.T, other.T, strict=True), 1)
        ]
        rows.append(("distinct messages", *_numbers(one, other)))
        return Table.of("Number | A :figure | B :figure | In both :,", rows)

    def _readings(self) -> Table:
        """Return what each dictionary explains of the messages of each language."""
        rows = (
            (f"of {name}", *(_told(bits, bits.messages) for bits in of_both))
            for name, of_both in zip("AB", self.read, strict=True)
        )
        return Table.of("Dictionary | A's messages :.2f | B's messages :.2f", rows)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the tables."""
        return "".join(f"<b>{title}</b>{table.to_html()}" for title, table in self.tables.items())

    def to_dict(self) -> dict[str, Any]:
        """Return signatures, bits and tables, for JSON."""
        return {
            "signatures": [dictionary.signature for dictionary in self.dictionaries],
            "bits": [[asdict(bits) for bits in row] for row in self.read],
            "tables": {title: table.records() for title, table in self.tables.items()},
        }


def compare(one: Counts, other: Counts) -> Comparison:
    """Compare the languages of two counts of one game, A and B: see `Comparison`.

    Raises `ValueError` for counts of different games, and for counts without episodes.
    """
    for counts in (one, other):
        require_kind("counts", counts, Counts, "count(recording)")
    require_one_game(one.config, other.config)
    a, b = dictionaries = build_dictionary(one), build_dictionary(other)
    read = (a.bits, bits_of(a, other)), (bits_of(b, one), b.bits)
    return Comparison((one, other), dictionaries, read)


def in_one_table(tables: Mapping[str, Table]) -> Table:
    """Return the rows of tables about A and B in one table, after their titles."""
    rows = ((title, *row, *[None] * (4 - len(row))) for title, table in tables.items() for row in table.rows)
    return Table.of("Table | Row | A :figure | B :figure | In both :,", rows)


def require_one_game(one: GameConfig, other: GameConfig) -> None:
    """Raise `ValueError` unless two languages are of the same game."""
    if one != other:
        raise UserError(f"languages must be of one game; got {one.signature} and {other.signature}")


def _told(bits: Bits, value: Value) -> Value:
    """Return a figure of held-out episodes; None if there are none."""
    return value if bits.episodes else None


def _numbers(one: np.ndarray, other: np.ndarray) -> tuple[int, int, int]:
    """Return the numbers of distinct rows of two arrays, and how many of these rows both have."""
    sizes = [len(distinct_rows(rows)[0]) for rows in (one, other, np.concatenate([one, other]))]
    return sizes[0], sizes[1], sizes[0] + sizes[1] - sizes[2]
