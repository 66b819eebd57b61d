"""Counts of messages and of what the sender saw. All later analysis uses them.

All counts are numbers of episodes. Sums over whole messages and offsets give the counts of n-grams and of
integers at any offset, because an integer stands at only one offset of a window.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from html import escape
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.checks import kind_of
from spatial_game.config import GameConfig, require_one_game
from spatial_game.errors import UserError, UserTypeError
from spatial_game.game.episodes import IntArray, Mask
from spatial_game.game.rules import won
from spatial_game.language.counting.columns import columns_of
from spatial_game.language.counting.rows import Numbers, distinct_rows, find_rows, sum_rows
from spatial_game.memory import require_memory
from spatial_game.recording import (
    ANALYSED,
    NOBODY,
    Paths,
    Recording,
    RecordingFile,
    recording_parts,
    symbol_names,
)
from spatial_game.tables import Table
from spatial_game.text import counted

HELD_OUT = 10
"""Every tenth row is held out: the dictionary is built from the others, and measured on the held-out ones."""
SHOWN = 10
"""Messages that a notebook shows."""
MOST_KEPT = 1 << 29
"""The largest part of a recording that is kept in memory where its episodes are needed again: 512 MiB."""
_READ_AGAIN = (*ANALYSED, "target_index", "choice")

Source: TypeAlias = Recording | RecordingFile
"""A source of episodes that can be read again, in memory or on disk."""


class Block(NamedTuple):
    """Some episodes that are read again."""

    message: npt.NDArray[np.intp]  # (B,), the rows of their messages
    window: IntArray  # (B, W)
    held_out: Mask  # (B,)
    right: IntArray  # (B,), whether the receiver was right: 1, 0, or `NOBODY` if the recording does not say


@dataclass(eq=False)
class Counts:
    """Numbers of episodes by message and by what the window showed. Counts of the same game can be added."""

    config: GameConfig
    messages: IntArray  # (M, T), the distinct messages, in lexicographic order
    table: sp.csr_array[Any]  # (M, columns), episodes with each message and column: see `Columns`
    held_out: sp.csr_array[Any]  # (M, columns), the held-out episodes in `table`
    sources: tuple[Source, ...] = ()
    """The episodes themselves, for counts that the table does not have (offsets, polysemy, senses)."""
    _kept: Sequence[Block] = field(default=(), init=False, repr=False)
    """The episodes that were read again, if they have at most `MOST_KEPT` bytes."""

    @cached_property
    def integers_at(self) -> sp.csr_array[Any]:
        """(M, O*N), episodes with each message and integer k at offsets[o]: column o*N + k."""
        return self.table[:, columns_of(self.config).of_integers]

    @cached_property
    def edges(self) -> Numbers:
        """(M, W - 1), episodes with each message and edge."""
        views, edge = self._views.tocoo(), columns_of(self.config).edge_of_view
        shape = len(self.messages), self.config.window_size
        by_edge = sp.csr_array((views.data, (views.row, edge[views.col])), shape=shape)
        return np.asarray(by_edge[:, :-1].toarray())

    @cached_property
    def integers_visible(self) -> sp.csr_array[Any]:
        """(M, N), episodes with each message and integer, at any offset of the window."""
        table = self.integers_at.tocoo()
        _, integer = columns_of(self.config).decode(table.col)
        shape = len(self.messages), self.config.num_integers
        return sp.csr_array((table.data, (table.row, integer)), shape=shape)

    @cached_property
    def message_totals(self) -> Numbers:
        """(M,), episodes with each message."""
        return np.asarray(self._views.sum(axis=1), dtype=np.int64)

    @property
    def _views(self) -> sp.csr_array[Any]:
        """(M, V), episodes with each message and view."""
        return self.table[:, columns_of(self.config).of_views]

    @property
    def total(self) -> int:
        """Number of episodes."""
        return int(self.message_totals.sum())

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the messages that are sent most."""
        order = np.argsort(-self.message_totals, kind="stable")[:SHOWN]
        names = np.array(symbol_names(self.config, self.provenance))
        rows = ((" ".join(names[self.messages[i]]), int(self.message_totals[i])) for i in order)
        table = Table.of("Sent most | Episodes :,", rows).to_html()
        number = f"{counted(len(self.messages), 'message')}, {counted(self.total, 'episode')}"
        return f"<b>Counts</b> of {number}: {escape(self.config.signature)}{table}"

    @cached_property
    def provenance(self) -> tuple[Mapping[str, Any], ...]:
        """The different origins that the sources name: seeds, versions, hashes of weights."""
        distinct = {json.dumps(s.provenance, sort_keys=True): s.provenance for s in self.sources}
        return tuple(origin for origin in distinct.values() if origin)

    @cached_property
    def building(self) -> sp.csr_array[Any]:
        """(M, columns), the episodes in `table` that are not held out."""
        return sp.csr_array(self.table - self.held_out)

    def episodes(self, purpose: str) -> Iterator[Block]:
        """Yield the episodes again, block by block.

        They are read once more, and kept in memory up to `MOST_KEPT` bytes; larger files are read each time.
        Raises `ValueError`, which begins with `purpose`, if the counts have no sources.
        """
        if not self.sources:
            raise UserError(f"{purpose} the episodes; got counts without sources")
        if self._kept:
            yield from self._kept
            return
        kept: list[Block] = []
        size = 0
        for block in (block for source in self.sources for block in source.blocks(columns=_READ_AGAIN)):
            message = message_ids(self, block.message)
            part = Block(message, block.window, _held_out(block), _right(block))
            size += sum(array.nbytes for array in part)
            kept = [*kept, part] if size <= MOST_KEPT else []
            yield part
        self._kept = kept

    def __add__(self, other: Counts) -> Counts:
        require_one_game("counts that add", self.config, other.config)
        both = (self, other)
        # Both and their sum; keys to sort messages; two numbers of 8 bytes for each entry of the tables.
        needed = sum(4 * each.messages.nbytes + 48 * (each.table.nnz + each.held_out.nnz) for each in both)
        most = f"up to {sum(len(each.messages) for each in both):,} different ones"
        require_memory("messages", most, needed, "count fewer episodes")
        messages, row = distinct_rows(np.concatenate([self.messages, other.messages]))
        table, held_out = (
            sp.csr_array(sum_rows(sp.vstack(tables, format="csr"), row, len(messages)))
            for tables in ([self.table, other.table], [self.held_out, other.held_out])
        )
        return Counts(self.config, messages, table, held_out, self.sources + other.sources)


