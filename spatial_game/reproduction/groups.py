"""The pairs of one family, as measured by one estimator at one cell of the grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spatial_game.reproduction.results import CELLS, ESTIMATORS, Exchange, PairResult, PhraseAccuracy, Results
from spatial_game.reproduction.sections import Row


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
        pairs = len(self.pairs)
        return {"Family": self.family, "Pairs": pairs, "Estimator": self.estimator, "Cell": self.cell}

    def phrases(self, kind: str) -> list[PhraseAccuracy]:
        """Return how phrases of a kind are understood, of the pairs that have some."""
        return [found for pair in self.pairs if (found := pair.phrases(self.estimator, self.cell, kind))]

    def gains(self, kind: str, control: str | None) -> list[float]:
        """Return how much better phrases of a kind are understood than a control, or chance without one.

        Pairs without such phrases, or without the control, are left out.
        """
        return [
            found.accuracy.accuracy
            - (found.understood(control).accuracy if control else self.pairs[0].chance)
            for found in self.phrases(kind)
            if found.understood(control).trials
        ]

    def effects(self, part: str) -> list[float]:
        """Return the effects of exchanging a part of composed phrases, of the pairs in which it can be."""
        return [each.effect for each in self._exchanges(part) if each.effect is not None]

    def ceilings(self, part: str) -> list[float]:
        """Return the ceilings of these effects."""
        ceilings = (each.ceiling(self.pairs[0].chance) for each in self._exchanges(part))
        return [ceiling for ceiling in ceilings if ceiling is not None]

    def _exchanges(self, part: str) -> list[Exchange]:
        every = (pair.by_estimator[self.estimator].exchanges[self.cell] for pair in self.pairs)
        return [exchanges[part] for exchanges in every if part in exchanges]


def groups(results: Results, length: int | None = None) -> Iterator[Group]:
    """Yield the groups of the families of `Results.families`."""
    for family, pairs in results.families(length).items():
        for estimator in ESTIMATORS:
            for cell in CELLS:
                yield Group(family, pairs, estimator, cell)
