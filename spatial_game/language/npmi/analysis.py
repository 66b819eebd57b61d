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
from spatial_game.language.npmi.admit import admit, best_of_each
from spatial_game.language.npmi.associations import ScoredAssociations
from spatial_game.language.npmi.count import count_associations, count_offsets
from spatial_game.language.npmi.labels import LabelFunction, count_labels, name_of_label
from spatial_game.language.npmi.referents import Integers
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
    scored = [score(counted, counts, settings) for counted in count_associations(counts, settings.min_count)]
    labels = [_best_labels(counts, settings, label)] if label else []
    name = name_of_label(label) if label else ""
    tables, offsets_of = [], dict[tuple[bytes, bytes], ScoredAssociations]()
    for top_n in tops:
        best = [choose(associations, counts, replace(settings, top_n=top_n)) for associations in scored]
        for threshold in thresholds:
            demands = replace(settings, threshold=threshold, top_n=top_n).resolved()
            admitted = {each.referents.kind: admit(each, demands) for each in best}
            integers = admitted[Integers.kind]
            if integers.key not in offsets_of:
                offsets_of[integers.key] = _best_offsets(counts, settings, integers)
            others = [offsets_of[integers.key], *labels]
            admitted |= {each.referents.kind: admit(each, demands) for each in others}
            clipped = sum(each.clipped for each in (*best, *others))
            tables.append(NpmiTable(demands, counts, admitted, clipped, name, *labels))
    return tables


def _best_offsets(counts: Counts, settings: NpmiSettings, integers: ScoredAssociations) -> ScoredAssociations:
    """Return the best offset of each n-gram beside one of the admitted n-grams with integers."""
    counted = count_offsets(counts, integers, settings.min_count)
    return best_of_each(score(counted, counts, settings))


def _best_labels(counts: Counts, settings: NpmiSettings, label: LabelFunction) -> ScoredAssociations:
    """Return the best label of each n-gram."""
    return best_of_each(score(count_labels(counts, label, settings.min_count), counts, settings))
