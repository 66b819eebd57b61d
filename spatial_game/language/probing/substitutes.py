"""Substitute readers and speakers, and how well they play.

Readers that know only the lexicon, or only the statistics of messages, show how much of a language its words
explain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import Proportion, won_by
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import NOTHING, Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.statistical_players import (
    StatisticalReader,
    StatisticalSpeaker,
    UsualSpeaker,
)
from spatial_game.language.probing.report import as_json, share_of


@dataclass(frozen=True)
class Reader:
    """How well a substitute for the receiver reads the sender's messages."""

    coverage: Proportion
    """Episodes whose message the reader knows."""
    accuracy: Proportion
    """Among them, episodes in which it finds the target."""
    overall: Proportion
    """Among all episodes, those in which it finds the target; unknown messages count as wrong."""
    ambiguous: Proportion | None
    """Covered episodes in which several candidates fit equally well (only for the lexicon)."""
    agreement: Proportion
    """Covered episodes in which it chooses what the receiver chooses, right or wrong."""


@dataclass(frozen=True)
class Speaker:
    """How well the receiver understands a substitute for the sender."""

    coverage: Proportion
    """Episodes in which the speaker has a message."""
    understood: Proportion
    """Among them, episodes in which the receiver finds the target."""
    same: Proportion
    """Among them, episodes in which it sends the same message as the sender."""


@dataclass(frozen=True)
class ReadersReport:
    """Substitute readers and speakers on ordinary episodes, and the pair itself."""

    pair: Proportion
    """Episodes that the sender and the receiver win."""
    readers: dict[str, Reader]
    """The reader `dictionary`, and one for each model by name."""
    speakers: dict[str, Speaker]
    """Only with models: `usage` (the most common true message), and one for each model by name."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        found: dict[str, Any] = as_json(self)
        return found


def models_of(counts: Counts, senses: int, rng: np.random.Generator) -> dict[str, MessageModel]:
    """Return the statistics of messages by name: with one sense and, if that is more, with `senses`."""
    models = {"statistics": MessageModel.from_counts(counts)}
    if senses > 1:
        models[f"{senses} senses"] = MessageModel.from_counts(counts, senses=senses, rng=rng)
    return models


def compare_readers(
    sender: Sender,
    receiver: Receiver,
    episodes: Episodes,
    lexicon: Lexicon,
    models: dict[str, MessageModel] | None = None,
) -> ReadersReport:
    """Let a lexicon, and models of messages by name, read the sender and speak to the receiver.

    The first of the models also gives the most common true message.
    """
    models = models or {}
    messages = sender.send(episodes.window)
    chosen = receiver.choose(messages, episodes.sequence, episodes.candidates)
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    ambiguous = share_of(decoded.ambiguous[decoded.decided])
    readers = {"dictionary": _reader(decoded.choice, decoded.decided, ambiguous, chosen, episodes)}
    speakers = {}
    for model in [*models.values()][:1]:
        said = UsualSpeaker(lexicon, model).speak(episodes.window)
        speakers["usage"] = _speaker(said, messages, receiver, episodes)
    for name, model in models.items():
        choice = StatisticalReader(model).choose(messages, episodes.sequence, episodes.candidates)
        known = message_ids(model.counts, messages) >= 0
        readers[name] = _reader(choice, known, None, chosen, episodes)
        said = StatisticalSpeaker(model).send(episodes.window)
        speakers[name] = _speaker(said, messages, receiver, episodes)
    return ReadersReport(share_of(chosen == episodes.target_index), readers, speakers)


def _reader(
    choice: IntArray, covered: Mask, ambiguous: Proportion | None, chosen: IntArray, episodes: Episodes
) -> Reader:
    right = choice == episodes.target_index
    return Reader(
        coverage=share_of(covered),
        accuracy=share_of(right[covered]),
        overall=share_of(right & covered),
        ambiguous=ambiguous,
        agreement=share_of((choice == chosen)[covered]),
    )


def _speaker(said: IntArray, messages: IntArray, receiver: Receiver, episodes: Episodes) -> Speaker:
    spoken = (said != NOTHING).all(axis=1)
    rows = np.flatnonzero(spoken)
    won = won_by(receiver, said[rows], episodes[rows])
    return Speaker(share_of(spoken), share_of(won), share_of((said == messages).all(axis=1)[rows]))
