"""The paper's figures, which the report prints next to ours, and its title and citation.

Lipinski, Sobey, Cerutti and Norman, "Speaking Your Language: Spatial Relationships in Interpretable Emergent
Communication", NeurIPS 2024.
"""

from spatial_game.config import GameConfig

TITLE = "Speaking your language: a reproduction"
INTRODUCTION = (
    "The tables of Lipinski, Sobey, Cerutti and Norman (NeurIPS 2024), measured by spatial-game on other "
    "pairs of agents, beside the numbers that the paper prints."
)

LENGTH = 60
"""The length of the sequences in all tables except table 7."""
NUM_CANDIDATES = 5
ACCURACY = 0.98
"""Section 5: all agent pairs are right in more than this share of the episodes."""
EMERGENCE = {
    "positional": ((99.3, 93.8, 100), (1, 0, 3)),
    "reserved": ((18.8, 18.8, 18.8), (1, 0, 3)),
    "integer": ((45.1, 0, 100), (10, 0, 15)),
    "compositional_integer": ((100, 100, 100), (34, 0, 99.7)),
    "compositional_positional": ((25, 0, 27), (56, 0, 100)),
}
"""Table 1: share of the runs in which a type of message emerges, and its share of the messages, in per cent:
mean, smallest and largest over the cells of the grid."""
EVERY_EDGE = 0.90
"""Section 5.1: more than this share of the pairs has messages of its own for each edge."""
CELLS = {"edge": (0.9, 1), "integer_at": (0.5, 1), "compositional": (0.5, 1)}
"""Table 2: t_c and t_n, the same for all pairs."""
TRANSLATION = {
    "edge": (0.90, 0.03, 0.94),
    "integer_at": (0.36, 0.004, 0.37),
    "compositional": (0.30, 0.21, 0.78),
}
"""Table 2: average accuracy, its standard deviation, and maximum accuracy."""
CONTROL = (0.22, 0.02, 0.28)
"""The same of Compositional-NP."""
PAIRS = 16
"""Section 5: pairs that were trained. Table 2 does not say how many of them have phrases of a type."""
LENGTHS: dict[int, dict[int, float]] = {
    20: {0: 0.9868, 5: -0.0053, 10: -0.0750},
    40: {0: 0.9559, 5: 0.0005, 10: -0.0075, 20: -0.0555},
    60: {0: 0.9298, 5: 0.0030, 10: -0.0030, 20: -0.0247, 40: -0.158},
    100: {0: 0.8623, 5: 0.0034, 10: -0.0003, 20: -0.0126, 40: -0.052},
}
"""Table 7: accuracy, then the differences on shortened sequences, by the length trained with."""


def comparable(config: GameConfig) -> bool:
    """Return whether accuracies of a game may stand beside the paper's: with the same chance."""
    return config.num_candidates == NUM_CANDIDATES


def accuracies_by_length(config: GameConfig) -> dict[int, float]:
    """Return the paper's row of table 7 for a game; nothing without one."""
    return LENGTHS.get(config.sequence_length, {}) if comparable(config) else {}
