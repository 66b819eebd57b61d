"""Choose thresholds t_c and t_n by grid search on some episodes, and report on others.

The paper's grid has 54 cells. It reports the accuracy of the cell in which the receiver understood most. The
best of many noisy figures is too high. The *optimism* is the chosen accuracy minus the reported one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.analysis import Analysis
from spatial_game.language.npmi.grid import THRESHOLDS, TOPS
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.players.compose import common_symbols
from spatial_game.language.probing.report import NOTHING_ASKED, share_of
from spatial_game.reproduction.phrases.asking import ask
from spatial_game.reproduction.phrases.kinds import ask_kind, draws_of
from spatial_game.reproduction.phrases.phrase_table import KINDS, PhraseTable, of_kind


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
) -> tuple[dict[str, Any], dict[str, PhraseTable]]:
    """Choose for each kind of phrases the cell in which `receiver` understands most `choosing` episodes.

    Its accuracy on the `reporting` episodes is reported with floors and a ceiling (`ask_kind`). The two must
    come from independent streams. Ties go to more phrases, then to the earlier cell. Every set of entries is
    asked only once, even if several cells have it (`distinct`: how many there are).

    Returns the report for JSON, and the chosen phrases by kind.
    """
    analysis = Analysis(counts, settings or Settings(), tops)
    fillers = common_symbols(counts) if len(counts.messages) else None
    asked: dict[Any, dict[str, Any]] = {}
    lexicons: dict[tuple[float, int], Lexicon] = {}
    cells = []
    for top_n, threshold in itertools.product(tops, thresholds):
        lexicon = lexicons[threshold, top_n] = Lexicon.from_admitted(analysis.admit(threshold, top_n))
        for kind in KINDS:
            key = kind, of_kind(lexicon, kind).listed
            if key not in asked:
                table = PhraseTable(kind, lexicon, fillers=fillers)
                asked[key] = _probed(receiver, table, choosing, rng)
            cells.append({"kind": kind, "threshold": threshold, "top_n": top_n, **asked[key]})
    chosen: dict[str, Any] = {}
    tables: dict[str, PhraseTable] = {}
    for kind in KINDS:
        spoken = [cell for cell in cells if cell["kind"] == kind and cell["phrases"]]
        if spoken:
            best = max(spoken, key=lambda cell: (cell["accuracy"]["accuracy"], cell["phrases"]))
            lexicon = lexicons[best["threshold"], best["top_n"]]
            table = tables[kind] = PhraseTable(kind, lexicon, fillers=fillers)
            report = ask_kind(receiver, table, reporting, rng, sender)
            chosen[kind] = {
                "threshold": best["threshold"],
                "top_n": best["top_n"],
                "phrases": best["phrases"],
                "chosen_on": best["accuracy"],
                "reported": report["accuracy"],
                "optimism": best["accuracy"]["accuracy"] - report["accuracy"]["accuracy"],
                "report": report,
                "signature": table.lexicon.signature,
            }
    distinct = sum(1 for cell in asked.values() if cell["phrases"])
    return {"cells": cells, "chosen": chosen, "distinct": distinct}, tables


def _probed(
    receiver: Receiver, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how well phrases are understood, and composed ones also with symbol 0 in place of the offset."""
    nothing = np.zeros(0, dtype=bool)
    if len(table) == 0:
        accuracy, control = NOTHING_ASKED.to_dict(), None
        return {"phrases": 0, "accuracy": accuracy, "draws": draws_of(nothing), "control": control}
    asked, control = ask(table, episodes, rng), None
    won = won_by(receiver, asked.said.message, asked.episodes)
    if table.kind == "compositional":
        without = table.offset_replaced(asked.phrase, asked.said, 0)
        control = share_of(won_by(receiver, without, asked.episodes)).to_dict()
    accuracy = share_of(won).to_dict()
    return {"phrases": len(table), "accuracy": accuracy, "draws": draws_of(won), "control": control}
