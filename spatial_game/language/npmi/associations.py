"""Associations of n-grams with referents: as arrays with their counts, with their scores, and one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.language.counting.ngrams import NGram, NGrams, NGramTable
from spatial_game.language.counting.rows import FloatArray, Numbers
from spatial_game.language.npmi.referents import NO_INTEGER, Referent, Referents

FIGURES = ("joint", "ngram_total", "referent_total", "npmi", "p_value", "q_value")
"""The numbers of an association."""


@dataclass(frozen=True, eq=False)
class Associations:
    """E n-grams, each with a referent of one kind, and in how many episodes they occur."""

    table: NGramTable
    total: int  # episodes that were counted
    num_tests: int  # n-grams times referents, of those that occur often enough to be tested
    ngram: Numbers  # (E,), row of `table`
    referents: Referents  # E of them
    joint: Numbers  # (E,), episodes with n-gram and referent
    ngram_total: Numbers  # (E,)
    referent_total: Numbers  # (E,)

    def __len__(self) -> int:
        return len(self.ngram)

    @property
    def ngrams(self) -> NGrams:
        """The E n-grams."""
        return self.table.take(self.ngram)

    def take(self, which: npt.NDArray[Any]) -> Self:
        """Return those of a mask or of row numbers."""
        columns = {name: value[which] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, referents=self.referents.take(which), **columns)


@dataclass(frozen=True, eq=False)
class ScoredAssociations(Associations):
    """E associations with their scores."""

    raw_npmi: FloatArray  # (E,), before clipping
    p_value: FloatArray  # (E,); of several integers, the largest of their p-values
    q_value: FloatArray  # (E,)

    @property
    def npmi(self) -> FloatArray:
        """(E,), in [-1, 1]."""
        return np.clip(self.raw_npmi, -1.0, 1.0)

    @property
    def clipped(self) -> int:
        """How many NPMIs the estimator put outside [-1, 1]."""
        return int(np.sum(np.abs(self.raw_npmi) > 1))

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Equal for the same n-grams of one `table` with the same referents."""
        numbers = self.referents.numbers
        used = numbers[:, (numbers != NO_INTEGER).any(axis=0)]
        return self.ngram.tobytes(), used.tobytes()

    def values(self, config: GameConfig) -> Iterator[Association]:
        """Yield the associations, one by one."""
        figures = zip(*(getattr(self, name).tolist() for name in FIGURES), strict=True)
        ngrams = map(self.ngrams.ngram, range(len(self)))
        rows = zip(ngrams, self.referents.values(config), figures, strict=True)
        return (Association(ngram, referent, *row) for ngram, referent, row in rows)


@dataclass(frozen=True)
class Association:
    """An n-gram with its referent, and how closely the two go together."""

    ngram: NGram
    referent: Referent
    joint: int
    """Episodes with both n-gram and referent."""
    ngram_total: int
    """Episodes with the n-gram; of an offset, those in which the message names an integer beside it."""
    referent_total: int
    """Episodes with the referent; of an offset, those in which the message names an integer there."""
    npmi: float
    """In -1..1, by the estimator of the settings."""
    p_value: float
    """The hypergeometric tail; of several integers, that of the least significant one."""
    q_value: float
    """The same, corrected for all tests of its kind (Benjamini and Hochberg 1995)."""

    @property
    def confidence(self) -> float:
        """Share of the n-gram's episodes in which the referent holds."""
        return self.joint / self.ngram_total

    def to_dict(self) -> dict[str, Any]:
        """Return the association for JSON."""
        return {
            "ngram": list(self.ngram.symbols),
            "slot": self.ngram.slot,
            "referent": self.referent.to_dict(),
            **{name: getattr(self, name) for name in FIGURES},
        }
