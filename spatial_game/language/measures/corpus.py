"""Messages of any lengths without windows, as in other people's corpora. Some measures need no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spatial_game.game.episodes import IntArray

PAD = -1
"""The value in a row of `Corpus.message` after the end of the message."""
LARGEST_SYMBOL = 2**31 - 1


class CorpusError(ValueError):
    """Messages cannot be read; the error names the place, the rule and the value."""


@dataclass(frozen=True)
class Corpus:
    """B messages without the windows. Raises `CorpusError` for wrong shapes or symbols."""

    message: IntArray  # (B, T), in 0..LARGEST_SYMBOL, then PAD up to the longest message's length
    length: IntArray  # (B,), in 0..T
    vocab_size: int | None = None
    """Number of symbols in the vocabulary; None if unknown."""
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
    def from_lists(cls, messages: Iterable[Sequence[int]], **fields: Any) -> Corpus:
        """Return the corpus of messages that are lists of symbols."""
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
        """Return the messages as lists of symbols."""
        rows = zip(self.message.tolist(), self.length.tolist(), strict=True)
        return [symbols[:length] for symbols, length in rows]

    @property
    def num_symbols(self) -> int:
        """The size of the vocabulary if known, otherwise the number of symbols that occur."""
        occur = self.message[self.message != PAD]
        return len(np.unique(occur)) if self.vocab_size is None else self.vocab_size
