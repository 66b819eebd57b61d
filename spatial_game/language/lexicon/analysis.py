"""From counts to admitted entries: both algorithms of the paper, for any settings, each table made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from spatial_game.language.counting.counts import Counts
from spatial_game.language.lexicon import redundancy
from spatial_game.language.lexicon.associations import (
    Pairs,
    edge_pairs,
    integer_at_pairs,
    integer_pairs,
    offset_pairs,
)
from spatial_game.language.lexicon.best_referents import Candidates, best_referents, best_unions
from spatial_game.language.lexicon.offsets import OffsetCounts, count_offsets
from spatial_game.language.lexicon.settings import Settings

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Admitted:
    """What an analysis admits, as tables: the entries of each kind, and which of them are derived."""

    counts: Counts
    settings: Settings
    edges: Candidates
    integers_at: Candidates
    integers: Candidates
    offsets: Candidates
    derived: dict[str, Mask]
    """For each kind of entry, which another says better."""
    split: Mask
    """Which integers at offsets are derived because their message splits into an integer and an offset."""
    clipped: int
    """NPMIs of any candidate that the estimator put outside [-1, 1]."""

    def tables(self) -> list[tuple[Candidates, Mask]]:
        """The four tables with their marks, in the order of `referents.KINDS`."""
        tables = (self.edges, self.integers_at, self.integers, self.offsets)
        return [(table, self.derived[table.kind]) for table in tables]

    @cached_property
    def message_types(self) -> dict[str, Mask]:
        """For each type of the paper's table 1, which distinct messages (M,) are of it.

        Whole messages count by their admitted entries, misspelled ones too, but those that split are
        compositional; n-grams count by their listed entries. `reserved`: positional and, besides, reserved
        (`Counts.reserved`). `compositional_positional`: an integer n-gram and, beside it, an offset one.
        """
        counts = self.counts
        integers = self.integers.take(~self.derived["integer"])
        offsets = self.offsets.take(~self.derived["offset"])
        positional = _marked(len(counts.messages), self.edges.form)
        has_integer = integers.forms.incidence[integers.form].sum(axis=0) > 0
        return {
            "positional": positional,
            "reserved": positional & counts.reserved,
            "integer": _marked(len(counts.messages), self.integers_at.form[~self.split]),
            "compositional_integer": np.asarray(has_integer).reshape(-1),
            "compositional_positional": redundancy.composed(integers, offsets, counts),
        }

    @property
    def readable(self) -> Mask:
        """Which distinct messages (M,) say where the target is: whole, or as integer and offset."""
        types = self.message_types
        return types["positional"] | types["integer"] | types["compositional_positional"]

    @property
    def coverage(self) -> float:
        """Share of the episodes whose message is readable."""
        return episode_share(self.counts, self.readable)


def vocabulary_share(counts: Counts, messages: Mask) -> float:
    """Share of the distinct messages that a mask over them marks; 0 without messages."""
    return float(messages.mean()) if len(messages) else 0.0


def episode_share(counts: Counts, messages: Mask) -> float:
    """Share of the episodes with a message that a mask over distinct messages marks; 0 without episodes."""
    return float(counts.message_totals[messages].sum() / max(counts.total, 1))


class Analysis:
    """The analysis of one language under many settings.

    Tables that do not depend on the thresholds are made once: with the same estimator, `min_count` and
    `significance`, each further pair of `threshold` and `top_n` costs little.
    """

    def __init__(self, counts: Counts, settings: Settings, tops: Sequence[int] | None = None) -> None:
        """`tops`: the values of `top_n` that will be asked for; by default that of the settings."""
        self.counts = counts
        self.settings = settings
        self.tops = sorted({settings.top_n, *(tops or ())})
        self._edges = best_referents(edge_pairs(counts, settings), counts.config)
        self._integers_at = self._candidates(integer_at_pairs(counts, settings))
        self._integers = self._candidates(integer_pairs(counts, settings))
        self._offsets: dict[tuple[int, bytes], tuple[OffsetCounts, Candidates]] = {}

    def _candidates(self, pairs: Pairs) -> dict[int, Candidates]:
        best = {1: best_referents(pairs, self.counts.config)} if 1 in self.tops else {}
        several = [n for n in self.tops if n > 1]
        unions = best_unions(pairs, self.counts, self.settings, several) if several else {}
        return best | unions

    def admit(self, threshold: float | None = None, top_n: int | None = None) -> Admitted:
        """The entries at a threshold and top_n; by default those of the settings.

        The threshold for offsets stays that of the settings where it was given, or is fixed by the estimator.
        """
        settings = self._settings_at(threshold, top_n)
        if settings.top_n not in self.tops:
            raise ValueError(f"top_n must be among {self.tops}, which were prepared; got {settings.top_n}")
        all_integers_at = self._integers_at[settings.top_n]
        all_integers = self._integers[settings.top_n]
        integers = all_integers.admitted(settings)
        beside, all_offsets = self._step_2(integers, settings.top_n)
        edges, offsets = self._edges.admitted(settings), all_offsets.admitted(settings)
        integers_at = all_integers_at.admitted(settings)

        at_one_offset = redundancy.derived_by_offset(integers, self.counts)
        derived = {
            table.kind: redundancy.derived_by_spelling(table)
            for table in (edges, integers_at, integers, offsets)
        }
        derived["integer"] |= redundancy.derived_by_slot(integers) | at_one_offset
        derived["offset"] |= redundancy.derived_by_slot(offsets)
        derived["offset"] |= redundancy.derived_by_words(offsets, beside, at_one_offset)
        split = redundancy.derived_by_splitting(
            integers_at, integers.take(~derived["integer"]), offsets.take(~derived["offset"]), self.counts
        )
        derived["integer_at"] |= split
        everything = (self._edges, all_integers_at, all_integers, all_offsets)
        clipped = sum(table.clipped for table in everything)
        return Admitted(self.counts, settings, edges, integers_at, integers, offsets, derived, split, clipped)

    def _step_2(self, integers: Candidates, top_n: int) -> tuple[OffsetCounts, Candidates]:
        """Step 2, once for each set of integer words: neighbouring thresholds often admit the same."""
        key = (top_n, integers.form.tobytes())
        if key not in self._offsets:
            beside = count_offsets(self.counts, integers)
            pairs = offset_pairs(beside.forms, beside.episodes, self.counts, self.settings)
            self._offsets[key] = beside, best_referents(pairs, self.counts.config)
        return self._offsets[key]

    def _settings_at(self, threshold: float | None, top_n: int | None) -> Settings:
        changes = {"threshold": threshold, "top_n": top_n}
        return self.settings.changed(**{name: value for name, value in changes.items() if value is not None})


def _marked(size: int, rows: npt.NDArray[np.int64]) -> Mask:
    mask = np.zeros(size, dtype=bool)
    mask[rows] = True
    return mask
