"""The verdict: six claims of the paper, and whether the measured pairs replicate them.

A claim is compared like with like. The paper's networks get each integer as a number, and its figures come
from its own estimator: only such rows have a verdict. The other rows show what inputs and estimator change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from spatial_game.reproduction import paper
from spatial_game.reproduction.inference import FEWEST_PAIRS, gains, interval_of_mean, mean, training_of
from spatial_game.reproduction.phrases import PHRASE_KINDS
from spatial_game.reproduction.results import ESTIMATORS, PairResult, Results, Section
from spatial_game.tables import Value, between, written

TOLERANCE = 0.05
"""How far a figure may be from the paper's and still replicate it, as a share."""
NEAR_ZERO = 0.01
"""An effect is absent if its interval comes as near to zero as this."""
POINTS = "+.1pp"
UNDECIDED = "undecided"
NUMBERS = "numbers"
"""In the words for inputs: integers enter the networks as numbers, as in the paper."""
_EMERGING = {
    "positional": "messages for the edges of the sequence",
    "compositional_positional": "parts of messages for positions",
}
"""The types of messages that claims are about."""


class ClaimedFigure(NamedTuple):
    """A figure of a claim as an effect: how far it is from what there would be without one."""

    claim: str
    name: str
    estimator: str
    """The one that it is measured by; empty if it needs none."""
    paper: float
    """The effect that the paper reports; its sign is the direction of the claim."""
    effects: Sequence[float]
    """The effects here, of the pairs that have this figure."""
    without: float | None = None
    """The figure without an effect, such as chance; None for one that is itself a difference."""
    exchanged: tuple[float | None, float | None] = (None, None)
    """Of composed phrases: the effects of an exchanged offset and of an exchanged integer."""

    def cells(self, pairs: int) -> tuple[Value, ...]:
        """Return the cells of a row among this number of pairs, without the verdict."""
        number = f"{len(self.effects)} of {pairs}"
        if not self.effects:
            return (self._shown(self.paper), "none", None, None, number, *self.exchanged)
        interval = interval_of_mean([effect - self.paper for effect in self.effects])
        difference = (fmean(self.effects) - self.paper, interval and between(interval, POINTS))
        here = self._shown(fmean(self.effects))
        return (self._shown(self.paper), here, *difference, number, *self.exchanged)

    def verdict(self, pairs: int) -> str:
        """Return whether the pairs replicate the figure, in direction and size."""
        if not self.effects:
            return "absent" if pairs >= FEWEST_PAIRS else UNDECIDED
        direction = 1 if self.paper > 0 else -1
        claimed, effects = direction * self.paper, [direction * effect for effect in self.effects]
        interval = interval_of_mean(effects)
        if interval is None or len(effects) < FEWEST_PAIRS:
            return UNDECIDED
        average, (low, high) = fmean(effects), interval
        none_shown = low < NEAR_ZERO and high > -NEAR_ZERO and claimed > TOLERANCE
        if abs(average - claimed) <= TOLERANCE and not none_shown:
            return "replicates"
        if low <= claimed <= high:
            return UNDECIDED
        if none_shown:
            return "absent"
        return "stronger" if average > claimed else "weaker" if average > 0 else "opposite"

    def _shown(self, effect: float) -> str:
        return written(effect, POINTS) if self.without is None else f"{self.without + effect:.1%}"


def claimed_figures(pairs: Sequence[PairResult]) -> Iterator[ClaimedFigure]:
    """Yield the figures of the claims, as measured on the pairs of a family."""
    claim, chance = "Pairs learn to play", fmean(pair.chance for pair in pairs)
    above = [float(pair.play.accuracy > paper.ACCURACY) for pair in pairs]
    yield ClaimedFigure(claim, f"pairs above {paper.ACCURACY:.0%} (section 5)", "", 1.0, above, 0.0)
    effects, theirs = [pair.play.accuracy - pair.chance for pair in pairs], paper.LENGTHS[paper.LENGTH]
    yield ClaimedFigure(claim, "accuracy (table 7)", "", theirs[0] - chance, effects, chance)
    for estimator in ESTIMATORS:
        yield from _by_estimator(pairs, estimator, chance)
    for less, change in theirs.items():
        changes = [found for pair in pairs if (found := pair.change("first", less)) is not None]
        if less and changes:
            name = f"change with {less} fewer"
            yield ClaimedFigure("Accuracy on shorter sequences", name, "", change, changes)


