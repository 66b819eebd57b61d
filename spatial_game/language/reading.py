"""The reader: it chooses the candidate for whose surroundings the message gives most bits."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import MASK, IntArray, Mask
from spatial_game.language.counting.places import (
    blocks,
    candidate_windows,
    num_columns,
    num_integer_columns,
    values_at_places,
    views_of,
    views_of_edge,
    window_columns,
)
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.dictionary.lexicon import Evidence, Lexicon, require_lexicon

_CELLS = 1 << 24  # of tables of evidence that are made at a time


class Reader:
    """Reads messages with a lexicon. A `Receiver`.

    `config` is the game that is played (default: the lexicon's). Raises `ValueError` for a game that is
    incompatible with the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        require_lexicon(lexicon)
        self.lexicon, self.config = lexicon, lexicon.game(config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate with most bits, the first one among equals."""
        choice: IntArray = self.bits(messages, sequence, candidates).argmax(axis=1).astype(np.int16)
        return choice

    def bits(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> FloatArray:
        """Return the bits (B, C) that messages (B, T) give for candidates (B, C) of sequences (B, L).

        Raises `ValueError` for symbols that the game does not have.
        """
        messages = check_messages(messages, self.lexicon.config, len(candidates))
        found = np.empty(candidates.shape)
        for rows in blocks(len(messages), max(1, _CELLS // num_columns(self.lexicon.config))):
            distinct, which = distinct_rows(messages[rows])
            evidence = self.lexicon.evidence(distinct)
            for number, candidate in enumerate(candidates[rows].T):
                window = candidate_windows(self.config, sequence[rows], candidate)
                found[rows, number] = self._bits(evidence, which, window)
        return found

    def _bits(self, evidence: Evidence, which: Numbers, window: IntArray) -> FloatArray:
        """Return the bits (B,) of rows of the evidence for whole windows (B, W)."""
        config = self.lexicon.config
        if config.num_hidden and views_of_edge(config) > 1:
            return self._seen_in_part(evidence, which, window)
        bits = evidence[which[:, None], window_columns(self._whole, window)].astype(np.float64)
        return _of_any_cells(bits, window == MASK, config) if config.num_hidden else bits.sum(axis=1)

    def _seen_in_part(self, evidence: Evidence, which: Numbers, window: IntArray) -> FloatArray:
        """Return the same where the sender saw a part of the window: over all views that it may have had."""
        config, (views, cells) = self.lexicon.config, self._views_and_cells
        values = values_at_places(self._whole, window)
        known = (values[:, :-1] >= 0) & (values[:, :-1] < config.num_integers)
        columns = np.arange(known.shape[1]) * config.num_integers + values[:, :-1]
        columns = np.where(known, columns, num_columns(config))
        edge, row = values[:, -1], np.arange(len(window))
        total = np.zeros(len(window))
        for rank in range(views.shape[1]):
            bits = evidence[which, num_integer_columns(config) + views[edge, rank]].astype(np.float64)
            for cell in cells[edge, rank].T:
                bits += evidence[which, columns[row, cell]]
            total += np.exp2(bits)
        return np.asarray(np.log2(total / views.shape[1]))

    @cached_property
    def _whole(self) -> GameConfig:
        """The game as the receiver sees it: nothing is hidden."""
        return replace(self.lexicon.config, num_visible=None)

    @cached_property
    def _views_and_cells(self) -> tuple[Numbers, Numbers]:
        """The views of each edge (W, R), and the cells that each of them shows (W, R, num_visible)."""
        views = views_of(self.lexicon.config)
        size = (self.config.window_size, -1)
        return np.arange(len(views.edge)).reshape(size), np.nonzero(views.shown)[1].reshape(
            *size, self.config.num_shown
        )


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
