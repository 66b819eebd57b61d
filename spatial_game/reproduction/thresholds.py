"""Choose thresholds t_c and t_n by grid search on some episodes, and report on others.

The paper's grid has 54 cells. It reports the accuracy of the cell in which the receiver understood most. The
best of many noisy figures is too high; on other episodes, it is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import AgentPair, won_by
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.grid import THRESHOLDS, TOPS
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.players.compose import common_symbols
from spatial_game.language.probing.report import share_of
from spatial_game.reproduction.asking import ask, measure_phrases
from spatial_game.reproduction.phrases import KINDS, PhraseTable, entries_of


def choose_thresholds(
    pair: AgentPair,
    counts: Counts,
    settings: NpmiSettings,
    choosing: Episodes,
    reporting: Episodes,
    rng: np.random.Generator,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, PhraseTable]]:
    """Choose for each kind of phrases the cell in which the receiver understands most `choosing` episodes.

    `measure_phrases` reports on the `reporting` episodes. The two must come from independent streams. Ties go
    to more phrases, then to the earlier cell. Every set of entries is asked only once, even if several cells
    have it.

    Returns all cells and the chosen ones by kind, for JSON, and the chosen phrases by kind.
    """
    analysis, fillers = Analysis(counts, settings, tops), common_symbols(counts)
    asked: dict[Any, tuple[PhraseTable, dict[str, Any]]] = {}
    cells: list[dict[str, Any]] = []
    best: dict[str, tuple[PhraseTable, dict[str, Any]]] = {}
    for top_n, threshold in itertools.product(tops, thresholds):
        lexicon = Lexicon.from_admitted(analysis.admit(threshold, top_n))
        for kind in KINDS:
            key = kind, entries_of(lexicon, kind)
            if key not in asked:
                table = PhraseTable(*key, counts.config, fillers)
                asked[key] = table, _chosen_on(pair, table, choosing, rng)
            table, found = asked[key]
            cells.append({"kind": kind, "threshold": threshold, "top_n": top_n, **found})
            if found["phrases"] and (kind not in best or _rank(cells[-1]) > _rank(best[kind][1])):
                best[kind] = table, cells[-1]
    best = {kind: best[kind] for kind in KINDS if kind in best}
    chosen = {
        kind: {
            "threshold": cell["threshold"],
            "top_n": cell["top_n"],
            "chosen_on": cell["accuracy"],
            **measure_phrases(pair, table, reporting, rng),
        }
        for kind, (table, cell) in best.items()
    }
    return cells, chosen, {kind: table for kind, (table, _) in best.items()}


def _chosen_on(
    pair: AgentPair, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how well phrases are understood, if there are any."""
    if len(table) == 0:
        return {"phrases": 0, "accuracy": None}
    asked = ask(table, episodes, rng)
    won = won_by(pair.receiver, asked.said.message, asked.episodes)
    return {"phrases": len(table), "accuracy": share_of(won).to_dict()}


def _rank(cell: dict[str, Any]) -> tuple[float, int]:
    return cell["accuracy"]["accuracy"], cell["phrases"]
