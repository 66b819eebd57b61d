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
from spatial_game.reproduction.phrases import INTEGER, NOTHING, OFFSET, PhraseTable
from spatial_game.reproduction.results import Exchange
from spatial_game.reproduction.true_phrases import TruePhrases, draw_true


def minimal_pairs(
    receiver: Receiver, table: PhraseTable, episodes: Episodes, rng: np.random.Generator
) -> dict[str, Exchange]:
    """Exchange offsets, and integers, of compositional phrases, and return what the receiver chooses.

    For each of the episodes a phrase is drawn and made true (`draw_true`). Then one part is exchanged for
    another that fits, while the other part stays where it stands in the message, and the integer of the
    position so named is put among the candidates. Episodes are left out if there is no other such phrase, or
    if the other position is outside the sequence.
    """
    drawn = draw_true(table, episodes, rng)
    return {
        "offset": _exchange(receiver, table, drawn, kept=INTEGER, rng=rng),
        "integer": _exchange(receiver, table, drawn, kept=OFFSET, rng=rng),
    }


def _exchange(
    receiver: Receiver, table: PhraseTable, drawn: TruePhrases, kept: int, rng: np.random.Generator
) -> Exchange:
    """Exchange the part that is not `kept` (`INTEGER` or `OFFSET`)."""
    other_phrase = _other_phrases(table, table.phrase[drawn.way], kept, rng)
    position = _named_positions(table, drawn, other_phrase, kept)
    first_position = drawn.episodes.target_position
    rows = np.flatnonzero((other_phrase != NOTHING) & (position != NOTHING) & (position != first_position))
    other_way = table.ways(other_phrase[rows], rng, kept, table.slot[drawn.way[rows], kept])
    rows, other_way = rows[other_way != NOTHING], other_way[other_way != NOTHING]
    episodes, other_index = _with_candidate(drawn.episodes[rows], position[rows])
    before = chosen_by(receiver, drawn.message[rows], episodes)
    after = chosen_by(receiver, table.message[other_way], episodes)
    first_before, other_after = before == episodes.target_index, after == other_index
    return Exchange(
        first_before=Proportion.of(first_before),
        first_after=Proportion.of(after == episodes.target_index),
        other_before=Proportion.of(before == other_index),
        other_after=Proportion.of(other_after),
        both_followed=Proportion.of(first_before & other_after),
    )


def _other_phrases(table: PhraseTable, phrase: Numbers, kept: int, rng: np.random.Generator) -> Numbers:
    """Return, for each phrase (n,), another one with the same part `kept`; `NOTHING` if there is none."""
    other, part = np.full(len(phrase), NOTHING), table.parts[:, kept]
    for each in np.unique(part[phrase]).tolist():
        with_part, rows = np.flatnonzero(part == each), np.flatnonzero(part[phrase] == each)
        if len(with_part) > 1:
            drawn = rng.integers(0, len(with_part) - 1, len(rows))
            other[rows] = with_part[drawn + (drawn >= np.searchsorted(with_part, phrase[rows]))]
    return other


def _named_positions(table: PhraseTable, drawn: TruePhrases, other: Numbers, kept: int) -> Numbers:
    """Return (n,) the positions that the other phrases name; `NOTHING` if that is outside the sequence.

    An exchanged integer is the first of its association; a kept integer is the one that was made true.
    """
    config, first = table.config, table.columns.indices[table.columns.indptr[:-1][other]]
    columns = columns_of(config)
    (offset, integer), (new_offset, new_integer) = columns.decode(drawn.column), columns.decode(first)
    offset, integer = (new_offset, integer) if kept == INTEGER else (offset, new_integer)
    holds_integer = drawn.episodes.sequence == integer[:, None]
    back = len(config.offsets) - 1 - offset  # the offsets are symmetric
    position = cells_at_offsets(config)[holds_integer.argmax(axis=1), back]
    inside = holds_integer.any(axis=1) & (position < config.sequence_length)
    return np.where(inside, position, NOTHING)


def _with_candidate(episodes: Episodes, position: Numbers) -> tuple[Episodes, npt.NDArray[np.intp]]:
    """Return the episodes with the integer at `position` (B,) among the candidates, and its index there."""
    rows, candidates = np.arange(len(episodes)), episodes.candidates.copy()
    integer = episodes.sequence[rows, position]
    is_candidate = candidates == integer[:, None]
    beside_target = (episodes.target_index.astype(np.intp) + 1) % candidates.shape[1]
    index = np.where(is_candidate.any(axis=1), is_candidate.argmax(axis=1), beside_target)
    candidates[rows, index] = integer
    return replace(episodes, candidates=candidates), index
