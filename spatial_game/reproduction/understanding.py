"""Tables 1 and 2: the language at each pair of thresholds, and how well a receiver understands its phrases.

The paper's grid of t_c and t_n has 54 cells. Its table 2 reports one cell for all pairs. The best cell of
each pair is another figure: it is chosen on the receiver that is then scored, here on other episodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Agents
from spatial_game.game.rules import ask_sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.proportions import Proportion
from spatial_game.reproduction import paper
from spatial_game.reproduction.phrases import PHRASE_KINDS, REFERENTS, draw_false, draw_true, phrases_of
from spatial_game.reproduction.results import Cell, PhraseAccuracy, PhraseSet

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""t_c of the paper's grid (appendix A)."""
TOPS = (1, 2, 3, 5, 10, 15)
"""t_n of the paper's grid (appendix A)."""


def cell_of(table: NpmiTable, phrases: dict[str, PhraseSet]) -> Cell:
    """Return the types of messages, and the phrases, at the settings of a table."""
    return Cell(table.settings.threshold, table.settings.top_n, table.types, phrases)


def phrases_in_cells(
    agents: Agents, cells: Sequence[NpmiTable], episodes: Episodes, rng: np.random.Generator
) -> list[dict[str, PhraseSet]]:
    """Return, for each cell of the grid, how well the receiver understands each of the `PHRASE_KINDS`.

    Several cells with the same associations are asked once. A kind without phrases is left out.
    """
    asked = dict[tuple[object, ...], PhraseSet]()
    for cell, kind in itertools.product(cells, PHRASE_KINDS):
        if (associations := _associations(cell, kind)) not in asked:
            phrases = phrases_of(cell, kind)
            won = np.zeros(0, dtype=np.bool_)
            if len(phrases):
                drawn = draw_true(phrases, episodes, rng)
                won = won_by(agents.receiver, phrases.message[drawn.way], drawn.episodes)
            asked[associations] = PhraseSet(len(phrases), Proportion.of(won))
    by_cell = ({kind: asked[_associations(cell, kind)] for kind in PHRASE_KINDS} for cell in cells)
    return [{kind: found for kind, found in kinds.items() if found.phrases} for kinds in by_cell]


def _associations(cell: NpmiTable, kind: str) -> tuple[object, ...]:
    """Return what tells the phrases of a kind in two cells apart."""
    return (kind, *(cell.admitted[part].key for part in REFERENTS[kind]))


def papers_cells(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the index of the cell of the paper's table 2 for each of the kinds with phrases there."""
    return {
        kind: index
        for kind, settings in paper.CELLS.items()
        for index, cell in enumerate(cells)
        if (cell.threshold, cell.top_n) == settings and kind in cell.phrases
    }


def best_cells(cells: Sequence[Cell]) -> dict[str, int]:
    """Return the index of the cell whose phrases the receiver understands best, for each kind.

    Ties go to more phrases, then to the earlier cell. A kind without phrases in any cell is left out.
    """
    best = {}
    for kind in PHRASE_KINDS:
        ranks = {
            index: (cell.phrases[kind].accuracy.accuracy, cell.phrases[kind].phrases)
            for index, cell in enumerate(cells)
            if kind in cell.phrases
        }
        if ranks:
            best[kind] = max(ranks, key=ranks.__getitem__)
    return best


def most_frequent_messages(counts: Counts) -> IntArray:
    """Return (columns, T), the message most often sent where each of the `Columns` is true.

    The first of equally frequent messages is returned.
    """
    return np.asarray(counts.messages[np.asarray(counts.table.argmax(axis=0)).ravel()])


def measure_phrases(
    agents: Agents,
    table: NpmiTable,
    kind: str,
    frequent: IntArray,
    episodes: Episodes,
    rng: np.random.Generator,
) -> PhraseAccuracy:
    """Return how well the receiver understands the phrases of a cell, on ordinary episodes.

    Beside the accuracy stand its floors (messages of phrases that are not true there, and random symbols),
    the sender's own messages, the `most_frequent_messages` of what the phrases say, and the controls: symbol
    0, or random symbols, in place of the offset.
    """
    phrases = phrases_of(table, kind)
    drawn = draw_true(phrases, episodes, rng)
    there, message, offset = drawn.episodes, phrases.message[drawn.way], phrases.offset[drawn.way]
    rows, false = draw_false(phrases, drawn, rng)
    other = rng.integers(0, table.config.vocab_size, message.shape, np.int16)
    instead = {"zero": np.zeros_like(other), "other": other} if offset.any() else {}

    def accuracy(messages: IntArray, episodes: Episodes = there) -> Proportion:
        return Proportion.of(won_by(agents.receiver, messages, episodes))

    won = won_by(agents.receiver, message, there)
    return PhraseAccuracy(
        threshold=table.settings.threshold,
        top_n=table.settings.top_n,
        phrases=len(phrases),
        beyond=phrases.num_beyond,
        accuracy=Proportion.of(won),
        expressible=Proportion.of(phrases.expressible(episodes.window)),
        false=accuracy(false, there[rows]),
        own=accuracy(ask_sender(agents.sender, there.window, agents.config)),
        counted=accuracy(frequent[drawn.column]),
        random=accuracy(other),
        controls={name: accuracy(np.where(offset, by, message)) for name, by in instead.items()},
    )
