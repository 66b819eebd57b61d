"""`spatial-game measure`: the measures of a language that papers report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spatial_game.agents.own import own_function
from spatial_game.cli.options import TableCommand
from spatial_game.cli.read_language import LanguageCommand, warn_of_several
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.seeds import random_stream
from spatial_game.tables import counted


@dataclass(frozen=True, kw_only=True)
class Measure(LanguageCommand, TableCommand):
    """The options of `spatial-game measure`."""

    own: tuple[str, ...] = ()
    """Functions of your own, module:function, that return a number for a sample of episodes."""

    def execute(self) -> Iterator[Report]:
        """Measure, and show the values with their intervals."""
        from spatial_game.language.measures import own_measure
        from spatial_game.language.measuring import (
            all_measures,
            blind_spots,
            measure_table,
            measure_table_for_people,
            most_measured,
        )

        own = [own_measure(own_function(name, "own"), name.partition(":")[2]) for name in self.own]
        with self.language() as language:
            counts = language.counts
            with progress("measuring"):
                rng = np.random.default_rng(random_stream(self.seed, "measures"))
                measures = all_measures(counts.sources, rng, own)
        measured = min(counts.total, most_measured(counts.config))
        drawn = f", drawn at random from {counts.total:,}" if measured < counts.total else ""
        report = Report(
            episodes=measured,
            measures=[measure.to_dict() for measure in measures],
            senders=language.senders,
        )
        report.complete = measure_table(measures)
        report.table(f"Measures of {counted(measured, 'message')}{drawn}", measure_table_for_people(measures))
        undefined = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
        if undefined:
            report.lines("", *undefined)
        report.lines("")
        report.paragraphs(blind_spots())
        warn_of_several(report, language.senders)
        yield report
