"""Two languages of one game side by side: what each tells, its symbols and messages, and who reads whom.

Each dictionary reads the held-out messages of both languages. If languages are alike, its readings of the
other's messages are worth about as much as those of its own (see `worth`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import FloatArray, distinct_rows
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Bits, Dictionary
from spatial_game.language.dictionary_tables import message_bits
from spatial_game.language.wording import variable_texts
from spatial_game.memory import chunks
from spatial_game.tables import Table, Value


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two languages of one game, A and B: their counts, their dictionaries, and how each reads the other."""

    counts: tuple[Counts, Counts]
    dictionaries: tuple[Dictionary, Dictionary]
    read: Sequence[Sequence[float | None]]
    """`read[i][j]`: what the readings of language j's held-out messages, by the dictionary of language i, are
    worth, in bits an episode; None without held-out episodes."""

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
            "What readings by each dictionary are worth, in bits an episode": self._readings(),
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
        """Return what each dictionary's readings of the messages of each language are worth."""
        rows = ((f"of {name}", *of_both) for name, of_both in zip("AB", self.read, strict=True))
        return Table.of("Dictionary | A's messages :.2f | B's messages :.2f", rows)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the tables."""
        return "".join(f"<b>{title}</b>{table.to_html()}" for title, table in self.tables.items())

    def to_dict(self) -> dict[str, Any]:
        """Return signatures, bits and tables, for JSON."""
        return {
            "signatures": [dictionary.signature for dictionary in self.dictionaries],
            "bits": [asdict(dictionary.bits) for dictionary in self.dictionaries],
            "read": self.read,
            "tables": {title: table.records() for title, table in self.tables.items()},
        }


def compare(one: Counts, other: Counts) -> Comparison:
    """Compare the languages of two counts of one game, A and B: see `Comparison`.

    Raises `ValueError` for counts of different games, without episodes, and without sources.
    """
    for counts in (one, other):
        require_kind("counts", counts, Counts, "count(recording)")
    require_one_game(one.config, other.config)
    dictionaries = build_dictionary(one), build_dictionary(other)
    read = [[worth(dictionary, counts) for counts in (one, other)] for dictionary in dictionaries]
    return Comparison((one, other), dictionaries, read)


def worth(dictionary: Dictionary, counts: Counts) -> float | None:
    """Return what a dictionary's readings of held-out messages are worth, in bits an episode; None without.

    A reading multiplies the probability of what the sender saw by some ratio. Of a foreign message, the ratio
    can be nearly 0, and how near, the smoothing of the dictionary decides; so the mean of its logarithm shows
    little. Whoever mixes the reading with none, in the best proportion t, is safe from this: the figure is
    the largest mean of log2(1 - t + t * ratio). It is 0 if the readings are of no use.
    """
    from scipy.optimize import minimize_scalar  # here, as it loads slowly

    ratio = np.exp2(_held_out_evidence(dictionary, counts))
    if not len(ratio):
        return None

    def lost(trust: float) -> float:
        return -float(np.log2(1 - trust + trust * ratio).mean())

    best = minimize_scalar(lost, bounds=(0, 1), method="bounded").fun
    return float(max(-best, 0.0))


def _held_out_evidence(dictionary: Dictionary, counts: Counts) -> FloatArray:
    """Return the bits (B,) that a dictionary gives for each held-out window, after its message."""
    bits = [np.zeros(0)]
    for message, window, held in counts.episodes("a comparison needs"):
        message, window = message[held], window[held]
        for rows in chunks(len(message), 4 * dictionary.columns.size):
            sent, which = np.unique(message[rows], return_inverse=True)
            evidence = dictionary.evidence(counts.messages[sent])
            cells = dictionary.columns.of(window[rows])
            bits.append(evidence[which[:, None], cells].sum(axis=1, dtype=np.float64))
    return np.concatenate(bits)


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
