"""`spatial-game count`: the unit of work of `analyse --jobs`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from cyclopts import Parameter

from spatial_game.cli.files import InFiles, OutFile
from spatial_game.cli.options import Command, FilesGame, GameOptions, positional
from spatial_game.cli.place import numbered_part
from spatial_game.cli.terminal import Output


@positional
@dataclass(frozen=True, kw_only=True)
class Count(Command):
    """The options of `spatial-game count`."""

    files: Annotated[InFiles, Parameter(name="FILE...")] = field(kw_only=False)
    """Recordings of one game."""
    out: OutFile
    """The table to write (NumPy's npz)."""
    part: str = "0/1"
    """Which of several equal parts of the row groups to count: 0/8 is the first of eight."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Count, and write."""
        from spatial_game.cli.dictionary import count_here
        from spatial_game.language.counting.spans import span, write_counts
        from spatial_game.recording import recording_parts

        files = recording_parts(self.files, config=self.game.of_files)
        counts = count_here(span(files, *numbered_part(self.part)))
        write_counts(counts, self.out)
        return {"episodes": counts.total, "messages": len(counts.messages), "counts": str(self.out)}
