"""What `analyse`, `demo` and `probe` share: counting recordings, and showing a dictionary."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.cli.terminal import Output, progress
from spatial_game.config import GameConfig
from spatial_game.language import tables
from spatial_game.language.counting.counts import Counts, count, count_files
from spatial_game.language.lexicon.analysis import Admitted, Analysis
from spatial_game.language.lexicon.grid import Cell
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.npmi import integer_word_ceiling
from spatial_game.language.lexicon.settings import Settings
from spatial_game.recording import Recording, RecordingFile, recording_parts


def expand(patterns: Sequence[Path]) -> list[str]:
    """Return the files that are named, with quoted patterns expanded.

    Raises `ValueError` for a pattern without a match, and for a file that is named twice, by whatever path.
    """
    files: list[str] = []
    for pattern in map(str, patterns):
        found = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not found and glob.has_magic(pattern):
            raise ValueError(f"files must match at least one recording; got {pattern}")
        files += found or [pattern]
    real = [os.path.realpath(file) for file in files]
    twice = next((file for i, file in enumerate(files) if real[i] in real[:i]), None)
    if twice is not None:
        raise ValueError(f"files must be different, or their episodes would count twice; got {twice} twice")
    return files


def count_with_progress(files: Sequence[str], config: GameConfig | None, workers: int = 1) -> Counts:
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
    """A recording that reports how far it has been read."""

    file: RecordingFile
    advance: Callable[[int], None]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def blocks(self, *, columns: Sequence[str] | None = None) -> Iterator[Recording]:
        for block in self.file.blocks(columns=columns):
            yield block
            self.advance(len(block))


def analyse(
    counts: Counts, settings: Settings, intervals: np.random.Generator | None = None
) -> tuple[Admitted, Lexicon]:
    """Find the entries of a language, and return them as tables and as a lexicon."""
    with progress("analysing"):
        admitted = Analysis(counts, settings).admit()
        return admitted, Lexicon.from_admitted(admitted, intervals=intervals)


def show(output: Output, lexicon: Lexicon, admitted: Admitted, best: int) -> None:
    """Show the most used entries of each type, the types of messages, and what the threshold means."""
    table, listed = tables.dictionary(lexicon, best), len(lexicon.listed)
    shown = f", the {best} most used of each type" if len(table.rows) < listed else ""
    if listed:
        output.table(f"Dictionary: {listed:,} entries{shown}", table, group_by="Type")
    else:
        output.heading("Dictionary: no message has a meaning that passes")
    output.table("Types of messages", tables.coverage(admitted))
    output.say("", *_about_the_threshold(lexicon), f"signature  {lexicon.signature}")


def show_grid(output: Output, cells: Sequence[Cell]) -> None:
    """Show the entries and the types of messages at each threshold and top_n."""
    output.table("Grid: entries by threshold (t_c) and top_n (t_n)", tables.grid_table(cells))
    output.table("Types of messages over the grid (the paper's table 1)", tables.emergence(cells))


def summary(lexicon: Lexicon, admitted: Admitted) -> dict[str, Any]:
    """Return the results of an analysis for machines."""
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


def _about_the_threshold(lexicon: Lexicon) -> list[str]:
    """Say what the threshold means for words for integers, whose NPMI cannot reach 1."""
    threshold, ceiling = lexicon.settings.threshold, integer_word_ceiling(lexicon.config)
    known = f"threshold  {threshold:g}; in this game a perfect word for an integer reaches {ceiling:.2f}"
    if threshold < ceiling or lexicon.of_kind("integer"):
        return [known]
    advice = (
        f"           so only one for a very frequent integer could pass: try --threshold {0.75 * ceiling:.2f}"
    )
    return [known, advice]
