"""Messages alone, of any lengths: all that other people's corpora have, and all that some measures need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.rows import distinct_rows
from spatial_game.recording import Recording

PAD = -1
"""What stands in a row of `Corpus.message` after the message's end."""
LARGEST_SYMBOL = 2**31 - 1


class CorpusError(ValueError):
    """Messages that cannot be read; names where, the rule and the value."""


@dataclass(frozen=True)
class Corpus:
    """B messages without what they were said of. Raises `CorpusError` for what breaks the shapes."""

    message: IntArray  # (B, T), in 0..LARGEST_SYMBOL, then PAD up to the longest message's length
    length: IntArray  # (B,), in 0..T
    vocab_size: int | None = None
    """Number of symbols that might occur; None where nobody said."""
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        message, length = np.asarray(self.message), np.asarray(self.length)
        if message.ndim != 2 or length.shape != message.shape[:1]:
            raise CorpusError(
                f"messages must be a table, one length a row; got {message.shape}, {length.shape}"
            )
        inside = np.arange(message.shape[1]) < length[:, None]
        broken = np.where(inside, message < 0, message != PAD).any(axis=1)
        broken |= (length < 0) | (length > message.shape[1])
        if broken.any():
            row = int(np.argmax(broken))
            raise CorpusError(
                f"row {row}: symbols must be in 0..{LARGEST_SYMBOL}, followed by {PAD} alone; "
                f"got {message[row].tolist()} with length {length[row]}"
            )

    @classmethod
    def of(cls, recording: Recording) -> Corpus:
        """The messages of a recording."""
        rows, slots = recording.message.shape
        length = np.full(rows, slots, dtype=np.int32)
        return cls(recording.message, length, recording.config.vocab_size, recording.provenance)

    @classmethod
    def from_lists(cls, messages: Iterable[Sequence[int]], **fields: Any) -> Corpus:
        """Messages given as lists of symbols."""
        listed = [np.asarray(message, dtype=np.int64).reshape(-1) for message in messages]
        length = np.array([len(message) for message in listed], dtype=np.int32)
        flat = np.concatenate([*listed, np.zeros(0, dtype=np.int64)])
        if flat.size and flat.max() > LARGEST_SYMBOL:
            raise CorpusError(f"symbols must be in 0..{LARGEST_SYMBOL}; got {flat.max()}")
        padded = np.full((len(listed), int(length.max(initial=0))), PAD, dtype=np.int32)
        padded[np.arange(padded.shape[1]) < length[:, None]] = flat
        return cls(padded, length, **fields)

    def __len__(self) -> int:
        return len(self.message)

    def lists(self) -> list[list[int]]:
        """The messages as lists of symbols."""
        rows = zip(self.message.tolist(), self.length.tolist(), strict=True)
        return [symbols[:length] for symbols, length in rows]

    @cached_property
    def inside(self) -> npt.NDArray[np.bool_]:
        """(B, T), where a message has a symbol."""
        return np.asarray(np.arange(self.message.shape[1]) < self.length[:, None])

    @cached_property
    def symbols(self) -> IntArray:
        """The distinct symbols that occur, in order."""
        return np.asarray(np.unique(self.message[self.inside]))

    @property
    def num_symbols(self) -> int:
        """The number of symbols to choose from: as given, otherwise those that occur."""
        return len(self.symbols) if self.vocab_size is None else self.vocab_size

    @cached_property
    def numbered(self) -> npt.NDArray[np.int64]:
        """The messages with each symbol as its number among `symbols`, PAD as it is; (B, T)."""
        if len(self.symbols) == 0:
            return np.full(self.message.shape, PAD, dtype=np.int64)
        if self.symbols[-1] > 4 * self.message.size + 1000:
            numbers = np.searchsorted(self.symbols, self.message)
        else:
            number_of = np.zeros(int(self.symbols[-1]) + 2, dtype=np.int64)  # PAD is the last
            number_of[self.symbols] = np.arange(len(self.symbols))
            numbers = number_of[self.message]
        return np.asarray(np.where(self.inside, numbers, PAD), dtype=np.int64)

    @cached_property
    def types(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        """The distinct messages (M, T), as `numbered`, and each message's number among them, (B,)."""
        if self.message.shape[1] == 0:
            return self.numbered[: min(len(self), 1)], np.zeros(len(self), dtype=np.intp)
        rows, inverse = distinct_rows(self.numbered + 1)  # PAD becomes 0
        return np.asarray(rows - 1, dtype=np.int64), inverse
