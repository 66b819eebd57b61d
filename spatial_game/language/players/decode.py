"""Reading with a lexicon: from a message and a sequence to the candidates that the message can mean.

The reader knows the rules of the lexicon and nothing else. It adds up the evidence, in bits, that the message
gives for what stands around each candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game import rules
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.counts import Source, held_out_rows
from spatial_game.language.counting.places import blocks, candidate_columns, num_columns
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.recording import ANALYSED

NOTHING = -1
"""The choice, or the symbols, of what was not said."""
EQUAL_BITS = 4.0
"""Candidates fit equally well if no more bits of evidence set them apart: odds of 16 to 1."""
_NEEDED = ("sequence", "candidates", "target_index")
"""The columns that reading needs beside those that are analysed."""
MOST_READ = 200_000
"""Held-out episodes that are read: more would not change the shares."""
_CELLS = 1 << 24  # of the table of evidence that is made at a time


@dataclass(frozen=True)
class Decoded:
    """What B messages mean by a lexicon, each with a sequence and C candidates."""

    score: FloatArray
    """(B, C), the evidence for each candidate, in bits."""

    @property
    def fits(self) -> Mask:
        """(B, C), the candidates that the message can mean."""
        return np.asarray(self.score > 0)

    @property
    def decided(self) -> Mask:
        """(B,), whether the message can mean any of the candidates."""
        return np.asarray(self.fits.any(axis=1))

    @property
    def ambiguous(self) -> Mask:
        """(B,), whether several candidates fit equally well."""
        least = self.score.max(axis=1, keepdims=True) - EQUAL_BITS
        return np.asarray(self.decided & ((self.score >= least).sum(axis=1) > 1))

    @property
    def unique(self) -> Mask:
        """(B,), whether exactly one candidate fits best."""
        return self.decided & ~self.ambiguous

    @property
    def choice(self) -> Numbers:
        """(B,), the candidate that fits best, the first among equals; -1 where none fits."""
        return np.where(self.decided, self.score.argmax(axis=1), NOTHING)


class Decoder:
    """Reads messages with the rules of a lexicon. A `Receiver`.

    `config` is the game that is played (default: the lexicon's). Raises `ValueError` for a game that is
    incompatible with the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        self.lexicon, self.config = lexicon, lexicon.game(config)
        self.rules = RuleTable(lexicon.rules, self.config, lexicon.config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate that fits best; the first candidate where none does."""
        choice: IntArray = np.maximum(self.decode(messages, sequence, candidates).choice, 0).astype(np.int16)
        return choice

    def decode(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Decoded:
        """Return what messages (B, T) can mean among candidates (B, C) of sequences (B, L)."""
        score = np.zeros(candidates.shape)
        for rows in blocks(len(messages), max(1, _CELLS // num_columns(self.config))):
            distinct, which = distinct_rows(messages[rows])
            evidence = self.rules.evidence(self.rules.of_messages(distinct))
            columns = candidate_columns(self.config, sequence[rows], candidates[rows])
            for cell in range(columns.shape[2]):
                score[rows] += evidence[which[:, None], columns[:, :, cell]]
        return Decoded(score)


# --- Held-out episodes --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadShares:
    """How `episodes` held-out episodes are read by the lexicon."""

    episodes: int
    unique: float
    """The share that is read to exactly one candidate."""
    right: float | None
    """Of these, the share in which it is the target; None if there are none."""
    ambiguous: float
    """The share that is read to several candidates that fit equally well."""


def read_held_out(lexicon: Lexicon, sources: Sequence[Source], most: int = MOST_READ) -> ReadShares | None:
    """Read the first `most` held-out episodes of recordings; None where they do not show the candidates."""
    decoder, numbers = Decoder(lexicon), np.zeros(4, dtype=np.int64)
    columns = (*ANALYSED, *_NEEDED)
    for block in (block for source in sources for block in source.blocks(columns=columns)):
        rows = held_out_rows(block)
        if block.sequence is None or block.candidates is None or block.target_index is None:
            return None
        decoded = decoder.decode(block.message[rows], block.sequence[rows], block.candidates[rows])
        won = decoded.unique & rules.won(block.target_index[rows], decoded.choice)
        numbers += (len(won), decoded.unique.sum(), won.sum(), decoded.ambiguous.sum())
        if numbers[0] >= most:
            break
    episodes, unique, right, ambiguous = numbers.tolist()
    if episodes == 0:
        return None
    return ReadShares(episodes, unique / episodes, right / unique if unique else None, ambiguous / episodes)
