"""`spatial-game import` and `spatial-game export`: the files of other tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.types import File

from spatial_game.checks import require_one_of
from spatial_game.cli.options import Command, GameFlags, UnlistedGame, require_writable
from spatial_game.cli.read_language import open_recordings
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.errors import UserError
from spatial_game.language.interchange import EXPORTERS, IMPORTERS
from spatial_game.recording import Recording, RecordingWriter
from spatial_game.tables import counted


def _formats(register: Mapping[str, tuple[Any, str]]) -> Parameter:
    """Return the help of an option whose values are the names in a register."""
    return Parameter(help=f"{'. '.join(f'{name}: {about}' for name, (_, about) in register.items())}.")


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """The options of `spatial-game import`."""

    file: Path = field(kw_only=False)
    """The file to read."""
    out: File
    """The recording to write."""
    format: Annotated[str, _formats(IMPORTERS)]
    columns: tuple[str, ...] = ()
    """Of csv: which columns of the file are a column of the recording, such as message=w1,w2,w3, or a single
    one with lists."""
    first_symbol: int = 0
    """Of csv: the number of the first symbol. Letters and words as symbols get numbers by themselves."""
    game: UnlistedGame = field(default_factory=GameFlags)

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        require_one_of("format", self.format, tuple(IMPORTERS))
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
        options = dict(self.game.given)
        if self.format == "csv":
            options |= {"columns": dict(map(_columns, self.columns)), "first_symbol": self.first_symbol}
        read, _ = IMPORTERS[self.format]
        found = read(self.file, **options)
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
    format: Annotated[str, _formats(EXPORTERS)]
    game: UnlistedGame = field(default_factory=GameFlags)

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        require_one_of("format", self.format, tuple(EXPORTERS))
        source, *others = open_recordings([self.file], self.game.given)
        if others:
            raise UserError(f"file must be one recording; got {1 + len(others)} in the folder {self.file}")
        require_writable(self.out, [self.file])
        write, _ = EXPORTERS[self.format]
        with progress("exporting"):
            write(source, self.out)
        report = Report(episodes=source.num_rows, format=self.format, out=str(self.out))
        report.lines(counted(source.num_rows, "episode"), f"{self.format:<10} {self.out}")
        yield report
