"""How often messages go with what the sender saw: counted once, added, and read by everything after.

All counts are of episodes, once each. The counts of whole messages with integers at offsets hold those of
n-grams and of integers wherever they stand, as sums: an integer stands at one offset of a window only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, IntArray
from spatial_game.language.counting.forms import distinct_rows, row_keys
from spatial_game.recording import ANALYSED, Paths, Recording, recording_parts
from spatial_game.workers import run_tasks

# Cells of the table that counting by direct address may take (4 bytes each).
_DIRECT_CELLS = 1 << 25
_ROWS = 512


class Source(Protocol):
    """Where episodes can be read again: a `Recording` in memory, or a `RecordingFile`."""

    @property
    def config(self) -> GameConfig:
        """The game of the episodes."""
        ...

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Where the episodes come from."""
        ...

    @property
    def num_rows(self) -> int:
        """Number of episodes."""
        ...

    def blocks(self, *, columns: Sequence[str] | None = None) -> Iterator[Recording]:
        """The episodes, block by block."""
        ...


@dataclass(frozen=True)
class Counts:
    """Episodes by message and by what the window showed. Counts of the same game add."""

    config: GameConfig
    messages: IntArray  # (M, T), the distinct messages, in lexicographic order
    mask_columns: npt.NDArray[np.int64]  # (M, W), episodes with this message and mask column
    integers_at: sp.csr_array[Any]  # (M, 4r*N), with this message and integer k at offsets[o]: column o*N + k
    sources: tuple[Source, ...] = ()
    """The episodes themselves, for what pairs of counts cannot tell (offsets, polysemy)."""

    @property
    def total(self) -> int:
        """Number of episodes."""
        return int(self.mask_columns.sum())

    @cached_property
    def message_totals(self) -> npt.NDArray[np.int64]:
        """(M,), episodes with each message."""
        return np.asarray(self.mask_columns.sum(axis=1), dtype=np.int64)

    @cached_property
    def integers_visible(self) -> sp.csr_array[Any]:
        """(M, N), episodes with this message and this integer anywhere in the window."""
        num_integers = len(self.config.integers)
        cells = self.integers_at.tocoo()
        shape = (len(self.messages), num_integers)
        return sp.csr_array((cells.data, (cells.row, cells.col % num_integers)), shape=shape)

    @cached_property
    def reserved(self) -> npt.NDArray[np.bool_]:
        """(M,), messages that repeat one symbol, where at most two distinct messages contain that symbol.

        None where messages have a single symbol, which repeats nothing.
        """
        if self.config.message_length == 1:
            return np.zeros(len(self.messages), dtype=bool)
        ordered = np.sort(self.messages, axis=1)
        first = np.diff(ordered, axis=1, prepend=-1) != 0  # each symbol of a message once
        containing = np.bincount(ordered[first], minlength=self.config.vocab_size)
        repeats = first.sum(axis=1) == 1
        return np.asarray(repeats & (containing[ordered[:, 0]] <= 2))

    def __add__(self, other: Counts) -> Counts:
        if self.config != other.config:
            raise ValueError(
                f"counts that add must be of one game; got {self.config.signature} and "
                f"{other.config.signature}"
            )
        messages, row = distinct_rows(np.concatenate([self.messages, other.messages]))
        ones = np.ones(len(row), dtype=np.int64)
        gather = sp.csr_array((ones, (row, np.arange(len(row)))), shape=(len(messages), len(row)))
        return Counts(
            self.config,
            messages,
            gather @ np.concatenate([self.mask_columns, other.mask_columns]),
            sp.csr_array(gather @ sp.vstack([self.integers_at, other.integers_at], format="csr")),
            self.sources + other.sources,
        )


def count(recording: Source | Sequence[Source]) -> Counts:
    """Count a recording, in memory or on disk (`recording_parts`), or several of one game together."""
    sources = tuple(recording) if isinstance(recording, Sequence) else (recording,)
    return reduce(Counts.__add__, [_count_source(source) for source in sources])


