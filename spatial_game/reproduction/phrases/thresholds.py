"""Choose thresholds t_c and t_n by grid search on some episodes, and report on others.

The paper's grid has 54 cells. It reports the accuracy of the cell in which the receiver understood most. The
best of many noisy figures is too high. The *optimism* is the chosen accuracy minus the reported one.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import Proportion, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.entries import Entry
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.grid import THRESHOLDS, TOPS
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.players.compose import common_symbols
from spatial_game.language.probing.report import NOTHING_ASKED, as_json, share_of
from spatial_game.reproduction.phrases.asking import ask
from spatial_game.reproduction.phrases.kinds import Asker, KindReport, draws_of, draws_to_dict
from spatial_game.reproduction.phrases.phrase_table import KINDS, PhraseTable, of_kind


@dataclass(frozen=True)
class ProbedCell:
    """How well one kind of phrases of one cell of the grid was understood, on the choosing episodes."""

    kind: str
    threshold: float
    top_n: int
    phrases: int
    accuracy: Proportion = NOTHING_ASKED
    draws: tuple[Proportion, ...] = ()
    """The same episodes as independent draws (`kinds.DRAWS`)."""
    control: Proportion | None = None
    """Compositional phrases with symbol 0 in place of the offset, in the same episodes: Compositional-NP."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {**as_json(self), "draws": draws_to_dict(self.draws)}


@dataclass(frozen=True)
class Chosen:
    """The best cell for a kind of phrases, and how well it does on other episodes."""

    cell: ProbedCell
    lexicon: Lexicon
    report: KindReport

    @property
    def optimism(self) -> float:
        """The accuracy on the choosing episodes minus the accuracy on the reporting ones."""
        return self.cell.accuracy.accuracy - self.report.accuracy.accuracy


@dataclass(frozen=True)
class ThresholdReport:
    """A grid, and the best cell for each kind of phrases."""

    cells: tuple[ProbedCell, ...]
    chosen: dict[str, Chosen]
    distinct: int
    """Number of different sets of phrases; the other cells have the same phrases as one of them."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the lexicons, for JSON."""
        cells = [cell.to_dict() for cell in self.cells]
        chosen = {
            kind: {
                "threshold": choice.cell.threshold,
                "top_n": choice.cell.top_n,
                "phrases": choice.cell.phrases,
                "chosen_on": choice.cell.accuracy.to_dict(),
                "reported": choice.report.accuracy.to_dict(),
                "optimism": choice.optimism,
                "report": choice.report.to_dict(),
                "signature": choice.lexicon.signature,
            }
            for kind, choice in self.chosen.items()
        }
        return {"cells": cells, "chosen": chosen, "distinct": self.distinct}


def choose_thresholds(
    receiver: Receiver,
    counts: Counts,
    choosing: Episodes,
    reporting: Episodes,
    rng: np.random.Generator,
    *,
    settings: Settings | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
    sender: Sender | None = None,
) -> ThresholdReport:
    """Choose for each kind of phrases the cell in which `receiver` understands most `choosing` episodes.

    Its accuracy on the `reporting` episodes is reported with floors and a ceiling. The two must come from
    independent streams. Ties go to more phrases, then to the earlier cell. Every set of entries is asked only
    once, even if several cells have it.
    """
    settings = dataclasses.replace(settings or Settings(), select="npmi")
    analysis = Analysis(counts, settings, tops)
    fillers = common_symbols(counts) if len(counts.messages) else None
    asked: dict[tuple[str, tuple[Entry, ...]], ProbedCell] = {}
    lexicons: dict[tuple[float, int], Lexicon] = {}
    cells: list[ProbedCell] = []
    for top_n, threshold in itertools.product(tops, thresholds):
        lexicon = Lexicon.from_admitted(analysis.admit(threshold, top_n))
        lexicons[threshold, top_n] = lexicon
        for kind in KINDS:
            key = kind, of_kind(lexicon, kind).listed
            if key not in asked:
                asked[key] = _probed(receiver, PhraseTable(kind, lexicon, fillers=fillers), choosing, rng)
            cells.append(dataclasses.replace(asked[key], threshold=threshold, top_n=top_n))
    chosen = {}
    for kind in KINDS:
        spoken = [cell for cell in cells if cell.kind == kind and cell.phrases]
        if spoken:
            best = max(spoken, key=lambda cell: (cell.accuracy.accuracy, cell.phrases))
            lexicon = lexicons[best.threshold, best.top_n]
            table = PhraseTable(kind, lexicon, fillers=fillers)
            report = Asker(receiver, sender, rng).report(table, reporting)
            chosen[kind] = Chosen(best, lexicon, report)
    return ThresholdReport(tuple(cells), chosen, sum(1 for cell in asked.values() if cell.phrases))


def _probed(
    receiver: Receiver, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> ProbedCell:
    """Return how well the phrases of one kind are understood, in the settings of their lexicon."""
    settings = table.lexicon.settings
    cell = ProbedCell(table.kind, settings.threshold, settings.top_n, len(table))
    if len(table) == 0:
        return cell
    asked, control = ask(table, episodes, rng), None
    won = won_by(receiver, asked.said.message, asked.episodes)
    if table.kind == "compositional":
        without = table.offset_replaced(asked.phrase, asked.said, 0)
        control = share_of(won_by(receiver, without, asked.episodes))
    return dataclasses.replace(cell, accuracy=share_of(won), draws=draws_of(won), control=control)
