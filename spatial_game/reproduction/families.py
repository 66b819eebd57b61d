"""Families of pairs. Statistics over a family are over its independent trainings; a population is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from spatial_game.config import GameConfig
from spatial_game.reproduction.results import (
    ESTIMATORS,
    REPORTED_CELLS,
    Exchange,
    PairResult,
    PhraseAccuracy,
    Results,
)


@dataclass(frozen=True)
class Family:
    """Pairs of one name or run, which play one game."""

    name: str
    pairs: Sequence[PairResult]

    @property
    def config(self) -> GameConfig:
        """The game of all pairs."""
        return self.pairs[0].config

    @property
    def chance(self) -> float:
        """The accuracy of a random choice."""
        return self.pairs[0].chance

    @property
    def trainings(self) -> list[str]:
        """The name of the training of each pair."""
        return [pair.population or pair.name for pair in self.pairs]

    @property
    def num_trainings(self) -> int:
        """The number of independent trainings."""
        return len(set(self.trainings))

    def by_training(self, values: Iterable[float | None]) -> list[float]:
        """Return a figure for each independent training, from that of each pair, in order; None is left out.

        The figure of a population is the mean over its pairs. They share senders and receivers, so intervals
        and tests over pairs would be of a sample that is not there.
        """
        by_name: dict[str, list[float]] = {}
        for name, value in zip(self.trainings, values, strict=True):
            if value is not None:
                by_name.setdefault(name, []).append(value)
        return [fmean(of_training) for of_training in by_name.values()]

    @property
    def plays(self) -> list[float]:
        """The accuracy of each training in the game."""
        return self.by_training(pair.play.accuracy for pair in self.pairs)

    def changes(self, integers: str, less: int) -> list[float]:
        """Return how the accuracy of each training changes with sequences shortened by `less`."""
        return self.by_training(pair.change(integers, less) for pair in self.pairs)


@dataclass(frozen=True)
class FamilyCell:
    """A family, as measured by one estimator at one of the `REPORTED_CELLS`.

    Lists of numbers have one for each independent training that has the figure (`Family.by_training`).
    """

    family: Family
    estimator: str
    cell: str

    def phrases(self, kind: str) -> list[PhraseAccuracy]:
        """Return how each pair that has phrases of a kind understands them."""
        return [phrases for phrases in self._phrases(kind) if phrases]

    def _phrases(self, kind: str) -> list[PhraseAccuracy | None]:
        return [pair.phrases(self.estimator, self.cell, kind) for pair in self.family.pairs]

    def accuracies(self, kind: str, control: str | None = None) -> list[float]:
        """Return the accuracies of phrases of a kind, or of a control of them."""
        return self.family.by_training(
            phrases.understood(control).accuracy if phrases else None for phrases in self._phrases(kind)
        )

    def gains(self, kind: str, control: str | None) -> list[float]:
        """Return the accuracies of phrases of a kind less those of a control, or less chance."""
        chance = self.family.chance
        return self.family.by_training(
            phrases.gain(control, chance) if phrases else None for phrases in self._phrases(kind)
        )

    def effects(self, part: str) -> list[float]:
        """Return the effects of exchanging a part of composed phrases."""
        return self.family.by_training(each.effect if each else None for each in self._exchanges(part))

    def ceilings(self, part: str) -> list[float]:
        """Return the ceilings of these effects."""
        chance = self.family.chance
        return self.family.by_training(
            each.ceiling(chance) if each else None for each in self._exchanges(part)
        )

    def _exchanges(self, part: str) -> list[Exchange | None]:
        return [pair.exchange(self.estimator, self.cell, part) for pair in self.family.pairs]


def families(results: Results, length: int | None = None) -> list[Family]:
    """Return the families, in order: the pairs of this sequence length, or all pairs if there are none.

    A family whose pairs play several games is one for each game.
    """
    games: dict[str, set[GameConfig]] = {}
    for pair in results.pairs.values():
        games.setdefault(pair.family, set()).add(pair.config)
    of_length = [pair for pair in results.pairs.values() if pair.config.sequence_length == length]
    by_name: dict[str, list[PairResult]] = {}
    for pair in of_length or results.pairs.values():
        game = f", {pair.config.signature}" if len(games[pair.family]) > 1 else ""
        by_name.setdefault(pair.family + game, []).append(pair)
    return [Family(name, pairs) for name, pairs in by_name.items()]


def family_cells(results: Results, length: int | None = None) -> Iterator[FamilyCell]:
    """Yield the families by each estimator at each of the `REPORTED_CELLS`."""
    for family in families(results, length):
        for estimator in ESTIMATORS:
            for cell in REPORTED_CELLS:
                yield FamilyCell(family, estimator, cell)
