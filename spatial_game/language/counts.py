"""How often messages go with what the sender saw: counted once, added, and read by everything after.

All counts are of episodes, once each. The counts of whole messages with integers at offsets hold those of
n-grams and of integers wherever they stand, as sums: an integer stands at one offset of a window only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from spatial_game.config import GameConfig
from spatial_game.episodes import MASK, IntArray
from spatial_game.language.forms import distinct_rows, row_keys
from spatial_game.recording import ANALYSED, Paths, Recording, recording_parts

# Cells of the table that counting by direct address may take (8 bytes each).
_DIRECT_CELLS = 1 << 25


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
        """(M,), messages that repeat one symbol, where at most two distinct messages contain that symbol."""
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
    parts = [part for file in files for part in file.split(workers)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return reduce(Counts.__add__, pool.map(_count_source, parts))


def message_ids(counts: Counts, messages: IntArray) -> npt.NDArray[np.intp]:
    """For each message (B, T), its row in `counts.messages`; -1 where it is not among them."""
    base = counts.config.vocab_size
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
    direct = space * _columns(config) <= min(_DIRECT_CELLS, 32 * source.num_rows)
    counts = (_count_directly if direct else _count_by_sorting)(source)
    return Counts(config, counts.messages, counts.mask_columns, counts.integers_at, (source,))


# --- The raw table ------------------------------------------------------------------------------------
#
# While counting, a message's row has 4r+1 stretches of N+1 columns, one for each offset, -2r..2r. A stretch
# starts with an unused column and goes on with the integers 0..N-1; that of offset 0, where no integer can
# stand, holds the mask columns instead. Each cell of a window is then one column, found without a branch.


def _columns(config: GameConfig) -> int:
    return (4 * config.window_radius + 1) * (len(config.integers) + 1)


def _cells(block: Recording) -> list[npt.NDArray[np.int64]]:
    """For each cell of the windows, its column (B,) in the raw table."""
    config = block.config
    stride = len(config.integers) + 1
    window = np.ascontiguousarray(block.window.T)
    masked = window == MASK
    mask_column = np.zeros(len(block), dtype=np.int16)
    for column, here in enumerate(masked):
        mask_column += np.int16(column) * here
    first_column = (2 * config.window_radius - mask_column.astype(np.int64)) * stride + 1
    values = window + masked * (np.arange(len(window), dtype=np.int16)[:, None] - np.int16(MASK))
    return [first_column + (column * stride) + value for column, value in enumerate(values)]


def _count_directly(source: Source) -> Counts:
    """Count into a table with a row for every possible message: fast where these are few.

    The paper's game has 10^7 cells; to fill and read them pays from some 3 * 10^5 episodes on.
    """
    config = source.config
    columns = _columns(config)
    raw = np.zeros(config.vocab_size**config.message_length * columns, dtype=np.int64)
    for block in source.blocks(columns=ANALYSED):
        keys = row_keys(block.message, config.vocab_size) * columns
        for cell in _cells(block):
            np.add.at(raw, keys + cell, 1)
    keys = np.flatnonzero(raw)
    message = keys // columns
    starts = np.diff(message, prepend=-1) > 0  # the keys are in order
    messages = _unpack(message[starts], config)
    return _from_raw(config, messages, np.cumsum(starts) - 1, keys - message * columns, raw[keys])


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
    return _from_raw(block.config, messages, keys // columns, keys % columns, episodes)


def _from_raw(
    config: GameConfig, messages: IntArray, row: IntArray, raw_column: IntArray, episodes: IntArray
) -> Counts:
    """The counts of the non-zero cells of the raw table, which come row by row, column by column."""
    num_integers, reach = len(config.integers), 2 * config.window_radius
    column_of = np.full((2 * reach + 1, num_integers + 1), -1)
    mask_of = column_of.copy()
    offset_rows = np.delete(np.arange(2 * reach + 1), reach)
    column_of[offset_rows, 1:] = np.arange(2 * reach * num_integers).reshape(2 * reach, num_integers)
    mask_of[reach, 1 : 1 + config.window_size] = np.arange(config.window_size)

    mask = mask_of.reshape(-1)[raw_column]
    masks = np.zeros((len(messages), config.window_size), dtype=np.int64)
    masks[row[mask >= 0], mask[mask >= 0]] = episodes[mask >= 0]

    column = column_of.reshape(-1)[raw_column]
    seen = column >= 0
    row_ends = np.cumsum(np.bincount(row[seen], minlength=len(messages)))
    shape = (len(messages), len(config.offsets) * num_integers)
    cells = (episodes[seen].astype(np.int64), column[seen], np.concatenate([[0], row_ends]))
    return Counts(config, messages, masks, sp.csr_array(cells, shape=shape))


def _unpack(keys: IntArray, config: GameConfig) -> npt.NDArray[np.int16]:
    """The messages of these keys: the inverse of `row_keys`."""
    powers = config.vocab_size ** np.arange(config.message_length - 1, -1, -1)
    return ((keys[:, None] // powers) % config.vocab_size).astype(np.int16)
