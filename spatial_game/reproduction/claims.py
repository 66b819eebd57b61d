"""The verdict: six claims of the paper, and whether the measured pairs replicate them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from spatial_game.reproduction import paper
from spatial_game.reproduction.page import Section
from spatial_game.reproduction.phrases.hypotheses import FEWEST_PAIRS
from spatial_game.reproduction.phrases.phrase_table import KINDS
from spatial_game.reproduction.results import PairResults, Results
from spatial_game.reproduction.summaries import interval_of_mean
from spatial_game.tables import Table, Value, between, written

ESTIMATOR = "exact"
TOLERANCE = 0.05
"""How far a figure may be from the paper's and still replicate it, as a share."""
NOTHING = 0.01
"""An effect is absent if its interval comes as near to zero as this."""
POINTS = "+.1pp"
UNDECIDED = "undecided"


class Figure(NamedTuple):
    """A figure of a claim as an effect: how far it is from what there would be without one."""

    claim: str
    name: str
    paper: float
    """The effect that the paper reports; its sign is the direction of the claim."""
    effects: Sequence[float]
    """The effects here, of the pairs that have this figure."""
    without: float | None = None
    """The figure without an effect, such as chance; None for one that is itself a difference."""
    note: str = ""
    """What else the verdict says."""

    def row(self, pairs: int) -> tuple[Value, ...]:
        """Return the row of the table, among this number of pairs."""
        number = f"{len(self.effects)} of {pairs}"
        start = (self.claim, self.name, self._shown(self.paper))
        if not self.effects:
            found = "absent" if pairs >= FEWEST_PAIRS else UNDECIDED
            return (*start, "none", None, None, number, found)
        mean = fmean(self.effects)
        interval = interval_of_mean([effect - self.paper for effect in self.effects])
        difference = (mean - self.paper, interval and between(interval, POINTS))
        return (*start, self._shown(mean), *difference, number, self.verdict + self.note)

    @property
    def verdict(self) -> str:
        """Whether the pairs replicate the figure, in direction and size."""
        direction = 1 if self.paper > 0 else -1
        claimed, effects = direction * self.paper, [direction * effect for effect in self.effects]
        interval = interval_of_mean(effects)
        if interval is None or len(effects) < FEWEST_PAIRS:
            return UNDECIDED
        mean, (low, high) = fmean(effects), interval
        none_shown = low < NOTHING and high > -NOTHING and claimed > TOLERANCE
        if abs(mean - claimed) <= TOLERANCE and not none_shown:
            return "replicates"
        if low <= claimed <= high:
            return UNDECIDED
        if none_shown:
            return "absent"
        return "stronger" if mean > claimed else "weaker" if mean > 0 else "opposite"

    def _shown(self, effect: float) -> str:
        return written(effect, POINTS) if self.without is None else f"{self.without + effect:.1%}"


def verdict(results: Results) -> Section:
    """The claims, measured on the pairs of the paper's game, or on all if there are none of it."""
    pairs = [pair for pair in results.pairs.values() if pair.sequence_length == paper.LENGTH]
    who = f"the pairs of {paper.LENGTH} integers" if pairs else "pairs of other games than the paper's"
    pairs = pairs or list(results.pairs.values())
    tolerance, nothing = f"{TOLERANCE * 100:.0f} pp", f"{NOTHING * 100:.0f} pp"
    text = (
        f"Measured on {who} ({len(pairs)}), with the estimator {ESTIMATOR}.{_recipes(pairs)} Difference: "
        "the mean over the pairs that have the figure, minus the paper's, in percentage points (pp), with "
        f"its 95% interval (Student's t). Replicates: the mean is within {tolerance} of the paper's. "
        "Stronger, weaker: an effect in the paper's direction, larger or smaller by more than that. "
        f"Absent: the interval of the effect comes within {nothing} of zero, or no pair has the figure. "
        "Opposite: an effect in the other direction. Undecided: the interval holds the paper's figure, but "
        f"the mean is further away or the effect may be absent; or fewer than {FEWEST_PAIRS} pairs have the "
        "figure. Message types are compared by their mean over the cells of the grid. (Parts of messages "
        "for integers are left out: the paper's 100% applies no threshold, and would hold for any "
        "language.) Minimal pairs: one part of a phrase is exchanged; how much more often a place is "
        "chosen when it is named, and the number of pairs. A receiver that always composes reaches +100 "
        "pp."
    )
    rows = [figure.row(len(pairs)) for figures in _CLAIMS for figure in figures(pairs)]
    heading = "Claim | Figure | Paper | Here | Difference :+.1pp | 95% interval | Pairs | Verdict"
    return Section("verdict", "Verdict", text, Table.of(heading, rows), open=True)


