"""The paper's grid search: a language at every pair of thresholds, and the types of messages that emerge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.language.counting.counts import Counts
from spatial_game.language.lexicon.analyses import NpmiSettings
from spatial_game.language.npmi.analysis import Admitted, Analysis

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""t_c of the paper's grid (appendix A)."""
TOPS = (1, 2, 3, 5, 10, 15)
"""t_n of the paper's grid (appendix A)."""


def grid(
    counts: Counts,
    settings: NpmiSettings,
    thresholds: Sequence[float] = THRESHOLDS,
    tops: Sequence[int] = TOPS,
) -> list[Admitted]:
    """Analyse a language at every threshold and top_n; the other settings are those of `settings`.

    The threshold for offsets is that of the cell, unless the settings give one of its own (as `paper` does).
    """
    analysis = Analysis(counts, settings, tops)
    return [analysis.admit(threshold, top_n) for top_n in tops for threshold in thresholds]


@dataclass(frozen=True)
class TypeShare:
    """How much of a language is messages of one type. Both shares are 0 if the type did not emerge."""

    vocabulary: float
    """Share of the distinct messages."""
    episodes: float
    """Share of the episodes."""


@dataclass(frozen=True)
class Cell:
    """The types of messages at one threshold and top_n."""

    threshold: float
    top_n: int
    types: dict[str, TypeShare]
    """By the keys of `MESSAGE_TYPES`."""

    @classmethod
    def of(cls, admitted: Admitted) -> Cell:
        """Return the shares of the types of messages in an analysis."""
        settings, counts = admitted.settings, admitted.counts
        types = {
            name: TypeShare(counts.vocabulary_share(mask), counts.episode_share(mask))
            for name, mask in admitted.message_types.items()
        }
        return cls(settings.threshold, settings.top_n, types)
