"""`spatial-game import` and `spatial-game export`: what other tools wrote, and what they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from spatial_game.cli.options import GameOptions
from spatial_game.cli.terminal import Output, progress
from spatial_game.recording import RecordingFile, recording_parts


@dataclass(frozen=True)
class Import:
    """Turn what another tool wrote into a recording.

    spatial-game import interactions.json --format interactions --out play.parquet
    """

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """The file to read."""
    out: Path
    """The recording to write."""
    format: Literal["interactions", "csv", "csar", "tensors"]
    """interactions: JSON of the paper's published code. csv: a column for each cell (window_0, ...). csar:
    lines of [[form], [meaning]], as exported here. tensors: npz arrays named as in EGG's Interaction."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """The game, where the file does not say it."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Read and write."""
        output = Output(self.json)
        with progress("importing"):
            episodes = getattr(self, f"_{self.format}")()
        output.say(f"{episodes:,} episodes", f"recording  {self.out}")
        output.result({"episodes": episodes, "recording": str(self.out)})

    def _interactions(self) -> int:
        from spatial_game.language.interchange import import_interactions

        known = {
            name: self.game.given[name] for name in ("vocab_size", "num_integers") if name in self.game.given
        }
        return import_interactions(self.file, self.out, **known)

    def _csv(self) -> int:
        from spatial_game.language.interchange import import_csv

        return import_csv(self.file, self.out, self.game.config())

    def _csar(self) -> int:
        from spatial_game.language.interchange import read_csar

        recording = read_csar(self.file, self.game.config())
        recording.write(self.out)
        return len(recording)

    def _tensors(self) -> int:
        from spatial_game.language.interchange import read_tensors

        recording = read_tensors(self.file, self.game.config() if self.game.given else None)
        recording.write(self.out)
        return len(recording)


@dataclass(frozen=True)
class Export:
    """Write a recording in a form that another tool reads.

    spatial-game export play.parquet --format csv --out play.csv
    """

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE.parquet")]
    """The recording to read."""
    out: Path
    """The file to write; for elcc, the folder that has or gets `systems`."""
    format: Literal["jsonl", "elcc", "csar", "csv", "tensors"]
    """jsonl: the symbols of a message on each line (XferBench). elcc: that, in ELCC's folders with metadata.
    csar: lines of [[form], [meaning]]. csv: a column for each cell. tensors: an npz of arrays named as in
    EGG's Interaction, without pickle."""
    game: Annotated[GameOptions, tyro.conf.arg(name="")]
    """The game of a recording that does not say it."""
    system: str = "spatial-game"
    """elcc: the name of the system."""
    variant: str = "default"
    """elcc: the name of the variant."""
    json: bool = False
    """Print one JSON object instead of text."""

    def run(self) -> None:
        """Read and write."""
        output = Output(self.json)
        (source,) = recording_parts([self.file], config=self.game.config() if self.game.given else None)
        with progress("exporting"):
            written = self._write(source)
        output.say(f"{source.num_rows:,} episodes", f"{self.format:<10} {written}")
        output.result({"episodes": source.num_rows, "format": self.format, "out": str(written)})

    def _write(self, source: RecordingFile) -> Path:
        from spatial_game.language import interchange

        if self.format == "elcc":
            return interchange.export_elcc(source, self.out, variant=self.variant, system=self.system)
        writers: dict[str, Callable[[RecordingFile, Path], int]] = {
            "jsonl": interchange.write_corpus,
            "csar": interchange.export_csar,
            "csv": interchange.export_csv,
            "tensors": interchange.export_tensors,
        }
        writers[self.format](source, self.out)
        return self.out
