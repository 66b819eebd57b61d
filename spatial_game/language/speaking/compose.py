"""Speaking with a dictionary: from a lexicon and what the sender sees to a message.

A phrase is a whole message that says an edge or an integer at an offset, or a pair of an integer n-gram and
an offset n-gram that stand in a message without overlapping. All phrases of a lexicon are kept as lists by
shape (where an n-gram may stand, and how long it is), so that no lexicon is too large to compose from.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import (
    Columns,
    blocks,
    num_columns,
    window_columns,
)
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import distinct_rows
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.speaking.phrases import (
    NOTHING,
    PAIR,
    PHRASE_KINDS,
    Numbers,
    Parts,
    apart,
    contradictions,
)

FloatArray = npt.NDArray[np.float64]

Choice = Literal["strongest", "random"]


@dataclass(frozen=True)
class Composed:
    """B composed messages, and what each says by which entries: exactly what was sent."""

    message: npt.NDArray[np.int16]  # (B, T); NOTHING throughout where the lexicon has no phrase
    kind: Numbers  # (B,), place in PHRASE_KINDS
    column: Numbers  # (B,), what is said, as a column of `views`
    entry: Numbers  # (B, 2), rows of `lexicon.listed`: the whole message, or integer and offset
    slot: Numbers  # (B, 2), where each stands in the message
    filled: npt.NDArray[np.bool_]  # (B, T), symbols that belong to no entry

    def __len__(self) -> int:
        return len(self.message)

    @property
    def expressed(self) -> npt.NDArray[np.bool_]:
        """(B,), whether anything could be said."""
        return np.asarray(self.kind != NOTHING)

    def put(self, rows: Numbers | slice, said: Composed) -> None:
        """Write other messages into these rows."""
        for field in dataclasses.fields(self):
            getattr(self, field.name)[rows] = getattr(said, field.name)

    def take(self, rows: npt.NDArray[Any]) -> Composed:
        """The messages of these rows or of a mask."""
        return Composed(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))

    @property
    def coverage(self) -> float:
        """Share of the episodes in which something could be said; 0 without episodes."""
        return float(np.mean(self.expressed)) if len(self) else 0.0


@dataclass(frozen=True)
class Faults:
    """Listed entries that cannot be spoken as they stand, by reason. Nothing of them is sent."""

    listed: int
    """Listed entries, sound or not."""
    misfits: int
    """Fit in no slot of a message, or hold symbols that the vocabulary has not."""
    outside: int
    """Speak of integers, offsets or edges that this game has not."""
    alone: int
    """Integer or offset n-grams with no n-gram of the other kind that fits beside them."""
    contradictory: int
    """Give a form another meaning than an entry of the same kind; both cannot hold. These are spoken."""


@dataclass(frozen=True)
class _Block:
    """The phrases of one build: n-grams of one shape at one slot, alone or with a mate."""

    kind: int
    shape: int
    slot: int
    mate_shape: int = NOTHING
    mate_slot: int = NOTHING


class Composer:
    """Makes messages from the listed entries of a lexicon, which it never changes.

    `config` is the game to be played (default: the lexicon's); `kinds` the kinds of phrases to use;
    `fillers` (T,) the symbols for slots that no entry fills (default: 0; see `common_symbols`).

    A phrase is as strong as its weakest entry, by NPMI. Raises `ValueError` for a game that the lexicon's is
    incompatible with.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        config: GameConfig | None = None,
        *,
        kinds: Collection[str] = PHRASE_KINDS,
        fillers: IntArray | None = None,
    ) -> None:
        self.lexicon, self.config = lexicon, config or lexicon.config
        fault = lexicon.config.incompatibility(self.config)
        if fault:
            raise ValueError(f"config must suit the lexicon: {fault}")
        unknown = set(kinds) - set(PHRASE_KINDS)
        if unknown:
            raise ValueError(
                f"kinds must be among {', '.join(PHRASE_KINDS)}; got {', '.join(sorted(unknown))}"
            )
        self.kinds = tuple(kind for kind in PHRASE_KINDS if kind in kinds)
        self.fillers = _checked_fillers(fillers, self.config)
        self.parts = Parts(lexicon.listed, self.config)
        self._blocks = self._all_blocks()
        self._strongest = self._compile_strongest()

    # --- Composing ------------------------------------------------------------------------------------

    def compose(
        self, window: IntArray, choice: Choice = "strongest", rng: np.random.Generator | None = None
    ) -> Composed:
        """Messages for windows (B, W), in every episode that the lexicon can express.

        Where several phrases would do, the strongest (ties: the leftmost cell of the window, then the order
        of PHRASE_KINDS), or with `choice="random"` a uniform one of them, for which `rng` is needed.
        """
        if choice not in ("strongest", "random"):
            raise ValueError(f"choice must be strongest or random; got {choice!r}")
        if choice == "strongest":
            rng = None
        elif rng is None:
            raise ValueError("choice random needs a generator in rng; got none")
        said = _silence(len(window), self.config.message_length)
        for rows in blocks(len(window)):
            columns = window_columns(self.config, window[rows])
            said.put(rows, self._choose_random(columns, rng) if rng else self._choose_strongest(columns))
        return said

    def meanings(self) -> Columns:
        """What can be said at all: columns of `views`, in order."""
        return np.flatnonzero(self._number.any(axis=0))

    def strongest(self, column: int) -> npt.NDArray[np.int16] | None:
        """The message (T,) of the strongest phrase that says a column of `views`; None if there is none."""
        strength, said = self._strongest
        return said.message[column] if strength[column] > -np.inf else None

    def _choose_strongest(self, columns: Columns) -> Composed:
        strength, said = self._strongest
        best = columns[np.arange(len(columns)), strength[columns].argmax(axis=1)]
        return said.take(np.where(strength[best] > -np.inf, best, len(strength) - 1))

    def _choose_random(self, columns: Columns, rng: np.random.Generator) -> Composed:
        per_column = np.append(self._number.sum(axis=0), 0)
        ends = per_column[columns].cumsum(axis=1)
        total = ends[:, -1]
        drawn = rng.integers(0, np.maximum(total, 1))
        spoken = np.flatnonzero(total > 0)
        columns, ends, drawn = columns[spoken], ends[spoken], drawn[spoken]
        cell = (ends <= drawn[:, None]).sum(axis=1)
        column, rows = columns[np.arange(len(spoken)), cell], np.arange(len(spoken))
        rank = drawn - ends[rows, cell] + per_column[column]
        within = self._number.cumsum(axis=0)[:, column]  # (blocks, B)
        block = (within <= rank).sum(axis=0)
        rank -= (within - self._number[:, column])[block, rows]
        said = _silence(len(total), self.config.message_length)
        said.put(spoken, self._phrases(block, column, rank))
        return said

    # --- Phrases --------------------------------------------------------------------------------------

    def phrase(
        self, entry: Numbers, mate: Numbers, rng: np.random.Generator, slots: Numbers | None = None
    ) -> Composed:
        """The messages of given entries (n,) with mates (n,), NOTHING for whole messages.

        Where a pair fits in several ways, a random one of them; where it fits in none, silence. `slots`
        (n, 2) says where entry and mate must stand, NOTHING where that is open. What is said is left open
        (`column` is NOTHING) where the entries have several integers.
        """
        parts = self.parts
        shape, mate_shape = parts.shape[entry], np.where(mate < 0, NOTHING, parts.shape[mate])
        whole = parts.kind_of_phrase[entry]
        said = _silence(len(entry), self.config.message_length)
        drawn = rng.random(len(entry))
        wanted = np.full((len(entry), 2), NOTHING) if slots is None else slots
        kinds, alike = distinct_rows(np.column_stack([whole, shape, mate_shape, wanted]) + 1)
        for number, (kind, *shapes, slot, mate_slot) in enumerate((kinds - 1).tolist()):
            rows = np.flatnonzero(alike == number)
            ways = [
                (b.slot, b.mate_slot)
                for b in self._blocks
                if [b.kind, b.shape, b.mate_shape] == [kind, *shapes]
                and slot in (NOTHING, b.slot)
                and mate_slot in (NOTHING, b.mate_slot)
            ]
            if ways:
                way = (drawn[rows] * len(ways)).astype(np.int64)
                places = np.array(ways, dtype=np.int64)[way]
                entries = np.column_stack([entry[rows], mate[rows]])
                self._write(said, rows, np.full(len(rows), kind), entries, places)
        return said

    def _phrases(self, block: Numbers, column: Numbers, rank: Numbers) -> Composed:
        """The phrases of these ranks among those of their block and column."""
        parts, made = self.parts, self._block_columns
        pair = made["mate_shape"][block] != NOTHING
        word_key = np.where(pair, parts.integer_key(column), column)
        mate_key = np.where(pair, parts.offset_key(column), 0)
        mates = np.where(pair, parts.number[made["mate_shape"][block], mate_key], 1)
        word_rank, mate_rank = np.divmod(rank, mates)
        word = parts.entry[parts.first[made["shape"][block], word_key] + word_rank]
        at = np.where(pair, parts.first[made["mate_shape"][block], mate_key] + mate_rank, 0)
        mate = np.where(pair, parts.entry[at], NOTHING)
        said = _silence(len(block), self.config.message_length)
        slots = np.column_stack([made["slot"][block], made["mate_slot"][block]])
        rows = np.arange(len(block))
        self._write(said, rows, made["kind"][block], np.column_stack([word, mate]), slots)
        said.column[:] = column
        return said

    def _write(self, said: Composed, rows: Numbers, kind: Numbers, entries: Numbers, slots: Numbers) -> None:
        """Write phrases into rows of `said`, with fillers where no entry stands."""
        said.kind[rows], said.entry[rows], said.slot[rows] = kind, entries, slots
        message = np.tile(self.fillers, (len(rows), 1))
        filled = np.ones(message.shape, dtype=bool)
        for entry, slot in zip(entries.T, slots.T, strict=True):
            for i in range(self.config.message_length):
                here = np.flatnonzero((entry != NOTHING) & (i < self.parts.length[entry]))
                message[here, slot[here] + i] = self.parts.symbols[entry[here], i]
                filled[here, slot[here] + i] = False
        said.message[rows], said.filled[rows] = message, filled

    # --- Compiling ------------------------------------------------------------------------------------

    def _all_blocks(self) -> list[_Block]:
        parts, kinds = self.parts, [PHRASE_KINDS.index(kind) for kind in self.kinds]
        whole = [
            _Block(kind, shape, slot)
            for kind in kinds if kind != PAIR
            for shape in parts.shapes_of(PHRASE_KINDS[kind])
            for slot in parts.slots(shape)
        ]  # fmt: skip
        if PAIR not in kinds:
            return whole
        pairs = itertools.product(parts.shapes_of("integer"), parts.shapes_of("offset"))
        return whole + [
            _Block(PAIR, shape, slot, mate, mate_slot)
            for shape, mate in pairs
            for slot in parts.slots(shape)
            for mate_slot in parts.slots(mate)
            if apart(slot, parts.shapes[shape][1], mate_slot, parts.shapes[mate][1])
        ]

    @cached_property
    def fitting_shapes(self) -> npt.NDArray[np.bool_]:
        """(S, S), whether an integer of one shape and an offset of another fit into a message."""
        fitting = np.zeros((len(self.parts.shapes),) * 2, dtype=bool)
        for block in self._blocks:
            if block.kind == PAIR:
                fitting[block.shape, block.mate_shape] = True
        return fitting

    @cached_property
    def _block_columns(self) -> dict[str, Numbers]:
        """The fields of the blocks as arrays."""
        names = ("kind", "shape", "slot", "mate_shape", "mate_slot")
        return {n: np.array([getattr(b, n) for b in self._blocks], dtype=np.int64) for n in names}

    @cached_property
    def _number(self) -> Numbers:
        """(blocks, columns), how many phrases of each block say each column."""
        parts = self.parts
        number = np.zeros((len(self._blocks), num_columns(self.config)), dtype=np.int64)
        for row, block in zip(number, self._blocks, strict=True):
            if block.kind == PAIR:
                offsets = parts.offsets(parts.number, block.mate_shape)
                pairs = np.outer(offsets, parts.integers(parts.number, block.shape)).reshape(-1)
                row[: len(pairs)] = pairs
            else:
                row[:] = parts.whole(parts.number, block.shape, block.kind)
        return number

    def _compile_strongest(self) -> tuple[FloatArray, Composed]:
        """The strength of the strongest phrase of each column, and the phrase; silence in the last row."""
        parts, columns = self.parts, num_columns(self.config)
        strength, best = np.full(columns + 1, -np.inf), np.full(columns + 1, NOTHING)
        for number, block in enumerate(self._blocks):
            if block.kind == PAIR:
                offsets = parts.offsets(parts.best, block.mate_shape)
                row = np.minimum.outer(offsets, parts.integers(parts.best, block.shape)).reshape(-1)
            else:
                row = parts.whole(parts.best, block.shape, block.kind)
            better = np.flatnonzero(row > strength[: len(row)])
            strength[better], best[better] = row[better], number
        said = _silence(columns + 1, self.config.message_length)
        spoken = np.flatnonzero(best != NOTHING)
        said.put(spoken, self._phrases(best[spoken], spoken, np.zeros(len(spoken), dtype=np.int64)))
        return strength, said

    @cached_property
    def faults(self) -> Faults:
        """What is wrong with the listed entries, counted."""
        used = {shape for b in self._blocks for shape in ((b.kind, b.shape), (b.kind, b.mate_shape))}
        parts = self.parts
        paired = [
            (PAIR, int(shape)) in used
            for shape, kind in zip(parts.shape, parts.kind, strict=True)
            if kind in ("integer", "offset") and shape != NOTHING
        ]
        listed = self.lexicon.listed
        return Faults(len(listed), parts.misfits, parts.outside, paired.count(False), contradictions(listed))


