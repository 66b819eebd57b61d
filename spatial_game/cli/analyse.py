"""`spatial-game analyse`: from recordings to a dictionary of the language in them."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from spatial_game.cli.options import GameOptions, require_writable
from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.game.seeds import stream
from spatial_game.language import tables
from spatial_game.language.counting.counts import Counts, count, count_files
from spatial_game.language.lexicon.analysis import Admitted, Analysis
from spatial_game.language.lexicon.grid import Cell, grid
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.npmi import integer_word_ceiling
from spatial_game.language.lexicon.settings import Settings
from spatial_game.recording import Recording, RecordingFile, recording_parts
from spatial_game.tables import FORMATS

BEST = 10
"""Entries of each type that text shows unless told otherwise."""


@dataclass(frozen=True)
class Analyse:
    """Read the language of recordings: which message, or part of one, means what.

    spatial-game analyse play.parquet --out lexicon.json
    """

    files: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="FILE.parquet...", help_behavior_hint="(required)"),
    ]
    """Recordings of one game, analysed as one; patterns such as 'runs/*.parquet' are expanded."""
    settings: Annotated[Settings, tyro.conf.arg(name="")]
    """What an entry must show."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """The game of files that do not say it."""
    out: Path | None = None
    """Write the lexicon, every entry with its figures, to this JSON file."""
    format: Literal["text", "markdown", "latex", "csv", "json"] = "text"
    """How to print the dictionary; all but text print nothing else."""
    best: int | None = None
    """Entries of each type to print, those with the most episodes. Default: 10 as text, otherwise all."""
    intervals: bool = False
    """Add a 95% interval to each NPMI, by resampling (estimator exact)."""
    seed: int = 0
    """Seed of that resampling; nothing else here is random."""
    grid: bool = False
    """Also try all thresholds and top_n of the paper's grid (54 cells), as its table 1 does."""
    workers: int = 1
    """Processes that count; they share the row groups of the files."""
    json: bool = False
    """Print one JSON object with the results instead."""

    def run(self) -> None:
        """Count, analyse, show and write."""
        if self.best is not None and self.best < 1:
            raise ValueError(f"best must be at least 1; got {self.best}")
        if self.out is not None:
            require_writable("out", self.out)
        config = self.game.config() if self.game.given else None
        rng = np.random.default_rng(stream(self.seed, "intervals")) if self.intervals else None
        counts = count_with_progress(expand(self.files), config, self.workers)
        admitted, lexicon = analyse(counts, self.settings, rng)
        if self.out is not None:
            lexicon.write(self.out)
        output = Output(self.json)
        cells = self._grid(counts)
        if self.json or self.format == "text":
            show_dictionary(output, lexicon, admitted, self.best or BEST)
            if cells:
                show_grid(output, cells)
            if self.out is not None:
                output.say(f"lexicon    {self.out}")
        else:
            print(self._printed(lexicon), end="")
        files = {"lexicon": str(self.out) if self.out else None}
        output.result({**summary(lexicon, admitted), "grid": [asdict(cell) for cell in cells], **files})

    def _grid(self, counts: Counts) -> list[Cell]:
        if not self.grid:
            return []
        with progress("trying the grid"):
            return grid(counts, self.settings)

    def _printed(self, lexicon: Lexicon) -> str:
        table = tables.dictionary(lexicon, self.best)
        if self.format == "json":
            return json.dumps(table.records(), indent=1) + "\n"
        return FORMATS[self.format](table)


def expand(patterns: Sequence[str]) -> list[str]:
    """The files that are named, those of quoted patterns included.

    Raises `ValueError` for none, for a pattern that no file matches, and for a file that is named twice,
    by whatever path.
    """
    files: list[str] = []
    for pattern in patterns:
        found = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not found and glob.has_magic(pattern):
            raise ValueError(f"files must match at least one recording; got {pattern}")
        files += found or [pattern]
    if not files:
        raise ValueError("files must name at least one recording; got none")
    real = [os.path.realpath(file) for file in files]
    twice = next((file for i, file in enumerate(files) if real[i] in real[:i]), None)
    if twice is not None:
        raise ValueError(f"files must be different, or their episodes would count twice; got {twice} twice")
    return files