def _recipes(pairs: list[PairResults]) -> str:
    """Say which pairs were trained otherwise than the paper's, and how."""
    found = dict.fromkeys(f"{pair.family} ({pair.recipe})" for pair in pairs if pair.recipe)
    if not found:
        return ""
    return f" Trained otherwise than the paper's (no curriculum, raw numbers): {', '.join(found)}."


def _playing(pairs: list[PairResults]) -> Iterator[Figure]:
    claim, chance = "Pairs learn to play", fmean(pair.chance for pair in pairs)
    values = [pair.evaluation.overall.accuracy for pair in pairs]
    above = [float(value > paper.ACCURACY) for value in values]
    yield Figure(claim, f"pairs above {paper.ACCURACY:.0%} (section 5)", 1.0, above, 0.0)
    effects = [value - pair.chance for value, pair in zip(values, pairs, strict=True)]
    yield Figure(claim, "accuracy (table 7)", paper.LENGTHS[paper.LENGTH][0] - chance, effects, chance)


def _emergence(pairs: list[PairResults]) -> Iterator[Figure]:
    for kind, name in _EMERGING.items():
        shares = [fmean(cell.types[kind].emerged for cell in pair.grid[ESTIMATOR]) for pair in pairs]
        yield Figure("Types of messages emerge", name, paper.EMERGED[kind], shares, 0.0)


def _understood(pairs: list[PairResults]) -> Iterator[Figure]:
    chance = fmean(pair.chance for pair in pairs)
    for kind, (theirs, _) in paper.TRANSLATION.items():
        effects = [
            found.reported.accuracy - pair.chance
            for pair in pairs
            if (found := pair.thresholds[ESTIMATOR].chosen.get(kind))
        ]
        note = _minimal_pairs(pairs) if kind == "compositional" else ""
        claim = "H1: phrases of the dictionary are understood above chance"
        yield Figure(claim, KINDS[kind], theirs - chance, effects, chance, note)


def _parts_help(pairs: list[PairResults]) -> Iterator[Figure]:
    found = [chosen for pair in pairs if (chosen := pair.thresholds[ESTIMATOR].chosen.get("compositional"))]
    gains = [one.reported.accuracy - one.report.controls["zero"].accuracy for one in found]
    theirs = paper.TRANSLATION["compositional"][0] - paper.CONTROL[0]
    claim = "H2: the positional part of composed phrases helps"
    yield Figure(claim, "accuracy with it minus without", theirs, gains, None, _minimal_pairs(pairs))


def _lengths(pairs: list[PairResults]) -> Iterator[Figure]:
    studies = [pair.lengths["first"].shortened_by for pair in pairs]
    for less, theirs in paper.LENGTHS[paper.LENGTH].items():
        changes = [study[less].difference for study in studies if less in study]
        if less and changes:
            yield Figure("Accuracy on shorter sequences", f"change with {less} fewer", theirs, changes)


def _minimal_pairs(pairs: list[PairResults]) -> str:
    """Say what the minimal pairs show of the composed phrases, as the end of a verdict."""
    found = [made for pair in pairs if (made := pair.thresholds[ESTIMATOR].minimal_pairs)]
    said = []
    for part in ("offset", "integer"):
        exchanges = [exchange for each in found if (exchange := getattr(each, part)).first.trials]
        effect = written(fmean(e.effect for e in exchanges), POINTS) if exchanges else "none"
        said.append(f"{part} {effect} ({len(exchanges)} pair{'s' * (len(exchanges) != 1)})")
    return f"; minimal pairs: {', '.join(said)}"


_EMERGING = {
    "positional": "messages for the edges of the sequence",
    "compositional_positional": "parts of messages for positions",
}
_CLAIMS: tuple[Callable[[list[PairResults]], Iterator[Figure]], ...] = (
    _playing,
    _emergence,
    _understood,
    _parts_help,
    _lengths,
)
