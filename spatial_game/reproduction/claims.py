"""The verdict: six claims of the paper, and whether the measured pairs replicate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from spatial_game.language.npmi.grid import emergence_table
from spatial_game.language.probing.asking import KINDS
from spatial_game.language.probing.hypotheses import over_pairs
from spatial_game.reproduction import paper
from spatial_game.reproduction.page import Section
from spatial_game.reproduction.results import PairResults, Results
from spatial_game.studies.lengths import PAPER_LENGTHS
from spatial_game.tables import Table, spread

SIGNIFICANT = 0.05
ESTIMATOR = "exact"
TOLERANCE = 0.05
"""How far a figure may be below the paper's, as a share of episodes or of pairs."""

YES, PARTLY, NO, UNTESTED = "yes", "partly", "no", "not tested"


class Claim(NamedTuple):
    """A claim of the paper beside what was measured."""

    claim: str
    paper: str
    here: str
    replicates: str


def verdict(results: Results) -> Section:
    """The claims, measured on the pairs of the paper's game, or on all if there are none of it."""
    pairs = [pair for pair in results.pairs.values() if pair.sequence_length == paper.LENGTH]
    who = f"the pairs of {paper.LENGTH} integers" if pairs else "pairs of other games than the paper's"
    pairs = pairs or list(results.pairs.values())
    text = (
        f"Measured on {who} ({len(pairs)}), with the estimator {ESTIMATOR}. Each figure is a part of its "
        f"claim. A part replicates if the mean here is at most {TOLERANCE:.0%} below the paper's. Message "
        "types are compared by their mean over the cells of the grid, H2 by the difference between with and "
        "without, and shorter sequences by the change of accuracy. (Parts of messages for integers are left "
        "out: the paper's 100% applies no threshold, and would hold for any language.) H1 and H2 also need p "
        f"below {SIGNIFICANT:g} in the signed-rank test over pairs. Pairs learn to play if all are above "
        f"{paper.ACCURACY:.0%} and their mean is not below that of table 7. Yes: all parts replicate. "
        "Partly: some do."
    )
    claims = tuple(claim(pairs) for claim in _CLAIMS)
    return Section("verdict", "Verdict", text, Table.of("Claim | Paper | Here | Replicates?", claims))


def _agreed(parts: Sequence[bool | None]) -> str:
    """Return the verdict on a claim with these parts; None is a part that could not be tested."""
    tested = [part for part in parts if part is not None]
    if not tested:
        return UNTESTED
    return YES if all(parts) else PARTLY if any(tested) else NO


def _playing(pairs: list[PairResults]) -> Claim:
    values = [pair.evaluation.overall.accuracy for pair in pairs]
    table_7 = PAPER_LENGTHS[paper.LENGTH][0]
    parts = [min(values) > paper.ACCURACY, fmean(values) >= table_7]
    theirs = f"all above {paper.ACCURACY:.0%} (table 7: {table_7:.1%})"
    return Claim(
        "Pairs learn to play", theirs, spread(fmean(values), min(values), max(values)), _agreed(parts)
    )


def _emergence(kind: str, claim: str) -> Callable[[list[PairResults]], Claim]:
    """Return the check of a claim that a type of message emerges."""

    def check(pairs: list[PairResults]) -> Claim:
        table = emergence_table([pair.grid[ESTIMATOR] for pair in pairs])
        (found,) = (row.emergence for row in table if row.message_type == kind)
        part = found[0] > 0 and _reaches(found[0], paper.EMERGED[kind])
        return Claim(
            claim, f"{paper.EMERGENCE[kind][0]} of runs", f"{spread(*found)} of pairs", _agreed([part])
        )

    return check


def _above_chance(pairs: list[PairResults]) -> Claim:
    means, p_values = {}, {}
    for kind in KINDS:
        chosen = [(pair, found) for pair in pairs if (found := pair.thresholds[ESTIMATOR].chosen.get(kind))]
        means[kind] = fmean(found.reported.accuracy for _, found in chosen) if chosen else 0.0
        p_values[kind] = over_pairs([found.reported.accuracy - pair.chance for pair, found in chosen])
    theirs = {kind: paper.TRANSLATION[kind][0] for kind in KINDS}
    parts = [_significant(p_values[kind], means[kind], theirs[kind]) for kind in KINDS]
    said, ours = (
        ", ".join(
            f"{short} {of[kind]:{style}}" if of[kind] else f"{short} none" for kind, short in _SHORT.items()
        )
        for of, style in ((theirs, ".0%"), (means, ".1%"))
    )
    claim = "H1: phrases of the dictionary are understood above chance"
    return Claim(claim, said, f"{ours} ({_tests(list(p_values.values()))})", _agreed(parts))


def _parts_help(pairs: list[PairResults]) -> Claim:
    found = [chosen for pair in pairs if (chosen := pair.thresholds[ESTIMATOR].chosen.get("compositional"))]
    with_part = [chosen.reported.accuracy for chosen in found]
    without = [chosen.report.controls["zero"].accuracy for chosen in found]
    gains = [a - b for a, b in zip(with_part, without, strict=True)]
    p_value, theirs = over_pairs(gains), (paper.TRANSLATION["compositional"][0], paper.CONTROL[0])
    said, ours, part = f"{theirs[0]:.0%} with, {theirs[1]:.0%} without", "no such phrases", None
    if found:
        ours = f"{fmean(with_part):.1%} with, {fmean(without):.1%} without ({_tests([p_value])})"
        part = _significant(p_value, fmean(gains), theirs[0] - theirs[1])
    return Claim("H2: the positional part of composed phrases helps", said, ours, _agreed([part]))


def _lengths(pairs: list[PairResults]) -> Claim:
    theirs = PAPER_LENGTHS[paper.LENGTH]
    studies = [pair.lengths["first"].shortened_by for pair in pairs]
    shorter = [less for less in theirs if less and all(less in study for study in studies)]
    ours = {less: fmean(study[less].difference for study in studies) for less in shorter}
    parts = [_reaches(ours[less], theirs[less]) for less in shorter]
    said, found = ("; ".join(f"{less} fewer: {of[less]:+.1%}" for less in shorter) for of in (theirs, ours))
    return Claim("Accuracy falls little on shorter sequences", said, found, _agreed(parts))


def _reaches(ours: float, theirs: float) -> bool:
    """Return whether a figure is near enough to the paper's, or above it."""
    return ours >= theirs - TOLERANCE


def _significant(p_value: float | None, ours: float, theirs: float) -> bool | None:
    """Return whether a hypothesis replicates; None if it could not be tested."""
    return None if p_value is None else p_value < SIGNIFICANT and _reaches(ours, theirs)


def _tests(p_values: Sequence[float | None]) -> str:
    """Return the p-values as text."""
    if all(p_value is None for p_value in p_values):
        return "too few pairs for a test"
    return "p = " + ", ".join("-" if p_value is None else f"{p_value:.2g}" for p_value in p_values)


_SHORT = dict(zip(KINDS, ("edges", "integers", "composed"), strict=True))
"""The kinds of phrases in a word."""
_CLAIMS: tuple[Callable[[list[PairResults]], Claim], ...] = (
    _playing,
    _emergence("positional", "Messages for the edges of the sequence emerge"),
    _emergence("compositional_positional", "Parts of messages for positions emerge"),
    _above_chance,
    _parts_help,
    _lengths,
)
