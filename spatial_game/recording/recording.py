"""Recorded episodes: in memory, and how they are written to disk, block by block."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spatial_game.agents import load_agents
from spatial_game.config import GameConfig, require_one_game
from spatial_game.errors import UserError
from spatial_game.files import replacing
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.rules import ask_receiver, ask_sender, won
from spatial_game.recording.footer import HASH_KEY, NO_CHECKSUM, write_checksum
from spatial_game.recording.format import (
    ANALYSED,
    COLUMNS,
    METADATA_KEY,
    NOBODY,
    RecordingError,
    block_rows,
    checked_columns,
    columns_and_rows,
    header_of,
    list_width,
    symbol_names,
)
from spatial_game.settings import LEFT_OUT

ROW_GROUP = 1 << 18
"""Rows that are written at a time; fewer if they are long."""


@dataclass(frozen=True, eq=False)
class Recording:
    """B recorded episodes.

    Checks every row: each column, and that window, sequence, candidates and target agree, as far as they are
    present. (A sequence may hold an integer twice: to look for one would take longer than to read all rows.)
    A `RecordingError` names the row, the column and the rule.
    """

    config: GameConfig
    window: IntArray  # (B, W), in 0..num_integers-1, different, one MASK, and num_hidden times HIDDEN
    message: IntArray  # (B, T), in 0..vocab_size-1
    candidates: IntArray | None = None  # (B, C), in 0..num_integers-1
    target_index: IntArray | None = None  # (B,), in 0..C-1
    choice: IntArray | None = None  # (B,), in 0..C-1 or NOBODY
    target_position: IntArray | None = None  # (B,), in 0..L-1
    sequence: IntArray | None = None  # (B, L), in 0..num_integers-1
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The origin of the episodes: seeds, versions, hashes of the policies' weights; JSON."""
    rows: IntArray = field(default=LEFT_OUT, repr=False)  # (B,), by default from 0 on
    """The row of each episode in its file. It decides which episodes are held out, and errors name it.
    Recordings that differ in it alone are equal."""

    def __post_init__(self) -> None:
        size = len(self.window)
        rows = np.arange(size) if self.rows is LEFT_OUT else np.asarray(self.rows)
        object.__setattr__(self, "rows", rows)
        if self.rows.shape != (size,):
            raise RecordingError(f"rows must have shape {(size,)}; got {self.rows.shape}")
        first_row = int(self.rows[0]) if size else 0
        for name, column in checked_columns(self.config, self.columns(), size, first_row).items():
            object.__setattr__(self, name, column)

    @classmethod
    def of(
        cls,
        config: GameConfig,
        episodes: Episodes,
        message: IntArray,
        choice: IntArray,
        provenance: Mapping[str, Any] | None = None,
    ) -> Recording:
        """Return the recording of episodes with these messages (B, T) and choices (B,)."""
        columns = {n: c for n, c in vars(episodes).items() if n in COLUMNS}
        return cls(config, message=message, choice=choice, provenance=provenance or {}, **columns)

    def __len__(self) -> int:
        return len(self.window)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recording):
            return NotImplemented
        mine, theirs = self.columns(), other.columns()
        same = (self.config, self.provenance, [*mine]) == (other.config, other.provenance, [*theirs])
        return same and all(np.array_equal(mine[name], theirs[name]) for name in mine)

    def columns(self) -> dict[str, IntArray]:
        """Return the columns that are present, by name, in the order of the format."""
        present = {name: getattr(self, name) for name in COLUMNS}
        return {name: column for name, column in present.items() if column is not None}

    @property
    def won(self) -> Mask:
        """The episodes in which the receiver chose the target, (B,).

        Raises `RecordingError` without episodes, choices or targets, or if some episodes have no choice.
        """
        if self.choice is None or self.target_index is None or len(self) == 0:
            raise RecordingError("accuracy needs episodes with the columns choice and target_index")
        if (self.choice == NOBODY).any():
            raise RecordingError(f"accuracy needs episodes in which someone chose; got a choice of {NOBODY}")
        return won(self.target_index, self.choice)

    @property
    def accuracy(self) -> float:
        """Share of episodes that are won. Raises as `won` does."""
        return float(np.mean(self.won))

    def blocks(
        self, *, columns: Sequence[str] | None = None, batch_size: int | None = None
    ) -> Iterator[Recording]:
        """Yield the episodes in blocks, as `RecordingFile.blocks` does. There is at least one block."""
        wanted, batch_size = columns_and_rows(self.config, columns, batch_size)
        kept = {name: column for name, column in self.columns().items() if name in wanted}
        for start in range(0, max(len(self), 1), batch_size):
            part = slice(start, start + batch_size)
            block = {name: column[part] for name, column in kept.items()}
            yield unchecked(self.config, block, self.provenance, self.rows[part])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the recording as one Parquet file."""
        with RecordingWriter(path, self.config, self.provenance) as writer:
            writer.write(self)


def record(
    agents: Any,
    episodes: Episodes,
    config: GameConfig | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Recording:
    """Let agents play `episodes` and record them.

    `agents` are in any form that `load_agents` takes; with `(sender, None)`, nobody chooses. `config` is the
    game of the episodes; by default, that of the agents. Raises `ValueError` as `load_agents` does, and for
    agents that name no game if none is given.
    """
    nobody_chooses = isinstance(agents, tuple) and len(agents) == 2 and agents[1] is None
    loaded = load_agents((agents[0], "random") if nobody_chooses else agents, config)
    if loaded.assumes_game:
        raise UserError("config must be given for agents without a config of their own")
    message = ask_sender(loaded.sender, episodes.window, loaded.config)
    if nobody_chooses:
        choice: IntArray = np.full(len(episodes), NOBODY, dtype=np.int16)
    else:
        choice = ask_receiver(loaded.receiver, message, episodes.sequence, episodes.candidates)
    return Recording.of(loaded.config, episodes, message, choice, provenance)


def join(blocks: Iterable[Recording]) -> Recording:
    """Return blocks of one game as one recording.

    Its provenance is what the blocks have in common; if they have different seeds, it has no seed. Its
    episodes keep the numbers of their rows in their files. Raises `RecordingError` for blocks with different
    columns, games or names of symbols.
    """
    listed = list(blocks)
    if not listed:
        raise RecordingError("blocks must be at least one recording; got none")
    first = listed[0]
    symbol_names(first.config, [block.provenance for block in listed])
    provenance = dict(first.provenance)
    for block in listed:
        require_one_game("recordings", first.config, block.config, RecordingError)
        provenance = {name: v for name, v in provenance.items() if (name, v) in block.provenance.items()}
        if block.columns().keys() != first.columns().keys():
            raise RecordingError(
                f"files must have the same columns; got {list(first.columns())} and {list(block.columns())}"
            )
    columns = {name: np.concatenate([block.columns()[name] for block in listed]) for name in first.columns()}
    return unchecked(first.config, columns, provenance, np.concatenate([block.rows for block in listed]))


def unchecked(
    config: GameConfig, columns: Mapping[str, IntArray], provenance: Mapping[str, Any], rows: IntArray
) -> Recording:
    """Return a recording of columns that were checked before; `rows` (B,) are its `Recording.rows`."""
    recording: Recording = object.__new__(Recording)
    others = {"config": config, "provenance": provenance, "rows": rows}
    for name, value in {**dict.fromkeys(COLUMNS), **columns, **others}.items():
        object.__setattr__(recording, name, value)
    return recording


# --- On disk ------------------------------------------------------------------------------------------------


class RecordingWriter:
    """Writes a recording block by block, in constant memory.

    A context manager: the file is written only if the block finishes without an error. Raises
    `RecordingError` for a provenance that is not JSON or uses names of the format, and for a pipe or a
    terminal: a part of a recording is written at the end, in place of an earlier one.
    """

    def __init__(
        self, path: str | os.PathLike[str], config: GameConfig, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self._path = Path(path)
        if self._path.is_fifo() or (self._path.is_char_device() and self._path != Path(os.devnull)):
            raise RecordingError(f"a recording must be written to a file, and no pipe or device; got {path}")
        self.config = config
        self._header = header_of(config, provenance or {})
        self._temporary: Path | None = None  # what is written, within the block alone
        self._writer: Any = None
        self._pending: list[pa.Table] = []
        self._pending_rows = 0
        self._columns: list[str] | None = None
        self._rows = block_rows(config, COLUMNS, ROW_GROUP)

    def __enter__(self) -> RecordingWriter:
        if self._writer is not None:
            raise RuntimeError("a RecordingWriter writes one file once: make another one for the next")
        self._session = contextlib.ExitStack()
        self._temporary = self._session.enter_context(replacing(self._path))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._session:
            try:
                if error is not None:
                    raise error
                self._finish()
            finally:
                self._temporary = None
                if self._writer is not None:
                    with contextlib.suppress(OSError):  # after a failure, closing may fail as well
                        self._writer.close()

    def write(self, recording: Recording) -> None:
        """Append a block. Every block of a file has the same columns.

        Raises `RecordingError` for another block, and `RuntimeError` outside of a `with` statement.
        """
        if self._temporary is None:
            raise RuntimeError("a RecordingWriter writes within: with RecordingWriter(...) as writer")
        if recording.config != self.config:
            raise RecordingError(f"a block must be of the game {self.config}; got {recording.config}")
        table = _table(recording.config, recording.columns())
        self._columns = self._columns or table.schema.names
        if table.schema.names != self._columns:
            raise RecordingError(f"a block must have the columns {self._columns}; got {table.schema.names}")
        self._pending.append(table)
        self._pending_rows += table.num_rows
        if self._pending_rows >= self._rows:
            self._flush()

    def _flush(self) -> None:
        """Write the blocks that are pending as one table, and the header before the first."""
        if not self._pending:
            return
        table = pa.concat_tables(self._pending)
        self._pending, self._pending_rows = [], 0
        if self._writer is None:
            schema = table.schema.with_metadata({METADATA_KEY: self._header})
            # Its path is whole, as pyarrow takes a name such as a:b for an address.
            path = self._temporary
            self._writer = pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True)
        self._writer.write_table(table, row_group_size=self._rows)

    def _finish(self) -> None:
        """Write what is pending, at least an empty table, and the hash of the footer."""
        assert self._temporary
        if not self._pending and self._writer is None:
            empty = {n: np.empty((0, list_width(self.config, n) or 0), np.int16) for n in ANALYSED}
            self._pending = [_table(self.config, empty)]
        self._flush()
        self._writer.add_key_value_metadata({HASH_KEY: NO_CHECKSUM})
        self._writer.close()
        write_checksum(self._temporary)


def _table(config: GameConfig, columns: Mapping[str, IntArray]) -> pa.Table:
    arrays = {}
    for name, column in columns.items():
        flat = pa.array(np.ascontiguousarray(column).reshape(-1), type=pa.int16())
        width = list_width(config, name)
        arrays[name] = flat if width is None else pa.FixedSizeListArray.from_arrays(flat, width)
    return pa.table(arrays)
