"""`spatial-game import` and `spatial-game export`: the files of other tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated

from cyclopts.types import File

from spatial_game.cli.language import open_recordings
from spatial_game.cli.options import GameCommand, names_in, require_writable, sizes_of
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.errors import UserError
from spatial_game.game.episodes import MASK
from spatial_game.language.interchange import EXPORTERS, IMPORTERS, InterchangeError, import_advice
from spatial_game.language.wording import listed
from spatial_game.recording import Recording, RecordingWriter, symbol_names
from spatial_game.text import counted


@dataclass(frozen=True, kw_only=True)
class Import(GameCommand):
    """The options of `spatial-game import`."""

    file: Path = field(kw_only=False)
    """The file to read."""
    out: File
    """The recording to write."""
    format: Annotated[str, names_in(IMPORTERS)]
    columns: tuple[str, ...] = ()
    """Of csv: which columns of the file are a column of the recording, such as message=w1,w2,w3, or a single
    one with lists."""
    first_symbol: int = 0
    """Of csv: the number of the first symbol. Letters and words as symbols need none."""

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        require_writable(self.out, [self.file])
        with progress("importing"):
            blocks, episodes = self._blocks(), 0
            try:
                first = next(blocks)
            except InterchangeError as error:
                raise InterchangeError(f"{error}{self._advice(str(error))}") from None
            with RecordingWriter(self.out, first.config, first.provenance) as writer:
                for block in chain([first], blocks):
                    writer.write(block)
                    episodes += len(block)
        report = Report(episodes=episodes)
        report.lines(counted(episodes, "episode"))
        report.facts(begins=_as_read(first))
        if names := first.provenance.get("symbols"):
            report.facts(symbols=", ".join(names))
            if cases := _in_both_cases(names):
                report.paragraphs(f"Warning: capitals make other symbols: {cases}.")
        report.written(self.out)
        yield report

    def _blocks(self) -> Iterator[Recording]:
        """Return the episodes of the file, in blocks."""
        options = sizes_of(self.game)
        of_csv = {"columns": dict(map(_columns, self.columns)), "first_symbol": self.first_symbol}
        if self.format == "csv":
            options |= of_csv
        elif any(of_csv.values()):
            name = "--columns" if self.columns else "--first-symbol"
            raise UserError(f"{name} needs --format csv; got {self.format}")
        read, _ = IMPORTERS[self.format]
        found = read(self.file, **options)
        return iter([found]) if isinstance(found, Recording) else found

    def _advice(self, fault: str) -> str:
        """Return the whole command for a table of which too little is given; otherwise nothing."""
        if self.format != "csv":
            return ""
        options = sizes_of(self.game) | ({"first_symbol": self.first_symbol} if self.first_symbol else {})
        with suppress(InterchangeError):  # it is no table
            advice = import_advice(self.file, dict(map(_columns, self.columns)), options)
            return "" if fault.partition(": ")[2] in advice else f". {advice}"
        return ""


def _as_read(recording: Recording) -> str:
    """Return the window and the symbols of the first episode, by which one sees how a file was divided."""
    names = symbol_names(recording.config, [recording.provenance])
    window = ["?" if cell == MASK else str(cell) for cell in recording.window[0].tolist()]
    return f"window {' '.join(window)}, message {' '.join(names[symbol] for symbol in recording.message[0])}"


def _in_both_cases(names: Sequence[str]) -> str:
    """Return symbols that differ in their capitals alone: "C and c, D and d"."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name.casefold(), []).append(name)
    return ", ".join(listed(each, " and ") for each in alike.values() if len(each) > 1)


def _columns(given: str) -> tuple[str, list[str]]:
    """Return a column of a recording, and the columns of a file that it is made of."""
    name, _, cells = given.partition("=")
    if not name or not cells:
        raise UserError(f"--columns must be such as message=w1,w2,w3; got {given}")
    return name, cells.split(",")


@dataclass(frozen=True, kw_only=True)
class Export(GameCommand):
    """The options of `spatial-game export`."""

    file: Path = field(kw_only=False)
    """The recording to read."""
    out: File
    """The file to write."""
    format: Annotated[str, names_in(EXPORTERS)]

    def execute(self) -> Iterator[Report]:
        """Read and write."""
        source, *others = open_recordings([self.file], self.game)
        if others:
            raise UserError(f"file must be one recording; got {1 + len(others)} in the folder {self.file}")
        require_writable(self.out, [self.file])
        write, _ = EXPORTERS[self.format]
        with progress("exporting"):
            write(source, self.out)
        report = Report(episodes=source.num_rows, format=self.format)
        report.lines(counted(source.num_rows, "episode"))
        report.written(self.out)
        yield report