def common_symbols(counts: Counts) -> npt.NDArray[np.int16]:
    """(T,), the symbol most often sent in each slot: fillers for slots that no entry fills."""
    vocab_size = counts.config.vocab_size
    totals = counts.message_totals.astype(np.float64)
    each = [np.bincount(slot, weights=totals, minlength=vocab_size).argmax() for slot in counts.messages.T]
    return np.array(each, dtype=np.int16)


def _silence(size: int, message_length: int) -> Composed:
    return Composed(
        message=np.full((size, message_length), NOTHING, dtype=np.int16),
        kind=np.full(size, NOTHING),
        column=np.full(size, NOTHING),
        entry=np.full((size, 2), NOTHING),
        slot=np.full((size, 2), NOTHING),
        filled=np.zeros((size, message_length), dtype=bool),
    )


def _checked_fillers(fillers: IntArray | None, config: GameConfig) -> npt.NDArray[np.int16]:
    given = np.zeros(config.message_length, dtype=np.int16) if fillers is None else np.asarray(fillers)
    if given.shape != (config.message_length,):
        raise ValueError(f"fillers must have shape ({config.message_length},); got {given.shape}")
    if given.min() < 0 or given.max() >= config.vocab_size:
        raise ValueError(f"fillers must be in 0..{config.vocab_size - 1}; got {given.tolist()}")
    return given.astype(np.int16)
