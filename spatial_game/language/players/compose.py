"""Speaking with a lexicon: from what the sender sees to a message.

Phrases are kept as lists by shape (where an n-gram may stand, and how long it is), and are not written out,
so that no lexicon is too large to compose from.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import Columns, blocks, num_columns, window_columns
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.forms import apart
from spatial_game.language.counting.rows import Numbers, distinct_rows
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import KINDS
from spatial_game.language.players.choosing import Chooser
from spatial_game.language.players.evidence import Evidence
from spatial_game.language.players.phrases import (
    NOTHING,
    PAIR,
    PHRASE_KINDS,
    PhraseParts,
    contradictions,
    described,
)

Choice = Literal["strongest", "random"]


@dataclass(frozen=True)
class Composed:
    """B composed messages, and what each says by which entries: exactly what was sent."""

    message: npt.NDArray[np.int16]  # (B, T); NOTHING throughout where the lexicon has no phrase
    kind: Numbers  # (B,), place in PHRASE_KINDS
    column: Numbers  # (B,), what is said, as a column of `counting.columns`
    entry: Numbers  # (B, 2), rows of `lexicon.listed`: the whole message, or integer and offset
    slot: Numbers  # (B, 2), where each stands in the message
    filled: Mask  # (B, T), symbols that belong to no entry
    # By a description, kind, column, entry and slot are NOTHING: all entries of the message hold together.

    @classmethod
    def silence(cls, size: int, message_length: int) -> Composed:
        """Return messages in which nothing is said."""
        return cls(
            message=np.full((size, message_length), NOTHING, dtype=np.int16),
            kind=np.full(size, NOTHING),
            column=np.full(size, NOTHING),
            entry=np.full((size, 2), NOTHING),
            slot=np.full((size, 2), NOTHING),
            filled=np.zeros((size, message_length), dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.message)

    @property
    def expressed(self) -> Mask:
        """(B,), whether anything could be said."""
        return np.asarray(self.message[:, 0] != NOTHING)

    @property
    def coverage(self) -> float:
        """Share of the episodes in which something could be said; 0 without episodes."""
        return float(np.mean(self.expressed)) if len(self) else 0.0

    def put(self, rows: Numbers | slice, said: Composed) -> None:
        """Write other messages into these rows."""
        for field in dataclasses.fields(self):
            getattr(self, field.name)[rows] = getattr(said, field.name)

    def take(self, rows: npt.NDArray[Any]) -> Composed:
        """Return the messages of these rows or of a mask."""
        return Composed(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))


@dataclass(frozen=True)
class Faults:
    """Listed entries that cannot be spoken as they stand, by reason. Nothing of them is sent."""

    listed: int
    """Listed entries, sound or not."""
    misfits: int
    """Entries that fit in no slot of a message, or have symbols outside the vocabulary."""
    outside: int
    """Entries that speak of integers, offsets or edges that this game does not have."""
    alone: int
    """Integer or offset n-grams with no n-gram of the other kind that fits beside them."""
    contradictory: int
    """Entries that give a form another meaning than an entry of the same kind; both cannot hold. These are
    spoken."""


@dataclass(frozen=True)
class _Builds:
    """The n ways to build a phrase: forms of one shape at one slot, alone or with a mate."""

    kind: Numbers  # (n,), place in PHRASE_KINDS
    shapes: Numbers  # (n, 2), shapes of entry and mate; NOTHING without a mate
    slots: Numbers  # (n, 2)


class Composer:
    """Makes messages from the listed entries of a lexicon, which it never changes.

    `config` is the game to be played (default: the lexicon's); `kinds` the kinds of phrases to use;
    `fillers` (T,) the symbols for slots that no entry fills (default: 0; see `common_symbols`).

    With a description, messages are chosen by all that they say (see `choosing`). Otherwise a phrase is as
    strong as its weakest entry, by NPMI. Raises `ValueError` for a game that is incompatible
    with the lexicon's, for unknown kinds and for impossible fillers.
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
        unknown = sorted(set(kinds) - set(PHRASE_KINDS))
        if unknown:
            raise ValueError(f"kinds must be among {', '.join(PHRASE_KINDS)}; got {', '.join(unknown)}")
        self.kinds = tuple(kind for kind in PHRASE_KINDS if kind in kinds)
        self.fillers = _checked_fillers(fillers, self.config)
        if described(lexicon) and set(self.kinds) != set(PHRASE_KINDS):
            raise ValueError("kinds can be chosen for lexicons selected by npmi only; this is a description")
        self.evidence = Evidence(lexicon.listed, self.config) if described(lexicon) else None
        self._chooser = Chooser(self.evidence, self.fillers) if self.evidence else None
        self.parts = PhraseParts(() if self.evidence else lexicon.listed, self.config)
        self._builds = self._all_builds()
        self._strongest = self._compile_strongest()

    # --- Composing ------------------------------------------------------------------------------------

    def compose(
        self, window: IntArray, choice: Choice = "strongest", rng: np.random.Generator | None = None
    ) -> Composed:
        """Compose messages for windows (B, W), in every episode that the lexicon can express.

        Where several phrases would do, the strongest (ties: the leftmost cell of the window, then the order
        of PHRASE_KINDS), or with `choice="random"` a uniform one of them, for which `rng` is needed. With a
        description, the most probable message, or a random one, each as often as it is probable.
        """
        if choice not in ("strongest", "random"):
            raise ValueError(f"choice must be strongest or random; got {choice!r}")
        if choice == "strongest":
            rng = None
        elif rng is None:
            raise ValueError("choice random needs a generator in rng; got none")
        said = Composed.silence(len(window), self.config.message_length)
        for rows in blocks(len(window)):
            columns = window_columns(self.config, window[rows])
            if self._chooser:
                said.put(rows, _of_description(self._chooser, columns, rng))
            else:
                said.put(rows, self._choose_random(columns, rng) if rng else self._choose_strongest(columns))
        return said

    def strongest(self, column: int) -> npt.NDArray[np.int16] | None:
        """Return the message (T,) of the strongest phrase that says a column; None if there is none."""
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
        within = self._number.cumsum(axis=0)[:, column]  # (builds, B)
        build = (within <= rank).sum(axis=0)
        rank -= (within - self._number[:, column])[build, rows]
        said = Composed.silence(len(total), self.config.message_length)
        said.put(spoken, self._phrases(build, column, rank))
        return said

    # --- Phrases --------------------------------------------------------------------------------------

    def phrase(
        self, entry: Numbers, mate: Numbers, rng: np.random.Generator, slots: Numbers | None = None
    ) -> Composed:
        """Return the messages of given entries (n,) with mates (n,), NOTHING for whole messages.

        Where a pair fits in several ways, a random one of them; where it fits in none, silence. `slots`
        (n, 2) are the slots of entry and mate, NOTHING where they are free. What is said is left open
        (`column` is NOTHING), as the entries may have several integers.
        """
        parts, builds = self.parts, self._builds
        shapes = np.column_stack([parts.shape[entry], np.where(mate < 0, NOTHING, parts.shape[mate])])
        wanted = np.full((len(entry), 2), NOTHING) if slots is None else slots
        asked, alike = distinct_rows(np.column_stack([parts.phrase_kind[entry], shapes, wanted]) + 1)
        kind, shapes, wanted = np.split((asked - 1)[:, None], [1, 3], axis=2)
        fits = (kind[:, :, 0] == builds.kind) & (shapes == builds.shapes).all(axis=2)
        fits &= ((wanted == NOTHING) | (wanted == builds.slots)).all(axis=2)
        ways = fits.sum(axis=1)[alike]
        way = (rng.random(len(entry)) * ways).astype(np.int64)
        rows = np.flatnonzero(ways)
        build = np.argsort(~fits, axis=1, kind="stable")[alike[rows], way[rows]]
        said = Composed.silence(len(entry), self.config.message_length)
        said.put(rows, self._spell(build, np.column_stack([entry, mate])[rows], np.full(len(rows), NOTHING)))
        return said

    def _phrases(self, build: Numbers, column: Numbers, rank: Numbers) -> Composed:
        """Return the phrases of these ranks among those of their build and column."""
        parts = self.parts
        integers, offsets = parts.span["integer"].start, parts.span["offset"].start
        place, value = np.divmod(column, len(self.config.integers))
        shape, mate_shape = self._builds.shapes[build].T
        pair = mate_shape != NOTHING
        word_key = np.where(pair, integers + value, column)
        mate_key = np.where(pair, offsets + place, 0)
        mates = np.where(pair, parts.number[mate_shape, mate_key], 1)
        word_rank, mate_rank = np.divmod(rank, mates)
        word = parts.entry[parts.first[shape, word_key] + word_rank]
        at = np.where(pair, parts.first[mate_shape, mate_key] + mate_rank, 0)
        mate = np.where(pair, parts.entry[at], NOTHING)
        return self._spell(build, np.column_stack([word, mate]), column)

    def _spell(self, build: Numbers, entries: Numbers, column: Numbers) -> Composed:
        """Write phrases of entries (n, 2) by these builds (n,), with fillers where no entry stands."""
        forms = self.parts.forms
        slots = self._builds.slots[build]
        message = np.tile(self.fillers, (len(build), 1))
        filled = np.ones(message.shape, dtype=bool)
        for entry, slot in zip(entries.T, slots.T, strict=True):
            for i in range(self.config.message_length):
                here = np.flatnonzero((entry != NOTHING) & (i < forms.length[entry]))
                message[here, slot[here] + i] = forms.symbols[entry[here], i]
                filled[here, slot[here] + i] = False
        return Composed(message, self._builds.kind[build], column, entries, slots, filled)

    # --- Compiling ------------------------------------------------------------------------------------

    def _all_builds(self) -> _Builds:
        parts = self.parts
        shapes = {kind: np.unique(parts.shape[parts.of_kind(kind)]).tolist() for kind in KINDS}
        rows = [
            (PHRASE_KINDS.index(kind), shape, NOTHING, slot, NOTHING)
            for kind in self.kinds
            for shape in shapes.get(kind, [])
            for slot in parts.slots(shape)
        ]
        pairs = itertools.product(shapes["integer"], shapes["offset"])
        rows += [
            (PAIR, shape, mate, slot, mate_slot)
            for shape, mate in (pairs if "compositional" in self.kinds else ())
            for slot, mate_slot in itertools.product(parts.slots(shape), parts.slots(mate))
            if apart(slot, parts.shapes[shape][1], mate_slot, parts.shapes[mate][1])
        ]
        table = np.array(rows, dtype=np.int64).reshape(-1, 5)
        return _Builds(kind=table[:, 0], shapes=table[:, 1:3], slots=table[:, 3:])

    @cached_property
    def fitting_shapes(self) -> Mask:
        """(S, S), whether an integer of one shape and an offset of another fit into a message."""
        fitting = np.zeros((len(self.parts.shapes),) * 2, dtype=bool)
        fitting[tuple(self._builds.shapes[self._builds.kind == PAIR].T)] = True
        return fitting

    def _by_column(
        self, table: npt.NDArray[Any], combine: np.ufunc
    ) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
        """Yield, for each build, the columns that it can say, and there the values of its parts combined."""
        span = self.parts.span
        for kind, (shape, mate) in zip(self._builds.kind.tolist(), self._builds.shapes.tolist(), strict=True):
            if kind == PAIR:
                both = combine.outer(table[mate, span["offset"]], table[shape, span["integer"]])
                yield span["integer_at"], both.reshape(-1)
            else:
                columns = span[PHRASE_KINDS[kind]]
                yield columns, table[shape, columns]

    @cached_property
    def _number(self) -> Numbers:
        """(builds, columns), how many phrases of each build say each column."""
        number = np.zeros((len(self._builds.kind), num_columns(self.config)), dtype=np.int64)
        for row, (columns, phrases) in zip(
            number, self._by_column(self.parts.number, np.multiply), strict=True
        ):
            row[columns] = phrases
        return number

    def _compile_strongest(self) -> tuple[npt.NDArray[np.float64], Composed]:
        """Return the strength of the strongest phrase of each column, and the phrase; last, silence."""
        columns = num_columns(self.config)
        strength, best = np.full(columns + 1, -np.inf), np.full(columns + 1, NOTHING)
        for build, (here, found) in enumerate(self._by_column(self.parts.best, np.minimum)):
            better = here.start + np.flatnonzero(found > strength[here])
            strength[better], best[better] = found[better - here.start], build
        said = Composed.silence(columns + 1, self.config.message_length)
        spoken = np.flatnonzero(best != NOTHING)
        said.put(spoken, self._phrases(best[spoken], spoken, np.zeros(len(spoken), dtype=np.int64)))
        return strength, said

    @cached_property
    def faults(self) -> Faults:
        """Listed entries that cannot be spoken, counted by reason."""
        parts, listed = self.parts, self.lexicon.listed
        if self.evidence:
            return Faults(len(listed), self.evidence.misfits, self.evidence.outside, self.evidence.alone, 0)
        words, offsets = (parts.shape[parts.of_kind(kind)] for kind in ("integer", "offset"))
        beside = np.asarray(self.fitting_shapes.any(axis=1)), np.asarray(self.fitting_shapes.any(axis=0))
        alone = int(np.sum(~beside[0][words]) + np.sum(~beside[1][offsets]))
        return Faults(len(listed), parts.misfits, parts.outside, alone, contradictions(listed))


def _of_description(chooser: Chooser, columns: Columns, rng: np.random.Generator | None) -> Composed:
    """Return the messages that speak for these windows; silence where none does."""
    said = Composed.silence(len(columns), len(chooser.fillers))
    message, filled, evidence = chooser.choose(columns, rng)
    true = evidence > 0
    said.message[true], said.filled[true] = message[true], filled[true]
    return said


def common_symbols(counts: Counts) -> npt.NDArray[np.int16]:
    """Return (T,) the symbol most often sent in each slot: fillers for slots that no entry fills."""
    vocab_size = counts.config.vocab_size
    totals = counts.message_totals.astype(np.float64)
    each = [np.bincount(slot, weights=totals, minlength=vocab_size).argmax() for slot in counts.messages.T]
    return np.array(each, dtype=np.int16)


def _checked_fillers(fillers: IntArray | None, config: GameConfig) -> npt.NDArray[np.int16]:
    given = np.zeros(config.message_length, dtype=np.int16) if fillers is None else np.asarray(fillers)
    if given.shape != (config.message_length,):
        raise ValueError(f"fillers must have shape ({config.message_length},); got {given.shape}")
    if given.min() < 0 or given.max() >= config.vocab_size:
        raise ValueError(f"fillers must be in 0..{config.vocab_size - 1}; got {given.tolist()}")
    return given.astype(np.int16)
