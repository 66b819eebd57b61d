"""The paper's analysis, from counts to a table of forms and referents.

A whole message may refer to an edge, or to an integer at an offset. Or an n-gram refers to an integer (step
1), and another n-gram beside it to the offset of that integer (step 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spatial_game.checks import require_kind
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.associations import Associations
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.step_1 import associations_of, best
from spatial_game.language.npmi.step_2 import offsets_beside
from spatial_game.language.npmi.table import NpmiTable


def npmi_table(counts: Counts, settings: NpmiSettings | None = None, **changes: Any) -> NpmiTable:
    """Return the table that the paper's analysis makes of a language. `changes` are fields of `NpmiSettings`.

    Raises `ValueError` for impossible settings, and if the counts have no sources: the episodes are read
    again for offsets, and for top_n above 1.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    settings = replace(settings or NpmiSettings(), **changes)
    [table] = npmi_tables(counts, settings, [settings.threshold], [settings.top_n])
    return table


def npmi_tables(
    counts: Counts, settings: NpmiSettings, thresholds: Sequence[float], tops: Sequence[int]
) -> list[NpmiTable]:
    """Analyse a language at every pair of a top_n and a threshold, in place of those of the settings.

    The threshold for offsets is that of the pair, unless the settings give one of its own, as `text` and
    `code` do. What does not depend on thresholds is made once, and so are the offsets beside the same words.
    """
    associations = [associations_of(kind, counts, settings) for kind in ("edge", "integer_at", "integer")]
    tables, offsets_of = [], dict[tuple[bytes, ...], Associations]()
    for top_n in tops:
        step_1 = [best(found, counts, replace(settings, top_n=top_n)) for found in associations]
        for threshold in thresholds:
            demands = replace(settings, threshold=threshold, top_n=top_n).resolved()
            admitted = {found.kind: found.admitted(demands) for found in step_1}
            words = admitted["integer"]
            if words.key not in offsets_of:
                offsets_of[words.key] = offsets_beside(counts, words, settings)
            offsets = offsets_of[words.key]
            admitted["offset"] = offsets.admitted(demands)
            clipped = sum(found.clipped for found in (*step_1, offsets))
            tables.append(NpmiTable(demands, counts, admitted, clipped))
    return tables