def count_files(paths: Paths, *, config: GameConfig | None = None, workers: int = 1) -> Counts:
    """Count recordings on disk in flat memory. `workers` processes share the row groups.

    Raises `RecordingError` for files that cannot be read; `ValueError` for less than one worker.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1; got {workers}")
    files = recording_parts(paths, config=config)
    if workers == 1:
        return count(files)
    parts = [part for file in files for part in file.split(workers)] or files
    tasks = {str(i): (part,) for i, part in enumerate(parts)}
    counted: dict[str, Counts] = {
        done.name: done.result() for done in run_tasks(_count_source, tasks, workers)
    }
    return reduce(Counts.__add__, (counted[name] for name in tasks))


def message_ids(counts: Counts, messages: IntArray) -> npt.NDArray[np.intp]:
    """For each message (B, T), its row in `counts.messages`; -1 where it is not among them."""
    base = counts.config.vocab_size
    possible = ((messages >= 0) & (messages < base)).all(axis=1)
    if not possible.all():  # keys of other symbols would be those of other messages
        ids = np.full(len(messages), -1)
        ids[possible] = message_ids(counts, messages[possible])
        return ids
    known, asked = row_keys(counts.messages, base), row_keys(messages, base)
    if len(known) == 0:
        return np.full(len(messages), -1)
    if base**counts.config.message_length <= max(4 * len(messages), 1 << 16):
        table = np.full(base**counts.config.message_length, -1)
        table[known] = np.arange(len(known))
        return np.asarray(table[asked])
    row = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[row] == asked, row, -1)


def _count_source(source: Source) -> Counts:
    config = source.config
    space = config.vocab_size**config.message_length
    direct = 0 < space * _columns(config) <= min(_DIRECT_CELLS, 32 * source.num_rows)
    counts = (_count_directly if direct else _count_by_sorting)(source)
    return Counts(config, counts.messages, counts.mask_columns, counts.integers_at, (source,))


# --- The raw table ------------------------------------------------------------------------------------
#
# While counting, a message has a row of 4r*N + W columns: those of `integers_at`, then the mask columns.
# Each cell of a window adds one to one column, without a branch: where the integers of a cell start
# depends on the mask.


def _columns(config: GameConfig) -> int:
    return len(config.offsets) * len(config.integers) + config.window_size


def _cells(block: Recording) -> Iterator[npt.NDArray[np.int64]]:
    """For each cell of the windows, its column (B,) in the raw table."""
    window = np.ascontiguousarray(block.window.T)
    mask_column = np.zeros(len(block), dtype=np.intp)
    for column, cell in enumerate(window):
        mask_column += column * (cell == MASK)
    for starts, cell in zip(_starts(block.config), window, strict=True):
        yield starts[mask_column] + cell


def _starts(config: GameConfig) -> npt.NDArray[np.int64]:
    """(W, W), for each cell and mask column the raw column of value 0 in that cell."""
    num_integers, width = len(config.integers), config.window_size
    starts = np.zeros((width, width), dtype=np.int64)
    for cell in range(width):
        for mask in range(width):
            if cell == mask:
                starts[cell, mask] = len(config.offsets) * num_integers + mask - MASK
            else:
                starts[cell, mask] = config.offsets.index(cell - mask) * num_integers
    return starts


def _count_directly(source: Source) -> Counts:
    """Count into a table with a row for every possible message: fast where these are few.

    The paper's game has nearly 10^7 cells; to fill and read them pays from some 3 * 10^5 episodes on.
    """
    config, columns = source.config, _columns(source.config)
    cell_type = np.int32 if source.num_rows < 2**31 else np.int64
    raw = np.zeros(config.vocab_size**config.message_length * columns, dtype=cell_type)
    for block in source.blocks(columns=ANALYSED):
        keys = row_keys(block.message, config.vocab_size) * columns
        for cell in _cells(block):
            np.add.at(raw, keys + cell, raw.dtype.type(1))  # of the same type: much faster
    by_message = raw.reshape(-1, columns)
    used = np.flatnonzero(by_message[:, -config.window_size :].any(axis=1))
    # A few rows at a time: the arrays of non-zero cells then stay in a processor's cache.
    starts = range(0, len(used), _ROWS)
    parts = [_sparse(by_message[used[i : i + _ROWS], : -config.window_size]) for i in starts]
    masks = by_message[used, -config.window_size :].astype(np.int64)
    return Counts(config, _unpack(used, config), masks, sp.vstack(parts, format="csr"))


def _count_by_sorting(source: Source) -> Counts:
    """Count block by block over the messages that occur: for large spaces of messages."""
    parts: list[Counts] = []
    for block in source.blocks(columns=ANALYSED):
        parts.append(_count_block(block))
        while len(parts) > 1 and len(parts[-1].messages) * 2 > len(parts[-2].messages):
            parts[-2:] = [parts[-2] + parts[-1]]
    return reduce(Counts.__add__, parts)


def _count_block(block: Recording) -> Counts:
    columns = _columns(block.config)
    messages, row = distinct_rows(block.message)
    keys = np.concatenate([row * columns + cell for cell in _cells(block)])
    keys, episodes = np.unique(keys, return_counts=True)
    row_ends = np.searchsorted(keys, np.arange(len(messages) + 1) * columns)
    table = sp.csr_array((episodes, keys % columns, row_ends), shape=(len(messages), columns))
    masks = table[:, -block.config.window_size :].toarray()
    return Counts(block.config, messages, masks, table[:, : -block.config.window_size])


def _sparse(rows: npt.NDArray[Any]) -> sp.csr_array[Any]:
    row, column = np.nonzero(rows)
    row_ends = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))])
    cells = (rows[row, column].astype(np.int64), column.astype(np.int32), row_ends.astype(np.int32))
    return sp.csr_array(cells, shape=rows.shape)


def _unpack(keys: IntArray, config: GameConfig) -> npt.NDArray[np.int16]:
    """The messages of these keys: the inverse of `row_keys`."""
    powers = config.vocab_size ** np.arange(config.message_length - 1, -1, -1)
    return ((keys[:, None] // powers) % config.vocab_size).astype(np.int16)
