"""What each choice of the paper's estimators changes: figures with one choice of `text` or `code` exchanged.

    OMP_NUM_THREADS=1 python experiments/estimators.py --out docs/_static/findings/estimators.csv
    python experiments/estimators.py --pairs embed-60/0                              (prints its rows)

For each pair, t_n is 1. `positions` and `integers`: the share of the nine t_c at which parts of messages for
positions, and whole messages for integers at offsets, emerge; `..._messages`: their share of the messages
there. `composed` and `whole`: how often the receiver understands such phrases at the paper's cell (t_c 0.5);
empty without phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import fmean
from unittest.mock import patch

import numpy as np
from rows import make_rows, pairs_of

from spatial_agents import load_pair
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.counting.rows import FloatArray
from spatial_game.language.npmi.analysis import npmi_tables
from spatial_game.language.npmi.associations import Associations
from spatial_game.language.npmi.referents import Integers, IntegersAtOffsets, Offsets, Referents
from spatial_game.language.npmi.score import (
    ESTIMATORS,
    OFFSET_FACTOR,
    code,
    exact,
    raw_npmi,
    share_with_cell,
    text,
)
from spatial_game.language.npmi.settings import NpmiSettings
from spatial_game.language.npmi.table import NpmiTable
from spatial_game.recording import join, record
from spatial_game.reproduction.paper import THRESHOLDS
from spatial_game.reproduction.phrases import phrases_of
from spatial_game.reproduction.true_phrases import draw_true

Estimator = Callable[[Associations, Counts], FloatArray]
RECORDED, ASKED = 100_000, 4_000


def of_kinds(base: Estimator, other: Estimator, *kinds: type[Referents]) -> Estimator:
    """Return the estimator that is `other` for these kinds of referents."""
    return lambda found, counts: (other if isinstance(found.referents, kinds) else base)(found, counts)


def of_named(found: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI of offsets in which an n-gram's share is that of the episodes beside integers."""
    assert isinstance(found.referents, Offsets)
    joint, ngram = (n / max(counts.total, 1) for n in (found.joint, found.ngram_total))
    return raw_npmi(joint, ngram, share_with_cell(found.referents, counts))


def plain(found: Associations, counts: Counts) -> FloatArray:
    """Return the NPMI of `code` without its factor."""
    return code(found, counts) / OFFSET_FACTOR


UNTESTED = {"min_count": 1, "significance": 1.0}
CHOICES: dict[str, tuple[Estimator, dict[str, float]]] = {
    "code": (code, {}),
    "code, without the factor of 10": (of_kinds(code, plain, Offsets), {}),
    "code, p(integer) 1/n": (of_kinds(code, text, Integers, IntegersAtOffsets), {}),
    "code, no least count, no test": (code, UNTESTED),
    "text": (text, {}),
    "text, p(n-gram) beside a word": (of_kinds(text, of_named, Offsets), {}),
    "text, no least count, no test": (text, UNTESTED),
    "exact": (exact, {}),
}
"""What is exchanged, as an estimator and settings; the first word names the estimator that it begins with."""


def rows_of(name: str) -> Iterator[dict[str, str]]:
    """Yield a row for each choice."""
    pair, rng = load_pair(name), np.random.default_rng(0)
    batches = draw_batches(pair.config, RECORDED, rng)
    counts = count(join(record((pair.sender, None), batch, pair.config) for batch in batches))
    episodes = draw_episodes(pair.config, ASKED, rng)

    def understood(cell: NpmiTable, kind: str) -> str:
        phrases = phrases_of(cell, kind)
        if not len(phrases):
            return ""
        drawn = draw_true(phrases, episodes, np.random.default_rng(1))
        return f"{won_by(pair.receiver, drawn.message, drawn.episodes).mean():.3f}"

    for choice, (estimator, settings) in CHOICES.items():
        base = NpmiSettings(choice.partition(",")[0])  # type: ignore[arg-type]
        with patch.dict(ESTIMATORS, {base.estimator: estimator}):
            cells = npmi_tables(counts, replace(base, **settings), THRESHOLDS, (1,))  # type: ignore[arg-type]
        row = {"pair": name, "choice": choice}
        for column, kind in (("positions", "compositional_positional"), ("integers", "integer")):
            shares = [cell.types[kind].vocabulary for cell in cells]
            emerged = [share for share in shares if share]
            row[column] = f"{len(emerged) / len(shares):.3f}"
            row[f"{column}_messages"] = f"{fmean(emerged):.3f}" if emerged else ""
        at = cells[THRESHOLDS.index(0.5)]
        yield row | {"composed": understood(at, "compositional"), "whole": understood(at, "integer_at")}


if __name__ == "__main__":
    make_rows(__doc__, rows_of, pairs_of("paper-60", "embed-60"))
