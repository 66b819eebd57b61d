"""`spatial-game measure`: the measures of a language that papers report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spatial_game.agents.own import own_function
from spatial_game.cli.language import LanguageCommand, add_senders
from spatial_game.cli.options import TableCommand
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.seeds import random_stream
from spatial_game.text import counted

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.measures.measure import Measure as MeasureOfLanguage


@dataclass(frozen=True, kw_only=True)
class Measure(LanguageCommand, TableCommand):
    """The options of `spatial-game measure`."""

    own: tuple[str, ...] = ()
    """Functions of your own, module:function, that return a number for a sample of episodes (its `message`
    has a row for each)."""

    def execute(self) -> Iterator[Report]:
        """Measure, and show the values with their intervals."""
        from spatial_game.language.measures.measure import own_measure

        own = [own_measure(own_function(name, "own"), name.partition(":")[2]) for name in self.own]
        with self.languages(self.language) as [language]:
            counts = language.count()
            with progress("measuring"):
                report = report_of(counts, self.seed, own)
        add_senders(report, language)
        yield report


def report_of(counts: Counts, seed: int, own: Sequence[MeasureOfLanguage] = ()) -> Report:
    """Measure a language, also by measures of the user's own, and report the values."""
    from spatial_game.language.measures import measuring

    rng = np.random.default_rng(random_stream(seed, "measures"))
    measures = measuring.all_measures(counts.sources, rng, own)
    measured = min(counts.total, measuring.most_measured(counts.config))
    drawn = f", drawn at random from {counts.total:,}" if measured < counts.total else ""
    report = Report(episodes=measured, measures=measures)
    report.complete = measuring.measure_table(measures)
    shown = measuring.measure_table_for_people(measures)
    report.table(f"Measures of {counted(measured, 'message')}{drawn}", shown)
    undefined: dict[str | None, list[str]] = {}
    for figure in measures:
        if figure.value is None:
            undefined.setdefault(figure.reason, []).append(figure.name)
    report.paragraphs(
        *(f"Undefined: {'; '.join(names)}. The reason: {why}." for why, names in undefined.items())
    )
    report.paragraphs(*measuring.blind_spots())
    return report
