"""Tables 1 and 2: the language in each cell of the grid, and how well a receiver understands its phrases.

The paper's grid of t_c and t_n has 54 cells. Its table 2 reports one cell for all pairs. The best cell of
each pair is another figure: it is chosen on the receiver that is then scored, here on other episodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import won_by
from spatial_game.game.policies import Agents, Receiver
from spatial_game.game.rules import ask_sender
from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.proportions import Proportion
from spatial_game.reproduction import paper
from spatial_game.reproduction.phrases import PHRASE_KINDS, REFERENTS, PhraseTable, phrases_of
from spatial_game.reproduction.results import (
    RANDOM_SYMBOLS,
    SYMBOL_0,
    GridCell,
    PhraseAccuracy,
    PhraseSet,
)
from spatial_game.reproduction.true_phrases import draw_false, draw_true


def measure_cells(
    receiver: Receiver, tables: Sequence[NpmiTable], episodes: Episodes, rng: np.random.Generator
) -> list[GridCell]:
    """Return the types of messages, and how well phrases are understood, in each cell of the grid.

    There is a table for each cell. Several cells with the same associations are asked once.
    """
    measured, cells = dict[tuple[object, ...], PhraseSet](), []
    for table in tables:
        phrases = {}
        for kind in PHRASE_KINDS:
            associations = (kind, *(table.admitted[referents].key for referents in REFERENTS[kind]))
            if associations not in measured:
                measured[associations] = _phrase_set(receiver, phrases_of(table, kind), episodes, rng)
            if measured[associations].num_phrases:
                phrases[kind] = measured[associations]
        cells.append(GridCell(table.settings.threshold, table.settings.top_n, table.types, phrases))
    return cells


def _phrase_set(
    receiver: Receiver, phrases: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> PhraseSet:
    """Return how well the receiver understands phrases; nothing is asked if there are none."""
    if not len(phrases):
        return PhraseSet(0, Proportion(0, 0))
    drawn = draw_true(phrases, episodes, rng)
    won = won_by(receiver, drawn.message, drawn.episodes)
    return PhraseSet(len(phrases), Proportion.of(won))


def papers_cells(cells: Sequence[GridCell]) -> dict[str, int]:
    """Return the index of the cell of the paper's table 2 for each of the kinds with phrases there."""
    return {
        kind: index
        for kind, thresholds in paper.TABLE_2_CELLS.items()
        for index, cell in enumerate(cells)
        if (cell.threshold, cell.top_n) == thresholds and kind in cell.phrases
    }


def best_cells(cells: Sequence[GridCell]) -> dict[str, int]:
    """Return the index of the cell whose phrases the receiver understands best, for each kind.

    Ties go to more phrases, then to the earlier cell. A kind without phrases in any cell is left out.
    """
    best = {}
    for kind in PHRASE_KINDS:
        ranks = {
            index: (cell.phrases[kind].accuracy.accuracy, cell.phrases[kind].num_phrases)
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
    """Return how well the receiver understands the phrases of a cell, beside floors and controls.

    `frequent`: see `most_frequent_messages`.
    """
    phrases = phrases_of(table, kind)
    drawn = draw_true(phrases, episodes, rng)
    offset_slots = phrases.offset[drawn.way]
    rows, false_messages = draw_false(phrases, drawn, rng)
    random_symbols = rng.integers(0, table.config.vocab_size, drawn.message.shape, np.int16)
    replacements = {SYMBOL_0: np.zeros_like(random_symbols), RANDOM_SYMBOLS: random_symbols}

    def accuracy(messages: IntArray, episodes: Episodes = drawn.episodes) -> Proportion:
        return Proportion.of(won_by(agents.receiver, messages, episodes))

    return PhraseAccuracy(
        threshold=table.settings.threshold,
        top_n=table.settings.top_n,
        num_phrases=len(phrases),
        num_beyond=phrases.num_beyond,
        accuracy=accuracy(drawn.message),
        expressible=Proportion.of(phrases.expressible(episodes.window)),
        false=accuracy(false_messages, drawn.episodes[rows]),
        own=accuracy(ask_sender(agents.sender, drawn.episodes.window, agents.config)),
        counted=accuracy(frequent[drawn.column]),
        random=accuracy(random_symbols),
        controls={
            control: accuracy(np.where(offset_slots, symbols, drawn.message))
            for control, symbols in replacements.items()
            if offset_slots.any()
        },
    )
