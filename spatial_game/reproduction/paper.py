"""The paper's figures, which the report prints next to ours.

Lipinski, Sobey, Cerutti and Norman, "Speaking Your Language: Spatial Relationships in Interpretable Emergent
Communication", NeurIPS 2024.
"""

from typing import NamedTuple

from spatial_game.config import GameConfig

LENGTH = 60
"""The length of the sequences in all tables except table 7."""
NUM_CANDIDATES = 5
PAIRS = 16
"""Section 5: pairs that were trained. Table 2 does not say how many of them have phrases of a type."""
ACCURACY = 0.98
"""Section 5: all agent pairs are right in more than this share of the episodes."""
EVERY_EDGE = 0.90
"""Section 5.1: more than this share of the pairs has messages of its own for each edge."""
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Appendix A: t_c of the grid of thresholds."""
TOPS = (1, 2, 3, 5, 10, 15)
"""Appendix A: t_n of the grid of thresholds."""


class Range(NamedTuple):
    """A figure of table 1 over the cells of the grid, in per cent."""

    mean: float
    smallest: float
    largest: float


EMERGENCE = {
    "positional": {"pairs": Range(99.3, 93.8, 100), "messages": Range(1, 0, 3)},
    "reserved": {"pairs": Range(18.8, 18.8, 18.8), "messages": Range(1, 0, 3)},
    "integer": {"pairs": Range(45.1, 0, 100), "messages": Range(10, 0, 15)},
    "compositional_integer": {"pairs": Range(100, 100, 100), "messages": Range(34, 0, 99.7)},
    "compositional_positional": {"pairs": Range(25, 0, 27), "messages": Range(56, 0, 100)},
}
"""Table 1, by type of message: the share of the runs in which it emerges, and its share of the messages."""


class Translation(NamedTuple):
    """Accuracies of a row of table 2."""

    mean: float
    deviation: float
    maximum: float


TRANSLATION = {
    "edge": Translation(0.90, 0.03, 0.94),
    "integer_at": Translation(0.36, 0.004, 0.37),
    "compositional": Translation(0.30, 0.21, 0.78),
}
"""Table 2, by kind of phrases."""
CONTROL = Translation(0.22, 0.02, 0.28)
"""Table 2: Compositional-NP."""
TABLE_2_CELLS = {"edge": (0.9, 1), "integer_at": (0.5, 1), "compositional": (0.5, 1)}
"""Table 2: t_c and t_n, the same for all pairs."""
LENGTHS: dict[int, dict[int, float]] = {
    20: {0: 0.9868, 5: -0.0053, 10: -0.0750},
    40: {0: 0.9559, 5: 0.0005, 10: -0.0075, 20: -0.0555},
    60: {0: 0.9298, 5: 0.0030, 10: -0.0030, 20: -0.0247, 40: -0.158},
    100: {0: 0.8623, 5: 0.0034, 10: -0.0003, 20: -0.0126, 40: -0.052},
}
"""Table 7: accuracy, then the differences on shortened sequences, by the length trained with."""


def comparable(config: GameConfig) -> bool:
    """Return whether accuracies in a game may stand beside the paper's: with the same chance."""
    return config.num_candidates == NUM_CANDIDATES


def accuracies_by_length(config: GameConfig) -> dict[int, float]:
    """Return the paper's row of table 7 for a game; empty if the paper has none."""
    return LENGTHS.get(config.sequence_length, {}) if comparable(config) else {}