def count_with_progress(files: Sequence[str], config: GameConfig | None, workers: int) -> Counts:
    """Count recordings, with a bar over their episodes."""
    if workers != 1:
        with progress("counting"):
            return count_files(files, config=config, workers=workers)
    parts = recording_parts(files, config=config)
    with progress("counting", sum(part.num_rows for part in parts)) as advance:
        counts = count([_Watched(part, advance) for part in parts])
    return replace(counts, sources=tuple(parts))


@dataclass(frozen=True)
class _Watched:
    """A recording that tells how far it has been read."""

    file: RecordingFile
    advance: Callable[[int], None]

    @property
    def config(self) -> GameConfig:
        return self.file.config

    @property
    def provenance(self) -> Any:
        return self.file.provenance

    @property
    def num_rows(self) -> int:
        return self.file.num_rows

    def blocks(self, *, columns: Sequence[str] | None = None) -> Iterator[Recording]:
        for block in self.file.blocks(columns=columns):
            yield block
            self.advance(len(block))


def analyse(
    counts: Counts, settings: Settings, intervals: np.random.Generator | None = None
) -> tuple[Admitted, Lexicon]:
    """The entries of a language, as tables and as a lexicon."""
    with progress("analysing"):
        admitted = Analysis(counts, settings).admit()
        return admitted, Lexicon.from_admitted(admitted, intervals=intervals)


def show_dictionary(output: Output, lexicon: Lexicon, admitted: Admitted, best: int) -> None:
    """The most used entries of each type, the share of the language that they read, and the ceiling."""
    output.heading(f"Dictionary: {_sizes(lexicon, best)}")
    if lexicon.listed:
        output.say("", tables.dictionary(lexicon, best).to_text("Type", output.table_width).rstrip())
    output.heading("Types of messages")
    output.say("", tables.coverage(admitted).to_text(width=output.table_width))
    output.say(*_ceiling(lexicon), f"signature  {lexicon.signature}")


def show_grid(output: Output, cells: Sequence[Cell]) -> None:
    """The cells of the grid, and what they come to."""
    output.heading("Grid: entries by threshold (t_c) and top_n (t_n)")
    output.say("", tables.grid_table(cells).to_text(width=output.table_width))
    output.heading("Types of messages over the grid (the paper's table 1)")
    output.say("", tables.emergence(cells).to_text(width=output.table_width))


def summary(lexicon: Lexicon, admitted: Admitted) -> dict[str, Any]:
    """The results of an analysis for machines."""
    return {
        "episodes": admitted.counts.total,
        "distinct_messages": len(admitted.counts.messages),
        "entries": len(lexicon),
        "listed": len(lexicon.listed),
        "coverage": lexicon.coverage,
        "types": tables.coverage(admitted).records(),
        "threshold": lexicon.settings.threshold,
        "ceiling": integer_word_ceiling(lexicon.config),
        "signature": lexicon.signature,
        "dictionary": tables.dictionary(lexicon).records(),
    }


def _sizes(lexicon: Lexicon, best: int) -> str:
    listed = len(lexicon.listed)
    if not listed:
        return "no message means anything that passes"
    shown = (
        f", the {best} most used of each type" if len(tables.dictionary(lexicon, best).rows) < listed else ""
    )
    return f"{listed:,} entries{shown}"


def _ceiling(lexicon: Lexicon) -> list[str]:
    """What the threshold means for words for integers, whose NPMI has a ceiling below 1."""
    threshold, ceiling = lexicon.settings.threshold, integer_word_ceiling(lexicon.config)
    known = f"threshold  {threshold:g}; in this game a perfect word for an integer reaches {ceiling:.2f}"
    if threshold < ceiling or lexicon.of_kind("integer"):
        return [known]
    advice = (
        f"           so only one for a very frequent integer could pass: try --threshold {0.75 * ceiling:.2f}"
    )
    return [known, advice]
