"""Substitute readers and speakers, and how well they do.

How far a reader gets with only the lexicon, and with only the statistics of messages, shows how much of a
language is words and how much is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import Counts, message_ids
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import MessageModel
from spatial_game.language.players.phrases import NOTHING
from spatial_game.language.players.statistical_players import (
    StatisticalReader,
    StatisticalSpeaker,
    UsualSpeaker,
)
from spatial_game.language.probing.asking import won_by
from spatial_game.language.probing.report import as_json, share_of


@dataclass(frozen=True)
class Reader:
    """How well a substitute for the receiver reads the sender's messages."""

    coverage: Proportion
    """Episodes whose message the reader knows."""
    accuracy: Proportion
    """Of those, episodes in which it finds the target."""
    overall: Proportion
    """Of all episodes; those with unknown messages count as wrong."""
    ambiguous: Proportion | None
    """Covered episodes in which several candidates fit equally well; for the lexicon only."""
    agreement: Proportion
    """Covered episodes in which it chooses what the receiver chooses, right or wrong."""


@dataclass(frozen=True)
class Speaker:
    """How well the receiver understands a substitute for the sender."""

    coverage: Proportion
    """Episodes in which the speaker has something to say."""
    understood: Proportion
    """Of those, episodes in which the receiver finds the target."""
    same: Proportion
    """Of those, episodes in which it says the sender's very message."""


@dataclass(frozen=True)
class ReadersReport:
    """Substitute readers and speakers on ordinary episodes, beside the pair itself."""

    pair: Proportion
    """Episodes that sender and receiver win together."""
    readers: dict[str, Reader]
    """dictionary, and one for each model by its name."""
    speakers: dict[str, Speaker]
    """With models only: usage (the most common true message), and one for each model by its name."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        found: dict[str, Any] = as_json(self)
        return found


def models_of(counts: Counts, senses: int, rng: np.random.Generator) -> dict[str, MessageModel]:
    """Return the statistics of messages by name: with one sense and, where that is more, with `senses`."""
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

    The first of the models also says which true message is the most common.
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
