"""The reader: it chooses the candidate for whose surroundings the message gives most bits."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import MASK, IntArray, Mask
from spatial_game.language.counting.columns import Columns, columns_of
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.dictionary.dictionary import Dictionary, Evidence, require_dictionary
from spatial_game.memory import chunks


class Reader:
    """Reads messages with a dictionary. A `Receiver`.

    `config` is the game that is played (default: the dictionary's). Raises `ValueError` for a game that is
    incompatible with the dictionary's.
    """

    def __init__(self, dictionary: Dictionary, config: GameConfig | None = None) -> None:
        require_dictionary(dictionary)
        self.dictionary, self.config = dictionary, dictionary.game(config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate with most bits, the first one among equals."""
        choice: IntArray = self.bits(messages, sequence, candidates).argmax(axis=1).astype(np.int16)
        return choice

    def bits(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> FloatArray:
        """Return the bits (B, C) that messages (B, T) give for candidates (B, C) of sequences (B, L).

        Raises `ValueError` for symbols that the game does not have, and for candidates that are not in their
        sequence.
        """
        messages = check_messages(messages, self.dictionary.config, len(candidates))
        found = np.empty(candidates.shape)
        for rows in chunks(len(messages), 4 * self.dictionary.columns.size):
            distinct, which = distinct_rows(messages[rows])
            evidence = self.dictionary.evidence(distinct)
            for number, candidate in enumerate(candidates[rows].T):
                window = self._whole.around(sequence[rows], candidate)
                found[rows, number] = self.bits_of(evidence, which, window)
        return found

    def bits_of(self, evidence: Evidence, which: Numbers, window: IntArray) -> FloatArray:
        """Return the bits (B,) of rows of the evidence for whole windows (B, W)."""
        config = self.dictionary.config
        if self.dictionary.columns.views_of_edge > 1:
            return self._seen_in_part(evidence, which, window)
        bits = evidence[which[:, None], self._whole.of(window)].astype(np.float64)
        return _of_any_cells(bits, window == MASK, config) if config.num_hidden else bits.sum(axis=1)

    def _seen_in_part(self, evidence: Evidence, which: Numbers, window: IntArray) -> FloatArray:
        """Return the same where the sender saw a part of the window: over all views that it may have had."""
        columns, integer = self.dictionary.columns, self.dictionary.columns.at_offsets(window)
        known = (integer >= 0) & (integer < self.dictionary.config.num_integers)
        cell = np.where(known, columns.integer_at(np.arange(integer.shape[1]), integer), columns.size)
        first, row = columns.edge_of(window) * columns.views_of_edge, np.arange(len(window))
        total = np.zeros(len(window))
        for view in range(columns.views_of_edge):
            bits = evidence[which, columns.of_views.start + first + view].astype(np.float64)
            for offset in columns.views.offsets[first + view].T:
                bits += evidence[which, cell[row, offset]]
            total += np.exp2(bits)
        return np.asarray(np.log2(total / columns.views_of_edge))

    @cached_property
    def _whole(self) -> Columns:
        """The columns of the game as the receiver sees it: nothing is hidden."""
        return columns_of(replace(self.dictionary.config, num_visible=None))


def _of_any_cells(bits: FloatArray, masked: Mask, config: GameConfig) -> FloatArray:
    """Return the bits (B,) of windows of whose cells the sender saw `num_shown`, all sets of them alike.

    `bits` (B, W) are those of all cells; of the `masked` one, of the edge. The mean over the sets of the
    product of 2 ** bits is an elementary symmetric polynomial of the cells, by its recursion.
    """
    edge, cells = bits[masked], np.exp2(bits[~masked].reshape(len(bits), -1))
    of_sets = np.zeros((config.num_shown + 1, len(bits)))  # by the number of cells
    of_sets[0] = 1
    for cell in cells.T:
        of_sets[1:] += of_sets[:-1] * cell
    return np.asarray(edge + np.log2(of_sets[-1] / math.comb(cells.shape[1], config.num_shown)))
