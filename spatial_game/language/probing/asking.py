"""Questions to a receiver: phrases of a lexicon, and episodes in which they are true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.arranging import KEEP, arrange
from spatial_game.game.episodes import Episodes, IntArray, Mask, window_around
from spatial_game.game.policies import Receiver
from spatial_game.game.windows import cells_at_offsets, window_tables
from spatial_game.language.counting.columns import (
    Columns,
    num_integer_columns,
    places_at_offsets,
    window_columns,
)
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.players.compose import Composed, Composer
from spatial_game.language.players.phrases import NOTHING

KINDS = {
    "edge": "Non-Compositional Positional",
    "integer_at": "Non-Compositional Integer",
    "compositional": "Compositional-P",
}
"""The kinds of phrases, with their names in the paper's table 2. Its Compositional-NP is a control of the
last."""
_TRIES = 50


@dataclass(frozen=True)
class Asked:
    """Questions to a receiver: episodes in which phrases of one kind are true, and the phrases."""

    episodes: Episodes
    said: Composed
    column: Columns  # (B,), what was said, as a column of `counting.columns`


def speakable(composer: Composer, kind: str) -> Numbers:
    """Return (P, 2) the phrases of a kind as rows of `lexicon.listed`.

    A row is (entry, NOTHING), or for the kind compositional (integer, offset).
    """
    parts = composer.parts
    if kind != "compositional":
        entries = parts.of_kind(kind)
        return np.column_stack([entries, np.full(len(entries), NOTHING)])
    words, offsets = parts.of_kind("integer"), parts.of_kind("offset")
    together = composer.fitting_shapes[parts.shape[words][:, None], parts.shape[offsets][None]]
    word, offset = np.nonzero(together)
    return np.column_stack([words[word], offsets[offset]])


def ask(composer: Composer, phrases: Numbers, episodes: Episodes, rng: np.random.Generator) -> Asked:
    """Draw one of the phrases (P, 2) for each episode, uniformly, and change the episode so that it is true.

    If a phrase has several integers, a random one is made true.
    """
    chosen = phrases[rng.integers(0, len(phrases), len(episodes))]
    said = composer.phrase(chosen[:, 0], chosen[:, 1], rng)
    parts, pair = composer.parts, chosen[:, 1] != NOTHING
    column = np.empty(len(chosen), dtype=np.int64)
    for entry in np.unique(chosen[:, 0]).tolist():
        rows, keys = np.flatnonzero(chosen[:, 0] == entry), np.array(parts.keys[entry])
        column[rows] = keys[rng.integers(0, len(keys), len(rows))]
    column[pair] = parts.pair_column(column[pair], parts.first_key[chosen[pair, 1]])
    return Asked(make_true(composer.config, episodes, column, rng), said, column)


def make_true(config: GameConfig, episodes: Episodes, column: Columns, rng: np.random.Generator) -> Episodes:
    """Return the episodes, changed so that columns (B,) are true: see `counting.columns`.

    The target moves to a random place at that edge, or to one whose window shows the offset; the integer
    changes places with the one that stood there. Everything else is as random as before.
    """
    offset, value = np.divmod(column, len(config.integers))
    edge = column - num_integer_columns(config)
    drawn = rng.random(len(episodes))
    mask, neighbours = window_tables(config).mask_column, cells_at_offsets(config)
    shown = places_at_offsets(config)[mask] >= 0
    target, beside = np.empty((2, len(episodes)), dtype=np.int64)
    condition = np.where(edge < 0, offset, len(config.offsets) + edge)
    for each in np.unique(condition).tolist():
        here = condition == each
        at_edge = each >= len(config.offsets)
        fitting = np.flatnonzero(mask == each - len(config.offsets) if at_edge else shown[:, each])
        target[here] = fitting[(drawn[here] * len(fitting)).astype(np.int64)]
        beside[here] = target[here] if at_edge else neighbours[target[here], each]
    value = np.where(edge < 0, value, KEEP)
    return arrange(config, episodes, beside[:, None], value[:, None], target)


def shuffled(composer: Composer, asked: Asked, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """Return, for each episode, the message (B, T) of another phrase that is not true.

    Its symbols are all NOTHING if there is no such message. A message counts as true if any phrase that it
    was sent for is true.
    """
    size = len(asked.said)
    _, message = distinct_rows(asked.said.message)
    says = _said_by(composer, asked.said.entry, message)
    # A phrase about a hidden cell can be true, too.
    window, _ = window_around(composer.config, asked.episodes.sequence, asked.episodes.target_position)
    true = window_columns(composer.config, window)
    other, left = rng.permutation(size), np.arange(size)
    for _ in range(_TRIES):
        said_there = says[message[other[left]]]
        left = left[(said_there[:, :, None] == true[left][:, None, :]).any(axis=(1, 2))]
        if len(left) == 0:
            break
        other[left] = rng.integers(0, size, len(left))
    found = np.ones(size, dtype=bool)
    found[left] = False
    return np.where(found[:, None], asked.said.message[other], np.int16(NOTHING)).astype(np.int16)


def _said_by(composer: Composer, entries: Numbers, message: npt.NDArray[np.intp]) -> Columns:
    """Return (M, any) the columns that each message says: of all phrases (B, 2) that it was sent for."""
    parts, sent = composer.parts, np.unique(np.column_stack([message, entries]), axis=0)
    owner, key = parts.keys_of(sent[:, 1])
    number, _, mate = sent[owner].T
    column = np.where(mate == NOTHING, key, parts.pair_column(key, parts.first_key[mate]))
    rank = np.arange(len(number)) - np.searchsorted(number, number)
    table = np.full((int(message.max(initial=-1)) + 1, int(rank.max(initial=-1)) + 1), NOTHING)
    table[number, rank] = column
    return table


def offset_replaced(composer: Composer, said: Composed, by: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Return the messages (B, T) of pairs with `by`, a symbol or (B, T) symbols, instead of the offset."""
    slots = np.arange(said.message.shape[1])
    start = said.slot[:, 1][:, None]
    length = composer.parts.forms.length[said.entry[:, 1]][:, None]
    return np.where((slots >= start) & (slots < start + length), by, said.message).astype(np.int16)


def won_by(receiver: Receiver, messages: IntArray, episodes: Episodes) -> Mask:
    """Return (B,) the episodes in which the receiver finds the target after these messages."""
    if len(messages) == 0:
        return np.zeros(0, dtype=bool)
    choices = receiver.choose(messages, episodes.sequence, episodes.candidates)
    return np.asarray(choices == episodes.target_index)
