"""Others in the place of the agents: who reads the sender, and who is understood by the receiver, how well.

How far a reader with only the dictionary comes, and how far one with only the statistics of messages, says
how much of a language is words and how much is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import Episodes, IntArray
from spatial_game.game.evaluation import Proportion
from spatial_game.game.policies import Receiver, Sender
from spatial_game.language.counting.counts import message_ids
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.probing.probe import won_by
from spatial_game.language.speaking.decode import Decoder
from spatial_game.language.speaking.statistical import MessageModel, StatisticalReader, StatisticalSpeaker
from spatial_game.language.speaking.usage import UsualSpeaker

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Reader:
    """Somebody who reads the sender's messages."""

    coverage: Proportion
    """Episodes in which the reader has something to go by."""
    accuracy: Proportion
    """Of those, episodes in which it finds the target."""
    overall: Proportion
    """Of all episodes; where it has nothing to go by it is counted as wrong."""
    ambiguous: Proportion | None
    """Covered episodes in which several candidates fit equally well; for the dictionary."""
    agreement: Proportion
    """Covered episodes in which it chooses what the receiver chooses, right or wrong."""


@dataclass(frozen=True)
class Speaker:
    """Somebody who speaks to the receiver."""

    coverage: Proportion
    """Episodes in which the speaker has something to say."""
    understood: Proportion
    """Of those, episodes in which the receiver finds the target."""
    same: Proportion
    """Of those, episodes in which it says the sender's very message."""


@dataclass(frozen=True)
class ReadersReport:
    """Readers and speakers on ordinary episodes, beside the pair itself."""

    pair: Proportion
    """Episodes that sender and receiver win together."""
    readers: dict[str, Reader]
    """dictionary, and with models statistics (naive Bayes) and senses."""
    speakers: dict[str, Speaker]
    """dictionary and usage (the most usual true message), statistics and senses, where there are models."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "pair": self.pair.to_dict(),
            "readers": {name: _as_json(reader) for name, reader in self.readers.items()},
            "speakers": {name: _as_json(speaker) for name, speaker in self.speakers.items()},
        }


def compare_readers(
    sender: Sender,
    receiver: Receiver,
    episodes: Episodes,
    lexicon: Lexicon,
    models: dict[str, MessageModel] | None = None,
) -> ReadersReport:
    """Let a lexicon, and models of messages by name, read the sender and speak to the receiver.

    The first of the models also says what is usual.
    """
    models = models or {}
    messages = sender.send(episodes.window)
    chosen = receiver.choose(messages, episodes.sequence, episodes.candidates)
    readers = {"dictionary": _dictionary_reader(lexicon, messages, chosen, episodes)}
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
    return ReadersReport(_share(chosen == episodes.target_index), readers, speakers)


def _dictionary_reader(lexicon: Lexicon, messages: IntArray, chosen: IntArray, episodes: Episodes) -> Reader:
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    ambiguous = _share(decoded.ambiguous[decoded.decided])
    return _reader(decoded.choice, decoded.decided, ambiguous, chosen, episodes)


def _reader(
    choice: IntArray, covered: Mask, ambiguous: Proportion | None, chosen: IntArray, episodes: Episodes
) -> Reader:
    right = choice == episodes.target_index
    return Reader(
        _share(covered),
        _share(right[covered]),
        _share(right & covered),
        ambiguous,
        _share((choice == chosen)[covered]),
    )


def _speaker(said: IntArray, messages: IntArray, receiver: Receiver, episodes: Episodes) -> Speaker:
    spoken = (said >= 0).all(axis=1)
    rows = np.flatnonzero(spoken)
    won = won_by(receiver, said[rows], episodes[rows])
    return Speaker(_share(spoken), _share(won), _share((said == messages).all(axis=1)[rows]))


def _share(which: npt.ArrayLike) -> Proportion:
    rows = np.asarray(which)
    return Proportion(int(np.sum(rows)), len(rows))


def _as_json(part: Reader | Speaker) -> dict[str, Any]:
    return {name: value and value.to_dict() for name, value in vars(part).items()}
