"""Measure everything that the paper reports on a pair."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import get_args

import numpy as np

import spatial_game
from spatial_game import provenance
from spatial_game.checks import require, shortened
from spatial_game.files import library_errors, read_rows
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.npmi.analysis import npmi_table, npmi_tables
from spatial_game.language.npmi.referents import KINDS
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.recording import join, record
from spatial_game.reproduction import paper
from spatial_game.reproduction.minimal_pairs import minimal_pairs
from spatial_game.reproduction.phrases import COMPOSITIONAL, phrases_of
from spatial_game.reproduction.results import (
    BEST_CELL,
    ESTIMATORS,
    PAPERS_CELL,
    AssociationRow,
    EstimatorResult,
    PairDetails,
    PairResult,
    SampleSizes,
)
from spatial_game.reproduction.understanding import (
    best_cells,
    measure_cells,
    measure_phrases,
    most_frequent_messages,
    papers_cells,
)
from spatial_game.studies.lengths import KeptIntegers, accuracy_by_length

MOST_USED = 4
"""Associations of each kind that the results keep."""


@dataclass(frozen=True, kw_only=True)
class PairToMeasure(PairDetails):
    """Agents to measure, and their training."""

    agents: Agents
    metrics: Path | None = None
    """The metrics.csv of its training, if known."""


def measure_pair(pair: PairToMeasure, sizes: SampleSizes, seed: int) -> PairResult:
    """Return everything that is measured of a pair."""
    play = evaluate_agents(pair.agents, sizes.reported, seed)
    batches = draw_batches(pair.config, sizes.recorded, _rng(seed, "recording"))
    counts = count(join(record((pair.agents.sender, None), batch, pair.config) for batch in batches))
    table = npmi_table(counts)
    edges = [association.referent for association in table.of_kind("edge")]
    return PairResult(
        **{field.name: getattr(pair, field.name) for field in fields(PairDetails)},
        measured_by=code_version(),
        training=read_metrics(pair.metrics),
        play=play.overall,
        distinct_messages=play.distinct_messages,
        lengths={
            integers: accuracy_by_length(pair.agents, sizes.reported, seed, integers)
            for integers in get_args(KeptIntegers)
        },
        edges=len(set(edges)),
        edge_messages=len(edges),
        most_used=_most_used(table),
        by_estimator={
            name: _by_estimator(pair.agents, counts, NpmiSettings(name), sizes, seed) for name in ESTIMATORS
        },
    )


def _most_used(table: NpmiTable) -> list[AssociationRow]:
    """Return the most used associations of each kind."""
    length = table.config.message_length
    return [
        AssociationRow(kind, a.ngram.pattern(length), str(a.referent), a.npmi, a.confidence, a.joint)
        for kind in KINDS
        for a in table.of_kind(kind, MOST_USED)
    ]


def _by_estimator(
    agents: Agents, counts: Counts, settings: NpmiSettings, sizes: SampleSizes, seed: int
) -> EstimatorResult:
    """Return what emerges in each cell of the grid, and what the receiver understands.

    The phrases of the paper's cell, and of the best cell, are measured on other episodes than those on which
    the best cell is chosen. The composed ones are also exchanged in minimal pairs, on episodes of their own.
    """
    choosing, reporting, exchanged = (
        draw_episodes(agents.config, number, _rng(seed, stream))
        for stream, number in (
            ("choosing", sizes.choosing),
            ("reporting", sizes.reported),
            ("minimal pairs", sizes.reported),
        )
    )
    rng, frequent = _rng(seed, "phrases"), most_frequent_messages(counts)
    tables = npmi_tables(counts, settings, paper.THRESHOLDS, paper.TOPS)
    cells = measure_cells(agents.receiver, tables, choosing, rng)
    result = EstimatorResult(cells, phrases={}, exchanges={})
    for name, by_kind in {PAPERS_CELL: papers_cells(cells), BEST_CELL: best_cells(cells)}.items():
        result.phrases[name] = {
            kind: measure_phrases(agents, tables[index], kind, frequent, reporting, rng)
            for kind, index in by_kind.items()
        }
        result.exchanges[name] = {}
        if COMPOSITIONAL in by_kind:
            composed = phrases_of(tables[by_kind[COMPOSITIONAL]], COMPOSITIONAL)
            exchanges = minimal_pairs(agents.receiver, composed, exchanged, _rng(seed, "exchanges"))
            result.exchanges[name] = exchanges
    return result


def _rng(seed: int, name: str) -> np.random.Generator:
    """Return the generator of a stream of this seed; streams with different names are independent."""
    return np.random.default_rng(random_stream(seed, name))


def read_metrics(metrics: Path | None) -> list[tuple[float, float]]:
    """Return the episodes and validation accuracies in the metrics of a training.

    Raises `UserError` for a file without these columns, or with something else than numbers in them.
    """
    if metrics is None or not metrics.is_file():
        return []
    header, *rows = read_rows(metrics) or [[]]
    for name in ("episodes", "validation_accuracy"):
        require(name in header, f"{metrics}: there must be the column {name}", shortened(header))
    episodes, accuracy = header.index("episodes"), header.index("validation_accuracy")
    validated = [row for row in rows if len(row) == len(header) and row[accuracy]]
    with library_errors(f"{metrics}: episodes and validation_accuracy must be numbers", ValueError):
        return [(float(row[episodes]), float(row[accuracy])) for row in validated]


def code_version() -> str:
    """Return the version of this package and, in a checkout, the commit: `1.0.0 at 0dd0299150`.

    `provenance.commit` says how changed code is marked.
    """
    made_from = provenance.commit()
    return f"{spatial_game.__version__} at {made_from}" if made_from else spatial_game.__version__
