"""Episodes in which phrases are true, and in which they are false: what a receiver is asked (section 5.3).

A phrase is drawn for each episode, the episode is changed so that the phrase is true, and its message goes to
the receiver without the sender.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import KEEP, Episodes, IntArray, arrange, window_around
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.columns import ABSENT, columns_of
from spatial_game.language.counting.rows import Numbers, Symbols, distinct_rows
from spatial_game.reproduction.phrases import PhraseTable

_TRIES = 50


@dataclass(frozen=True, eq=False)
class TruePhrases:
    """B episodes in which phrases of one kind are true, and the phrases: what a receiver is asked."""

    episodes: Episodes
    way: Numbers
    """(B,), how the phrase is written: a row of the table's `message`."""
    message: Symbols
    """(B, T), the message of the phrase."""
    column: Numbers
    """(B,), what was said, as one of the `Columns`."""


def draw_true(table: PhraseTable, episodes: Episodes, rng: np.random.Generator) -> TruePhrases:
    """Draw a phrase for each episode, uniformly, and change the episode so that it is true.

    Of a phrase with several integers a random one is made true.
    """
    phrase = rng.integers(0, len(table), len(episodes))
    first, end = table.columns.indptr[phrase], table.columns.indptr[phrase + 1]
    column = table.columns.indices[rng.integers(first, end)].astype(np.int64)
    way = table.ways(phrase, rng)
    return TruePhrases(make_true(table.config, episodes, column, rng), way, table.message[way], column)


def make_true(config: GameConfig, episodes: Episodes, column: Numbers, rng: np.random.Generator) -> Episodes:
    """Return the episodes, changed so that columns (B,) are true: see `Columns`.

    The target moves to a random position at that edge, or to one whose window shows the offset; the integer
    and what stood there are exchanged. All else is as random as before.
    """
    columns, mask = columns_of(config), window_tables(config).mask_column
    variable, value = columns.decode(column)
    at_edge = variable == len(config.offsets)
    # A condition on the target's position is an offset that its window shows, or an edge.
    condition = variable + np.where(at_edge, value, 0)
    edges = columns.edge_of_mask[mask] == np.arange(columns.no_edge)[:, None]
    fits = np.vstack([columns.cells[mask].T != ABSENT, edges])
    drawn = rng.random(len(episodes)) * fits.sum(axis=1)[condition]
    target = np.argsort(~fits, axis=1, kind="stable")[condition, drawn.astype(np.int64)]
    beside = np.column_stack([cells_at_offsets(config), np.arange(config.sequence_length)])[target, variable]
    value = np.where(at_edge, KEEP, value)
    return arrange(config, episodes, beside[:, None], value[:, None], target)


def draw_false(table: PhraseTable, drawn: TruePhrases, rng: np.random.Generator) -> tuple[Numbers, IntArray]:
    """Return episodes (n,), and for each the message (n, T) of another phrase that is not true there.

    Episodes for which no such message was found are left out. A message counts as true if any phrase that it
    was sent for is true.
    """
    num_episodes, (distinct, message) = len(drawn.way), distinct_rows(drawn.message)
    phrase_of_message = message, table.phrase[drawn.way]
    sent_for = sp.csr_array((np.ones(num_episodes), phrase_of_message), shape=(len(distinct), len(table)))
    says = (sent_for @ table.columns).toarray() > 0
    # Also what the sender does not see is true.
    window, _ = window_around(table.config, drawn.episodes.sequence, drawn.episodes.target_position)
    true = columns_of(table.config).of(window)
    # Each episode takes the message of another one, until it is not true.
    other, still_true = rng.permutation(num_episodes), np.arange(num_episodes)
    for _ in range(_TRIES):
        still_true = still_true[says[message[other[still_true]][:, None], true[still_true]].any(axis=1)]
        if len(still_true) == 0:
            break
        other[still_true] = rng.integers(0, num_episodes, len(still_true))
    rows = np.delete(np.arange(num_episodes), still_true)
    return rows, drawn.message[other[rows]]
