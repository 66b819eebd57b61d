"""`spatial-game measures`: what the field reports of a language, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import tyro

from spatial_game.cli.analyse import expand
from spatial_game.cli.options import GameOptions
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.seeds import stream
from spatial_game.language import tables
from spatial_game.language.measures.corpus import Corpus
from spatial_game.recording import ANALYSED, Recording, read_recording
from spatial_game.tables import FORMATS

if TYPE_CHECKING:
    from spatial_game.language.measures import Measure


@dataclass(frozen=True)
class Measures:
    """Measure a language: entropies, information, disentanglement, topographic similarity, segments, Zipf.

    spatial-game measures play.parquet
    """

    files: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="FILE...", help_behavior_hint="(required)"),
    ]
    """Recordings of one game, or one .jsonl with the symbols of a message on each line."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """The game of files that do not say it; of a .jsonl, the size of the vocabulary."""
    shuffles: int = 5
    """Shuffled copies, which show what chance makes of each measure."""
    pairs: int = 100_000
    """Pairs of episodes for topographic similarity."""
    harris_threshold: float = 0.5
    """Bits by which branching entropy must grow to make a boundary."""
    seed: int = 0
    """Seed of shuffles, pairs and intervals."""
    format: Literal["text", "markdown", "latex", "csv"] = "text"
    """How to print the table."""
    json: bool = False
    """Print one JSON object instead."""

    def run(self) -> None:
        """Read, measure and show."""
        from spatial_game.language.measures import all_measures  # loads scipy.stats

        output = Output(self.json)
        source = self._source()
        with progress("measuring"):
            measures = all_measures(
                source,
                np.random.default_rng(stream(self.seed, "measures")),
                num_shuffles=self.shuffles,
                max_pairs=self.pairs,
                harris_threshold=self.harris_threshold,
            )
        if self.format == "text":
            show_measures(output, measures, len(source))
        elif not self.json:
            print(FORMATS[self.format](tables.measures(measures)), end="")
        result = {"episodes": len(source), "measures": [measure.to_dict() for measure in measures]}
        output.result(result)

    def _source(self) -> Recording | Corpus:
        files = expand(self.files)
        corpora = [file for file in files if Path(file).suffix == ".jsonl"]
        if not corpora:
            config = self.game.config() if self.game.given else None
            return read_recording(files, columns=ANALYSED, config=config)
        if len(files) > 1:
            raise ValueError(f"files must be recordings, or one .jsonl; got {len(files)} with {corpora[0]}")
        from spatial_game.language.interchange import read_corpus

        return read_corpus(files[0], vocab_size=self.game.vocab_size)


def show_measures(output: Output, measures: Sequence[Measure], num_messages: int) -> None:
    """The measures that are defined as a table, and why the others are not."""
    output.heading(f"Measures of {num_messages:,} messages")
    output.say("", tables.measures_for_people(measures).to_text(width=output.table_width))
    for measure in measures:
        if measure.value is None:
            output.say(f"  {measure.name} is undefined: {measure.reason}")
