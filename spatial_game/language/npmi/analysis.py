"""From counts to admitted entries: both algorithms of the paper, for any settings, each table made once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.lexicon.analyses import ByNpmi, NpmiSettings
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rules import Rule, expected_of
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi import redundancy
from spatial_game.language.npmi.offsets import OffsetCounts, count_offsets
from spatial_game.language.npmi.referents import (
    NO_INTEGER,
    Associations,
    BestReferents,
    best_referents,
    best_unions,
    edge_associations,
    integer_associations,
    integer_at_associations,
    offset_associations,
)

MESSAGE_TYPES = {
    "positional": "Non-Compositional Positional",
    "reserved": "Non-Compositional Positional Reserved",
    "integer": "Non-Compositional Integer",
    "compositional_integer": "Compositional Integer",
    "compositional_positional": "Compositional Positional",
}
"""The rows of the paper's table 1."""


def lexicon_by_npmi(
    counts: Counts,
    settings: NpmiSettings | None = None,
    **changes: Any,
) -> Lexicon:
    """Return the lexicon that the paper's analysis finds. `changes` are fields of `NpmiSettings`.

    Raises `ValueError` for impossible settings, and if episodes are needed again (for offsets, or for top_n
    above 1) that the counts do not know.
    """
    settings = replace(settings or NpmiSettings(), **changes)
    return Analysis(counts, settings).admit().lexicon()


@dataclass(frozen=True)
class Admitted:
    """What an analysis admits, as tables: the entries of each kind, and which of them are redundant."""

    settings: NpmiSettings
    counts: Counts
    edges: BestReferents
    integers_at: BestReferents
    integers: BestReferents
    offsets: BestReferents
    derived: dict[str, Mask]
    """For each kind, the entries that a better one makes redundant."""
    split: Mask
    """The integers at offsets that are redundant because their message splits into integer and offset."""
    clipped: int
    """NPMIs that the estimator put outside [-1, 1], admitted or not."""

    @property
    def listed(self) -> tuple[BestReferents, BestReferents]:
        """The integers and the offsets that no better entry makes redundant."""
        return self.integers.take(~self.derived["integer"]), self.offsets.take(~self.derived["offset"])

    def tables(self) -> list[tuple[BestReferents, Mask]]:
        """Return the four tables with their marks, in the order of `meaning.KINDS`."""
        tables = (self.edges, self.integers_at, self.integers, self.offsets)
        return [(table, self.derived[table.kind]) for table in tables]

    @cached_property
    def message_types(self) -> dict[str, Mask]:
        """For each type of the paper's table 1, the distinct messages (M,) of that type.

        Whole messages count by their admitted entries, misspelled ones too, but those that split are
        compositional; n-grams count by their listed entries. `reserved`: positional and also reserved
        (`Counts.reserved`). `compositional_positional`: an integer n-gram and, beside it, an offset n-gram.
        """
        counts = self.counts
        integers, offsets = self.listed
        positional = _marked(counts, self.edges.form)
        return {
            "positional": positional,
            "reserved": positional & counts.reserved,
            "integer": _marked(counts, self.integers_at.form[~self.split]),
            "compositional_integer": _marked(counts, integers.occurrences(counts.messages).message),
            "compositional_positional": redundancy.composed(integers, offsets, counts),
        }

    @property
    def readable(self) -> Mask:
        """(M,), the distinct messages that say where the target is: whole, or as integer and offset."""
        types = self.message_types
        return types["positional"] | types["integer"] | types["compositional_positional"]

    @property
    def coverage(self) -> float:
        """Share of the episodes whose message is readable."""
        return self.counts.episode_share(self.readable)

    def lexicon(self) -> Lexicon:
        """Return the lexicon of these tables: entries by kind, then by referent, then by form."""
        counts, settings = self.counts, self.settings
        analysis = ByNpmi(settings.resolved(), self.clipped)
        entries = [
            entry for table, derived in self.tables() for entry in _of_table(table, derived, counts.config)
        ]
        return Lexicon.of_counts(counts, analysis, entries, self.coverage, settings.signature)


