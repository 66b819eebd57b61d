"""The speaker: it sends the message that gives most bits for what is to be said."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset
from spatial_game.errors import UserError
from spatial_game.game.checking import check_column
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import Numbers
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.memory import chunks


class Speaker:
    """Speaks with the messages of a dictionary. A `Sender`.

    A message's score is the bits that it gives for what is to be said, plus log2 of how often it is sent.
    What is not to be said is left out of the sum, so there is always an answer. `config` is the game that is
    played (default: the dictionary's). Raises `ValueError` for a game that does not suit the dictionary.
    """

    def __init__(self, dictionary: Dictionary, config: GameConfig | None = None) -> None:
        require_dictionary(dictionary)
        self.dictionary, self.config = dictionary, dictionary.game(config)
        self._by_column = np.ascontiguousarray(dictionary.of_messages.T)  # (columns + 1, M)
        self._often = np.log2(dictionary.episodes / dictionary.episodes.sum()).astype(np.float32)

    def send(self, window: IntArray) -> IntArray:
        """Return the best message (B, T) for each of the windows (B, W).

        Raises `ValueError` for windows of another game.
        """
        window = check_column(self.config, "window", window, len(window))
        best = self._best(self.dictionary.columns.of(window), 1)[:, 0]
        message: IntArray = self.dictionary.messages[best]
        return message

    def say(self, said: Mapping[Offset, int], number: int = 1) -> IntArray:
        """Return the best messages (number, T) for integers at offsets, such as `{-1: 18}`: 18 one left.

        These cells are seen. What else is seen is left open: each view counts as often as the game draws it.

        Raises `ValueError` for an offset or an integer that the game does not have.
        """
        config, columns, views = (
            self.dictionary.config,
            self.dictionary.columns,
            self.dictionary.columns.views,
        )
        cells, fitting = [], np.ones(len(views.share), dtype=bool)
        for offset, integer in said.items():
            if offset not in config.offsets or integer not in config.integers:
                rule = f"what is said must be integers of {config.signature} by their offsets"
                raise UserError(f"{rule}; got {integer} at {offset}")
            number_of_offset = config.offsets.index(offset)
            cells.append(columns.integer_at(number_of_offset, integer))
            fitting &= views.shown[:, number_of_offset]
        score = self._by_column[cells].sum(axis=0) + self._often
        if fitting.any():  # the game may never show all of these cells together
            by_view = np.exp2(self._by_column[columns.of_views][fitting])
            score += np.log2(views.share[fitting] @ by_view).astype(np.float32)
        return np.asarray(self.dictionary.messages[_largest(score[None], number)[0]])

    def suggest(self, window: IntArray, number: int) -> IntArray:
        """Return the best messages for a window (W,), the best one first: at most `number`, (n, T).

        Each of them gives more than 0 bits for the window.
        """
        columns = self.dictionary.columns.of(window[None])
        best = self._best(columns, number)[0]
        bits = self._by_column[np.ix_(columns[0], best)].sum(axis=0)
        return np.asarray(self.dictionary.messages[best[bits > 0]])

    def _best(self, columns: Numbers, number: int) -> Numbers:
        """Return the rows (B, number) of the best messages for columns (B, n), the best one first."""
        number = min(number, len(self._often))
        best = np.empty((len(columns), number), dtype=np.int64)
        for rows in chunks(len(columns), self._often.nbytes):
            score = np.tile(self._often, (len(columns[rows]), 1))
            for cell in columns[rows].T:
                score += self._by_column[cell]
            best[rows] = _largest(score, number)
        return best


def _largest(score: npt.NDArray[np.float32], number: int) -> Numbers:
    """Return the columns of the largest values of each row, the largest one first."""
    if number == 1:
        return np.asarray(score.argmax(axis=1)[:, None])
    return np.argsort(-score, axis=1, kind="stable")[:, :number]
