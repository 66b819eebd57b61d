"""What the entries of a description say of windows, as evidence in bits.

A *statement* is what one entry of a message says of one place or, of a word for integers with a word for
their offset beside it, what the two say together. Let c be its confidence, and p the share of the game's
windows in which it holds. It is evidence of log2(c / p) bits for a window in which it holds, and of
log2((1 - c) / (1 - p)) bits for another one. A message means the sum of its statements. The k parts of an
entry are taken to be equally sure: each has the k-th root of the entry's confidence.

*Senses*, meanings of one form that exclude each other, are alternatives, and statements as wholes: where one
holds, it counts alone; where none does, what their confidence leaves counts.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.language.counting.columns import (
    Columns,
    edge_column,
    integer_column,
    num_columns,
)
from spatial_game.language.counting.forms import Form, Occurrences, apart, occurrences, table_of
from spatial_game.language.counting.rows import FloatArray, Numbers, join
from spatial_game.language.dictionary.chance import numbered, shares
from spatial_game.language.dictionary.fitting import band_weights
from spatial_game.language.dictionary.lexicon import Entry
from spatial_game.language.dictionary.referents import Edge, Integer, IntegerAt, Offset, Part, parts_of
from spatial_game.language.players.phrases import fits_in

_NO_FORM = Form((), None)
_IMPOSSIBLE = 1e-11  # a smaller share is 0, but for rounding
_SURE = 1e-9  # shares and confidences are at least so far from 0 and 1


@dataclass(frozen=True)
class WeighedStatement:
    """A part of what an entry says, a sense, or a word for integers and that for their offset together."""

    parts: tuple[Part, ...]
    entries: tuple[int, ...]
    """Rows of the listed entries."""
    confidence: float
    episodes: float
    """Episodes that had the form."""


class Evidence:
    """The statements that listed entries of a description make in a game.

    An entry is *sound* if its form fits into a message, if the game has what it means, and if that was ever
    so; the others say nothing. Integers that a smaller game does not have are left out of sets.
    """

    def __init__(self, listed: Sequence[Entry], config: GameConfig) -> None:
        self.config, self.listed = config, listed
        meant = [_in_game(entry, config) for entry in listed]
        fits = [fits_in(entry.form, config) for entry in listed]
        self.misfits, self.outside = fits.count(False), meant.count(())
        seen = [entry.count > 0 and entry.confidence > 0 for entry in listed]
        self.sound = np.array([all(each) for each in zip(fits, meant, seen, strict=True)], dtype=bool)
        forms = [entry.form if good else _NO_FORM for entry, good in zip(listed, self.sound, strict=True)]
        self.forms = table_of(forms, config.message_length)
        self._form = numbered(forms)
        self.words = self.sound & _is_one(meant, Integer)
        self.offsets = self.sound & _is_one(meant, Offset)
        wholes = self._wholes(meant)
        senses = self._senses_among(wholes)
        self.statements, self.senses, self._of_whole = _in_parts(wholes, senses)
        self._bits, self._full = self._bit_table()
        self._ends = self._end_table()
        self.base, self.gain = self._weighed()

    @property
    def alone(self) -> int:
        """Words for offsets in a description without words for integers, or the other way round."""
        lonely = self.words if not self.offsets.any() else self.offsets if not self.words.any() else None
        return 0 if lonely is None else int(lonely.sum())

    # --- What messages say -----------------------------------------------------------------------------

    def of_messages(self, messages: IntArray) -> sp.csr_array[Any]:
        """Return (M, S): which statements the messages (M, T) make. A symbol of -1 is open."""
        found = self.occurrences(messages)
        places = self.offsets[found.form]
        word, place, message = self._pairs(found.take(self.words[found.form]), found.take(places))
        named = found.take(~places)
        size = len(self.listed)
        paired = np.isin(named.message * size + self._form[named.form], message * size + self._form[word])
        named = named.take(~(self.words[named.form] & paired))
        rows = np.concatenate([named.message, message])
        columns = np.concatenate([self._alone[named.form], self._together[word] + self._rank[place]])
        shape = (len(messages), self._of_whole.shape[0])
        said = sp.csr_array((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)
        said.data[:] = 1  # a form that stands twice says the same thing once
        in_parts: sp.csr_array[Any] = said @ self._of_whole
        return in_parts

    def occurrences(self, messages: IntArray) -> Occurrences:
        """Return every place in messages (M, T) where a sound entry stands; `form` is the entry."""
        sound = np.flatnonzero(self.sound)
        closed = np.where(np.asarray(messages) < 0, self.config.vocab_size, messages)
        found = occurrences(self.forms.take(sound), closed)
        return dataclasses.replace(found, form=sound[found.form])

    def _pairs(self, words: Occurrences, places: Occurrences) -> tuple[Numbers, Numbers, Numbers]:
        """Return (word, offset, message) of the strongest pair in each message, with all of its senses."""
        one, other = join(words.message, places.message)
        words, places = words.take(one), places.take(other)
        beside = apart(words.slot, words.length, places.slot, places.length)
        words, places = words.take(beside), places.take(beside)
        npmi = np.array([entry.npmi for entry in self.listed])
        strength = np.minimum(npmi[words.form], npmi[places.form])
        order = np.lexsort((places.form, words.form, -strength, words.message))
        first = np.flatnonzero(np.diff(words.message[order], prepend=-1))
        best = np.repeat(order[first], np.diff([*first, len(order)]))
        same = (self._form[words.form[order]] == self._form[words.form[best]]) & (
            self._form[places.form[order]] == self._form[places.form[best]]
        )
        kept = order[same]
        return words.form[kept], places.form[kept], words.message[kept]

    # --- What they mean for windows ---------------------------------------------------------------------

    def of_candidates(self, said: sp.csr_array[Any], columns: Columns) -> FloatArray:
        """Return (B, C), the evidence of messages for windows of their own.

        The messages make statements `said` (B, S); the windows have `columns` (B, C, W).
        """
        owner, statement = np.repeat(np.arange(said.shape[0]), np.diff(said.indptr)), said.indices
        there = self._bits[statement[:, None], columns[:, :, 0][owner]]
        for cell in range(1, columns.shape[2]):
            there |= self._bits[statement[:, None], columns[:, :, cell][owner]]
        gain = self.gain[statement][:, None]
        if self._ends is not None:
            gain = gain + self._ends[statement[:, None, None], columns[owner]].sum(axis=2)
        gain = np.where(there == self._full[statement][:, None], gain, 0.0)
        shape = (said.shape[0], len(owner))
        total = sp.csr_array((np.ones(len(owner)), np.arange(len(owner)), said.indptr), shape=shape)
        return np.asarray(total @ gain + (said @ self.base)[:, None])

    def of_windows(self, said: sp.csr_array[Any], columns: Columns) -> npt.NDArray[np.float32]:
        """Return (B, M), the evidence of messages that make statements `said` (M, S), for windows (B, W)."""
        by_column = self._bits_by_column
        there = by_column[columns[:, 0]]
        for column in columns.T[1:]:
            there |= by_column[column]
        gain = np.where(there == self._full, self.gain.astype(np.float32), np.float32(0))
        if self._ends is not None:
            by_column = self._ends_by_column
            gain += (there == self._full) * sum(by_column[column] for column in columns.T)
        return np.asarray(gain @ said.T.tocsr() + (said @ self.base).astype(np.float32))

    # --- Compiling -------------------------------------------------------------------------------------

    def _wholes(self, meant: Sequence[tuple[Part, ...]]) -> list[WeighedStatement]:
        """Return what single entries say, then what words say with each of the offsets.

        `_alone` (E,) and `_together` (E,) are where those of an entry start, `_rank` (E,) numbers offsets.
        """
        single = np.flatnonzero(self.sound & ~self.offsets)
        words, places = np.flatnonzero(self.words), np.flatnonzero(self.offsets)
        self._alone, self._together, self._rank = np.zeros((3, len(self.listed)), dtype=np.int64)
        self._alone[single] = np.arange(len(single))
        self._together[words] = len(single) + len(places) * np.arange(len(words))
        self._rank[places] = np.arange(len(places))
        said = []
        for row in single.tolist():
            entry = self.listed[row]
            said.append(WeighedStatement(meant[row], (row,), entry.confidence, _episodes(entry)))
        for word in words.tolist():
            for place in places.tolist():
                (integers,), (offset,) = meant[word], meant[place]
                one, other = self.listed[word], self.listed[place]
                part = IntegerAt(integers.values, offset.value)  # type: ignore[union-attr]
                episodes = (
                    _episodes(one) * other.count / max(sum(self.listed[p].count for p in places.tolist()), 1)
                )
                said.append(
                    WeighedStatement((part,), (word, place), one.confidence * other.confidence, episodes)
                )
        return said

    def _bit_table(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return (S, columns+1), a bit for each part that a column makes true, and (S,) all bits."""
        most = max((len(each.parts) for each in self.statements), default=1)
        kind = next(t for t in (np.uint8, np.uint16, np.uint32, np.uint64) if most <= np.iinfo(t).bits)
        bits = np.zeros((len(self.statements), num_columns(self.config) + 1), dtype=kind)
        full = np.array([2 ** len(each.parts) - 1 for each in self.statements], dtype=kind)
        for row, each in zip(bits, self.statements, strict=True):
            for i, part in enumerate(each.parts):
                row[columns_of(part, self.config)] |= kind(2**i)
        return bits, full

    def _end_table(self) -> npt.NDArray[np.float32] | None:
        """Return (S, columns+1), the bits that an end of a band counts more or less; None without any.

        The integers of a band count less at its ends, and so much more between them that on average over the
        game's windows all is as if they counted alike.
        """
        if all(entry.ends is None for entry in self.listed):
            return None
        table = np.zeros(self._bits.shape, dtype=np.float32)
        for row, each in zip(table, self.statements, strict=True):
            entry = self.listed[each.entries[0]]
            bands = [part for part in parts_of(entry.referent) if isinstance(part, IntegerAt)]
            for part in each.parts:
                for band, ends in zip(bands, entry.ends or (), strict=False):
                    if isinstance(part, IntegerAt) and part.offset == band.offset:
                        weight = dict(zip(band.values, band_weights(len(band.values), ends), strict=True))
                        own = np.array([weight[value] for value in part.values])
                        row[columns_of(part, self.config)] = np.log2(own / own.mean())
        return table

    @cached_property
    def _ends_by_column(self) -> npt.NDArray[np.float32]:
        assert self._ends is not None
        return np.ascontiguousarray(self._ends.T)

    @cached_property
    def _bits_by_column(self) -> npt.NDArray[Any]:
        return np.ascontiguousarray(self._bits.T)

    def _weighed(self) -> tuple[FloatArray, FloatArray]:
        """Return (S,) the bits that a statement counts anyway, and those by which more where it holds."""
        n = np.array([each.episodes for each in self.statements])
        sure = np.array([each.confidence for each in self.statements])
        sure = np.clip((sure * n + 0.5) / (n + 1), _SURE, 1 - _SURE)
        share = np.clip(shares([e.parts for e in self.statements], self.config), _SURE, 1 - _SURE)
        base, gain = np.log2((1 - sure) / (1 - share)), np.log2(sure / share)
        for senses in self.senses:
            left = max(1 - sure[senses].sum(), _SURE), max(1 - share[senses].sum(), _SURE)
            base[senses] = 0.0
            base[senses[0]] = math.log2(left[0] / left[1])
            gain[senses] -= base[senses[0]]
        others = np.ones(len(n), dtype=bool)
        others[[row for senses in self.senses for row in senses]] = False
        gain[others] -= base[others]
        return base, gain

    def _senses_among(self, wholes: Sequence[WeighedStatement]) -> list[list[int]]:
        """Return those of one form, or pair of forms, that exclude each other. Mere names exclude nothing."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, each in enumerate(wholes):
            if not any(isinstance(part, Integer) for part in each.parts):
                groups.setdefault(tuple(self._form[list(each.entries)].tolist()), []).append(row)
        both = [(a, b) for rows in groups.values() for i, a in enumerate(rows) for b in rows[i + 1 :]]
        together = shares([wholes[a].parts + wholes[b].parts for a, b in both], self.config)
        exclusive = {pair for pair, share in zip(both, together, strict=True) if share < _IMPOSSIBLE}
        found: list[list[int]] = []
        for rows in groups.values():
            own: list[list[int]] = []
            for row in rows:
                fitting = (group for group in own if all((other, row) in exclusive for other in group))
                group = next(fitting, None)
                if group is None:
                    own.append([row])
                else:
                    group.append(row)
            found += [group for group in own if len(group) > 1]
        return found


def _in_parts(
    wholes: Sequence[WeighedStatement], senses: Sequence[Sequence[int]]
) -> tuple[list[WeighedStatement], list[list[int]], sp.csr_array[Any]]:
    """Return the statements, the rows of senses among them, and (wholes, S) which belong to which."""
    kept = {row for group in senses for row in group}
    found: list[WeighedStatement] = []
    first = []
    for row, whole in enumerate(wholes):
        first.append(len(found))
        if row in kept:
            found.append(whole)
            continue
        sure = whole.confidence ** (1 / len(whole.parts))
        found += [dataclasses.replace(whole, parts=(part,), confidence=sure) for part in whole.parts]
    starts = np.array([*first, len(found)])
    ones = np.ones(len(found), dtype=np.float32)
    table = sp.csr_array((ones, np.arange(len(found)), starts), shape=(len(wholes), len(found)))
    return found, [[first[row] for row in group] for group in senses], table


def columns_of(part: Part, config: GameConfig) -> list[int]:
    """Return the columns of windows that make a part true; none for an offset without an integer."""
    if isinstance(part, Edge):
        return [edge_column(config, part.name)]
    if isinstance(part, IntegerAt):
        return [integer_column(config, value, part.offset) for value in part.values]
    if isinstance(part, Integer):
        return [integer_column(config, value, offset) for offset in config.offsets for value in part.values]
    return []


def _in_game(entry: Entry, config: GameConfig) -> tuple[Part, ...]:
    """Return what an entry means in a game; nothing if the game lacks a part of it."""
    parts = [_part_in_game(part, config) for part in parts_of(entry.referent)]
    return tuple(part for part in parts if part is not None) if None not in parts else ()


def _part_in_game(part: Part, config: GameConfig) -> Part | None:
    if isinstance(part, Edge):
        return part if part.name in config.edges else None
    if isinstance(part, Offset):
        return part if part.value in config.offsets else None
    values = tuple(value for value in part.values if value in config.integers)
    known = not isinstance(part, IntegerAt) or part.offset in config.offsets
    return dataclasses.replace(part, values=values) if values and known else None


def _is_one(meant: Sequence[tuple[Part, ...]], kind: type) -> Mask:
    """Return which meanings have a single part, of this kind."""
    return np.array([len(parts) == 1 and isinstance(parts[0], kind) for parts in meant], dtype=bool)


def _episodes(entry: Entry) -> float:
    return entry.count / max(entry.confidence, _SURE)
