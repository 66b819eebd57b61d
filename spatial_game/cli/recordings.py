"""Find and count recordings, for the commands that read a language."""

from __future__ import annotations

import glob
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spatial_game.cli.files import open_recordings
from spatial_game.cli.terminal import progress
from spatial_game.config import GameConfig
from spatial_game.language.counting.counts import Counts, count
from spatial_game.recording import Recording, RecordingFile

FOREIGN = {".csv": "csv", ".json": "interactions", ".npz": "tensors"}
"""The format in which `import` reads files of other tools, by the ends of their names."""
PARQUET = b"PAR1"
"""The first bytes of a recording."""


def expand(patterns: Sequence[Path]) -> list[str]:
    """Return the named files, with quoted patterns expanded.

    Raises `ValueError` for a pattern without a match, for a file of another tool (the error has the command
    that converts it), and for a file that is named twice, even by different paths.
    """
    files: list[str] = []
    for pattern in map(str, patterns):
        found = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not found and glob.has_magic(pattern):
            raise ValueError(f"files must match at least one recording; got {pattern}")
        files += found or [pattern]
    for path in map(Path, files):
        form = FOREIGN.get(path.suffix)
        if form and path.is_file() and not _begins_with(path, PARQUET):
            words = ["spatial-game", "import", str(path), "--format", form, "--out", f"{path.stem}.parquet"]
            raise ValueError(f"files must be recordings; got {path} (convert it: {shlex.join(words)})")
    real = [os.path.realpath(file) for file in files]
    twice = next((file for i, file in enumerate(files) if real[i] in real[:i]), None)
    if twice is not None:
        raise ValueError(f"files must be different, or their episodes would count twice; got {twice} twice")
    return files


def _begins_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start


def count_with_progress(files: Sequence[str], config: GameConfig | None) -> Counts:
    """Count recordings, with a progress bar. Raises `ValueError` if they have no episode."""
    parts = open_recordings(files, config)
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
