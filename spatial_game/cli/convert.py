"""`spatial-game import` and `spatial-game export`: the files of other tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts.types import File

from spatial_game.checks import require_one_of
from spatial_game.cli.options import Command, GameFlags, UnlistedGame, require_writable
from spatial_game.cli.read_language import open_recordings
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.errors import UserError
from spatial_game.tables import counted

if TYPE_CHECKING:
    from spatial_game.recording import Recording


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """The options of `spatial-game import`."""

    file: Path = field(kw_only=False)
    """The file to read."""
    out: File
    """The recording to write."""
    format: str
    """interactions: JSON of the paper's published code. csv: a column for each cell (window_0, ...) or
    for each list. tensors: npz arrays named as in EGG's Interaction."""
    columns: tuple[str, ...] = ()
    """Of csv: which columns of the file are a column of the recording, such as message=w1,w2,w3, or a single
    one with lists."""
    first_symbol: int = 0
    """Of csv: the number of the first symbol. Letters and words as symbols get numbers by themselves."""
    game: UnlistedGame = field(default_factory=GameFlags)

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        from spatial_game.language import interchange
        from spatial_game.recording import RecordingWriter

        require_one_of("format", self.format, tuple(interchange.IMPORTERS))
        require_writable(self.out, [self.file])
        if self.format != "csv" and (self.columns or self.first_symbol):
            name = "columns" if self.columns else "first_symbol"
            raise UserError(f"{name} needs format csv; got {self.format}")
        with progress("importing"):
            blocks = self._blocks()
            first, episodes = next(blocks), 0
            with RecordingWriter(self.out, first.config, first.provenance) as writer:
                for block in chain([first], blocks):
                    writer.write(block)
                    episodes += len(block)
        report = Report(episodes=episodes, recording=str(self.out))
        report.lines(counted(episodes, "episode"), f"recording  {self.out}")
        if words := first.provenance.get("symbols"):
            named = ", ".join(f"{number} {word}" for number, word in enumerate(words))
            report.lines(f"symbols    {named}")
        yield report

    def _blocks(self) -> Iterator[Recording]:
        """Return the episodes of the file, in blocks."""
        from spatial_game.language.interchange import IMPORTERS
        from spatial_game.recording import Recording

        options = dict(self.game.given)
        if self.format == "csv":
            options |= {"columns": dict(map(_columns, self.columns)), "first_symbol": self.first_symbol}
        found = IMPORTERS[self.format](self.file, **options)
        return iter([found]) if isinstance(found, Recording) else found


def _columns(given: str) -> tuple[str, list[str]]:
    """Return a column of a recording, and the columns of a file that it is made of."""
    name, _, cells = given.partition("=")
    if not name or not cells:
        raise UserError(f"columns must be such as message=w1,w2,w3; got {given}")
    return name, cells.split(",")


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """The options of `spatial-game export`."""

    file: Path = field(kw_only=False)
    """The recording to read."""
    out: File
    """The file to write."""
    format: str
    """csv: a column for each cell. tensors: arrays (npz, without pickle) named as in EGG's Interaction."""
    game: UnlistedGame = field(default_factory=GameFlags)

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        from spatial_game.language import interchange

        require_one_of("format", self.format, tuple(interchange.EXPORTERS))
        source, *others = open_recordings([self.file], self.game.given)
        if others:
            raise UserError(f"file must be one recording; got {1 + len(others)} in the folder {self.file}")
        require_writable(self.out, [self.file])
        with progress("exporting"):
            interchange.EXPORTERS[self.format](source, self.out)
        report = Report(episodes=source.num_rows, format=self.format, out=str(self.out))
        report.lines(counted(source.num_rows, "episode"), f"{self.format:<10} {self.out}")
        yield report
