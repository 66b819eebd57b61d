"""Thresholds chosen honestly: t_c and t_n by grid search on some episodes, reported on others.

The paper chose, of 54 cells, the one in which the receiver understood most, and reported that number. The
best of many noisy numbers is too good; how much so is the *optimism*, chosen minus reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.lexicon.analysis import Analysis
from spatial_game.language.lexicon.grid import THRESHOLDS, TOPS
from spatial_game.language.lexicon.lexicon import Entry, Lexicon
from spatial_game.language.lexicon.settings import Settings
from spatial_game.language.probing.probe import (
    KINDS,
    Asker,
    KindReport,
    ask,
    draws_of,
    draws_to_dict,
    offset_replaced,
    speakable,
    won_by,
)
from spatial_game.language.speaking.compose import Composer, common_symbols
from spatial_game.language.speaking.statistical import MessageModel
from spatial_game.language.speaking.usage import of_kinds


@dataclass(frozen=True)
class ProbedCell:
    """How well one kind of phrases of one cell of the grid was understood, on the choosing episodes."""

    kind: str
    threshold: float
    top_n: int
    phrases: int
    accuracy: Proportion
    draws: tuple[Proportion, ...] = ()
    """The same episodes as independent draws (`probe.DRAWS`)."""
    control: Proportion | None = None
    """Compositional phrases with symbol 0 for their offset, in the same episodes: Compositional-NP."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        found = {**vars(self), "accuracy": self.accuracy.to_dict(), "draws": draws_to_dict(self.draws)}
        return {**found, "control": self.control and self.control.to_dict()}


@dataclass(frozen=True)
class Chosen:
    """The cell that was best for a kind, and what it is worth on other episodes."""

    cell: ProbedCell
    lexicon: Lexicon
    report: KindReport

    @property
    def optimism(self) -> float:
        """Accuracy where it was chosen minus accuracy where it is reported."""
        return self.cell.accuracy.accuracy - self.report.accuracy.accuracy


@dataclass(frozen=True)
class ThresholdReport:
    """A grid, and for each kind of phrases that some cell has, its best cell."""

    cells: tuple[ProbedCell, ...]
    chosen: dict[str, Chosen]
    distinct: int
    """Different sets of phrases that were asked; the other cells are copies of them."""

    def to_dict(self) -> dict[str, Any]:
        """Everything but the lexicons, for JSON."""
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
    model: MessageModel | None = None,
) -> ThresholdReport:
    """For each kind of phrases the cell in which `receiver` understands most of the `choosing` episodes.

    What it understands of the `reporting` episodes is reported with floors and ceiling. The two must be drawn
    from streams that never meet. Ties go to more phrases, then to the earlier cell. Every set of entries is
    asked once, however many cells have it.
    """
    analysis = Analysis(counts, settings or Settings(), tops)
    fillers = common_symbols(counts) if len(counts.messages) else None
    asked: dict[tuple[str, tuple[Entry, ...]], _Understood] = {}
    lexicons: dict[tuple[float, int], Lexicon] = {}
    cells: list[ProbedCell] = []
    for top_n in tops:
        for threshold in thresholds:
            lexicon = Lexicon.from_admitted(analysis.admit(threshold, top_n))
            lexicons[threshold, top_n] = lexicon
            for kind in KINDS:
                entries = of_kinds(lexicon, [kind]).listed
                if (kind, entries) not in asked:
                    composer = Composer(lexicon, kinds=[kind], fillers=fillers)
                    asked[kind, entries] = _understood(receiver, composer, kind, choosing, rng)
                cells.append(ProbedCell(kind, threshold, top_n, *asked[kind, entries]))
    chosen = {}
    for kind in KINDS:
        spoken = [cell for cell in cells if cell.kind == kind and cell.phrases]
        if spoken:
            best = max(spoken, key=lambda cell: (cell.accuracy.accuracy, cell.phrases))
            lexicon = lexicons[best.threshold, best.top_n]
            asker = Asker(receiver, sender, model, Composer(lexicon, fillers=fillers), rng)
            chosen[kind] = Chosen(best, lexicon, asker.report(kind, reporting))
    return ThresholdReport(tuple(cells), chosen, sum(1 for number, *_ in asked.values() if number))


_Understood = tuple[int, Proportion, tuple[Proportion, ...], Proportion | None]
"""Phrases, accuracy, draws and control of a set of entries."""


def _understood(
    receiver: Receiver, composer: Composer, kind: str, episodes: Episodes, rng: np.random.Generator
) -> _Understood:
    """How well the phrases of one kind were understood."""
    phrases = speakable(composer, kind)
    if len(phrases) == 0:
        return 0, Proportion(0, 0), (), None
    asked = ask(composer, phrases, episodes, rng)
    won = won_by(receiver, asked.said.message, asked.episodes)
    control = None
    if kind == "compositional":
        without = offset_replaced(composer, asked.said, np.int16(0))
        control = Proportion(int(won_by(receiver, without, asked.episodes).sum()), len(won))
    return len(phrases), Proportion(int(won.sum()), len(won)), draws_of(won), control
