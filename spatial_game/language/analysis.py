"""From counts to admitted entries: both algorithms of the paper, for any settings, each table made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from spatial_game.language import listing
from spatial_game.language.candidates import Candidates, best_referents, best_unions
from spatial_game.language.counts import Counts
from spatial_game.language.pairs import Pairs, edge_pairs, integer_at_pairs, integer_pairs, offset_pairs
from spatial_game.language.settings import Settings
from spatial_game.language.words import offset_carriers

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
    integers_derived: Mask
    offsets_derived: Mask
    integers_at_derived: Mask
    clipped: int
    """NPMIs of any candidate that the estimator put outside [-1, 1]."""

    def tables(self) -> list[tuple[Candidates, Mask]]:
        """The four tables with their marks, in the order of `referents.KINDS`."""
        return [
            (self.edges, np.zeros(len(self.edges), dtype=bool)),
            (self.integers_at, self.integers_at_derived),
            (self.integers, self.integers_derived),
            (self.offsets, self.offsets_derived),
        ]

    @cached_property
    def message_types(self) -> dict[str, Mask]:
        """For each type of the paper's table 1, which distinct messages (M,) are of it, by listed entries.

        `reserved`: a positional message that is reserved (`Counts.reserved`).
        `compositional_positional`: an integer n-gram and, beside it, an offset n-gram.
        """
        counts = self.counts
        integers = self.integers.take(~self.integers_derived)
        offsets = self.offsets.take(~self.offsets_derived)
        positional = _marked(len(counts.messages), self.edges.form)
        has_integer = integers.forms.incidence[integers.form].sum(axis=0) > 0
        return {
            "positional": positional,
            "reserved": positional & counts.reserved,
            "integer": _marked(len(counts.messages), self.integers_at.form[~self.integers_at_derived]),
            "compositional_integer": np.asarray(has_integer).reshape(-1),
            "compositional_positional": listing.composed(integers, offsets, counts),
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
        self._offsets: dict[tuple[int, bytes], Candidates] = {}

    def _candidates(self, pairs: Pairs) -> dict[int, Candidates]:
        best = {1: best_referents(pairs, self.counts.config)} if 1 in self.tops else {}
        several = [n for n in self.tops if n > 1]
        unions = best_unions(pairs, self.counts, self.settings, several) if several else {}
        return best | unions

    def admit(self, threshold: float | None = None, top_n: int | None = None) -> Admitted:
        """The entries at a threshold and top_n; by default those of the settings.

        The threshold for offsets stays that of the settings where that was given apart from `threshold`.
        """
        settings = self._settings_at(threshold, top_n)
        if settings.top_n not in self.tops:
            raise ValueError(f"top_n must be among {self.tops}, which were prepared; got {settings.top_n}")
        integers_at = self._integers_at[settings.top_n]
        all_integers = self._integers[settings.top_n]
        integers = all_integers.admitted(settings)
        all_offsets = self._all_offsets(integers, settings.top_n)
        offsets = all_offsets.admitted(settings)
        whole = integers_at.admitted(settings)

        integers_derived = listing.derived_by_slot(integers) | listing.derived_by_offset(
            integers, self.counts
        )
        offsets_derived = listing.derived_by_slot(offsets)
        split = listing.derived_by_splitting(
            whole, integers.take(~integers_derived), offsets.take(~offsets_derived), self.counts
        )
        return Admitted(
            self.counts,
            settings,
            self._edges.admitted(settings),
            whole,
            integers,
            offsets,
            integers_derived,
            offsets_derived,
            split,
            sum(table.clipped for table in (self._edges, integers_at, all_integers, all_offsets)),
        )

    def _all_offsets(self, integers: Candidates, top_n: int) -> Candidates:
        """Step 2, once for each set of integer words: neighbouring thresholds often admit the same."""
        key = (top_n, integers.form.tobytes())
        if key not in self._offsets:
            carriers, by_offset = offset_carriers(self.counts, integers)
            pairs = offset_pairs(carriers, by_offset, self.counts, self.settings)
            self._offsets[key] = best_referents(pairs, self.counts.config)
        return self._offsets[key]

    def _settings_at(self, threshold: float | None, top_n: int | None) -> Settings:
        settings = self.settings
        if threshold is not None:
            follows = settings.offset_threshold == settings.threshold
            offset_threshold = threshold if follows else settings.offset_threshold
            settings = replace(settings, threshold=threshold, offset_threshold=offset_threshold)
        return settings if top_n is None else replace(settings, top_n=top_n)


def _marked(size: int, rows: npt.NDArray[np.int64]) -> Mask:
    mask = np.zeros(size, dtype=bool)
    mask[rows] = True
    return mask
