"""The pairs of one family, as measured by one estimator at one cell of the grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from spatial_game.reproduction.results import CELLS, ESTIMATORS, Exchange, PairResult, PhraseAccuracy, Results
from spatial_game.reproduction.sections import Row


def trainings(pairs: Sequence[PairResult]) -> int:
    """Return in how many independent trainings the pairs were trained: a population is one."""
    return len({pair.population or pair.name for pair in pairs})


def over_trainings(pairs: Sequence[PairResult], figure: Callable[[PairResult], float | None]) -> list[float]:
    """Return a figure of each independent training; without those that do not have it (None).

    It is that of the pair, and for a population the mean over its pairs. They share senders and receivers,
    so intervals and tests over pairs would be of a sample that is not there.
    """
    found: dict[str, list[float]] = {}
    for pair in pairs:
        if (value := figure(pair)) is not None:
            found.setdefault(pair.population or pair.name, []).append(value)
    return [fmean(values) for values in found.values()]


@dataclass(frozen=True)
class Group:
    """The pairs of a family, as measured by an estimator at one of `CELLS`. They play one game."""

    family: str
    pairs: Sequence[PairResult]
    estimator: str
    cell: str

    @property
    def names(self) -> Row:
        """What a row of a table says of the group."""
        pairs = trainings(self.pairs)
        return {"Family": self.family, "Pairs": pairs, "Estimator": self.estimator, "Cell": self.cell}

    def phrases(self, kind: str) -> list[PhraseAccuracy]:
        """Return how phrases of a kind are understood, of the pairs that have some."""
        return [found for pair in self.pairs if (found := self.phrases_of(pair, kind))]

    def phrases_of(self, pair: PairResult, kind: str) -> PhraseAccuracy | None:
        """Return how a pair understands phrases of a kind; None if it has none."""
        return pair.phrases(self.estimator, self.cell, kind)

    def of_phrases(self, kind: str, figure: Callable[[PhraseAccuracy], float | None]) -> list[float]:
        """Return a figure of phrases of a kind, of each training that has some: see `over_trainings`."""

        def of_pair(pair: PairResult) -> float | None:
            found = self.phrases_of(pair, kind)
            return figure(found) if found else None

        return over_trainings(self.pairs, of_pair)

    def accuracies(self, kind: str, control: str | None = None) -> list[float]:
        """Return how phrases of a kind, or a control of them, are understood, of each training with some."""
        return self.of_phrases(kind, lambda found: found.understood(control).accuracy)

    def gains(self, kind: str, control: str | None) -> list[float]:
        """Return how much better phrases of a kind are understood than a control, or chance without one.

        Pairs without such phrases, or without the control, are left out.
        """

        def gain(found: PhraseAccuracy) -> float | None:
            without = found.understood(control)
            floor = without.accuracy if control else self.pairs[0].chance
            return found.accuracy.accuracy - floor if without.trials else None

        return self.of_phrases(kind, gain)

    def effects(self, part: str) -> list[float]:
        """Return the effects of exchanging a part of composed phrases, of the pairs in which it can be."""
        return self._of_exchanges(part, lambda found: found.effect)

    def ceilings(self, part: str) -> list[float]:
        """Return the ceilings of these effects."""
        return self._of_exchanges(part, lambda found: found.ceiling(self.pairs[0].chance))

    def _of_exchanges(self, part: str, figure: Callable[[Exchange], float | None]) -> list[float]:
        def of_pair(pair: PairResult) -> float | None:
            found = pair.by_estimator[self.estimator].exchanges[self.cell].get(part)
            return figure(found) if found else None

        return over_trainings(self.pairs, of_pair)


def groups(results: Results, length: int | None = None) -> Iterator[Group]:
    """Yield the groups of the families of `Results.families`."""
    for family, pairs in results.families(length).items():
        for estimator in ESTIMATORS:
            for cell in CELLS:
                yield Group(family, pairs, estimator, cell)
