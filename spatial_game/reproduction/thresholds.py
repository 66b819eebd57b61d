"""Choose thresholds t_c and t_n by grid search: the cell whose phrases a receiver understands best.

The paper's grid has 54 cells, and the paper reports the accuracy of the best one. The best of many noisy
figures is too high; on other episodes, it is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import AgentPair, Proportion, share_of, won_by
from spatial_game.language.counting.counts import Counts
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.lexicon.entries import Entry
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.grid import THRESHOLDS, TOPS
from spatial_game.language.players.compose import common_symbols
from spatial_game.reproduction.asking import ask
from spatial_game.reproduction.phrases import KINDS, PhraseTable, entries_of


@dataclass(frozen=True)
class Chosen:
    """The best cell of the grid for one kind of phrases."""

    threshold: float
    top_n: int
    phrases: PhraseTable
    accuracy: Proportion
    """On the episodes that it was chosen on."""

    @property
    def rank(self) -> tuple[float, int]:
        """More is better: the accuracy, then the number of phrases."""
        return self.accuracy.accuracy, len(self.phrases)


def choose_thresholds(
    pair: AgentPair,
    counts: Counts,
    settings: NpmiSettings,
    episodes: Episodes,
    rng: np.random.Generator,
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
) -> dict[str, Chosen]:
    """Choose for each kind of phrases (`KINDS`) the cell in which the receiver understands most episodes.

    Ties go to more phrases, then to the earlier cell. Several cells with the same entries are asked once. A
    kind without phrases in any cell is left out.
    """
    analysis, fillers = Analysis(counts, settings, tops), common_symbols(counts)
    asked: set[tuple[str, tuple[Entry, ...]]] = set()
    best: dict[str, Chosen] = {}
    for top_n, threshold in itertools.product(tops, thresholds):
        lexicon = analysis.admit(threshold, top_n).lexicon()
        for kind in KINDS:
            entries = entries_of(lexicon, kind)
            if (kind, entries) in asked:
                continue
            asked.add((kind, entries))
            table = PhraseTable(kind, entries, counts.config, fillers)
            if len(table):
                found = Chosen(threshold, top_n, table, _understood(pair, table, episodes, rng))
                best[kind] = max(best.get(kind, found), found, key=lambda chosen: chosen.rank)
    return {kind: best[kind] for kind in KINDS if kind in best}


def _understood(
    pair: AgentPair, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> Proportion:
    asked = ask(table, episodes, rng)
    return share_of(won_by(pair.receiver, asked.said.message, asked.episodes))
