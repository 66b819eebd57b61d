"""Pairs on sequences that are shorter than in training: the paper's table 7.

The paper shortens sequences by 5, 10, 20 or 40 to n integers and keeps the integers 0..n-1, so both the
length and the integers change. With `integers="any"`, only the length changes: a sequence is then a random
choice of all integers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

import numpy as np

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import AgentPair, Proportion, evaluate_agents
from spatial_game.game.seeds import stream
from spatial_game.studies.study import ACCURACY, Study, accuracy_cells, require_episodes
from spatial_game.tables import Table, Value

SHORTER = (0, 5, 10, 20, 40)
"""The numbers of integers by which the paper shortens sequences."""
PAPER_LENGTHS: dict[int, dict[int, float]] = {
    20: {0: 0.9868, 5: -0.0053, 10: -0.0750},
    40: {0: 0.9559, 5: 0.0005, 10: -0.0075, 20: -0.0555},
    60: {0: 0.9298, 5: 0.0030, 10: -0.0030, 20: -0.0247, 40: -0.158},
    100: {0: 0.8623, 5: 0.0034, 10: -0.0003, 20: -0.0126, 40: -0.052},
}
"""The paper's table 7: accuracy, then the differences on shortened sequences, by the length trained with."""

Integers = Literal["first", "any"]


@dataclass(frozen=True)
class LengthStudy(Study):
    """A pair's accuracy on shortened sequences of its game."""

    config: GameConfig
    integers: Integers
    accuracy: dict[int, Proportion]
    seed: int

    @property
    def paper(self) -> dict[int, float]:
        """The paper's accuracies on the same lengths, if it has them."""
        theirs = self._paper_differences
        return {less: value + (theirs[0] if less else 0.0) for less, value in theirs.items()}

    @property
    def _paper_differences(self) -> dict[int, float]:
        return PAPER_LENGTHS.get(self.config.sequence_length, {})

    @property
    def size(self) -> str:
        """The number of episodes."""
        return f"n{self.accuracy[0].trials}"

    def difference(self, less: int) -> float:
        """Return the accuracy on shortened sequences minus that on whole ones."""
        return self.accuracy[less].accuracy - self.accuracy[0].accuracy

    @property
    def table(self) -> Table:
        """A row for each length."""
        theirs = "Difference :+.2pp | Paper :.2% | Paper: difference :+.2pp"
        heading = f"Shortened by :d | Length :d | {ACCURACY} | {theirs}"
        return Table.of(heading, (self._row(less, part) for less, part in self.accuracy.items()))

    def _row(self, less: int, part: Proportion) -> tuple[Value, ...]:
        differences = (self.difference(less), self.paper.get(less), self._paper_differences.get(less))
        ours, paper, theirs = differences if less else (None, self.paper.get(0), None)
        return (less, self.config.sequence_length - less, *accuracy_cells(part), ours, paper, theirs)

    def results(self) -> dict[str, Any]:
        """The accuracies by how much sequences are shortened, with the differences and the paper's."""
        lengths = {
            str(less): {**part.to_dict(), "difference": self.difference(less), "paper": self.paper.get(less)}
            for less, part in self.accuracy.items()
        }
        return {"integers": self.integers, "shortened_by": lengths}


def other_lengths(
    pair: AgentPair,
    num_episodes: int = 20_000,
    seed: int = 0,
    *,
    shorter: Sequence[int] = SHORTER,
    integers: Integers = "first",
) -> LengthStudy:
    """Let a pair play its game on shortened sequences, with the same number of candidates.

    Each length has its own episodes. The whole length is always measured; lengths that are too short for the
    window or the candidates are left out. `integers`: the "first" ones, as in the paper, or "any".
    """
    require_episodes(num_episodes)
    if integers not in ("first", "any"):
        raise ValueError(f"integers must be first or any; got {integers!r}")
    accuracy = {}
    for less in sorted({0, *shorter}):
        game = shortened(pair.config, less, integers)
        if game is not None:
            rng = np.random.default_rng(stream(seed, f"length {less}"))
            accuracy[less] = evaluate_agents(pair.sender, pair.receiver, game, num_episodes, rng).overall
    return LengthStudy(pair.config, integers, accuracy, seed)


def shortened(config: GameConfig, less: int, integers: Integers = "first") -> GameConfig | None:
    """Return the game on sequences shorter by `less`; None if window or candidates would not fit."""
    if less < 0:
        raise ValueError(f"shorter must be at least 0; got {less}")
    if len(config.shape) > 1:
        raise ValueError(f"shape must have one axis to be shortened; got {config.shape}")
    length = config.sequence_length - less
    if length < max(config.window_size, config.num_candidates):
        return None
    fewer = len(config.integers) if integers == "any" else len(config.integers) - less
    return dataclasses.replace(config, sequence_length=length, num_integers=fewer)


def lengths_table(studies: Sequence[LengthStudy]) -> Table:
    """Return the paper's table 7: a row for each length of training, a column for each shortening.

    The first number is the accuracy on whole sequences; the others are differences from it, as in the paper.
    """
    shorter = sorted({less for study in studies for less in study.accuracy} - {0})
    heading = ["Training length :d", "Whose", "Whole :.2%", *(f"-{less} :+.2pp" for less in shorter)]
    rows: list[tuple[Value, ...]] = []
    for length in dict.fromkeys(study.config.sequence_length for study in studies):
        found = [study for study in studies if study.config.sequence_length == length]
        whole = fmean(study.accuracy[0].accuracy for study in found)
        ours = [fmean(s.difference(k) for s in found) if k in found[0].accuracy else None for k in shorter]
        rows.append((length, f"ours, {len(found)}", whole, *ours))
        theirs = PAPER_LENGTHS.get(length)
        if theirs:
            rows.append((length, "paper", theirs[0], *map(theirs.get, shorter)))
    return Table.of(" | ".join(heading), rows)
