"""The default values of a sweep, its tables, and the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from spatial_game.config import GameConfig
from spatial_game.game.evaluation import Evaluation
from spatial_game.studies.held_out import HeldOutStudy
from spatial_game.studies.lengths import PAPER_LENGTHS, LengthStudy
from spatial_game.tables import Table, Value, between

VALUES: dict[str, tuple[float, ...]] = {
    "vocabulary": (13, 26, 52),
    "hidden": (64, 128),
    "length": (20, 40, 60, 100),
    "held-out": (0.1,),
}
"""The values in the paper; for held-out combinations, the share to leave out."""

_PAPER: dict[tuple[str, int, float], str] = {
    ("vocabulary", 60, 13): "no decline",
    ("vocabulary", 60, 26): f"{PAPER_LENGTHS[60][0]:.2%}",
    ("vocabulary", 60, 52): "no decline",
    ("hidden", 60, 64): f"{PAPER_LENGTHS[60][0]:.2%}",
    ("hidden", 100, 64): f"{PAPER_LENGTHS[100][0]:.2%}",
    ("hidden", 100, 128): "over 90%",
}
"""The results in the paper's appendix C, by what is varied, sequence length and value."""


@dataclass(frozen=True)
class Trained:
    """The pairs of one value of a sweep, evaluated."""

    value: float
    game: GameConfig
    evaluations: tuple[Evaluation, ...]
    lengths: tuple[LengthStudy, ...] = ()
    held_out: tuple[HeldOutStudy, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all results for JSON."""
        return {
            "value": self.value,
            "game": self.game.signature,
            "evaluations": [each.to_dict() for each in self.evaluations],
            "lengths": [each.to_dict() for each in self.lengths],
            "held_out": [each.to_dict() for each in self.held_out],
        }


def accuracy_table(vary: str, trained: Sequence[Trained]) -> Table:
    """Return a row for each value: accuracy over its pairs, and the paper's figure for the same setting."""
    rows: list[tuple[Value, ...]] = []
    for each in trained:
        found = each.evaluations
        accuracies = [e.accuracy for e in found]
        ends = found[0].interval if len(found) == 1 else (min(accuracies), max(accuracies))
        interval = between(ends) + ("" if len(found) == 1 else " over pairs")
        paper = _PAPER.get((vary, each.game.sequence_length, each.value))
        mean, messages = fmean(accuracies), fmean(e.distinct_messages for e in found)
        rows.append(
            (each.value, each.game.signature, len(found), mean, min(accuracies), interval, messages, paper)
        )
    heading = (
        "Game | Pairs :d | Mean accuracy :.2% | Worst :.2% | 95% interval | Distinct messages :,.0f | Paper"
    )
    return Table.of(f"{vary.capitalize()} :g | {heading}", rows)


def lengths_table(trained: Sequence[Trained]) -> Table:
    """Return the paper's table 7: a row for each length of training, a column for each shortening.

    The first number is the accuracy on whole sequences; the others are differences from it, as in the paper.
    """
    studies = {each.game.sequence_length: each.lengths for each in trained if each.lengths}
    shorter = sorted({less for found in studies.values() for less in found[0].accuracy} - {0})
    heading = ["Training length :d", "Whose", "Whole :.2%", *(f"-{less} :+.2pp" for less in shorter)]
    rows: list[tuple[Value, ...]] = []
    for length, found in studies.items():
        ours = {
            less: fmean(study.difference(less) for study in found) if less else None
            for less in found[0].accuracy
        }
        whole = fmean(study.accuracy[0].accuracy for study in found)
        rows.append((length, f"ours, {len(found)}", whole, *(ours.get(less) for less in shorter)))
        paper: Mapping[int, float] = PAPER_LENGTHS.get(length, {})
        if paper:
            rows.append((length, "paper", paper[0], *(paper.get(less) for less in shorter)))
    return Table.of(" | ".join(heading), rows)
