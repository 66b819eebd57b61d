"""Agents that read and speak by a lexicon: they know its rules, and nothing else.

A decoder adds up the evidence, in bits, that a message gives for what stands around each candidate. A
composer makes the message that is most probable for what the sender sees. A message consists of *pieces*:
forms at slots of a message, and words with an offset beside them. How probable a piece is for a window
follows from what its rules say, and how often it was sent.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.rules import check_column, won
from spatial_game.language.counting.counts import Source, held_out_rows
from spatial_game.language.counting.forms import OPEN, side_by_side, table_of
from spatial_game.language.counting.places import (
    Columns,
    blocks,
    candidate_columns,
    num_columns,
    window_columns,
)
from spatial_game.language.counting.rows import FloatArray, Numbers, Symbols, distinct_rows
from spatial_game.language.lexicon.entries import Entry, Rule, by_role, fits_in
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.rule_table import RuleTable
from spatial_game.recording import ANALYSED

UNSAID = -1
"""The choice, or the symbols, of what was not said."""
EQUAL_BITS = 4.0
"""Candidates fit equally well if no more bits of evidence set them apart: odds of 16 to 1."""
MOST_READ = 200_000
"""Held-out episodes that are read: more would not change the shares."""
_READ_CELLS = 1 << 24  # of the table of evidence that is made at a time
FILLER = 0
"""The symbol in slots that no piece fills."""
_CELLS = 1 << 22  # of tables that are made at a time
_ANY_SLOTS = 10  # in longer messages only pieces of neighbouring slots are put together


# --- Reading -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decoded:
    """What B messages mean by a lexicon, each with a sequence and C candidates."""

    score: FloatArray
    """(B, C), the evidence for each candidate, in bits."""

    @property
    def decided(self) -> Mask:
        """(B,), whether the message can mean any of the candidates."""
        return np.asarray((self.score > 0).any(axis=1))

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
        return np.where(self.decided, self.score.argmax(axis=1), UNSAID)


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
        for rows in blocks(len(messages), max(1, _READ_CELLS // num_columns(self.config))):
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
    columns = (*ANALYSED, "sequence", "candidates", "target_index")
    for block in (block for source in sources for block in source.blocks(columns=columns)):
        rows = held_out_rows(block)
        if block.sequence is None or block.candidates is None or block.target_index is None:
            return None
        decoded = decoder.decode(block.message[rows], block.sequence[rows], block.candidates[rows])
        found = decoded.unique & won(block.target_index[rows], decoded.choice)
        numbers += (len(found), decoded.unique.sum(), found.sum(), decoded.ambiguous.sum())
        if numbers[0] >= most:
            break
    episodes, unique, right, ambiguous = numbers.tolist()
    if episodes == 0:
        return None
    return ReadShares(episodes, unique / episodes, right / unique if unique else None, ambiguous / episodes)


# --- Speaking ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Composed:
    """B composed messages."""

    message: Symbols
    """(B, T); `FILLER` in slots that no piece fills, and `UNSAID` throughout where nothing can be said."""

    @property
    def expressed(self) -> Mask:
        """(B,), whether anything could be said."""
        return np.asarray(self.message[:, 0] != UNSAID)

    @property
    def coverage(self) -> float:
        """Share of the episodes in which something could be said; 0 without episodes."""
        return float(np.mean(self.expressed)) if len(self.message) else 0.0


class Composer:
    """Makes messages with the rules of a lexicon; it never changes them.

    `config` is the game to be played (default: the lexicon's). Raises `ValueError` for a game that is
    incompatible with the lexicon's.
    """

    def __init__(self, lexicon: Lexicon, config: GameConfig | None = None) -> None:
        self.lexicon, self.config = lexicon, lexicon.game(config)
        self.rules = RuleTable(_sure(lexicon.rules), self.config, lexicon.config)
        self.symbols, episodes = _pieces(lexicon.entries, self.config)
        self._pieces = Pieces(self.symbols, -np.log2(max(self.config.vocab_size, 1)))
        followed = self.rules.of_messages(self.symbols)
        evidence = self.rules.evidence(followed, defaults=False).astype(np.float32)
        self._by_column = np.ascontiguousarray(evidence.T)  # (columns + 1, P)
        total = max((float(episodes[rows].sum()) for rows in self._pieces.by_slots.values()), default=1.0)
        self._prior = np.log2(np.maximum(episodes, 1) / max(total, 1)).astype(np.float32)

    def compose(self, window: IntArray, rng: np.random.Generator | None = None) -> Composed:
        """Compose messages for windows (B, W), in every episode that the lexicon can express.

        The most probable message or, with `rng`, one that is drawn, each as often as it is probable. Raises
        `ValueError` for windows of another game.
        """
        window = check_column(self.config, "window", window, len(window))
        message = np.full((len(window), self.config.message_length), FILLER, dtype=np.int16)
        for rows in blocks(len(window), max(1, _CELLS // max(1, len(self.symbols)))):
            columns = window_columns(self.config, window[rows])
            score = np.asarray(sum((self._by_column[cell] for cell in columns.T), self._prior), np.float64)
            if rng is not None:  # the Gumbel-max trick
                score = score + rng.gumbel(size=score.shape) / np.log(2)
            for at, piece in self._pieces.put_together(score):
                symbols, here = self.symbols[piece], at + rows.start
                message[here] = np.where(symbols != OPEN, symbols, message[here])
            false = np.flatnonzero(self._evidence(message[rows], columns) <= 0)
            message[false + rows.start] = self._alone(columns[false], score[false])
        return Composed(message)

    def _alone(self, columns: Columns, score: FloatArray) -> Symbols:
        """Return, for each window, the message of one piece and fillers that is best and true; or `UNSAID`.

        Pieces are put together by what each says; what symbols of several say together may be false.
        """
        messages, evidence = self._of_one_piece
        true = sum(evidence[cell] for cell in columns.T) > 0  # (B, P)
        if not np.any(true):
            return np.full((len(columns), self.config.message_length), UNSAID, dtype=np.int16)
        best = np.where(true, score, -np.inf).argmax(axis=1)
        return np.where(true.any(axis=1)[:, None], messages[best], np.int16(UNSAID))

    @cached_property
    def _of_one_piece(self) -> tuple[Symbols, npt.NDArray[np.float32]]:
        """(P, T), the messages of one piece and fillers, and (columns + 1, P), their evidence."""
        messages = np.where(self.symbols == OPEN, np.int16(FILLER), self.symbols)
        evidence = self.rules.evidence(self.rules.of_messages(messages))
        return messages, np.ascontiguousarray(evidence.T, dtype=np.float32)

    def _evidence(self, message: Symbols, columns: Columns) -> FloatArray:
        """Return (B,), the evidence of whole messages for the windows that they are said of."""
        distinct, which = distinct_rows(message)
        evidence = self.rules.evidence(self.rules.of_messages(distinct))
        return np.asarray(sum(evidence[which, cell] for cell in columns.T))


class Pieces:
    """P pieces of messages, and how they are put together. A set of slots is a number with a bit for each."""

    def __init__(self, symbols: Symbols, free: float) -> None:
        """`symbols` (P, T) are `OPEN` where a piece fills no slot; `free` is the score of a free slot."""
        self.symbols, self.free = symbols, free
        slots = (symbols != OPEN) @ (1 << np.arange(symbols.shape[1]))
        self.by_slots = {int(used): np.flatnonzero(slots == used) for used in np.unique(slots)}

    def put_together(self, score: FloatArray) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield (rows, pieces) for scores (B, P): those that share no slot and, with free slots, score most.

        The best way to fill a set of slots begins with a piece that fills the first one, or leaves it free.
        """
        every = np.arange(len(score))
        best = {used: rows[score[:, rows].argmax(axis=1)] for used, rows in self.by_slots.items()}

        @functools.cache
        def filled(slots: int) -> tuple[FloatArray, Numbers]:
            """Return the best scores of these slots (B,), and the slots of the first piece: 0 for none."""
            total, begin = np.zeros(len(score)), np.zeros(len(score), dtype=np.int64)
            if not slots:
                return total, begin
            first = _first(slots)
            total = filled(slots ^ first)[0] + self.free
            for used in self.by_slots:
                if used & first and not used & ~slots:
                    found = filled(slots ^ used)[0] + score[every, best[used]]
                    begin = np.where(found > total, used, begin)
                    total = np.maximum(found, total)
            return total, begin

        left = [((1 << self.symbols.shape[1]) - 1, every)]
        while left:
            slots, rows = left.pop()
            begin = filled(slots)[1][rows]
            for used in np.unique(begin).tolist():
                here = rows[begin == used]
                if used:
                    yield here, best[used][here]
                if rest := slots ^ (used or _first(slots)):
                    left.append((rest, here))


def _first(slots: int) -> int:
    """Return the first of a set of slots, as a set."""
    return slots & -slots


def _sure(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules to speak by: those that are more often true than false.

    Others can be about a few exceptions of another rule. Then a message would be sent for what it hardly
    ever means.
    """
    return tuple(rule for rule in rules if rule.probability > 0.5)


def _pieces(entries: tuple[Entry, ...], config: GameConfig) -> tuple[Symbols, FloatArray]:
    """Return the distinct pieces (P, T), `OPEN` where any symbol may stand, and the episodes of each (P,).

    The episodes of a form, or of a word with an offset, are spread over the ways to write it.
    """
    sound = (entry for entry in entries if entry.count > 0 and fits_in(entry.form, config))
    others, words, offsets = by_role(sound)
    forms = table_of([entry.form for entry in (*others, *words, *offsets)], config.message_length)
    episodes = np.array([entry.episodes for entry in (*others, *words)], dtype=np.float64)
    named = np.array([entry.count for entry in offsets], dtype=np.float64)
    form, slot = forms.placed()
    written = forms.written(form, slot)
    alone = np.flatnonzero(form < len(episodes))
    of_word, of_offset = alone[form[alone] >= len(others)], np.flatnonzero(form >= len(episodes))
    one, other = side_by_side(written[of_word], written[of_offset])
    one, other = of_word[one], of_offset[other]
    beside = episodes[form[one]] * named[form[other] - len(episodes)] / max(named.sum(), 1)
    piece = np.concatenate([form[alone], len(forms) * (form[one] + 1) + form[other]])
    _, which, ways = np.unique(piece, return_inverse=True, return_counts=True)
    of_way = np.concatenate([episodes[form[alone]], beside]) / ways[which]
    rows = np.concatenate([written[alone], np.maximum(written[one], written[other])])
    symbols, which = distinct_rows(rows.astype(np.int64) - OPEN)
    most = np.zeros(len(symbols))
    np.maximum.at(most, which, of_way)
    found = (symbols + OPEN).astype(np.int16)
    kept = (config.message_length <= _ANY_SLOTS) | _connected(found != OPEN)
    return found[kept], most[kept]


def _connected(closed: Mask) -> Mask:
    """Return which pieces have all their symbols side by side."""
    edges = np.abs(np.diff(closed.astype(int), axis=1, prepend=0, append=0)).sum(axis=1)
    return np.asarray(edges == 2)