def _by_estimator(pairs: Sequence[PairResult], estimator: str, chance: float) -> Iterator[ClaimedFigure]:
    """Yield the figures that depend on the estimator: of message types, and of phrases."""
    for kind, name in _EMERGING.items():
        shares = [
            fmean(cell.types[kind].vocabulary > 0 for cell in pair.by_estimator[estimator].cells)
            for pair in pairs
        ]
        theirs = paper.EMERGENCE[kind][0][0] / 100
        yield ClaimedFigure("Types of messages emerge", name, estimator, theirs, shares, 0.0)
    made = [pair.by_estimator[estimator].exchanges for pair in pairs]
    offset, integer = (
        mean([effect for each in made if each and (effect := each[part].effect) is not None])
        for part in ("offset", "integer")
    )
    claim = "H1: phrases of the dictionary are understood above chance"
    for kind, (theirs, _) in paper.TRANSLATION.items():
        exchanged = (offset, integer) if kind == "compositional" else (None, None)
        effects = gains(pairs, estimator, kind)
        yield ClaimedFigure(claim, PHRASE_KINDS[kind], estimator, theirs - chance, effects, chance, exchanged)
    claim, name = "H2: the positional part of composed phrases helps", "accuracy with it minus without"
    theirs = paper.TRANSLATION["compositional"][0] - paper.CONTROL[0]
    effects = gains(pairs, estimator, "compositional", "zero")
    yield ClaimedFigure(claim, name, estimator, theirs, effects, None, (offset, integer))


def verdict_rows(results: Results) -> list[tuple[Value, ...]]:
    """Return the claims by family and estimator, for the pairs of the paper's game; for all if none are."""
    rows: list[tuple[Value, ...]] = []
    for family, pairs in results.families(paper.LENGTH).items():
        who, numbers = (family, *training_of(pairs)), all(NUMBERS in pair.inputs for pair in pairs)
        for figure in claimed_figures(pairs):
            said = figure.verdict(len(pairs)) if numbers and figure.estimator != "exact" else None
            cells = (figure.estimator, *figure.cells(len(pairs)), said)
            rows.append((figure.claim, figure.name, *who, *cells))
    order = list(dict.fromkeys(row[:2] for row in rows))
    return sorted(rows, key=lambda row: order.index(row[:2]))


VERDICT = Section(
    "Verdict",
    f"""\
The paper's networks get each integer as a raw number, and its figures come from its own estimator. Only
rows with numbers and that estimator have a verdict; the others show what inputs and estimator change.
Numbers that are scaled, and another recipe than `paper`, are named: they also differ from the paper.
Difference: the mean over the pairs that have the figure, minus the paper's, in percentage points (pp),
with its 95% interval (Student's t). Replicates: the mean is within {TOLERANCE * 100:.0f} pp of the
paper's. Stronger, weaker: an effect in the paper's direction, larger or smaller by more than that.
Absent: the interval of the effect comes within {NEAR_ZERO * 100:.0f} pp of zero, or no pair has the figure.
Opposite: an effect in the other direction. Undecided: the interval holds the paper's figure, but the mean
is further away or the effect may be absent; or fewer than {FEWEST_PAIRS} pairs have the figure. Message
types are compared by their mean over the cells of the grid. (Parts of messages for integers are left out:
the paper's 100% applies no threshold, and would hold for any language.) Offset, integer exchanged: how
much more often a place is chosen when the exchanged part of a phrase names it. A receiver that composes
reaches +100 pp with both; H2 alone cannot show it.""",
    "Claim | Figure | Family | Inputs | Recipe | Estimator | Paper | Here | Difference :+.1pp | "
    "95% interval | Pairs | Offset exchanged :+.1pp | Integer exchanged :+.1pp | Verdict",
    verdict_rows,
)
