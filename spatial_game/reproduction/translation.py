"""Tables 1 and 2: the language at each pair of thresholds, and how well a receiver understands its phrases.

The paper's grid of t_c and t_n has 54 cells. Its table 2 reports one cell for all pairs. The best cell of
each pair is another figure: it is chosen on the receiver that is then scored, here on other episodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import AgentPair, Proportion, share_of, won_by
from spatial_game.game.rules import ask_sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.reproduction import paper
from spatial_game.reproduction.phrases import PARTS, PHRASE_KINDS, PhraseTable, ask, phrases_of, shuffled
from spatial_game.reproduction.results import Cell, Translation

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""t_c of the paper's grid (appendix A)."""
TOPS = (1, 2, 3, 5, 10, 15)
"""t_n of the paper's grid (appendix A)."""
DRAWS = 10
"""Independent draws into which the episodes of an accuracy are divided, to show how much it varies."""


def cell_of(table: NpmiTable) -> Cell:
    """Return the shares of the types of messages at the settings of a table."""
    return Cell(table.settings.threshold, table.settings.top_n, table.types)


@dataclass(frozen=True)
class Chosen:
    """The phrases of one kind in a cell of the grid."""

    threshold: float
    top_n: int
    phrases: PhraseTable
    accuracy: Proportion
    """On the episodes that the best cell was chosen on; the paper's cell is not chosen."""


def papers_cells(cells: Sequence[NpmiTable]) -> dict[str, Chosen]:
    """Return the cell of the paper's table 2 for each of the `PHRASE_KINDS` that has phrases there."""
    chosen = {}
    for kind, (threshold, top_n) in paper.CELLS.items():
        for cell in cells:
            if (cell.settings.threshold, cell.settings.top_n) == (threshold, top_n):
                chosen[kind] = Chosen(threshold, top_n, phrases_of(cell, kind), Proportion(0, 0))
    return {kind: cell for kind, cell in chosen.items() if len(cell.phrases)}


def choose_thresholds(
    pair: AgentPair, cells: Sequence[NpmiTable], episodes: Episodes, rng: np.random.Generator
) -> dict[str, Chosen]:
    """Choose for each of the `PHRASE_KINDS` the cell of which the receiver understands most episodes.

    Ties go to more phrases, then to the earlier cell. Several cells with the same entries are asked once. A
    kind without phrases in any cell is left out.
    """
    best, asked_entries = dict[str, Chosen](), set()
    for cell, kind in itertools.product(cells, PHRASE_KINDS):
        entries = (kind, *(cell.admitted[part].key for part in PARTS[kind]))
        if entries in asked_entries:
            continue
        asked_entries.add(entries)
        phrases = phrases_of(cell, kind)
        if len(phrases):
            asked = ask(phrases, episodes, rng)
            won = share_of(won_by(pair.receiver, phrases.message[asked.way], asked.episodes))
            chosen = Chosen(cell.settings.threshold, cell.settings.top_n, phrases, won)
            ranked = (best.get(kind, chosen), chosen)
            best[kind] = max(ranked, key=lambda each: (each.accuracy.accuracy, len(each.phrases)))
    return {kind: best[kind] for kind in PHRASE_KINDS if kind in best}


def most_frequent_messages(counts: Counts) -> IntArray:
    """Return (columns, T), the message most often sent where each of the `Columns` is true.

    The first of equally frequent messages is returned.
    """
    return np.asarray(counts.messages[np.asarray(counts.table.argmax(axis=0)).ravel()])


def measure_phrases(
    pair: AgentPair, chosen: Chosen, frequent: IntArray, episodes: Episodes, rng: np.random.Generator
) -> Translation:
    """Return how well the receiver of a pair understands the phrases of a cell, on ordinary episodes.

    Beside the accuracy stand its floor (messages of phrases that are not true there), the sender's own
    messages, the `most_frequent_messages` of what the phrases say, and the controls: symbol 0, or random
    symbols, in place of the offset.
    """
    table, asked = chosen.phrases, ask(chosen.phrases, episodes, rng)
    there, message, offset = asked.episodes, table.message[asked.way], table.offset[asked.way]
    rows, false = shuffled(table, asked, rng)
    other = rng.integers(0, table.config.vocab_size, message.shape, np.int16)
    instead = {"zero": np.zeros_like(other), "other": other} if offset.any() else {}
    won = won_by(pair.receiver, message, there)
    draws = [part.mean() for part in np.array_split(won, min(DRAWS, len(won)))]
    return Translation(
        threshold=chosen.threshold,
        top_n=chosen.top_n,
        phrases=len(table),
        chosen_at=chosen.accuracy,
        accuracy=share_of(won),
        deviation=float(np.std(draws, ddof=1)) if len(draws) > 1 else None,
        expressible=share_of(table.expressible(episodes.window)),
        false=share_of(won_by(pair.receiver, false, there[rows])),
        own=share_of(won_by(pair.receiver, ask_sender(pair.sender, there.window, pair.config), there)),
        counted=share_of(won_by(pair.receiver, frequent[asked.column], there)),
        controls={
            name: share_of(won_by(pair.receiver, np.where(offset, by, message), there))
            for name, by in instead.items()
        },
    )
