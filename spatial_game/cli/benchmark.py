"""`spatial-game benchmark`: compare readers of emergent languages on languages with known answers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from spatial_game.cli.files import OutFolder
from spatial_game.cli.options import Command, Where
from spatial_game.cli.record import numbered_part
from spatial_game.cli.terminal import Output, progress
from spatial_game.units import Place, Unit, run_units, usable_cores, words_of

if TYPE_CHECKING:
    from spatial_game.benchmark.running import Limits, Row
    from spatial_game.benchmark.suite import Task
    from spatial_game.tables import Table


@dataclass(frozen=True, kw_only=True)
class Benchmark(Command):
    """The options of `spatial-game benchmark`."""

    reader: Annotated[tuple[str, ...], Parameter(name="--reader")] = ()
    """Readers: description, npmi, majority, posdis, bosdis, ibm1, csar, morfessor, bpe, module:Class for your
    own, or csar-file:FOLDER for what CSAR's own program printed. Default: all that are installed."""
    suite: Literal["quick", "full"] = "quick"
    """quick: under five minutes on two cores. full: hours."""
    out: OutFolder | None = None
    """Folder for the results; the same command continues there. Default: results are only shown."""
    export: OutFolder | None = None
    """Folder for the languages, answers and results as a data set, with metadata and a card."""
    limit: float = 60.0
    """Seconds of processor time that a reader has for a language."""
    memory: int = 2_000
    """Megabytes of memory that a reader has for a language."""
    part: Annotated[str | None, Parameter(show=False)] = None
    """NUMBER/PARTS: read this part of the languages, and show nothing."""
    where: Where = field(default_factory=Place)

    def execute(self, output: Output) -> dict[str, Any]:
        """Read the missing languages, and show what was found."""
        from spatial_game.benchmark.export import prepare
        from spatial_game.benchmark.results import all_rows, false_positives, faults, known_answers, played
        from spatial_game.benchmark.running import load_reader
        from spatial_game.benchmark.trained import missing
        from spatial_game.files import write_text

        readers, left_out = self._readers()
        for name in readers:
            load_reader(name)
        if self.export is not None:
            prepare(self.export)
        if left_out and self.part is None:
            output.say(f"Left out, as their libraries are not installed: {', '.join(left_out)}.")
            output.say("pip install -e '.[benchmark]' adds them.")
        if missing() and self.part is None:
            output.say(f"Left out, as no installed package offers these pairs: {', '.join(missing())}.")
        with self._folder() as folder:
            rows = self._rows(folder, readers)
            if self.part is not None:
                return {"read": len(rows)}
            write_text(folder / "results.csv", all_rows(rows).to_csv())
            answers, nothing, pairs = known_answers(rows), false_positives(rows), played(rows)
            output.table("How well readers find known answers", answers, group_by="Track")
            output.say("", "± is half of a 95% interval over languages. A lost language counts as 0.")
            output.table("Entries found where there is nothing to find", nothing)
            output.table("How well dictionaries play with trained pairs", pairs)
            output.say(*faults(rows))
            if self.out is not None:
                output.say("", f"results  {self.out / 'results.csv'}")
            if self.export is not None:
                self._export(rows, answers, nothing, pairs)
                output.say("", f"data set  {self.export / 'croissant.json'}")
        return {
            "known_answers": answers.records(),
            "nothing": nothing.records(),
            "played": pairs.records(),
            "rows": rows,
        }

    def _export(self, rows: list[Row], *tables: Table) -> None:
        from spatial_game.benchmark.export import export

        assert self.export is not None
        titles = ("Known answers", "Nothing to find", "Trained pairs")
        export(self._tasks(), rows, dict(zip(titles, tables, strict=True)), self.export)

    def _readers(self) -> tuple[list[str], list[str]]:
        """Return the readers, and those that are left out because their libraries are not installed."""
        from spatial_game.benchmark.readers import LIBRARIES, READERS

        if self.reader:
            return list(dict.fromkeys(self.reader)), []
        missing = [name for name, library in LIBRARIES.items() if find_spec(library) is None]
        return [name for name in READERS if name not in missing], missing

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        if self.out is not None:
            yield self.out
            return
        with tempfile.TemporaryDirectory(prefix="spatial-game-") as folder:
            yield Path(folder)

    def _tasks(self) -> list[Task]:
        from spatial_game.benchmark.suite import tasks
        from spatial_game.benchmark.trained import missing

        return [task for task in tasks(self.suite) if not (task.needs_pairs and missing())]

    def _rows(self, folder: Path, readers: list[str]) -> list[Row]:
        """Return the rows of all languages, after reading the missing ones, several at the same time."""
        from spatial_game.benchmark.running import forget_faults, path_of, run, stored

        tasks, limits = self._tasks(), self._limits()
        if self.part is not None:
            number, parts = numbered_part(self.part)
            return list(run(tasks[number::parts], readers, folder, limits))
        forget_faults(tasks, readers, folder, limits)
        missing = [t for t in tasks if any(stored(path_of(folder, t, name)) is None for name in readers)]
        place = self.where
        jobs = min(place.jobs or (usable_cores() if place.on == "local" else 50), max(len(missing), 1))
        if jobs > 1 or place.on != "local":
            with progress("reading") as advance:
                units = [self._unit(folder, readers, i, jobs) for i in range(jobs)]
                run_units(units, folder / "units", place, lambda name, report: advance(0))
        with progress("reading", len(tasks)) as advance:
            rows: list[Row] = []
            for task in tasks:
                rows += run([task], readers, folder, limits)
                advance(1, task.name)
        return rows

    def _limits(self) -> Limits:
        from spatial_game.benchmark.running import Limits

        return Limits(self.limit, self.memory)

    def _unit(self, folder: Path, readers: list[str], number: int, parts: int) -> Unit:
        """Return the unit that reads one part of the languages."""
        options = {"suite": self.suite, "limit": self.limit, "memory": self.memory}
        named = words_of({**options, "reader": readers, "out": folder.resolve(), "part": f"{number}/{parts}"})
        return Unit(f"part-{number}-of-{parts}", ("benchmark", *named))
