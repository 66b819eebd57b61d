"""The paper's grid search, and its table 1: which types of messages emerge, and how much they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from spatial_game.language.counting.counts import Counts
from spatial_game.language.npmi.analysis import Admitted, Analysis, episode_share, vocabulary_share
from spatial_game.language.npmi.settings import Settings

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""t_c of the paper's grid (appendix A)."""
TOPS = (1, 2, 3, 5, 10, 15)
"""t_n of the paper's grid (appendix A)."""

MESSAGE_TYPES = {
    "positional": "Non-Compositional Positional",
    "reserved": "Non-Compositional Positional Reserved",
    "integer": "Non-Compositional Integer",
    "compositional_integer": "Compositional Integer",
    "compositional_positional": "Compositional Positional",
}
"""The rows of the paper's table 1."""


@dataclass(frozen=True)
class TypeShare:
    """How much of a language is messages of one type. Both shares are 0 if the type did not emerge."""

    vocabulary: float
    """Share of the distinct messages."""
    episodes: float
    """Share of the episodes."""

    @property
    def emerged(self) -> bool:
        """Whether there is a message of the type."""
        return self.vocabulary > 0


@dataclass(frozen=True)
class Cell:
    """One language at one threshold and top_n."""

    threshold: float
    top_n: int
    entries: dict[str, int]
    """Listed entries of each kind: edge, integer_at, integer, offset."""
    types: dict[str, TypeShare]
    """By the keys of `MESSAGE_TYPES`."""
    coverage: float
    """Share of the episodes whose message says where the target is."""
    unthresholded_integers: float
    """Share of the distinct messages with an n-gram that occurs with any integer, at no threshold. The
    published code calls this figure "compositional integer"."""
    clipped: int
    """NPMIs that the estimator put outside [-1, 1]."""

    @classmethod
    def of(cls, admitted: Admitted) -> Cell:
        """Return the figures of the tables of an analysis."""
        counts = admitted.counts
        shares = {
            name: TypeShare(vocabulary_share(counts, mask), episode_share(counts, mask))
            for name, mask in admitted.message_types.items()
        }
        listed = {table.kind: int((~derived).sum()) for table, derived in admitted.tables()}
        any_integer = 1.0 if len(counts.messages) and counts.config.message_length > 1 else 0.0
        return cls(
            admitted.settings.threshold,
            admitted.settings.top_n,
            listed,
            shares,
            admitted.coverage,
            any_integer,
            admitted.clipped,
        )


def grid(
    counts: Counts,
    settings: Settings | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
) -> list[Cell]:
    """Analyse a language at every threshold and top_n; the other settings are those of `settings`.

    The threshold for offsets is that of the cell, unless the settings give one of its own (as `paper` does).
    """
    analysis = Analysis(counts, settings or Settings(), tops)
    return [Cell.of(analysis.admit(threshold, top_n)) for top_n in tops for threshold in thresholds]


@dataclass(frozen=True)
class Emergence:
    """A row of table 1: one message type over several languages and all cells of their grids."""

    message_type: str
    emergence: tuple[float, float, float]
    """Share of the languages that developed the type: mean, smallest and largest over the cells."""
    vocabulary: tuple[float, float, float]
    """Share of the distinct messages, in languages that developed it: mean, smallest, largest. 0 if none
    did."""
    episodes: tuple[float, float, float]
    """Share of the episodes, likewise."""


def emergence_table(grids: Sequence[Sequence[Cell]]) -> list[Emergence]:
    """Return table 1 of the paper, from the grids of one or more languages.

    Raises `ValueError` unless all grids have the same number of cells, which must be in the same order.
    """
    if not grids or any(len(cells) != len(grids[0]) for cells in grids):
        raise ValueError(f"grids must be of equal, non-zero number; got {[len(cells) for cells in grids]}")
    return [_row(name, grids) for name in MESSAGE_TYPES]


def _row(name: str, grids: Sequence[Sequence[Cell]]) -> Emergence:
    by_cell = [[cell.types[name] for cell in cells] for cells in zip(*grids, strict=True)]
    developed = [share for shares in by_cell for share in shares if share.emerged]
    return Emergence(
        name,
        _spread([fmean(share.emerged for share in shares) for shares in by_cell]),
        _spread([share.vocabulary for share in developed]),
        _spread([share.episodes for share in developed]),
    )


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return (fmean(values), min(values), max(values)) if values else (0.0, 0.0, 0.0)
