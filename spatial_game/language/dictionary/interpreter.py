"""The interpreter of a dictionary: it says in words what messages mean."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from spatial_game.errors import UserError
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.counts import Counts
from spatial_game.language.counting.rows import UNKNOWN, Numbers
from spatial_game.language.dictionary.belief import Belief
from spatial_game.language.dictionary.classes import Classes, InFull
from spatial_game.language.dictionary.dictionary import Dictionary, require_dictionary
from spatial_game.language.dictionary.entries import Entry, left_by_other_cells, sets_of, two_way_divergence
from spatial_game.language.dictionary.readings import Reading, Statement
from spatial_game.language.dictionary.senses import Stated, reading_of
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.dictionary.thresholds import LEAST_BITS
from spatial_game.memory import chunks
from spatial_game.proportions import Proportion


class Interpreter:
    """Says what the messages of a language mean. Its tables are made when they are first used."""

    def __init__(self, dictionary: Dictionary) -> None:
        require_dictionary(dictionary)
        self.dictionary, self._sets = dictionary, sets_of(dictionary)

    @cached_property
    def symbols(self) -> list[Entry]:
        """The listed entries of symbols."""
        return self._sets.symbols

    @cached_property
    def messages(self) -> list[Entry]:
        """The listed entries of messages."""
        return self._sets.messages

    @cached_property
    def classes(self) -> Classes:
        """The names of long sets that several symbols say."""
        return Classes(self.dictionary, self.symbols)

    @cached_property
    def in_full(self) -> InFull:
        """The same, and each set without a name has its members."""
        return InFull(self.classes)

    def read(self, messages: IntArray) -> list[Reading]:
        """Return what each of the messages (B, T) says, known or not.

        It speaks of the cells of which it, or one of its symbols, has a listed entry.

        Raises `ValueError` for messages of another length, and for symbols that the game does not have.
        """
        messages = check_messages(messages, self.dictionary.config, len(messages))
        parts = chunks(len(messages), 16 * self.dictionary.columns.size)
        return [reading for rows in parts for reading in self._read(messages[rows])]

    def _read(self, messages: IntArray) -> list[Reading]:
        dictionary, rows = self.dictionary, self.dictionary.rows(messages)
        episodes = np.where(rows >= 0, dictionary.episodes[rows], 0)
        of_view = len(dictionary.config.offsets)
        tells_view = np.zeros(len(messages), dtype=bool)
        if of_view in dictionary.informative:
            tells_view = self._sets.speak_of(of_view, messages, rows)
        stated = self._stated(messages, rows, episodes)
        views = dictionary.variables[of_view].by_messages(messages, rows)
        return [
            reading_of(dictionary.config, view, said, tells_view=bool(tells), episodes=number)
            for view, said, tells, number in zip(views, stated, tells_view, episodes.tolist(), strict=True)
        ]

    def _stated(self, messages: IntArray, rows: Numbers, episodes: Numbers) -> list[list[Stated]]:
        """Return what each of the messages (B, T) states of cells, by rows and numbers of episodes (B,).

        By chance, a set is true as often as what is said of the other cells leaves it: in a small game, an
        integer that stands at another offset does not stand here.
        """
        tables = self.dictionary.tables(messages)
        tables.pop(len(self.dictionary.config.offsets), None)
        left, found = left_by_other_cells(tables), list[list[Stated]]([] for _ in messages)
        for index, p in tables.items():
            variable = self.dictionary.variables[index]
            members, stable = self._sets.members(index, messages, rows, p)
            truth = variable.truth(p, rows, members, stable, episodes)
            meant = variable.meant(rows, members, episodes, truth)
            by_chance = (left[index] * members).sum(axis=1)
            bits = np.where(truth[0] > by_chance, two_way_divergence(truth[0], by_chance), 0.0)
            for row in np.flatnonzero(
                self._sets.speak_of(index, messages, rows) & (bits >= LEAST_BITS)
            ).tolist():
                statement = Statement(index, tuple(np.flatnonzero(members[row]).tolist()))
                beliefs = (
                    Belief(float(mean[row]), float(variance[row])) for mean, variance in (truth, meant)
                )
                found[row].append(Stated(statement, float(bits[row]), *beliefs))
        return found

    def text(self, message: IntArray | Sequence[int], window: IntArray | Sequence[int] | None = None) -> str:
        """Return what a message (T,) says, in a line; with a window (W,), also whether it is untrue there.

        Raises `ValueError` for a message or a window of another length, and for symbols that the game does
        not have.
        """
        config = self.dictionary.config
        if window is not None and len(window) != config.window_size:
            raise UserError(
                f"window must have {config.window_size} cells, as the dictionary's; got {len(window)}"
            )
        [reading] = self.read(np.array([message]))
        true = window is None or not reading.senses or reading.true_of(np.array([window]))[0]
        return f"{reading_text(reading, self.classes)}{'' if true else ' (untrue here)'}"

    def entries_in(self, message: IntArray) -> list[Entry]:
        """Return the listed entries of the symbols of a message (T,), then those of the whole."""
        sent = tuple(message.tolist())
        symbols = [entry for entry in self.symbols if entry.ngram.symbols == sent[entry.ngram.slot :][:1]]
        return symbols + [entry for entry in self.messages if entry.ngram.symbols == sent]

    def legend(self, text: str) -> list[str]:
        """Return what the classes in a text stand for: `class 0: 0, 3, 5-9 or 12`, a line for each."""
        lines = self.classes.legend if "class " in text else []
        return [line for line in lines if re.search(rf"\b{line.partition(':')[0]}\b", text)]


@functools.lru_cache(maxsize=4)  # a page also reads the beginnings of messages
def interpreter(dictionary: Dictionary) -> Interpreter:
    """Return the interpreter of a dictionary; the same one each time, as its tables take a moment."""
    return Interpreter(dictionary)


def true_by_symbols(counts: Counts, dictionary: Dictionary) -> Proportion:
    """Return how often readings by symbols are true: of held-out episodes with messages that are not known.

    Raises `ValueError` for counts without sources.
    """
    unknown, num_true, num_read = dictionary.rows(counts.messages) == UNKNOWN, 0, 0
    for ids, window, held_out, _ in counts.episodes("what symbols say is compared with"):
        rows = np.flatnonzero(held_out & unknown[ids])
        for row, reading in zip(rows, interpreter(dictionary).read(counts.messages[ids[rows]]), strict=True):
            if reading.senses:
                num_true += int(reading.true_of(window[row : row + 1]).sum())
                num_read += 1
    return Proportion(num_true, num_read)
