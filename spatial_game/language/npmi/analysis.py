"""The paper's analysis, from counts to a table of associations: count, score, admit.

A whole message may refer to an edge, or to an integer at an offset. Or an n-gram refers to an integer, and
another n-gram beside it to the offset of that integer: the three steps are taken again for offsets, when the
n-grams for integers are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spatial_game.checks import require_kind
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.admit import admit
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.count import count_associations, count_offsets
from spatial_game.language.npmi.labels import LabelFunction, count_labels, name_of_label
from spatial_game.language.npmi.score import score
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.language.npmi.unions import choose


def npmi_table(
    counts: Counts,
    settings: NpmiSettings | None = None,
    *,
    label: LabelFunction | None = None,
    **changes: Any,
) -> NpmiTable:
    """Return the table that the paper's analysis makes of a language. `changes` are fields of `NpmiSettings`.

    With `label`, n-grams and whole messages may also refer to what this function says of windows: see
    `LabelFunction`. Such referents are counted, scored, tested and admitted as the others are.

    Raises `ValueError` for impossible settings, and if the counts have no sources: the episodes are read
    again for offsets, labels, and top_n above 1.
    """
    require_kind("counts", counts, Counts, "count(recording)")
    settings = replace(settings or NpmiSettings(), **changes)
    [table] = npmi_tables(counts, settings, [settings.threshold], [settings.top_n], label)
    return table


def npmi_tables(
    counts: Counts,
    settings: NpmiSettings,
    thresholds: Sequence[float],
    tops: Sequence[int],
    label: LabelFunction | None = None,
) -> list[NpmiTable]:
    """Analyse a language at every pair of a top_n and a threshold, in place of those of the settings.

    What does not depend on thresholds is made once, and so are offsets beside the same n-grams.
    """
    counted = [*count_associations(counts, settings.min_count)]
    if label:
        counted.append(count_labels(counts, label, settings.min_count))
    scored = [score(found, counts, settings) for found in counted]
    tables, offsets_of = [], dict[tuple[bytes, bytes], ScoredAssociations]()
    for top_n in tops:
        chosen = [choose(found, counts, replace(settings, top_n=top_n)) for found in scored]
        for threshold in thresholds:
            demands = replace(settings, threshold=threshold, top_n=top_n).resolved()
            edges, integers_at, integers, *labels = (admit(found, demands) for found in chosen)
            if integers.key not in offsets_of:
                beside = count_offsets(counts, integers, settings.min_count)
                offsets_of[integers.key] = choose(score(beside, counts, settings), counts, settings)
            offsets = offsets_of[integers.key]
            admitted = (edges, integers_at, integers, admit(offsets, demands), *labels)
            clipped = sum(found.clipped for found in (*chosen, offsets))
            by_kind = {found.referents.kind: found for found in admitted}
            of_labels = (name_of_label(label), chosen[-1]) if label else ()
            tables.append(NpmiTable(demands, counts, by_kind, clipped, *of_labels))
    return tables
