"""Measure everything that the paper reports on given pairs.

The results of each pair are kept in a JSON file with their key (settings, seed, game, weights, code). A pair
whose file has the same key is not measured again. Agents without a hash of weights are measured each time:
nothing shows whether they have changed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np

import spatial_game
from spatial_game import provenance
from spatial_game.checks import require, shortened
from spatial_game.files import library_errors, read_rows, write_text
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Agents
from spatial_game.game.seeds import random_stream
from spatial_game.json_text import from_json, plain, to_json
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.npmi.analysis import npmi_table, npmi_tables
from spatial_game.language.npmi.referents import KINDS
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.recording import join, record
from spatial_game.reproduction import paper
from spatial_game.reproduction.minimal_pairs import minimal_pairs
from spatial_game.reproduction.phrases import COMPOSITIONAL, phrases_of
from spatial_game.reproduction.restoring import restored
from spatial_game.reproduction.results import (
    BEST,
    ESTIMATORS,
    PAPERS,
    AssociationRow,
    Estimated,
    Exchange,
    PairDetails,
    PairResult,
    SampleSizes,
)
from spatial_game.reproduction.understanding import (
    THRESHOLDS,
    TOPS,
    best_cells,
    cell_of,
    measure_phrases,
    most_frequent_messages,
    papers_cells,
    phrases_in_cells,
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


def pair_result(pair: PairToMeasure, out: Path, sizes: SampleSizes, seed: int = 0) -> PairResult:
    """Return the results of a pair from its file, if it has the same key; else measure, and write them."""
    if known := known_result(pair, out, sizes, seed):
        return known
    result = measured(pair, sizes, seed)
    content = {"key": key_of(pair, sizes, seed), "result": result}
    write_text(file_of(pair, out), to_json(content, indent=1) + "\n")
    return result


def known_result(pair: PairToMeasure, out: Path, sizes: SampleSizes, seed: int = 0) -> PairResult | None:
    """Return the results of a pair from its file; None unless that has the same key."""
    try:
        content = from_json(file_of(pair, out).read_bytes())
        if content["key"] == plain(key_of(pair, sizes, seed)) and pair.weights_hash is not None:
            known: PairResult = restored(PairResult, content["result"])
            return known
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass  # there is no such file, or it is damaged or of another version
    return None


def file_of(pair: PairToMeasure, out: Path) -> Path:
    """Return the file that keeps the results of a pair."""
    return out / "data" / f"{pair.name}.json"


def key_of(pair: PairToMeasure, sizes: SampleSizes, seed: int) -> dict[str, Any]:
    """Return everything that the results of a pair depend on."""
    return {
        **settings_of(sizes, seed),
        "code": provenance.hash_of_code(),
        "weights_hash": pair.weights_hash,
        "game": pair.config.to_dict(),
    }


def settings_of(sizes: SampleSizes, seed: int) -> dict[str, Any]:
    """Return everything that the results of a pair depend on, besides its weights and the code."""
    return {
        "sizes": asdict(sizes),
        "seed": seed,
        "grid": {"t_c": THRESHOLDS, "t_n": TOPS},
        "cells": paper.CELLS,
        "estimators": [asdict(NpmiSettings(name).resolved()) for name in ESTIMATORS],
    }


def code_version() -> str:
    """Return the version of this package and, in a checkout, the commit: `1.0.0 at 0dd0299150`.

    `provenance.commit` says how changed code is marked.
    """
    made_from = provenance.commit()
    return f"{spatial_game.__version__} at {made_from}" if made_from else spatial_game.__version__


def measured(pair: PairToMeasure, sizes: SampleSizes, seed: int) -> PairResult:
    """Measure a pair."""
    play = evaluate_agents(pair.agents, sizes.reported, seed)
    episodes = draw_batches(pair.config, sizes.recorded, _rng(seed, "recording"))
    counts = count(join(record((pair.agents.sender, None), batch, pair.config) for batch in episodes))
    table = npmi_table(counts)
    edges = [each.referent for each in table.of_kind("edge")]
    length = pair.config.message_length
    frequent = [
        AssociationRow(kind, e.ngram.pattern(length), str(e.referent), e.npmi, e.confidence, e.joint)
        for kind in KINDS
        for e in table.of_kind(kind, MOST_USED)
    ]
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
        most_used=frequent,
        by_estimator={
            name: _estimated(pair, counts, NpmiSettings(estimator=name), sizes, seed) for name in ESTIMATORS
        },
    )


def _estimated(
    pair: PairToMeasure, counts: Counts, settings: NpmiSettings, sizes: SampleSizes, seed: int
) -> Estimated:
    """Return what emerges in each cell of the grid, and what the receiver understands.

    Phrases are those of the paper's cell, and of the best cell, which is chosen on other episodes. The
    composed ones are also exchanged in minimal pairs.
    """
    choosing, reporting, exchanged = (
        draw_episodes(pair.config, number, _rng(seed, name))
        for name, number in (
            ("choosing", sizes.choosing),
            ("reporting", sizes.reported),
            ("minimal pairs", sizes.reported),
        )
    )
    rng, frequent = _rng(seed, "phrases"), most_frequent_messages(counts)
    tables = npmi_tables(counts, settings, THRESHOLDS, TOPS)
    understood = phrases_in_cells(pair.agents, tables, choosing, rng)
    cells = list(map(cell_of, tables, understood))
    chosen = {PAPERS: papers_cells(cells), BEST: best_cells(cells)}
    phrases = {
        name: {
            kind: measure_phrases(pair.agents, tables[index], kind, frequent, reporting, rng)
            for kind, index in kinds.items()
        }
        for name, kinds in chosen.items()
    }
    exchanges = dict[str, dict[str, Exchange]]()
    for name, kinds in chosen.items():
        exchanges[name] = {}
        if COMPOSITIONAL in kinds:
            composed = phrases_of(tables[kinds[COMPOSITIONAL]], COMPOSITIONAL)
            receiver, rng = pair.agents.receiver, _rng(seed, "exchanges")
            exchanges[name] = minimal_pairs(receiver, composed, exchanged, rng)
    return Estimated(cells, phrases, exchanges)


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
