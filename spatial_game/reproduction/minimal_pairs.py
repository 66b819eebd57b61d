"""Minimal pairs: the effect of each of the two parts of a composed message on the receiver.

A phrase of an integer and an offset names a position. With another offset, or another integer, it names
another position, whose integer is also among the candidates. A receiver that composes follows both phrases.
A receiver that knows the message as a whole, or finds another meaning in it, does not follow the exchange of
one part, even if it understands the first phrase well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Receiver
from spatial_game.game.windows import cells_at_offsets
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers
from spatial_game.proportions import Proportion
from spatial_game.reproduction.phrases import INTEGER, NOTHING, OFFSET, PhraseTable, TruePhrases, draw_true
from spatial_game.reproduction.results import Exchange


def minimal_pairs(
    receiver: Receiver, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> dict[str, Exchange]:
    """Exchange offsets, and integers, of compositional phrases, and return what the receiver chooses.

    For each of the episodes a phrase is drawn and made true, as `ask` does. Then one part is exchanged for
    another that fits, while the other part stays where it stands in the message, and the integer of the
    position so named is put among the candidates. Episodes are left out if there is no other such phrase, or
    if the other position is outside the sequence.
    """
    drawn = draw_true(table, episodes, rng)
    return {
        "offset": _exchanged(receiver, table, drawn, kept=INTEGER, rng=rng),
        "integer": _exchanged(receiver, table, drawn, kept=OFFSET, rng=rng),
    }


def _exchanged(
    receiver: Receiver, table: PhraseTable, drawn: TruePhrases, kept: int, rng: np.random.Generator
) -> Exchange:
    """Exchange the part that is not `kept` (`INTEGER` or `OFFSET`)."""
    other = _others(table, table.phrase[drawn.way], kept, rng)
    position = _position(table, drawn, other, kept)
    named = (other != NOTHING) & (position != NOTHING) & (position != drawn.episodes.target_position)
    rows = np.flatnonzero(named)
    way = table.ways(other[rows], rng, kept, table.slot[drawn.way[rows], kept])
    rows, way = rows[way != NOTHING], way[way != NOTHING]
    episodes, index = _with_candidate(drawn.episodes[rows], position[rows])
    before, after = (chosen_by(receiver, table.message[ways], episodes) for ways in (drawn.way[rows], way))
    first, first_after = before == episodes.target_index, after == episodes.target_index
    other_before, other = before == index, after == index
    return Exchange(*map(Proportion.of, (first, first_after, other_before, other, first & other)))


def _others(table: PhraseTable, phrase: Numbers, kept: int, rng: np.random.Generator) -> Numbers:
    """Return, for each phrase (n,), another one with the same part `kept`; `NOTHING` if there is none."""
    other, part = np.full(len(phrase), NOTHING), table.parts[:, kept]
    for each in np.unique(part[phrase]).tolist():
        alike, rows = np.flatnonzero(part == each), np.flatnonzero(part[phrase] == each)
        if len(alike) > 1:
            drawn = rng.integers(0, len(alike) - 1, len(rows))
            other[rows] = alike[drawn + (drawn >= np.searchsorted(alike, phrase[rows]))]
    return other


def _position(table: PhraseTable, drawn: TruePhrases, other: Numbers, kept: int) -> Numbers:
    """Return (n,) the positions that the other phrases name; `NOTHING` if that is outside the sequence.

    An exchanged integer is the first of its association; a kept integer is the one that was made true.
    """
    config, first = table.config, table.columns.indices[table.columns.indptr[:-1][other]]
    columns = columns_of(config)
    (offset, value), (new_offset, new_value) = columns.decode(drawn.column), columns.decode(first)
    offset, value = (new_offset, value) if kept == INTEGER else (offset, new_value)
    there = drawn.episodes.sequence == value[:, None]
    back = len(config.offsets) - 1 - offset  # the offsets are symmetric
    position = cells_at_offsets(config)[there.argmax(axis=1), back]
    return np.where(there.any(axis=1) & (position < config.sequence_length), position, NOTHING)


def _with_candidate(episodes: Episodes, position: Numbers) -> tuple[Episodes, npt.NDArray[np.intp]]:
    """Return the episodes with the integer at `position` (B,) among the candidates, and its index there."""
    rows, candidates = np.arange(len(episodes)), episodes.candidates.copy()
    value = episodes.sequence[rows, position]
    there = candidates == value[:, None]
    instead = (episodes.target_index.astype(np.intp) + 1) % candidates.shape[1]
    index = np.where(there.any(axis=1), there.argmax(axis=1), instead)
    candidates[rows, index] = value
    return replace(episodes, candidates=candidates), index
