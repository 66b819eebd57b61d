"""Reading with a lexicon: from a message and a sequence to the candidates that the message can mean.

The reader uses only the listed entries. It is strict: what the lexicon does not say, it does not know. The
entries of a description hold together, as evidence in bits (`evidence`). Entries that were selected by NPMI
are readings of their own, of which the strongest decides (`strongest`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import Columns, blocks, candidate_columns
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.dictionary.lexicon import Entry, Lexicon
from spatial_game.language.players.evidence import Evidence
from spatial_game.language.players.phrases import NOTHING, described
from spatial_game.language.players.strongest import Reading, StrongestReader
from spatial_game.language.players.telling import told

EQUAL_BITS = 4.0
"""Candidates fit equally well if no more bits of evidence set them apart: odds of 16 to 1."""
_BLOCK = 1 << 13


@dataclass(frozen=True)
class Decoded:
    """What B messages mean by a lexicon, each with a sequence and C candidates."""

    score: FloatArray  # (B, C), higher for what is said more surely of the candidate; 0 for nothing
    places: Mask  # (B,), whether the message says a place: an edge, or an integer and its offset
    margin: float = 0.0
    """Candidates whose scores differ by no more than this fit equally well."""

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
        least = self.score.max(axis=1, keepdims=True) - self.margin
        return np.asarray(self.decided & ((self.score >= least).sum(axis=1) > 1))

    @property
    def unique(self) -> Mask:
        """(B,), whether exactly one candidate fits best."""
        return self.decided & ~self.ambiguous

    @property
    def choice(self) -> Numbers:
        """(B,), the candidate that fits best, the first among equals; -1 where none fits."""
        return np.where(self.decided, self.score.argmax(axis=1), NOTHING)


class EvidenceReader:
    """Reads messages by all that they say, as evidence in bits."""

    margin = EQUAL_BITS

    def __init__(self, listed: Sequence[Entry], config: GameConfig) -> None:
        self.evidence = Evidence(listed, config)

    def weighing(self, messages: IntArray) -> Callable[[Numbers, Columns], FloatArray]:
        """Return a function that scores windows, `columns` (B, C, W), for rows (B,) of messages (M, T)."""
        said = self.evidence.of_messages(messages)
        return lambda rows, columns: self.evidence.of_candidates(said[rows], columns)

    def says(self, messages: IntArray) -> Mask:
        """Return (M,), which messages say anything."""
        return np.asarray(np.diff(self.evidence.of_messages(messages).indptr) > 0)

    def true_of(self, messages: IntArray) -> Callable[[Columns], Mask]:
        """Return a function from windows, `columns` (B, W), to which messages speak for them, (B, M)."""
        said = self.evidence.of_messages(messages)
        return lambda columns: self.evidence.of_windows(said, columns) > 0

    def read(self, message: IntArray) -> list[Reading]:
        """Return all that one message (T,) says, as one reading; none if it says nothing."""
        listed = self.evidence.listed
        statements = told(listed, self.evidence.config, message)
        if not statements:
            return []
        row = {id(entry): number for number, entry in enumerate(listed)}
        entries = sorted({row[id(entry)] for each in statements for entry in each.entries})
        words = " and ".join(map(str, statements))
        return [Reading("conjunction", words, tuple(entries), min(listed[each].npmi for each in entries))]


class Decoder:
    """Reads messages with the listed entries of a lexicon. A `Receiver`.

    `config` is the game that is played (default: the lexicon's). Raises `ValueError` for a game that is
    incompatible with the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        self.lexicon, self.config = lexicon, config or lexicon.config
        fault = lexicon.config.incompatibility(self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        reader: type[EvidenceReader | StrongestReader]
        reader = EvidenceReader if described(lexicon) else StrongestReader
        self._reader = reader(lexicon.listed, self.config)

    def choose(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> IntArray:
        """Return choices (B,): the candidate that fits best; the first candidate where none does."""
        choice: IntArray = np.maximum(self.decode(messages, sequence, candidates).choice, 0).astype(np.int16)
        return choice

    def decode(self, messages: IntArray, sequence: IntArray, candidates: IntArray) -> Decoded:
        """Return what messages (B, T) can mean among candidates (B, C) of sequences (B, L).

        By a description, the score is the evidence of all that a message says, in bits. Otherwise a reading
        that says a place outranks one that only names an integer; among equals the NPMI of the weakest entry
        decides.
        """
        distinct, which = distinct_rows(messages)
        weigh, score = self._reader.weighing(distinct), np.zeros(candidates.shape)
        for rows in blocks(len(messages), _BLOCK):
            columns = candidate_columns(self.config, sequence[rows], candidates[rows])
            score[rows] = weigh(which[rows], columns)
        return Decoded(score, self._reader.says(distinct)[which], self._reader.margin)

    def true_of(self, messages: IntArray) -> Callable[[Columns], Mask]:
        """Return a function that tells which of the messages (M, T) are true of windows, and say a place.

        It takes the columns of windows (B, W) and returns (B, M).
        """
        return self._reader.true_of(messages)

    def read(self, message: IntArray) -> list[Reading]:
        """Return what one message (T,) says, the strongest first: for people.

        By a description it says one thing: all of its entries together.
        """
        return self._reader.read(message)
