"""Asking a receiver with phrases of a lexicon: the paper's section 5.3 and table 2.

A phrase is drawn for each episode, the episode is changed so that the phrase is true, and its message goes to
the receiver without the sender.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.arranging import KEEP, arrange
from spatial_game.game.episodes import Episodes, window_around
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.places import (
    Columns,
    edge_values,
    num_integer_columns,
    places_at_offsets,
    window_columns,
)
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.players import NOTHING
from spatial_game.reproduction.phrases import PhraseTable, Written

_TRIES = 50


@dataclass(frozen=True)
class Asked:
    """Episodes in which phrases of one kind are true, and the phrases: what a receiver is asked."""

    episodes: Episodes
    phrase: Numbers
    """(B,), rows of the table."""
    said: Written
    column: Columns
    """(B,), what was said, as a column of `counting.places`."""


def ask(table: PhraseTable, episodes: Episodes, rng: np.random.Generator) -> Asked:
    """Draw a phrase for each episode, uniformly, and change the episode so that it is true.

    Of a phrase with several integers a random one is made true.
    """
    phrase = rng.integers(0, len(table), len(episodes))
    first, end = table.columns.indptr[phrase], table.columns.indptr[phrase + 1]
    column = table.columns.indices[rng.integers(first, end)].astype(np.int64)
    said = table.write(phrase, rng)
    return Asked(make_true(table.config, episodes, column, rng), phrase, said, column)


def make_true(config: GameConfig, episodes: Episodes, column: Columns, rng: np.random.Generator) -> Episodes:
    """Return the episodes, changed so that columns (B,) are true: see `counting.places`.

    The target moves to a random place at that edge, or to one whose window shows the offset; the integer and
    what stood in its place change places. All else is as random as before.
    """
    offset, value = np.divmod(column, len(config.integers))
    edge = column - num_integer_columns(config)
    drawn = rng.random(len(episodes))
    mask, neighbours = window_tables(config).mask_column, cells_at_offsets(config)
    edges, shown = edge_values(config)[mask], places_at_offsets(config)[mask] >= 0
    target, beside = np.empty((2, len(episodes)), dtype=np.int64)
    condition = np.where(edge < 0, offset, len(config.offsets) + edge)
    for each in np.unique(condition).tolist():
        here = condition == each
        at_edge = each >= len(config.offsets)
        fitting = np.flatnonzero(edges == each - len(config.offsets) if at_edge else shown[:, each])
        target[here] = fitting[(drawn[here] * len(fitting)).astype(np.int64)]
        beside[here] = target[here] if at_edge else neighbours[target[here], each]
    value = np.where(edge < 0, value, KEEP)
    return arrange(config, episodes, beside[:, None], value[:, None], target)


def shuffled(table: PhraseTable, asked: Asked, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return, for each episode, the message (B, T) of another phrase that is not true there.

    It is `NOTHING` throughout if no such message was found. A message counts as true if any phrase that it
    was sent for is true.
    """
    size, sent = len(asked.phrase), asked.said.message
    distinct, message = distinct_rows(sent)
    sent_for = sp.csr_array((np.ones(size), (message, asked.phrase)), shape=(len(distinct), len(table)))
    says = (sent_for @ table.columns).toarray() > 0
    # Also what the sender does not see is true.
    window, _ = window_around(table.config, asked.episodes.sequence, asked.episodes.target_position)
    true = window_columns(table.config, window)
    other, left = rng.permutation(size), np.arange(size)
    for _ in range(_TRIES):
        left = left[says[message[other[left]][:, None], true[left]].any(axis=1)]
        if len(left) == 0:
            break
        other[left] = rng.integers(0, size, len(left))
    found = np.isin(np.arange(size), left, invert=True)
    return np.where(found[:, None], sent[other], np.int16(NOTHING))
