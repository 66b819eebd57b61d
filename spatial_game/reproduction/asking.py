"""Asking a receiver with phrases of a lexicon: the paper's section 5.3 and table 2.

A phrase is drawn for each episode, the episode is changed so that the phrase is true, and its message goes to
the receiver without the sender. Beside the accuracy stand its floors (the messages of phrases that are not
true there, random messages), its ceiling (the sender's messages) and its controls (without the offset).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.arranging import KEEP, arrange
from spatial_game.game.episodes import Episodes, window_around
from spatial_game.game.evaluation import AgentPair, share_of, won_by
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.places import (
    Columns,
    edge_values,
    num_integer_columns,
    places_at_offsets,
    window_columns,
)
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.players.decode import NOTHING
from spatial_game.language.probing.probe import understood
from spatial_game.reproduction.phrases import PhraseTable, Written

CONTROLS = {"zero": "Compositional-NP (symbol 0)", "other": "Compositional-NP (random symbols)"}
"""What stands in place of the offset in a control, with its name in the paper's table 2."""
DRAWS = 10
"""Independent draws into which the episodes of an accuracy are divided, to show how much it varies."""
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


def measure_phrases(
    pair: AgentPair, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> dict[str, Any]:
    """Return how well the receiver of a pair understands phrases of one kind.

    `coverage`: ordinary episodes that such phrases can express. `deviation`: of the accuracy, over `DRAWS`
    draws. `floors`: messages of phrases that are not true there (`shuffled`; nothing is asked where all are
    true), and random symbols. `ceiling`: the sender's own messages. `controls`: compositional phrases without
    their offset.
    """
    asked = ask(table, episodes, rng)
    there, message = asked.episodes, asked.said.message
    random, other = (rng.integers(0, table.config.vocab_size, message.shape, np.int16) for _ in range(2))
    floors = {"shuffled": shuffled(table, asked, rng), "random": random}
    without = {"zero": np.zeros_like(other), "other": other} if table.kind == "compositional" else {}
    won = won_by(pair.receiver, message, there)
    draws = [part.mean() for part in np.array_split(won, min(DRAWS, len(won)))]
    replaced = {name: table.offset_replaced(asked.phrase, asked.said, by) for name, by in without.items()}
    messages = {**floors, **replaced, "own": pair.sender.send(there.window)}
    shares = {name: understood(pair.receiver, each, there).to_dict() for name, each in messages.items()}
    return {
        "phrases": len(table),
        "coverage": share_of(table.expressible(episodes.window)).to_dict(),
        "accuracy": share_of(won).to_dict(),
        "deviation": float(np.std(draws, ddof=1)) if len(draws) > 1 else None,
        "floors": {name: shares[name] for name in floors},
        "ceiling": shares["own"],
        "controls": {name: shares[name] for name in replaced},
    }


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
