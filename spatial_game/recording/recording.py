"""Recorded episodes in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.episodes import Episodes, IntArray, Mask
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.rules import ask_sender, play, won
from spatial_game.recording.format import (
    ANALYSED,
    COLUMNS,
    NOBODY,
    RecordingError,
    block_rows,
    check_blocks,
    check_places,
    check_windows,
    checked_column,
)
from spatial_game.recording.writing import RecordingWriter


@dataclass(frozen=True)
class Recording:
    """B recorded episodes. Checks every row; a `RecordingError` names the row, the column and the rule."""

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
    first_row: int = 0
    """The row of its file at which this block begins, for error messages."""

    def __post_init__(self) -> None:
        for name, column in self.columns().items():
            checked = checked_column(self.config, name, column, len(self.window), self.first_row)
            object.__setattr__(self, name, checked)
        check_windows(self.config, self.window, self.first_row)
        if len(self.config.shape) > 1 or self.config.num_hidden:  # a window fits in more than one way
            check_places(self.config, self.window, self.sequence, self.target_position, self.first_row)

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
        check_blocks(columns, batch_size)
        kept = {n: c for n, c in self.columns().items() if columns is None or n in (*columns, *ANALYSED)}
        batch_size = block_rows(self.config, kept) if batch_size is None else batch_size
        for start in range(0, max(len(self), 1), batch_size):
            rows = {name: column[start : start + batch_size] for name, column in kept.items()}
            yield unchecked(self.config, rows, self.provenance, self.first_row + start)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the recording as one Parquet file."""
        with RecordingWriter(path, self.config, self.provenance) as writer:
            writer.write(self)


def record(
    sender: Sender,
    receiver: Receiver | None,
    episodes: Episodes,
    config: GameConfig | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Recording:
    """Let two policies play `episodes` and record them. Without a receiver, there are no choices.

    `config` is the game of the episodes; by default, that of the sender (its `config`).
    """
    config = getattr(sender, "config", None) if config is None else config
    if config is None:
        raise ValueError("config must be given for a sender without a config of its own")
    choice: IntArray
    if receiver is None:
        message: IntArray = ask_sender(sender, episodes.window, config)
        choice = np.full(len(episodes), NOBODY, dtype=np.int16)
    else:
        message, choice = play(sender, receiver, episodes, config)
    return Recording.of(config, episodes, message, choice, provenance)


def join(blocks: Iterable[Recording]) -> Recording:
    """Return blocks of one game (at least one) as one recording.

    Its provenance is what the blocks have in common; if they have different seeds, it has no seed. Raises
    `RecordingError` for blocks with different columns or of different games.
    """
    listed = list(blocks)
    first = listed[0]
    provenance = dict(first.provenance)
    for block in listed:
        if block.config != first.config:
            games = f"{first.config.signature} and {block.config.signature}"
            raise RecordingError(f"recordings must be of one game; got {games}")
        provenance = {name: v for name, v in provenance.items() if (name, v) in block.provenance.items()}
        if block.columns().keys() != first.columns().keys():
            raise RecordingError(
                f"files must have the same columns; got {list(first.columns())} and {list(block.columns())}"
            )
    columns = {name: np.concatenate([block.columns()[name] for block in listed]) for name in first.columns()}
    return unchecked(first.config, columns, provenance, first.first_row)


def unchecked(
    config: GameConfig, rows: Mapping[str, IntArray], provenance: Mapping[str, Any], first_row: int
) -> Recording:
    """Return a recording of rows that were checked before."""
    block: Recording = object.__new__(Recording)
    rest = {"config": config, "provenance": provenance, "first_row": first_row}
    for name, value in {**dict.fromkeys(COLUMNS), **rows, **rest}.items():
        object.__setattr__(block, name, value)
    return block
