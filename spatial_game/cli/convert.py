"""`spatial-game import` and `spatial-game export`: the files of other tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cyclopts.types import File

from spatial_game.cli.options import Command, FilesGame, GameOptions, require_writable
from spatial_game.cli.read_language import open_recordings
from spatial_game.cli.terminal import Output, progress

if TYPE_CHECKING:
    from spatial_game.recording import Recording


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """The options of `spatial-game import`."""

    file: Path = field(kw_only=False)
    """The file to read."""
    out: File
    """The recording to write."""
    format: Literal["interactions", "csv", "tensors"]
    """interactions: JSON of the paper's published code. csv: a column for each cell (window_0, ...).
    tensors: npz arrays named as in EGG's Interaction."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read and write."""
        require_writable(self.out, [self.file])
        with progress("importing"):
            recording = self._read()
            recording.write(self.out)
        output.say(f"{len(recording):,} episodes", f"recording  {self.out}")
        return {"episodes": len(recording), "recording": str(self.out)}

    def _read(self) -> Recording:
        """Return the episodes of the file."""
        from spatial_game.language import interchange

        given = self.game.given
        if self.format == "interactions":
            for name in given.keys() - {"vocab_size", "num_integers"}:
                raise ValueError(f"{name} must be left out with format interactions; got {given[name]}")
            return interchange.read_interactions(self.file, **given)
        if self.format == "csv":
            return interchange.read_csv(self.file, interchange.csv_game(self.file, **given))
        return interchange.read_tensors(self.file, **given)


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """The options of `spatial-game export`."""

    file: Path = field(kw_only=False)
    """The recording to read."""
    out: File
    """The file to write."""
    format: Literal["csv", "tensors"]
    """csv: a column for each cell. tensors: arrays (npz, without pickle) named as in EGG's Interaction."""
    game: FilesGame = field(default_factory=GameOptions)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read and write."""
        from spatial_game.language import interchange

        (source,) = open_recordings([self.file], self.game.of_files)
        require_writable(self.out, [self.file])
        writer = interchange.export_csv if self.format == "csv" else interchange.export_tensors
        with progress("exporting"):
            writer(source, self.out)
        output.say(f"{source.num_rows:,} episodes", f"{self.format:<10} {self.out}")
        return {"episodes": source.num_rows, "format": self.format, "out": str(self.out)}
