"""The dictionary of a language: what its symbols and messages say of each variable, as tables and in bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from spatial_game.checks import require_kind
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import Columns, columns_of
from spatial_game.language.counting.rows import UNKNOWN, FloatArray, Numbers, find_rows
from spatial_game.language.dictionary.bits import Bits
from spatial_game.language.dictionary.distinct import log2_distinct
from spatial_game.language.dictionary.variable import Variable
from spatial_game.language.signature import signature
from spatial_game.recording import symbol_names
from spatial_game.text import counted

Evidence: TypeAlias = npt.NDArray[np.float32]
"""(B, columns + 1): the bits that each message gives for each of the `Columns`.

What a message says of a window is the sum over the window's columns (`Columns.of`). The last column, of
cells that cannot be seen, is 0.
"""


@dataclass(frozen=True, eq=False)
class Dictionary:
    """What the symbols and the M known messages of a language say, by counts of episodes.

    A variable is what stands at one of `config.offsets`, or the view: see `Columns`.
    """

    config: GameConfig
    messages: IntArray  # (M, T), the known messages, in lexicographic order
    episodes: Numbers  # (M,), in how many each of them was counted
    total: int
    """Episodes that were counted, those of messages that are not known included."""
    variables: tuple[Variable, ...]  # P
    bits: Bits
    provenance: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """The different origins that the recordings name: seeds, versions, hashes of weights."""

    @property
    def signature(self) -> str:
        """Game, episodes, seeds and version in one phrase: see `language.signature`."""
        return signature(self.config, self.total, "", self.provenance)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the signature, and how much messages tell."""
        known = f"{counted(len(self.messages), 'message')}, {counted(self.total, 'episode')}"
        return f"<b>Dictionary</b> of {known}: {escape(self.signature)}<br>{escape(self.bits.text)}"

    def game(self, config: GameConfig | None) -> GameConfig:
        """Return the game to be played, by default the dictionary's. Raises `ValueError` unless both suit."""
        config = config or self.config
        fault = self.config.incompatibility(config)
        if fault is None and config.num_shown != self.config.num_shown:
            fault = (
                f"num_visible must be {self.config.num_shown}, as in its recordings; got {config.num_shown}"
            )
        if fault is not None:
            raise UserError(f"config must suit the dictionary: {fault}")
        return config

    @cached_property
    def symbol_names(self) -> tuple[str, ...]:
        """The names of the symbols: their numbers, or what an imported file has in their place."""
        return symbol_names(self.config, self.provenance)

    def spelt(self, symbols: Iterable[int]) -> str:
        """Return a message, or its beginning, by the names of its symbols."""
        return " ".join(self.symbol_names[symbol] for symbol in symbols)

    @property
    def columns(self) -> Columns:
        """The columns of its tables."""
        return columns_of(self.config)

    def rows(self, messages: IntArray) -> Numbers:
        """Return the rows of messages (B, T) among the known ones, (B,); `UNKNOWN` for others."""
        return find_rows(self.messages, messages, self.config.vocab_size)

    @cached_property
    def informative(self) -> dict[int, Variable]:
        """The variables of which messages say anything, by their indices."""
        return {index: variable for index, variable in enumerate(self.variables) if variable.informative}

    def tables(self, messages: IntArray, *, symbols_only: bool = False) -> dict[int, FloatArray]:
        """Return p (B, K) by messages (B, T), known or not, by the indices of the informative variables.

        `symbols_only`: also known messages are read by their symbols.
        """
        rows = np.full(len(messages), UNKNOWN) if symbols_only else self.rows(messages)
        return {index: variable.by_messages(messages, rows) for index, variable in self.informative.items()}

    def evidence(self, messages: IntArray) -> Evidence:
        """Return the bits that messages (B, T) give for each column, known or not."""
        rows = self.rows(messages)
        found, unknown = self.of_messages[rows], np.flatnonzero(rows == UNKNOWN)
        if len(unknown):
            found[unknown] = self._evidence(messages[unknown])
        return found

    def _evidence(self, messages: IntArray) -> Evidence:
        tables = self.tables(messages)
        found = np.zeros((len(messages), self.columns.size + 1), dtype=np.float32)
        for index, p in tables.items():
            found[:, self.columns.about(index)] = self.variables[index].bits(p)
        found[:, self.columns.of_views] -= self.repetition(tables, len(messages))
        return found

    def repetition(self, tables: Mapping[int, FloatArray], number: int) -> Evidence:
        """Return (B, V), for each view log2 of the share of windows without repetition (see `distinct`).

        `tables` are those of this `number` B of messages.
        """
        shown = self.columns.views.shown
        known = np.isin(np.arange(shown.shape[1]), [*tables])
        found = np.zeros((number, len(shown)), dtype=np.float32)
        # A cell of which nothing is said repeats no more than in the game.
        sets, view = np.unique(shown & known, axis=0, return_inverse=True)
        several = np.flatnonzero(sets.sum(axis=1) > 1).tolist()
        repeated = log2_distinct(tables, [np.flatnonzero(sets[each]).tolist() for each in several])
        for number_of_set, of_set in zip(several, repeated, strict=True):
            found[:, view.reshape(-1) == number_of_set] = of_set[:, None]
        return found

    @cached_property
    def of_messages(self) -> Evidence:
        """(M, columns + 1), what the known messages say."""
        return self._evidence(self.messages)


def require_dictionary(dictionary: object) -> None:
    """Raise `TypeError` for anything but a dictionary, such as its counts or the name of its file."""
    require_kind("dictionary", dictionary, Dictionary, "build_dictionary(counts) or read_dictionary(path)")
