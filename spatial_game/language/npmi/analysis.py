"""The paper's analysis, from counts to a table of forms and referents: both of its algorithms.

A whole message may refer to an edge, or to an integer at an offset. Or an n-gram refers to an integer (step
1), and another n-gram beside it to the offset of that integer (step 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spatial_game.checks import require_kind
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.referents import NO_INTEGER, Referents
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.steps import best_referents, best_unions, offsets_beside, referents_of
from spatial_game.language.npmi.table import NpmiTable


def npmi_table(counts: Counts, settings: NpmiSettings | None = None, **changes: Any) -> NpmiTable:
    """Return the table that the paper's analysis makes of a language. `changes` are fields of `NpmiSettings`.

    Raises `ValueError` for impossible settings, and if the counts have no sources: the episodes are read
    again for offsets, and for top_n above 1.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    [table] = npmi_tables(counts, replace(settings or NpmiSettings(), **changes))
    return table


def npmi_tables(
    counts: Counts,
    settings: NpmiSettings,
    thresholds: Sequence[float] | None = None,
    tops: Sequence[int] | None = None,
) -> list[NpmiTable]:
    """Analyse a language at every pair of a top_n and a threshold; by default, at those of the settings.

    The threshold for offsets is that of the pair, unless the settings give one of its own, as `text` and
    `code` do. What does not depend on thresholds is made once, and so are the offsets beside the same words.
    """
    thresholds = [settings.threshold] if thresholds is None else thresholds
    tops = [settings.top_n] if tops is None else tops
    best_edges = best_referents(referents_of("edge", counts, settings))
    best_integers_at, best_integers = (
        _by_top(referents_of(kind, counts, settings), counts, settings, tops)
        for kind in ("integer_at", "integer")
    )
    tables, offsets_of = [], dict[tuple[bytes, ...], Referents]()
    for top_n in tops:
        for threshold in thresholds:
            demands = replace(settings, threshold=threshold, top_n=top_n).resolved()
            step_1 = best_edges, best_integers_at[top_n], best_integers[top_n]
            edges, integers_at, words = (best.admitted(demands) for best in step_1)
            used = (words.values != NO_INTEGER).any(axis=0)
            key = words.form.tobytes(), words.values[:, used].tobytes()
            if key not in offsets_of:
                offsets_of[key] = offsets_beside(counts, words, settings)
            offsets = offsets_of[key]
            clipped = sum(best.clipped for best in (*step_1, offsets))
            admitted = edges, integers_at, words, offsets.admitted(demands)
            tables.append(NpmiTable(demands, counts, *admitted, clipped))
    return tables


def _by_top(
    pairs: Referents, counts: Counts, settings: NpmiSettings, tops: Sequence[int]
) -> dict[int, Referents]:
    """Return the best referents of each form for each `top_n`."""
    several = [n for n in tops if n > 1]
    unions = best_unions(pairs, counts, settings, several) if several else {}
    return unions | ({1: best_referents(pairs)} if 1 in tops else {})
