"""Two languages of one game side by side: their dictionaries, and what messages of each tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from spatial_game.checks import require_kind
from spatial_game.config import require_one_game
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.build import build_dictionary
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.doubts import doubts
from spatial_game.language.dictionary.tables import message_bits
from spatial_game.language.wording import variable_texts
from spatial_game.tables import Table, Value


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two languages of one game, A and B: their counts and their dictionaries."""

    counts: tuple[Counts, Counts]
    dictionaries: tuple[Dictionary, Dictionary]

    @property
    def warnings(self) -> list[str]:
        """What to mind if samples are small, or differ in size."""
        a, b = (counts.total for counts in self.counts)
        found = [
            f"A has {a:,} episodes and B {b:,}. A dictionary learns more from the larger sample, so bits and "
            "numbers of messages may differ for this reason alone."
        ] * (a != b)
        for name, counts, dictionary in zip("AB", self.counts, self.dictionaries, strict=True):
            warnings = doubts(dictionary, counts).values()
            found += (f"In {name}, {warning[0].lower()}{warning[1:]}" for warning in warnings)
        return found

    @cached_property
    def table(self) -> Table:
        """What messages of both languages tell, in bits an episode."""
        both = [dictionary.bits for dictionary in self.dictionaries]
        told = [message_bits(bits) for bits in both]
        figures = {
            name: [bits.get(index, 0.0) for bits in told]
            for index, name in enumerate(variable_texts(self.dictionaries[0].config))
            if any(index in bits for bits in told)
        }
        figures["the whole window"] = [bits.messages for bits in both]
        rows: list[tuple[Value, ...]] = [  # nothing is known without held-out episodes
            (name, *(figure if bits.episodes else None for figure, bits in zip(of_both, both, strict=True)))
            for name, of_both in figures.items()
        ]
        rows.append(("the entropy of messages", *(bits.entropy for bits in both)))
        return Table.of("About | A :.2f | B :.2f", rows)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table."""
        return self.table.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Return signatures and bits, for JSON."""
        return {
            "signatures": [dictionary.signature for dictionary in self.dictionaries],
            "bits": [asdict(dictionary.bits) for dictionary in self.dictionaries],
        }


def compare(one: Counts, other: Counts) -> Comparison:
    """Compare the languages of two counts of one game, A and B: see `Comparison`.

    Raises `ValueError` for counts of different games, and without episodes.
    """
    for counts in (one, other):
        require_kind("counts", counts, Counts, "count(recording)")
    require_one_game("languages", one.config, other.config)
    return Comparison((one, other), (build_dictionary(one), build_dictionary(other)))
