"""Minimal pairs: the effect of each of the two parts of a composed message on the receiver.

A phrase of an integer and an offset names a place. With another offset, or another integer, it names another
place, whose integer is also among the candidates. A receiver that composes follows both phrases. A receiver
that knows the message as a whole, or finds another meaning in it, does not follow the exchange of one part,
even if it understands the first phrase well.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver
from spatial_game.game.windows import cells_at_offsets
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.phrases import NOTHING
from spatial_game.language.probing.asking import Asked, ask, speakable
from spatial_game.language.probing.report import NOTHING_ASKED, as_json, share_of


@dataclass(frozen=True)
class Exchange:
    """The choices when another part of its kind replaces one part of a phrase."""

    first: Proportion
    """Choices of the first place after the first phrase."""
    first_otherwise: Proportion
    """Choices of the first place after the other phrase: fewer, if the part has an effect."""
    other: Proportion
    """Choices of the other place after the other phrase."""
    other_otherwise: Proportion
    """Choices of the other place after the first phrase."""
    followed: Proportion
    """Episodes in which both phrases led to their places."""

    @property
    def effect(self) -> float:
        """How much more often a place is chosen when it is named; 0 for a part without effect."""
        more = self.first.accuracy - self.first_otherwise.accuracy
        return (more + self.other.accuracy - self.other_otherwise.accuracy) / 2

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {**as_json(self), "effect": self.effect if self.first.trials else None}


@dataclass(frozen=True)
class MinimalPairs:
    """Exchanges of each part of composed messages; nothing is played if no phrases differ in it."""

    offset: Exchange
    integer: Exchange

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {"offset": self.offset.to_dict(), "integer": self.integer.to_dict()}


def minimal_pairs(
    receiver: Receiver, composer: Composer, episodes: Episodes, rng: np.random.Generator
) -> MinimalPairs:
    """Exchange offsets, and integers, of the composed phrases of a lexicon.

    For each episode a phrase is drawn and made true, as in `probe`. Then another fitting part replaces one
    part, while the other part stays in its slots, and the integer of the new place is put among the
    candidates. Episodes are left out if there is no other such phrase, or if the other place is outside the
    sequence.
    """
    phrases = speakable(composer, "compositional")
    if len(phrases) == 0 or len(episodes) == 0:
        nothing = Exchange(*[NOTHING_ASKED] * 5)
        return MinimalPairs(nothing, nothing)
    asked = ask(composer, phrases, episodes, rng)
    return MinimalPairs(
        offset=_exchange(receiver, composer, phrases, asked, kept=0, rng=rng),
        integer=_exchange(receiver, composer, phrases, asked, kept=1, rng=rng),
    )


def _exchange(
    receiver: Receiver,
    composer: Composer,
    phrases: Numbers,
    asked: Asked,
    kept: int,
    rng: np.random.Generator,
) -> Exchange:
    """Exchange the other part than `kept` (0: the integer is kept, 1: the offset)."""
    other = _others(phrases, asked.said.entry, kept, rng)
    place = _place(composer, asked, other)
    inside = (place >= 0) & (place < asked.episodes.sequence.shape[1])
    rows = np.flatnonzero((other[:, 0] != NOTHING) & inside & (place != asked.episodes.target_position))
    slots = np.full((len(rows), 2), NOTHING)
    slots[:, kept] = asked.said.slot[rows, kept]
    said = composer.phrase(other[rows, 0], other[rows, 1], rng, slots)
    rows, said = rows[said.expressed], said.take(said.expressed)
    episodes, index = _with_candidate(asked.episodes[rows], place[rows])
    at_first, at_other = (
        receiver.choose(messages, episodes.sequence, episodes.candidates) if len(rows) else index
        for messages in (asked.said.message[rows], said.message)
    )
    target = episodes.target_index
    followed = (at_first == target) & (at_other == index)
    masks = (at_first == target, at_other == target, at_other == index, at_first == index, followed)
    return Exchange(*map(share_of, masks))


def _others(phrases: Numbers, said: Numbers, kept: int, rng: np.random.Generator) -> Numbers:
    """Return, for each phrase, another one (n, 2) with the same part `kept`; NOTHING if there is none."""
    other = np.full(said.shape, NOTHING)
    for entry in np.unique(said[:, kept]).tolist():
        with_it = phrases[phrases[:, kept] == entry]
        rows = np.flatnonzero(said[:, kept] == entry)
        if len(with_it) > 1:
            own = (with_it[None, :, 1 - kept] == said[rows, None, 1 - kept]).argmax(axis=1)
            drawn = rng.integers(0, len(with_it) - 1, len(rows))
            other[rows] = with_it[drawn + (drawn >= own)]
    return other


def _place(composer: Composer, asked: Asked, other: Numbers) -> Numbers:
    """Return (n,) the places that the other phrases name; -1 where an integer is not in the sequence.

    An exchanged integer is the first of its entry; a kept integer is the one that was made true.
    """
    parts, config = composer.parts, composer.config
    offset, value = np.divmod(asked.column, len(config.integers))
    new = (other != NOTHING) & (other != asked.said.entry)
    first_key = parts.first_key[other]
    value = np.where(new[:, 0], first_key[:, 0] - parts.span["integer"].start, value)
    offset = np.where(new[:, 1], first_key[:, 1] - parts.span["offset"].start, offset)
    there = asked.episodes.sequence == value[:, None]
    back = len(config.offsets) - 1 - offset  # the offsets are symmetric
    place = np.where(there.any(axis=1), cells_at_offsets(config)[there.argmax(axis=1), back], NOTHING)
    return np.where(place < config.sequence_length, place, NOTHING)


def _with_candidate(episodes: Episodes, place: Numbers) -> tuple[Episodes, npt.NDArray[np.intp]]:
    """Return the episodes with the integer at `place` (B,) among the candidates, and its index there."""
    rows = np.arange(len(episodes))
    value = episodes.sequence[rows, place]
    candidates = episodes.candidates.copy()
    there = candidates == value[:, None]
    instead = (episodes.target_index.astype(np.intp) + 1) % candidates.shape[1]
    index = np.where(there.any(axis=1), there.argmax(axis=1), instead)
    candidates[rows, index] = value
    return dataclasses.replace(episodes, candidates=candidates), index
