"""Readers and speakers that play with a statistical model of messages, without a lexicon or beside one.

The reader adds up, over the cells around a candidate, the evidence that the message gives for each of them.
A speaker says the message that is most probable for its window: of all messages, or of those that a
lexicon makes true.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import Columns, blocks, candidate_columns, window_columns
from spatial_game.language.counting.counts import message_ids
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.message_model import Floats, MessageModel

# Rows that are read at a time, and cells of the speaker's scores.
_BLOCK = 1 << 13
_CELLS = 1 << 23


class StatisticalReader:
    """Reads messages by a model of them. A `Receiver`."""

    def __init__(self, model: MessageModel) -> None:
        self.model = model

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate with the most evidence; the first one for an unknown message."""
        choice: IntArray = self.scores(messages, sequence, candidates).argmax(axis=1).astype(np.int16)
        return choice

    def scores(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> FloatArray:
        """Return the evidence (B, C) of messages (B, T) for candidates (B, C) of sequences (B, L).

        Up to a constant of each row the logarithm of the candidate's probability; 0 for unknown messages.
        """
        model = self.model
        scores = np.zeros(candidates.shape)
        ids = message_ids(model.counts, messages)
        for rows in blocks(len(messages), _BLOCK):
            known = np.flatnonzero(ids[rows] >= 0) + rows.start
            columns = candidate_columns(model.config, sequence[known], candidates[known])
            of_senses = [
                model.of_cells(k, ids[known], columns) + np.log(model.sense_share[ids[known], k])[:, None]
                for k in range(model.senses)
            ]
            scores[known] = np.logaddexp.reduce(of_senses, axis=0)
        return scores


class StatisticalSpeaker:
    """Says the message that a model makes most probable. A `Sender`."""

    def __init__(self, model: MessageModel) -> None:
        self.model = model
        share = model.counts.message_totals / model.counts.total
        self._start = np.log(share[:, None] * model.sense_share).astype(np.float32)  # (M, K)
        self._by_column = np.ascontiguousarray(model.evidence.transpose(2, 1, 0))  # (columns+1, K, M)

    def send(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W)."""
        return self.send_among(window, None)

    def send_among(self, window: IntArray, allowed: Callable[[Columns], Mask] | None) -> IntArray:
        """Return the most probable of the messages that are allowed for each window, (B, T).

        `allowed` tells for the columns (B, W) of windows which messages may be sent, (B, M); None: any. Where
        none may be sent, the message is -1 throughout.
        """
        model = self.model
        sent = np.full((len(window), model.config.message_length), -1, dtype=np.int16)
        for rows in blocks(len(window), max(1, _CELLS // self._start.size)):
            columns = window_columns(model.config, window[rows])
            scores = self.scores(columns)
            if allowed is not None:
                scores = np.where(allowed(columns), scores, -np.inf)
            spoken = scores.max(axis=1) > -np.inf
            sent[rows][spoken] = model.counts.messages[scores[spoken].argmax(axis=1)]
        return sent

    def scores(self, columns: Columns) -> Floats:
        """Return log P(message, window), up to a constant of the window, (B, M), for columns (B, W)."""
        scores = np.repeat(self._start.T[None], len(columns), axis=0)
        for column in columns.T:
            scores += self._by_column[column]
        if scores.shape[1] == 1:
            return scores[:, 0]
        highest = scores.max(axis=1)
        scores -= highest[:, None]
        return np.asarray(highest + np.log(np.exp(scores, out=scores).sum(axis=1)))


class UsualSpeaker:
    """Speaks with a lexicon as the sender would: says the most common of the messages that it makes true.

    A lexicon often has several messages for one meaning, and does not say when to use which. Every message
    that is said was sent in the recordings and says a place.

    Raises `ValueError` for a model of another game than the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, model: MessageModel) -> None:
        if model.config != lexicon.config:
            raise ValueError(
                f"model must be of the lexicon's game {lexicon.config.signature}; "
                f"got {model.config.signature}"
            )
        self._speaker = StatisticalSpeaker(model)
        self._true = Decoder(lexicon).true_of(model.counts.messages)

    def speak(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W); -1 throughout where no message is true."""
        return self._speaker.send_among(window, self._true)
