"""`spatial-game measures`: the measures of a language that papers report, in one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from spatial_game.cli.files import InFiles, open_recordings
from spatial_game.cli.options import Command, FilesGame, GameOptions, positional
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.seeds import stream
from spatial_game.tables import FORMATS

WIDE = 100
"""Width of a terminal, in columns, from which intervals fit."""


@positional
@dataclass(frozen=True, kw_only=True)
class Measures(Command):
    """The options of `spatial-game measures`."""

    files: Annotated[InFiles, Parameter(name="FILE...")] = field(kw_only=False)
    """Recordings of one game."""
    game: FilesGame = field(default_factory=GameOptions)
    shuffles: int = 5
    """Shuffled copies of the language, which show the values by chance."""
    pairs: int = 100_000
    """Pairs of episodes for topographic similarity."""
    seed: int = 0
    """Seed of shuffles, pairs and intervals."""
    format: Literal["text", "markdown", "latex", "csv"] = "text"
    """How to print the table."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Read, measure and show."""
        from spatial_game.cli.recordings import expand
        from spatial_game.language import tables
        from spatial_game.language.measures import all_measures

        source = open_recordings(expand(self.files), self.game.of_files)
        with progress("measuring"):
            measures = all_measures(
                source,
                np.random.default_rng(stream(self.seed, "measures")),
                num_shuffles=self.shuffles,
                max_pairs=self.pairs,
            )
        episodes = sum(file.num_rows for file in source)
        if self.format == "text":
            wide = not output.console.is_terminal or output.width >= WIDE
            shown = tables.measures_for_people(measures, intervals=wide)
            output.table(f"Measures of {episodes:,} messages", shown)
            notes = [f"  {m.name} is undefined: {m.reason}" for m in measures if m.value is None]
            notes += [] if wide else [f"  For 95% intervals, use a terminal of {WIDE} columns, or --json."]
            output.say("", *notes)
        elif not self.json:
            print(FORMATS[self.format](tables.measures(measures)), end="")
        return {"episodes": episodes, "measures": [measure.to_dict() for measure in measures]}