class Analysis:
    """The analysis of one language under many settings.

    Tables that do not depend on the thresholds are made once: with the same estimator, `min_count` and
    `significance`, each further pair of `threshold` and `top_n` costs little.
    """

    def __init__(self, counts: Counts, settings: NpmiSettings, tops: Sequence[int] | None = None) -> None:
        """`tops`: the values of `top_n` that will be asked for; by default only that of the settings."""
        self.counts = counts
        self.settings = settings
        self.tops = sorted({settings.top_n, *(tops or ())})
        self._offsets: dict[tuple[bytes, bytes], tuple[OffsetCounts, BestReferents]] = {}

    def admit(self, threshold: float | None = None, top_n: int | None = None) -> Admitted:
        """Return the entries at a threshold and top_n; by default at those of the settings.

        The threshold for offsets is that of the settings where they give one, else its default. Raises
        `ValueError` for a `top_n` that was not prepared.
        """
        changes = {"threshold": threshold, "top_n": top_n}
        given = {name: value for name, value in changes.items() if value is not None}
        settings = replace(self.settings, **given)  # type: ignore[arg-type]
        if settings.top_n not in self.tops:
            raise ValueError(f"top_n must be among {self.tops}, which were prepared; got {settings.top_n}")
        found = [self._edges, self._integers_at[settings.top_n], self._integers[settings.top_n]]
        edges, integers_at, integers = (table.admitted(settings) for table in found)
        beside, all_offsets = self._step_2(integers)
        offsets = all_offsets.admitted(settings)
        tables = (edges, integers_at, integers, offsets)
        derived = {table.kind: redundancy.derived_by_spelling(table) for table in tables}
        at_one_offset = redundancy.derived_by_offset(integers, self.counts)
        derived["integer"] |= redundancy.derived_by_slot(integers) | at_one_offset
        derived["offset"] |= redundancy.derived_by_slot(offsets)
        derived["offset"] |= redundancy.derived_by_words(offsets, beside, at_one_offset)
        listed = integers.take(~derived["integer"]), offsets.take(~derived["offset"])
        split = redundancy.derived_by_splitting(integers_at, *listed, self.counts)
        derived["integer_at"] |= split
        clipped = sum(table.clipped for table in (*found, all_offsets))
        return Admitted(settings, self.counts, *tables, derived, split, clipped)

    @cached_property
    def _edges(self) -> BestReferents:
        return best_referents(edge_associations(self.counts, self.settings))

    @cached_property
    def _integers_at(self) -> dict[int, BestReferents]:
        return self._by_top(integer_at_associations(self.counts, self.settings))

    @cached_property
    def _integers(self) -> dict[int, BestReferents]:
        return self._by_top(integer_associations(self.counts, self.settings))

    def _by_top(self, found: Associations) -> dict[int, BestReferents]:
        """Return the best referents of each form for each `top_n`."""
        several = [n for n in self.tops if n > 1]
        one = {1: best_referents(found)} if 1 in self.tops else {}
        return one | (best_unions(found, self.settings, several) if several else {})

    def _step_2(self, integers: BestReferents) -> tuple[OffsetCounts, BestReferents]:
        """Return step 2, made once for each set of words: close settings often admit the same."""
        used = (integers.values != NO_INTEGER).any(axis=0)
        key = (integers.form.tobytes(), integers.values[:, used].tobytes())
        if key not in self._offsets:
            beside = count_offsets(self.counts, integers)
            found = offset_associations(beside.forms, beside.episodes, self.counts, self.settings)
            self._offsets[key] = beside, best_referents(found)
        return self._offsets[key]


def _marked(counts: Counts, messages: Numbers) -> Mask:
    """(M,), a mask of these distinct messages."""
    mask = np.zeros(len(counts.messages), dtype=bool)
    mask[messages] = True
    return mask


def _of_table(table: BestReferents, derived: Mask, config: GameConfig) -> Iterator[Entry]:
    """Yield the entries of a table, in the order of referents, then of forms."""
    forms, npmi = table.forms, table.npmi
    keys = [forms.slot, *forms.symbols.T[::-1], *table.values.T[::-1], table.place]
    for row in np.lexsort(keys):
        yield entry_by_npmi(
            forms.form(int(row)),
            _meaning(table, int(row), config),
            config,
            npmi=float(npmi[row]),
            confidence=float(table.joint[row] / table.form_total[row]),
            count=int(table.joint[row]),
            p_value=float(table.p_value[row]),
            q_value=float(table.q_value[row]),
            listed=not derived[row],
        )


def entry_by_npmi(
    form: Form,
    meaning: Meaning,
    config: GameConfig,
    *,
    npmi: float,
    confidence: float,
    count: int,
    **others: Any,
) -> Entry:
    """Return an entry that was selected by NPMI, with the rule that follows from its confidence.

    The probability of the rule is the Krichevsky-Trofimov estimate. What was expected is what the game itself
    leads to expect.
    """
    episodes = count / confidence if confidence else 0.0
    probability = (count + 0.5) / (episodes + 1)
    rule = Rule(form, meaning, probability, expected_of(meaning, config), strength=npmi)
    return Entry(form, (rule,), npmi, confidence, count, **others)


def _meaning(table: BestReferents, row: int, config: GameConfig) -> Meaning:
    place, values = int(table.place[row]), [int(v) for v in table.values[row] if v != NO_INTEGER]
    if table.kind == "edge":
        return Meaning.of(config, len(config.offsets), [place])
    return Meaning.of(config, None if table.kind == "integer" else place, values)
