"""The paper's analysis, from counts to a table of forms and referents: both of its algorithms.

A whole message may refer to an edge, or to an integer at an offset. Or an n-gram refers to an integer (step
1), and another n-gram beside it to the offset of that integer (step 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import Occurrences
from spatial_game.language.counting.places import edge_names
from spatial_game.language.counting.rows import join
from spatial_game.language.npmi.referents import NO_INTEGER, Referents
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.steps import best_referents, best_unions, offsets_beside, referents_of
from spatial_game.language.npmi.table import READABLE, NpmiEntry, NpmiTable, Referent, TypeShare


def npmi_table(counts: Counts, settings: NpmiSettings | None = None, **changes: Any) -> NpmiTable:
    """Return the table that the paper's analysis makes of a language. `changes` are fields of `NpmiSettings`.

    Raises `ValueError` for impossible settings, and if the counts have no sources: the episodes are read
    again for offsets, and for top_n above 1.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    [analysis] = analyses(counts, replace(settings or NpmiSettings(), **changes))
    return analysis.table()


def analyses(
    counts: Counts,
    settings: NpmiSettings,
    thresholds: Sequence[float] | None = None,
    tops: Sequence[int] | None = None,
) -> list[Analysis]:
    """Analyse a language at every pair of a top_n and a threshold; by default, at those of the settings.

    The threshold for offsets is that of the pair, unless the settings give one of its own, as `text` and
    `code` do. Tables that do not depend on thresholds are made once.
    """
    thresholds = [settings.threshold] if thresholds is None else thresholds
    tops = [settings.top_n] if tops is None else tops
    edges = best_referents(referents_of("edge", counts, settings))
    integers_at, integers = (
        _by_top(referents_of(kind, counts, settings), counts, settings, tops)
        for kind in ("integer_at", "integer")
    )
    step_2: dict[tuple[bytes, ...], Referents] = {}
    return [
        _admitted(
            counts,
            replace(settings, threshold=threshold, top_n=top_n),
            [edges, integers_at[top_n], integers[top_n]],
            step_2,
        )
        for top_n in tops
        for threshold in thresholds
    ]


def _by_top(
    pairs: Referents, counts: Counts, settings: NpmiSettings, tops: Sequence[int]
) -> dict[int, Referents]:
    """Return the best referents of each form for each `top_n`."""
    several = [n for n in tops if n > 1]
    unions = best_unions(pairs, counts, settings, several) if several else {}
    return unions | ({1: best_referents(pairs)} if 1 in tops else {})


def _admitted(
    counts: Counts,
    settings: NpmiSettings,
    found: Sequence[Referents],
    step_2: dict[tuple[bytes, ...], Referents],
) -> Analysis:
    """Return what the settings admit of these tables, and of the offsets beside the admitted integers.

    `step_2` keeps the offsets of each set of words: close settings often admit the same.
    """
    edges, integers_at, integers = (table.admitted(settings) for table in found)
    used = (integers.values != NO_INTEGER).any(axis=0)
    words = integers.form.tobytes(), integers.values[:, used].tobytes()
    if words not in step_2:
        step_2[words] = offsets_beside(counts, integers, settings)
    offsets = step_2[words]
    clipped = sum(table.clipped for table in (*found, offsets))
    return Analysis(settings, counts, edges, integers_at, integers, offsets.admitted(settings), clipped)


@dataclass(frozen=True)
class Analysis:
    """What the paper's analysis admits at one threshold and top_n, as arrays for each kind of referents."""

    settings: NpmiSettings
    counts: Counts
    edges: Referents
    integers_at: Referents
    integers: Referents
    offsets: Referents
    clipped: int
    """NPMIs that the estimator put outside [-1, 1], admitted or not."""

    @cached_property
    def message_types(self) -> dict[str, Mask]:
        """The distinct messages (M,) of each type: `MESSAGE_TYPES`, the paper's table 1, then `READABLE`.

        A message may be of several types. `reserved`: positional, and it repeats one symbol, which is
        reserved for edges (`reserved_symbols`). `compositional_positional`: with an integer n-gram and,
        beside it, an n-gram for an offset.
        """
        messages, first = self.counts.messages, self.counts.messages[:, 0]
        repeats = (messages == first[:, None]).all(axis=1) & (messages.shape[1] > 1)
        words, places = (table.occurrences(messages) for table in (self.integers, self.offsets))
        positional, integer, has_word = (
            np.isin(np.arange(len(messages)), rows)
            for rows in (self.edges.form, self.integers_at.form, words.message)
        )
        composed = _side_by_side(messages, words, places)
        return {
            "positional": positional,
            "reserved": positional & repeats & reserved_symbols(self.counts)[first],
            "integer": integer,
            "compositional_integer": has_word,
            "compositional_positional": composed,
            READABLE: positional | integer | composed,
        }

    @property
    def shares(self) -> dict[str, TypeShare]:
        """How much of the language is messages of each type; 0 without episodes."""
        number, episodes = max(len(self.counts.messages), 1), max(self.counts.total, 1)
        return {
            name: TypeShare(
                messages=int(mask.sum()),
                vocabulary=float(mask.sum() / number),
                episodes=float(self.counts.message_totals[mask].sum() / episodes),
            )
            for name, mask in self.message_types.items()
        }

    def table(self) -> NpmiTable:
        """Return the table for people and files."""
        counts, settings = self.counts, self.settings
        of_kinds = (self.edges, self.integers_at, self.integers, self.offsets)
        return NpmiTable(
            counts.config,
            settings.resolved(),
            tuple(entry for referents in of_kinds for entry in _entries(referents, counts.config)),
            self.shares,
            counts.total,
            self.offsets.total,
            self.clipped,
            counts.signature(settings.signature),
            counts.provenance,
        )


def _entries(found: Referents, config: GameConfig) -> Iterator[NpmiEntry]:
    """Yield the entries of one kind, in the order of referents, then of forms."""
    forms = found.forms
    columns = (found.joint, found.form_total, found.referent_total, found.npmi, found.p_value, found.q_value)
    figures = [column.tolist() for column in columns]
    for row in found.order.tolist():
        place = int(found.place[row])
        if found.kind == "edge":
            referent = Referent(edge=edge_names(config)[place])
        else:
            integers = tuple(int(value) for value in found.values[row] if value != NO_INTEGER)
            referent = Referent(None, integers, None if found.kind == "integer" else config.offsets[place])
        yield NpmiEntry(forms.form(row), referent, *(figure[row] for figure in figures))


def reserved_symbols(counts: Counts) -> Mask:
    """Return (V,), the symbols that are "reserved only for" edges (section 5.1): not sent elsewhere."""
    having = np.zeros((counts.config.vocab_size, len(counts.messages)), dtype=np.int64)
    for symbols in counts.messages.T:
        having[symbols, np.arange(len(symbols))] = 1
    at_edge = having @ counts.edges[:, :-1].sum(axis=1)
    total = having @ counts.message_totals
    return np.asarray((total > 0) & (at_edge == total))


def _side_by_side(messages: IntArray, words: Occurrences, places: Occurrences) -> Mask:
    """(M,), the messages in which one of the words and one of the places share no slot."""
    one, other = join(words.message, places.message)
    words, places = words.take(one), places.take(other)
    apart = (words.slot + words.length <= places.slot) | (places.slot + places.length <= words.slot)
    return np.isin(np.arange(len(messages)), words.message[apart])