def count(recording: Source | Sequence[Source]) -> Counts:
    """Count a recording, in memory or on disk (`recording_parts`), or several of one game together.

    Raises `ValueError` without recordings, and for recordings of different games or names of symbols.
    """
    sources = tuple(recording) if isinstance(recording, (list, tuple)) else (recording,)
    if not sources:
        raise UserError("at least one recording must be given; got none")
    for source in sources:
        if not hasattr(source, "blocks"):
            rule = "recording must be a Recording, or from recording_parts (count_files takes names of files)"
            raise UserTypeError(f"{rule}; got {kind_of(source)}")
        require_one_game("recordings", sources[0].config, source.config)
    symbol_names(sources[0].config, [source.provenance for source in sources])
    parts: list[Counts] = []
    for block in (block for source in sources for block in source.blocks(columns=ANALYSED)):
        parts.append(_count_block(block))
        # Parts of similar size are added to each other, so that large ones are added rarely.
        while len(parts) > 1 and len(parts[-1].messages) * 2 > len(parts[-2].messages):
            parts[-2:] = [parts[-2] + parts[-1]]
    return replace(reduce(Counts.__add__, parts), sources=sources)


def count_files(paths: Paths, *, config: GameConfig | None = None) -> Counts:
    """Count recordings on disk, of one game, in constant memory. `config` is for files without one.

    Raises `RecordingError` for files that cannot be read.
    """
    return count(recording_parts(paths, config=config))


def message_ids(counts: Counts, messages: IntArray) -> npt.NDArray[np.intp]:
    """Return, for each message (B, T), its row in `counts.messages`, or `UNKNOWN`."""
    return find_rows(counts.messages, messages, counts.config.vocab_size)


def _held_out(block: Recording) -> Mask:
    """Return which rows of a block are held out: the last one of every ten of its file."""
    return np.asarray(block.rows % HELD_OUT == HELD_OUT - 1)


def _right(block: Recording) -> IntArray:
    """Return whether the receiver was right in each episode of a block (B,), or `NOBODY`."""
    if block.choice is None or block.target_index is None:
        return np.full(len(block), NOBODY, dtype=np.int8)
    return np.where(block.choice == NOBODY, NOBODY, won(block.target_index, block.choice)).astype(np.int8)


def _count_block(block: Recording) -> Counts:
    columns, held = columns_of(block.config), _held_out(block)
    messages, row = distinct_rows(block.message)
    column = columns.of(block.window).T
    keys, shown = row * columns.size + column, column < columns.size
    table, held_table = (_table(keys[which], len(messages), columns.size) for which in (shown, shown & held))
    return Counts(block.config, messages, table, held_table)


def _table(keys: Numbers, num_messages: int, num_columns: int) -> sp.csr_array[Any]:
    """Return how often each message and column stand together; their key is row * num_columns + column."""
    keys = keys.astype(np.min_scalar_type(num_messages * num_columns))  # short integers are sorted faster
    together, episodes = np.unique(keys, return_counts=True)
    row_ends = np.searchsorted(together, np.arange(num_messages + 1) * num_columns)
    column = (together % num_columns).astype(np.int64)
    return sp.csr_array((episodes, column, row_ends), shape=(num_messages, num_columns))
