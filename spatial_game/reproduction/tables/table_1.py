"""Table 1: which types of messages emerge, and the messages for edges."""

from __future__ import annotations

import itertools
from statistics import fmean

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.reproduction import paper
from spatial_game.reproduction.families import Family, families
from spatial_game.reproduction.results import ESTIMATORS, Results
from spatial_game.reproduction.tables.report_table import ReportTable, Row, Rows


def emergence_rows(results: Results) -> Rows:
    """Yield which types of messages emerge, by family and estimator."""
    for (kind, name), family, estimator in itertools.product(
        MESSAGE_TYPES.items(), families(results), ESTIMATORS
    ):
        of_paper = paper.EMERGENCE[kind] if family.config.sequence_length == paper.LENGTH else {}
        for share_of, ours in _shares(family, estimator, kind).items():
            row: Row = {"Type": name, "Family": family.name, "Pairs": family.num_trainings}
            row |= {"Estimator": estimator, "Share of the": share_of}
            if ours:
                row |= {"Mean": fmean(ours), "Smallest": min(ours), "Largest": max(ours)}
            if theirs := of_paper.get(share_of):
                names = ("Paper: mean", "Paper: smallest", "Paper: largest")
                row |= {column: percent / 100 for column, percent in zip(names, theirs, strict=True)}
            yield row


def _shares(family: Family, estimator: str, kind: str) -> dict[str, list[float]]:
    """Return the share of the pairs in which a type emerges, in each cell, and its shares where it does."""
    by_pair = [pair.types(estimator, kind) for pair in family.pairs]
    emerged = [share for shares in by_pair for share in shares if share.vocabulary]
    return {
        "pairs": [fmean(share.vocabulary > 0 for share in cell) for cell in zip(*by_pair, strict=True)],
        "messages": [share.vocabulary for share in emerged],
        "episodes": [share.episodes for share in emerged],
    }


EMERGENCE = ReportTable(
    "Type | Family | Pairs :d | Estimator | Share of the | Mean :.1% | Smallest :.1% | Largest :.1% | "
    "Paper: mean :.1% | Paper: smallest :.1% | Paper: largest :.1%",
    emergence_rows,
)


def edge_rows(results: Results) -> Rows:
    """Yield the messages for edges, by pair."""
    for name, pair in results.pairs.items():
        at_default = pair.by_estimator["exact"].at(0.5, 1)  # t_c and t_n of the default settings
        yield {
            "Pair": name,
            "Edges with messages of their own": pair.edges,
            "Such messages": pair.edge_messages,
            "Reserved": at_default.types["reserved"].messages,
        }


EDGES = ReportTable("Pair | Edges with messages of their own :d | Such messages :, | Reserved :,", edge_rows)
