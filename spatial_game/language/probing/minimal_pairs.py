"""What a receiver does with the two parts of a composed message: minimal pairs.

A phrase of an integer and an offset names a place. With another offset, or another integer, it names another
place, which stands among the same candidates. A receiver that composes follows both times. One that knows
the whole message, or hears something else in it, does not: however well it understands the first phrase, the
exchange of one part does not lead it to the other place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Episodes
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver
from spatial_game.language.probing.probe import Asked, Mask, ask, speakable
from spatial_game.language.speaking.compose import Composer
from spatial_game.language.speaking.phrases import NOTHING, Numbers


@dataclass(frozen=True)
class Exchange:
    """What became of the choices when one part was exchanged for another of its kind."""

    first: Proportion
    """Choices of the first place at the first phrase."""
    first_otherwise: Proportion
    """Choices of the first place at the other phrase: less, if the part is heard."""
    other: Proportion
    """Choices of the other place at the other phrase."""
    other_otherwise: Proportion
    """Choices of the other place at the first phrase."""
    followed: Proportion
    """Episodes in which both phrases led to their places."""

    @property
    def effect(self) -> float:
        """How much more often a place is chosen when it is named; 0 for a part that is not heard."""
        more = self.first.accuracy - self.first_otherwise.accuracy
        return (more + self.other.accuracy - self.other_otherwise.accuracy) / 2

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        parts = {name: part.to_dict() for name, part in vars(self).items()}
        return {**parts, "effect": self.effect if self.first.trials else None}


@dataclass(frozen=True)
class MinimalPairs:
    """Exchanges of each part of composed messages; nothing is played where no phrases differ in it."""

    offset: Exchange
    integer: Exchange

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"offset": self.offset.to_dict(), "integer": self.integer.to_dict()}


def minimal_pairs(
    receiver: Receiver, composer: Composer, episodes: Episodes, rng: np.random.Generator
) -> MinimalPairs:
    """Exchange offsets, and integers, of the composed phrases that a lexicon has.

    For each of the episodes a phrase is drawn and the episode arranged so that it is true, as `probe` does;
    then one part is exchanged for another that fits, while the other part stays where it stands in the
    message, and the place so named put among the candidates. Episodes without another such phrase, or whose
    other place lies outside the sequence, are left out.
    """
    phrases = speakable(composer, "compositional")
    if len(phrases) == 0 or len(episodes) == 0:
        none = _exchange(*[np.zeros(0, dtype=bool)] * 4)
        return MinimalPairs(none, none)
    asked = ask(composer, phrases, episodes, rng)
    return MinimalPairs(
        _exchanged(receiver, composer, phrases, asked, kept=0, rng=rng),
        _exchanged(receiver, composer, phrases, asked, kept=1, rng=rng),
    )


def _exchanged(
    receiver: Receiver,
    composer: Composer,
    phrases: Numbers,
    asked: Asked,
    kept: int,
    rng: np.random.Generator,
) -> Exchange:
    """Exchange the part that is not `kept` (0: the integer is kept, 1: the offset)."""
    other = _others(phrases, asked.said.entry, kept, rng)
    place = _place(composer, asked, other)
    inside = (place >= 0) & (place < asked.episodes.sequence.shape[1])
    rows = np.flatnonzero(
        (other[:, 0] != NOTHING) & inside & (place != asked.episodes.target_position.astype(np.int64))
    )
    slots = np.full((len(rows), 2), NOTHING)
    slots[:, kept] = asked.said.slot[rows, kept]
    said = composer.phrase(other[rows, 0], other[rows, 1], rng, slots)
    rows, said = rows[said.expressed], said.take(said.expressed)
    episodes, index = _with_candidate(asked.episodes[rows], place[rows])
    heard = [
        receiver.choose(messages, episodes.sequence, episodes.candidates) if len(rows) else np.zeros(0)
        for messages in (asked.said.message[rows], said.message)
    ]
    first, second = (choices == episodes.target_index for choices in heard)
    other_first, other_second = (choices == index for choices in heard)
    return _exchange(first, second, other_second, other_first)


def _exchange(first: Mask, first_otherwise: Mask, other: Mask, other_otherwise: Mask) -> Exchange:
    masks = (first, first_otherwise, other, other_otherwise, first & other)
    return Exchange(*(Proportion(int(np.sum(mask)), len(mask)) for mask in masks))


def _others(phrases: Numbers, said: Numbers, kept: int, rng: np.random.Generator) -> Numbers:
    """For each phrase that was said another one (n, 2) with the same part `kept`; NOTHING if it has none."""
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
    """Where the other phrases point; -1 where an integer is not in the sequence.

    An exchanged integer is the first of its entry; a kept one is the one that the episode was arranged for.
    """
    keys, config = composer.parts.keys, composer.config
    first_integer = composer.parts.integer_key(np.zeros(1, dtype=np.int64))[0]
    value, offset = asked.meaning[:, 1].copy(), asked.meaning[:, 2].copy()
    for row, (word, mate) in enumerate(other.tolist()):
        if word != NOTHING and word != asked.said.entry[row, 0]:
            value[row] = keys[word][0] - first_integer
        if mate != NOTHING and mate != asked.said.entry[row, 1]:
            offset[row] = config.offsets[keys[mate][0] - first_integer - len(config.integers)]
    there = asked.episodes.sequence == value[:, None]
    return np.where(there.any(axis=1), there.argmax(axis=1) - offset, NOTHING)


def _with_candidate(episodes: Episodes, place: Numbers) -> tuple[Episodes, npt.NDArray[np.intp]]:
    """The episodes with the integer at `place` (B,) among the candidates, and its index there."""
    rows = np.arange(len(episodes))
    value = episodes.sequence[rows, place]
    candidates = episodes.candidates.copy()
    there = candidates == value[:, None]
    instead = (episodes.target_index.astype(np.intp) + 1) % candidates.shape[1]
    index = np.where(there.any(axis=1), there.argmax(axis=1), instead)
    candidates[rows, index] = value
    changed = Episodes(
        episodes.sequence,
        episodes.target_position,
        episodes.window,
        episodes.mask_column,
        candidates,
        episodes.target_index,
    )
    return changed, index
