"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from spatial_game.cli.files import InFiles, OutFile
from spatial_game.cli.options import (
    Command,
    FilesGame,
    GameOptions,
    group,
    positional,
    require_at_least,
)
from spatial_game.cli.terminal import Output, progress
from spatial_game.game.seeds import stream
from spatial_game.language.npmi.settings import Settings
from spatial_game.tables import FORMATS

if TYPE_CHECKING:
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.lexicon import Lexicon
    from spatial_game.language.npmi.grid import Cell

BEST = 10
"""Entries of each type that text shows by default."""


@positional
@dataclass(frozen=True, kw_only=True)
class Analyse(Command):
    """The options of `spatial-game analyse`."""

    files: Annotated[InFiles, Parameter(name="FILE...")] = field(kw_only=False)
    """Recordings of one game, analysed together. Patterns in quotes are expanded."""
    settings: Annotated[Settings, group("Entries", "What an entry must show.")] = field(
        default_factory=Settings
    )
    game: FilesGame = field(default_factory=GameOptions)
    out: OutFile | None = None
    """Write the lexicon, with the figures of every entry, to this JSON file."""
    format: Literal["text", "markdown", "latex", "csv", "json"] = "text"
    """How to print the dictionary. All formats except text print nothing else."""
    best: int | None = None
    """Entries of each type to print, most episodes first. Default: 10 as text, otherwise all."""
    intervals: bool = False
    """Add a 95% interval to each NPMI, by resampling (estimator exact)."""
    seed: int = 0
    """Seed of the resampling; nothing else is random."""
    grid: bool = False
    """Also try all thresholds and top_n of the paper's grid (54 cells), as in its table 1."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, analyse, show and write."""
        from spatial_game.cli import dictionary, recordings

        self.settings.check_selection()
        if self.best is not None:
            require_at_least(1, best=self.best)
        rng = np.random.default_rng(stream(self.seed, "intervals")) if self.intervals else None
        files = recordings.expand(self.files)
        counts = recordings.count_with_progress(files, self.game.of_files)
        analysed = dictionary.analyse(counts, self.settings, rng)
        lexicon = analysed.lexicon
        if self.out is not None:
            lexicon.write(self.out)
        cells = self._grid(counts)
        if self.json or self.format == "text":
            dictionary.show(output, analysed, self.best or BEST)
            if cells:
                dictionary.show_grid(output, cells)
            output.say(dictionary.verified_in_words(counts))
            if self.out is not None:
                output.say(f"lexicon    {self.out}")
        else:
            print(self._printed(lexicon), end="")
        out = str(self.out) if self.out else None
        return {
            **dictionary.summary(analysed),
            **dict(zip(("files", "verified_files"), dictionary.verified(counts), strict=True)),
            "grid": [asdict(cell) for cell in cells],
            "lexicon": out,
        }

    def _grid(self, counts: Counts) -> list[Cell]:
        from spatial_game.language.npmi.grid import grid

        if not self.grid:
            return []
        with progress("trying the grid"):
            return grid(counts, self.settings)

    def _printed(self, lexicon: Lexicon) -> str:
        from spatial_game.language import tables

        table = tables.dictionary(lexicon, self.best)
        if self.format == "json":
            return json.dumps(table.records(), indent=1) + "\n"
        return FORMATS[self.format](table)
